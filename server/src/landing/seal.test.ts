import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { generateKeypair, sign } from '@slipway/wire';
import { testSigner } from '../sandbox/maker/testing.js';
import { findRequest, insertCrafted, type NewRequest } from '../store/ledger.js';
import { openTestStore } from '../store/testing.js';
import { isAsCrafted, sealed } from './seal.js';

const wallet = generateKeypair().address;
const AT = new Date(1_700_000_000_000);
const PAYLOAD = { b: [1, 2.5, { z: null, a: 'ü"\\' }], a: true, none: undefined, big: 1e21, 10: 'x', 9: 'y' };

describe('attack: a database writer changes what a row asks the service to sign; the seal breaks', () => {
  let opened: Awaited<ReturnType<typeof openTestStore>>;
  before(async () => {
    opened = await openTestStore();
  });
  after(() => opened?.close());

  const signer = testSigner();
  let number = 0;
  async function stored(change: Partial<NewRequest> = {}): Promise<string> {
    const request = {
      id: `request ${++number}`,
      area: 'swap',
      wallet,
      messageHash: new Uint8Array(32).fill(7),
      cosigners: ['gas'],
      lastValidBlockHeight: 123_456_789_012n,
      payload: PAYLOAD,
      createdAt: AT,
      expiresAt: AT,
      ...change,
    };
    const row = await sealed(signer, request);
    await opened.store.single((tx) => insertCrafted(tx, [row]));
    return request.id;
  }
  const holds = async (id: string) => isAsCrafted(signer, (await findRequest(opened.store, id))!);

  it('a row as it was crafted holds, whatever the database makes of its payload', async () => {
    for (const payload of [PAYLOAD, null, 'text', [], {}, [[['a', 1]]], { a: { b: {} } }]) {
      assert.equal(await holds(await stored({ payload })), true);
    }
  });

  const changes: [string, string][] = [
    ['another message', `message_hash = decode(repeat('08', 32), 'hex')`],
    ['another wallet', `wallet = 'somebody'`],
    ['another area', `area = 'express'`],
    ['another key', `cosigners = '{keeper}'`],
    ['one more key', `cosigners = '{gas,keeper}'`],
    ['a later end', 'last_valid_block_height = last_valid_block_height + 1'],
    ['another payload', `payload = jsonb_set(payload, '{a}', 'false')`],
    ['more payload', `payload = payload || '{"more": 1}'`],
    ['no seal', 'seal = null'],
    ['an empty seal', `seal = ''`],
    ['a seal of zeros', `seal = decode(repeat('00', 64), 'hex')`],
  ];
  for (const [what, set] of changes) {
    it(what, async () => {
      const id = await stored();
      const { rowCount } = await opened.store.single((tx) => tx.query(`update ledger set ${set} where id = $1`, [id]));
      assert.deepEqual([rowCount, await holds(id)], [1, false]);
    });
  }

  it('the seal of another row, or of another key', async () => {
    const [one, other] = [await stored(), await stored()];
    await opened.store.single((tx) =>
      tx.query('update ledger set seal = (select seal from ledger where id = $2) where id = $1', [one, other]),
    );
    assert.equal(await holds(one), false);
    const row = (await findRequest(opened.store, other))!;
    const forged = Buffer.from(sign(generateKeypair(), Buffer.from('anything')));
    assert.equal(await isAsCrafted(signer, { ...row, seal: forged }), false);
  });
});
