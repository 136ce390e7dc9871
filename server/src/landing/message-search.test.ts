import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileMessage, generateKeypair, unsignedTransaction } from '@slipway/wire';
import { ChainUnavailable, type Rpc, RpcError } from '../chain/rpc.js';
import { createMessageSearch } from './message-search.js';

const account = generateKeypair().address;
const message = compileMessage({
  version: 0,
  feePayer: account,
  instructions: [],
  blockhash: generateKeypair().address,
});
const ours = {
  slot: 7,
  meta: { err: null },
  transaction: [Buffer.from(unsignedTransaction(message)).toString('base64')],
};

/** A node that lists these, the newest first, and answers each as the test says. */
function openSearch(listed: Record<string, () => unknown>) {
  const rpc: Rpc = {
    name: 'test',
    async call<T>(method: string, [asked]: unknown[]): Promise<T> {
      const rows = Object.keys(listed).map((signature) => ({ signature, blockTime: 1_000 }));
      return (method === 'getSignaturesForAddress' ? rows : listed[asked as string]!()) as T;
    },
  };
  return createMessageSearch(rpc, { message, account, notBefore: 1_000_000 });
}

/** Looks until there is an end; undefined where there is none after so many times. */
async function endOf(find: () => Promise<unknown>, most: number) {
  for (let calls = 1; calls <= most; calls++) {
    const end = await find().then(
      (found) => ({ found }),
      () => undefined,
    );
    if (end) return { ...end, calls };
  }
  return undefined;
}

for (const [what, read] of [
  ['does not find', () => null],
  ['has cleaned up', () => Promise.reject(new RpcError(-32001, 'Block 5 cleaned up'))],
] as [string, () => unknown][]) {
  test(`what a node lists, but ${what}, is waited for, and given up some time after the message is dead`, async () => {
    const find = openSearch({ gap: read });
    assert.equal(await endOf(() => find(), 200), undefined, 'while it can land');
    const end = await endOf(() => find(9n), 200);
    assert.equal(end?.found, undefined);
    assert.ok(end && end.calls > 30, 'not at once');
  });

  test(`behind what a node lists, but ${what}, the message is found`, async () => {
    const find = openSearch({ gap: read, ours: () => ours });
    assert.equal((await find())?.signature, 'ours');
  });
}

test('what cannot be read at first is found when it can', async () => {
  let isThere = false;
  const find = openSearch({ late: () => (isThere ? ours : null) });
  await assert.rejects(find(9n), ChainUnavailable);
  isThere = true;
  assert.equal((await find(9n))?.signature, 'late');
});

test('a node that gives no answer, or is too busy, is never taken for one that has nothing', async () => {
  for (const error of [new ChainUnavailable('away'), new RpcError(-32429, 'too many requests')]) {
    const find = openSearch({ ours: () => Promise.reject(error) });
    assert.equal(await endOf(() => find(9n), 200), undefined);
  }
});
