import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { generateKeypair } from '@slipway/wire';
import { run, SLIPWAY } from './command.js';
import { type Fleet, startFleet } from './fleet.js';
import { eventually } from './rounds.js';
import { request, type Service } from './service.js';
import { asWallet, logIn } from './trigger-wallet.js';

const PATIENCE = { timeout: 300_000 };

describe('attack: a thief of a login goes on with it after its owner or the operator has ended it: refused in all copies', () => {
  let fleet: Fleet;
  before(async () => {
    fleet = await startFleet(['api', 'api']);
  });
  after(() => fleet?.close());

  const statusOf = async (service: Service, token: string) =>
    (await asWallet(service, token, '/orders/history')).status;
  const statuses = (token: string) => Promise.all(fleet.copies.map((copy) => statusOf(copy, token)));
  const allHaveEnded = (token: string) =>
    eventually('all copies refuse the login', async () => {
      return (await statuses(token)).every((status) => status === 401) || undefined;
    });

  /** Resolves when the stream of this login ends. It is open when the promise for this is there. */
  async function streamOf(service: Service, token: string): Promise<{ end: Promise<void> }> {
    const headers = { 'x-api-key': 'sandbox', authorization: `Bearer ${token}` };
    const { body, status } = await fetch(`${service.url}/events/v1/stream`, { headers });
    assert.equal(status, 200);
    const reader = body!.getReader();
    await reader.read();
    const read = async () => {
      // A stream that is cut off is over, too.
      while (!(await reader.read().catch(() => ({ done: true }))).done);
    };
    return { end: read() };
  }

  it('by its owner, who logs out and in again at once, on another device and another copy', PATIENCE, async () => {
    const wallet = generateKeypair();
    const [stolen, own] = [await logIn(fleet.copies[0]!, wallet), await logIn(fleet.copies[1]!, wallet)];
    assert.deepEqual(await statuses(stolen), [200, 200]);
    const streams = await Promise.all(fleet.copies.map((copy) => streamOf(copy, stolen)));
    const out = await asWallet(fleet.copies[1]!, own, '/auth/logout', { method: 'POST' });
    assert.deepEqual([out.status, out.body], [200, { loggedOut: true }]);
    const again = await logIn(fleet.copies[0]!, wallet);
    await allHaveEnded(stolen);
    await allHaveEnded(own);
    assert.deepEqual(await statuses(again), [200, 200]);
    await Promise.all(streams.map(({ end }) => end));
    const refused = await asWallet(fleet.copies[0]!, stolen, '/auth/logout', { method: 'POST' });
    assert.equal(refused.status, 401);
    assert.deepEqual(await statuses(again), [200, 200]);
  });

  it('by the operator, whose command leaves other wallets alone', PATIENCE, async () => {
    const [victim, other] = [generateKeypair(), generateKeypair()];
    const [stolen, others] = [await logIn(fleet.copies[0]!, victim), await logIn(fleet.copies[0]!, other)];
    const stream = await streamOf(fleet.copies[1]!, stolen);
    const env = { SLIPWAY_URL: fleet.copies[0]!.url, SLIPWAY_ADMIN_TOKEN: 'admin-token-of-the-copies' };
    const place = { cwd: fleet.copies[0]!.dataDir, env };
    const { code, out, error } = await run(SLIPWAY, ['logins', 'revoke', victim.address], place);
    assert.deepEqual([code, out.trim()], [0, `The logins of ${victim.address} are ended.`], error);
    await allHaveEnded(stolen);
    assert.deepEqual(await statuses(others), [200, 200]);
    await stream.end;
    const wrong = await run(SLIPWAY, ['logins', 'revoke', 'nobody'], place);
    assert.equal(wrong.code, 1);
    assert.match(wrong.error, /wallet/);
    const path = `${fleet.copies[0]!.url}/admin/v1/logins/${victim.address}`;
    assert.equal((await request(path, { method: 'DELETE' })).status, 401);
  });
});
