import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { run, SLIPWAY } from './command.js';
import { type Fleet, startFleet } from './fleet.js';
import { documentOf, operationsOf } from './openapi-document.js';
import { eventually } from './rounds.js';
import { type Answer, request, type Service } from './service.js';
import { setPrice } from './swap.js';
import {
  create,
  deposit,
  newUser,
  orderBody,
  post,
  type Refused,
  rowOf,
  SOL,
  type User,
  usdcOf,
} from './trigger-user.js';
import { asWallet } from './trigger-wallet.js';
import { balancesOf, craft, execute, newToken, newWallet, PRICE } from './wallet.js';

/** What every copy is promised to have heard of after. */
const A_SECOND = 1_000;
const PATIENCE_SECONDS = 300;

describe('the stop button, on two copies and one PostgreSQL', () => {
  let fleet: Fleet;
  before(async () => {
    fleet = await startFleet(['api,keeper', 'api,keeper']);
  });
  after(() => fleet?.close());

  const copy = (index: number) => fleet.copies[index % fleet.copies.length]!;

  async function slipway(...words: string[]): Promise<string> {
    const env = { SLIPWAY_URL: copy(0).url, SLIPWAY_ADMIN_TOKEN: 'admin-token-of-the-copies' };
    const { code, out, error } = await run(SLIPWAY, words, { cwd: copy(0).dataDir, env });
    assert.equal(code, 0, error);
    return out;
  }

  const byCommand = {
    stop: async (what: string, why: string) =>
      assert.match(await slipway('stop', what, '--why', why), new RegExp(`^Stopped: ${what}\\.`)),
    resume: async (what: string) => assert.match(await slipway('resume', what), new RegExp(`^Resumed: ${what}\\.`)),
  };
  /** What the commands ask of the service: they take seconds to start, and what was crafted lives for a minute. */
  const byRequest = {
    stop: (what: string, why: string) => setStop('PUT', what, { why }),
    resume: (what: string) => setStop('DELETE', what),
  };
  async function setStop(method: string, what: string, body?: object): Promise<void> {
    const headers = { authorization: 'Bearer admin-token-of-the-copies', 'x-api-key': undefined };
    const url = `${copy(0).url}/admin/v1/stops/${what}`;
    assert.equal((await request(url, { method, headers, ...(body && { body }) })).status, 200);
  }

  /** Stops, waits for what is promised, and goes on after `work`, whatever happens. */
  async function whileStopped(what: string, why: string, work: () => Promise<void>, by = byCommand): Promise<void> {
    await by.stop(what, why);
    try {
      await allSay(`${what}: ${why}`);
      await work();
    } finally {
      await by.resume(what);
    }
    await allSay(undefined);
  }

  /** Waits until every copy has heard of what is stopped. */
  async function allSay(stopped: string | undefined): Promise<void> {
    await eventually(`every copy says: ${stopped}`, async () => {
      const said = await Promise.all(
        fleet.copies.map(({ url }) => request<{ checks: { stopped?: string } }>(`${url}/readyz`)),
      );
      return said.every(({ body }) => body.checks.stopped === stopped) || undefined;
    });
  }

  const refuses = ({ body, headers }: Answer<unknown>, says: string) => {
    assert.ok(JSON.stringify(body).includes(says), JSON.stringify(body));
    assert.equal(headers.get('retry-after'), '30');
  };

  /** All operations that answer a transaction to sign; the wallet-only ones are called with a login. */
  async function craftsOf(service: Service): Promise<{ method: string; path: string; shape: string }[]> {
    const document = await documentOf(service);
    const text = (schema: unknown): string =>
      JSON.stringify(schema ?? '').replaceAll(/"#\/components\/schemas\/(\w+)"/g, (_, name) =>
        JSON.stringify(document.components.schemas[name as string] ?? ''),
      );
    return operationsOf(document)
      .filter(({ path }) => !path.startsWith('/sandbox') && !path.startsWith('/admin'))
      .filter(({ responses }) => {
        const answer = text(text(responses[200]));
        return /"(?:tx|transactions?)\\*":/.test(answer) && !/txSignature/.test(answer);
      })
      .map(({ method, path }) => ({ method, path: path.replaceAll(/\{\w+\}/g, 'x'), shape: path }));
  }

  it('stops every operation that crafts, in each area’s shape and with the reason, and lets what was crafted land', async () => {
    const sender = await newWallet(copy(0));
    const crafted = await craft(copy(0), sender.address);
    const tokenId = await newToken(copy(0));
    const user = await newUser(copy(1));
    const crafts = (await craftsOf(copy(0))).filter(({ path }) => !path.endsWith('/auth/challenge'));
    assert.deepEqual(crafts.map(({ shape }) => shape).sort(), [
      '/send/v1/craft-claim',
      '/send/v1/craft-clawback',
      '/send/v1/craft-send',
      '/studio/v1/dbc-pool/create-tx',
      '/studio/v1/dbc/fee/create-tx',
      '/tokens/v2/verify/express/craft-txn',
      '/trigger/v1/cancelOrder',
      '/trigger/v1/cancelOrders',
      '/trigger/v1/createOrder',
      '/trigger/v2/deposit/craft',
      '/trigger/v2/orders/price/cancel/{orderId}',
      '/ultra/v1/order',
      '/ultra/v1/reclaim/craft',
      '/ultra/v1/transfer/craft-native',
      '/ultra/v1/transfer/craft-token',
    ]);
    await whileStopped('crafts', 'crafts are wrong', async () => {
      const landed = await execute(copy(1), crafted, sender, { tokenId });
      assert.equal(landed.body.status, 'Success', JSON.stringify(landed.body));
      for (const service of fleet.copies) {
        for (const { method, path } of crafts) {
          const headers = { authorization: `Bearer ${user.token}` };
          const body = method === 'GET' ? undefined : {};
          const answer = await request(`${service.url}${path}`, { method, headers, ...(body && { body }) });
          refuses(answer, 'Stopped by the operator (crafts): crafts are wrong');
          // The contracts of some areas have no 503.
          assert.equal(answer.status, /^\/(?:tokens|trigger|studio)/.test(path) ? 500 : 503, path);
        }
        // A stop keeps no copy from serving. On a busy machine something else may, for a moment.
        const checks = await eventually('it is ready', async () => {
          const { status, body } = await request<{ checks: { stopped?: string } }>(`${service.url}/readyz`);
          return status === 200 ? body.checks : undefined;
        });
        assert.equal(checks.stopped, 'crafts: crafts are wrong');
        const metrics = await request<string>(`${service.url}/metrics`);
        assert.match(metrics.body, /^slipway_stopped\{what="crafts"\} 1$/m);
        assert.match(metrics.body, /^slipway_stopped\{what="all"\} 0$/m);
      }
      const said = await eventually('status is well', () => slipway('status').catch(() => undefined));
      assert.match(said, /Stopped +crafts: crafts are wrong/);
    });
    assert.ok((await craft(copy(1), sender.address)).requestId);
  });

  it('stops all that clients have signed: nothing moves, and the same posts land afterwards', async () => {
    const sender = await newWallet(copy(0));
    const crafted = await craft(copy(0), sender.address);
    const tokenId = await newToken(copy(0));
    const user = await newUser(copy(0));
    const order = orderBody(user, await deposit(user));
    const before = [await balancesOf(copy(0), sender.address), await balancesOf(copy(0), user.wallet.address)];
    const held = async () => [
      await balancesOf(copy(0), sender.address),
      await balancesOf(copy(0), user.wallet.address),
    ];
    const nothingMoves = async () => {
      for (const service of fleet.copies) {
        const says = 'Stopped by the operator (all): keys may have leaked';
        refuses(await execute(service, crafted, sender, { tokenId }), says);
        refuses(await post({ ...user, service }, '/orders/price', order), says);
        refuses(await request(`${service.url}/ultra/v1/order`), says);
      }
      assert.deepEqual(await held(), before);
    };
    await whileStopped('all', 'keys may have leaked', nothingMoves, byRequest);
    const landed = await execute(copy(1), crafted, sender, { tokenId });
    assert.equal(landed.body.status, 'Success', JSON.stringify(landed.body));
    const made = await post<{ id: string }>({ ...user, service: copy(1) }, '/orders/price', order);
    assert.equal(made.status, 200, JSON.stringify(made.body));
    const [after] = await held();
    assert.equal(after!.jup, before[0]!.jup - PRICE);
  });

  it('stops fills: an order whose price has come waits, and its owner hears why', async () => {
    await setPrice(copy(0), SOL, 150);
    const user = await newUser(copy(0));
    const { id } = await create(user, await deposit(user), { triggerPriceUsd: 160 });
    const had = await usdcOf(user);
    await whileStopped('fills', 'the feed is wrong', async () => {
      await setPrice(copy(1), SOL, 170);
      // Without the stop, the order is filled within a fraction of this.
      await sleep(5 * A_SECOND);
      assert.equal((await rowOf(user, id)).rawState, 'open');
      assert.equal(await usdcOf(user), had);
      assert.match(
        await slipway('trigger-orders', 'explain', id),
        /Nothing is filled now: fills are stopped by root: the feed is wrong/,
      );
      // Who has stopped them is the operator's business.
      const path = `/orders/history/${id}/explanation`;
      const { reasons } = (await asWallet<{ reasons: string[] }>(copy(1), user.token, path)).body;
      assert.match(reasons.join(' '), /^Nothing is filled now: the operator has stopped fills: the feed is wrong\./);
      assert.match(reasons.join(' '), /is 170 USD.*fires at 160 USD and above: it is due/);
    });
    await eventually('the order is filled', async () => (await isFilled(user, id)) || undefined, PATIENCE_SECONDS);
    assert.ok((await usdcOf(user)) > had);
  });

  const isFilled = async (user: User, id: string) => (await rowOf(user, id)).rawState === 'fill_success';

  it('says what it does not know, and what is not stopped', async () => {
    const env = { SLIPWAY_URL: copy(0).url, SLIPWAY_ADMIN_TOKEN: 'admin-token-of-the-copies' };
    const place = { cwd: copy(0).dataDir, env };
    const unknown = await run(SLIPWAY, ['stop', 'everything'], place);
    assert.equal(unknown.code, 2);
    assert.match(unknown.error, /Allowed choices are fills, crafts, all/);
    const silent = await run(SLIPWAY, ['stop', 'all'], place);
    assert.equal(silent.code, 2);
    assert.match(silent.error, /--why: expected a text/);
    const none = await run(SLIPWAY, ['resume', 'fills'], place);
    assert.equal(none.code, 1);
    assert.match(none.error, /There is no stop of fills/);
    assert.equal((await slipway('resume')).trim(), 'Nothing was stopped.');
    const refused = await request<Refused>(`${copy(0).url}/admin/v1/stops/all`, { method: 'PUT', body: { why: 'x' } });
    assert.equal(refused.status, 401);
  });
});
