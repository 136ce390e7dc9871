import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Address, base58Encode, compileMessage, generateKeypair, sign, unsignedTransaction } from '@slipway/wire';
import { ChainUnavailable, type Rpc, RpcError } from '../chain/rpc.js';
import { MessageSearches } from './message-search.js';

const key = generateKeypair();
const account = key.address;
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

const signature = base58Encode(sign(key, message));
const anotherOne = () => base58Encode(sign(generateKeypair(), message));

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

const UNTOLD: [string, () => unknown][] = [
  ['does not find', () => null],
  ['has cleaned up', () => Promise.reject(new RpcError(-32001, 'Block 5 cleaned up'))],
  ['has in a version that we do not read', () => Promise.reject(new RpcError(-32015, 'version 1 is not supported'))],
  ['gives no answer for', () => Promise.reject(new ChainUnavailable('no answer in 10000 ms'))],
  ['is too busy for', () => Promise.reject(new RpcError(-32429, 'too many requests'))],
];

for (const [what, read] of UNTOLD) {
  test(`what a node lists, but ${what}, is told by its signature: another one, and the search ends`, async () => {
    const find = openSearch({ [anotherOne()]: read });
    assert.equal(await find(9n), undefined);
  });

  test(`what a node lists, but ${what}, is told by its signature: the message, which nobody then says has not landed`, async () => {
    const find = openSearch({ [signature]: read });
    assert.equal(await endOf(() => find(9n), 200), undefined);
  });

  test(`behind what a node lists, but ${what}, the message is found`, async () => {
    const find = openSearch({ [anotherOne()]: read, [signature]: () => ours });
    assert.equal((await find())?.signature, signature);
  });
}

test('what cannot be read at first is found when it can', async () => {
  let isThere = false;
  const find = openSearch({ [signature]: () => (isThere ? ours : null) });
  await assert.rejects(find(9n), ChainUnavailable);
  isThere = true;
  assert.equal((await find(9n))?.signature, signature);
});

describe('attack: a stranger on the chain names a wallet in transactions that a node needs too long to give', () => {
  const SLOW = 300;
  /** Its node lists them before the message, and the message if it has landed. */
  function slowNode(hasLanded: boolean) {
    const listed = Array.from({ length: SLOW }, anotherOne);
    if (hasLanded) listed.push(signature);
    const counts = { unanswered: 0 };
    const rpc: Rpc = {
      name: 'test',
      async call<T>(method: string, [asked]: unknown[]): Promise<T> {
        if (method === 'getSignaturesForAddress')
          return listed.map((each) => ({ signature: each, slot: 8, blockTime: 1_000 })) as T;
        if (asked === signature) return ours as T;
        counts.unanswered += 1;
        throw new ChainUnavailable('no answer in 10000 ms');
      },
    };
    const searches = new MessageSearches({ rpc, pause: () => Promise.resolve() });
    return { counts, open: (wanted = message) => searches.open({ message: wanted, account, notBefore: 1_000_000 }) };
  }

  test('it waits for one of them, and its message is found', async () => {
    const { open, counts } = slowNode(true);
    assert.equal((await open().look(9n))?.signature, signature);
    assert.equal(counts.unanswered, 1);
  });

  test('it waits for one of them, and hears that its message has not landed', async () => {
    const { open, counts } = slowNode(false);
    const { look } = open();
    for (let times = 0; times < 3; times++) assert.equal(await look(9n), undefined);
    assert.equal(counts.unanswered, 1);
  });

  test('with many messages of it under way, a round waits for one of them', async () => {
    const { open, counts } = slowNode(true);
    const others = Array.from({ length: 20 }, () =>
      compileMessage({ version: 0, feePayer: account, instructions: [], blockhash: generateKeypair().address }),
    );
    const looks = [message, ...others].map((each) => open(each));
    // The first look has a round alone, and finds it.
    const told = await Promise.allSettled(looks.map(({ look }) => look(9n)));
    assert.deepEqual(
      told.map(({ status }) => status),
      ['fulfilled', ...others.map(() => 'rejected')],
    );
    assert.equal(counts.unanswered, 2);
    // Each round compares a thousand times, and none again.
    let left = looks.slice(1);
    for (let rounds = 0; left.length > 0 && rounds < 8; rounds++) {
      const ends = await Promise.allSettled(left.map(({ look }) => look(9n)));
      left = left.filter((_, index) => ends[index]!.status === 'rejected');
    }
    assert.equal(left.length, 0);
  });
});

test('attack: a node that has kept less than another one behind the same address lists nothing before what it does not know: that is not the end', async () => {
  const PAGE = 1_000;
  const listed = [...Array.from({ length: PAGE + 3 }, (_, index) => `other ${index}`), signature];
  let hasAll = true;
  const transaction = {
    ...ours,
    transaction: [encoded(compileMessage({ version: 0, feePayer: account, instructions: [], blockhash: account }))],
  };
  const rpc: Rpc = {
    name: 'test',
    async call<T>(method: string, [asked, options]: unknown[]): Promise<T> {
      if (method === 'getTransaction') return (asked === signature ? ours : transaction) as T;
      const { before } = options as { before?: string };
      const from = before === undefined ? 0 : listed.indexOf(before) + 1;
      const rows = before === undefined || hasAll ? listed.slice(from, from + PAGE) : [];
      return rows.map((each) => ({ signature: each, slot: 8, blockTime: 1_000 })) as T;
    },
  };
  const searches = new MessageSearches({ rpc, pause: () => Promise.resolve() });
  const { look } = searches.open({ message, account, notBefore: 1_000_000 });
  hasAll = false;
  await assert.rejects(look(9n), ChainUnavailable);
  hasAll = true;
  assert.equal((await look(9n))?.signature, signature);
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
  // It is on the chain.
  const find = openSearch({ ours: () => ({ ...ours, meta: null }) }, [null]);
  for (let time = 0; time < 70; time++) await assert.rejects(find(9n), ChainUnavailable);
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
