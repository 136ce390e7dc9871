import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Address, compileMessage, generateKeypair, unsignedTransaction } from '@slipway/wire';
import { ChainUnavailable, type Rpc, RpcError } from '../chain/rpc.js';
import { MessageSearches } from './message-search.js';

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

const encoded = (message: Uint8Array) => Buffer.from(unsignedTransaction(message)).toString('base64');

/** A node that lists these, the newest first, and answers each as the test says; `statuses`: what it says of any. */
function openSearch(listed: Record<string, () => unknown>, statuses: readonly unknown[] = []) {
  const rpc: Rpc = {
    name: 'test',
    async call<T>(method: string, [asked]: unknown[]): Promise<T> {
      const rows = Object.keys(listed).map((signature) => ({ signature, blockTime: 1_000 }));
      if (method === 'getSignatureStatuses') return { context: { slot: 9 }, value: statuses } as T;
      return (method === 'getSignaturesForAddress' ? rows : listed[asked as string]!()) as T;
    },
  };
  const pause = () => Promise.resolve();
  return new MessageSearches({ rpc, pause }).open({ message, account, notBefore: 1_000_000 }).look;
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

test('attack: a node keeps a transaction without what has become of it: that is asked for, and never taken for a success', async () => {
  const err = { InstructionError: [0, { Custom: 6001 }] };
  for (const [status, expected] of [
    [{ slot: 7, err, confirmationStatus: 'confirmed' }, err],
    [{ slot: 7, err: null, confirmationStatus: 'confirmed' }, null],
  ] as const) {
    const find = openSearch({ ours: () => ({ ...ours, meta: null }) }, [status]);
    const found = (await find()) as { err: unknown };
    assert.deepEqual(found.err, expected);
  }
  // It is no gap in what the node has, which is given up in the end.
  const find = openSearch({ ours: () => ({ ...ours, meta: null }) }, [null]);
  for (let time = 0; time < 70; time++) await assert.rejects(find(9n), ChainUnavailable);
});

test('a node that gives no answer, or is too busy, is never taken for one that has nothing', async () => {
  for (const error of [new ChainUnavailable('away'), new RpcError(-32429, 'too many requests')]) {
    const find = openSearch({ ours: () => Promise.reject(error) });
    assert.equal(await endOf(() => find(9n), 200), undefined);
  }
});

describe('attack: a market maker or its taker has transactions of one wallet searched for, over and over', () => {
  /** A node that counts its calls and knows these transactions, none of which is searched for. */
  function busyNode(wallets: Record<string, number>) {
    const counts = { listings: 0, reads: 0, underWay: 0, most: 0 };
    const other = compileMessage({ version: 0, feePayer: account, instructions: [], blockhash: account });
    const transaction = { slot: 7, meta: { err: null }, transaction: [encoded(other)] };
    const rpc: Rpc = {
      name: 'test',
      async call<T>(method: string, [asked]: unknown[]): Promise<T> {
        counts.underWay += 1;
        counts.most = Math.max(counts.most, counts.underWay);
        await new Promise((resolve) => setImmediate(resolve));
        counts.underWay -= 1;
        counts[method === 'getTransaction' ? 'reads' : 'listings'] += 1;
        if (method === 'getTransaction') return transaction as T;
        const length = wallets[asked as string] ?? 0;
        return Array.from({ length }, (_, i) => ({ signature: `${asked}-${i}`, blockTime: 1_000 })) as T;
      },
    };
    return { rpc, counts };
  }
  const messageOf = (wallet: Address) =>
    compileMessage({ version: 0, feePayer: wallet, instructions: [], blockhash: generateKeypair().address });

  test('500 searches of a wallet with 300 transactions: one listing a round, one call at a time, 300 reads in all', async () => {
    const wallet = generateKeypair().address;
    const { rpc, counts } = busyNode({ [wallet]: 300 });
    let passed = 0;
    const paused: (() => void)[] = [];
    const pause = async () => {
      if (passed === 0) await new Promise<void>((go) => paused.push(go));
      else passed -= 1;
    };
    const pass = () => {
      const go = paused.shift();
      if (go) go();
      else passed += 1;
    };
    const searches = new MessageSearches({ rpc, pause });
    const open = () => searches.open({ message: messageOf(wallet), account: wallet, notBefore: 1_000_000 });
    const all = Array.from({ length: 500 }, open);
    const first = all.map(({ look }) => look());
    await first[0];
    pass();
    assert.deepEqual(await Promise.all(first), Array(500).fill(undefined));
    // The first look had its round alone, the others share the second.
    assert.deepEqual(counts, { listings: 2, reads: 300, underWay: 0, most: 1 });
    for (let round = 3; round <= 10; round++) {
      const looks = all.map(({ look }) => look());
      pass();
      await Promise.all(looks);
      assert.deepEqual(counts, { listings: round, reads: 300, underWay: 0, most: 1 });
    }
    for (const search of all) search.close();
    const again = open();
    const last = again.look();
    pass();
    await last;
    assert.equal(counts.reads, 600, 'nothing is kept for a wallet of which nothing is searched for');
  });

  test('the message of another wallet is found while they read', async () => {
    const [wallet, other] = [generateKeypair().address, generateKeypair().address];
    const { rpc, counts } = busyNode({ [wallet]: 900, [other]: 1 });
    const searches = new MessageSearches({ rpc, pause: () => Promise.resolve() });
    const crowd = Array.from({ length: 100 }, () =>
      searches.open({ message: messageOf(wallet), account: wallet, notBefore: 1_000_000 }).look(),
    );
    await searches.open({ message: messageOf(other), account: other, notBefore: 1_000_000 }).look();
    assert.ok(counts.reads < 20, `after ${counts.reads} reads of the crowd`);
    assert.equal(counts.most, 2);
    await Promise.all(crowd);
  });

  test('two messages of a wallet are told apart, also when one is asked for after its transaction was read', async () => {
    const [mine, theirs] = [messageOf(account), messageOf(account)];
    const listed: Record<string, Uint8Array> = { mine, theirs };
    const rpc: Rpc = {
      name: 'test',
      async call<T>(method: string, [asked]: unknown[]): Promise<T> {
        if (method !== 'getTransaction')
          return Object.keys(listed).map((signature) => ({ signature, blockTime: 1_000 })) as T;
        return { slot: 7, meta: { err: null }, transaction: [encoded(listed[asked as string]!)] } as T;
      },
    };
    const searches = new MessageSearches({ rpc, pause: () => Promise.resolve() });
    const searchFor = (message: Uint8Array) => searches.open({ message, account, notBefore: 1_000_000 }).look();
    assert.equal(await searchFor(messageOf(account)), undefined);
    const found = await Promise.all([searchFor(mine), searchFor(theirs), searchFor(messageOf(account))]);
    assert.deepEqual(
      found.map((each) => each?.signature),
      ['mine', 'theirs', undefined],
    );
  });
});
