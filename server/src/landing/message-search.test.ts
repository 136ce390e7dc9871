import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
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

/** Nobody's; to make it takes less time than to sign. */
const anySignature = () => base58Encode(randomBytes(64));

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
  return new MessageSearches({ pause }).open({ message, account, notBefore: 1_000_000, rpc }).look;
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
    const listed = Array.from({ length: SLOW }, anySignature);
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
    const searches = new MessageSearches({ pause: () => Promise.resolve() });
    return {
      counts,
      open: (wanted = message) => searches.open({ message: wanted, account, notBefore: 1_000_000, rpc }),
    };
  }

  test('it waits for none of them, and its message is found', async () => {
    const { open, counts } = slowNode(true);
    assert.equal((await open().look(9n))?.signature, signature);
    assert.equal(counts.unanswered, 0);
  });

  test('it waits for none of them, and hears that its message has not landed', async () => {
    const { open, counts } = slowNode(false);
    assert.equal(await open().look(9n), undefined);
    assert.equal(counts.unanswered, 0);
  });

  test('with many messages of it under way, all are told in one round', async () => {
    const { open, counts } = slowNode(true);
    const others = Array.from({ length: 20 }, () =>
      compileMessage({ version: 0, feePayer: account, instructions: [], blockhash: generateKeypair().address }),
    );
    const looks = [message, ...others].map((each) => open(each));
    const told = await Promise.all(looks.map(({ look }) => look(9n)));
    assert.deepEqual(
      told.map((found) => found?.signature),
      [signature, ...others.map(() => undefined)],
    );
    assert.equal(counts.unanswered, 0);
  });

  test('with many wallets that are named in them, none is read for any', async () => {
    const { counts } = slowNode(false);
    const listed = Array.from({ length: 10 }, anySignature);
    const rpc: Rpc = {
      name: 'test',
      async call<T>(method: string): Promise<T> {
        if (method === 'getTransaction') counts.unanswered += 1;
        return listed.map((each) => ({ signature: each, slot: 8, blockTime: 1_000 })) as T;
      },
    };
    const searches = new MessageSearches({ pause: () => Promise.resolve() });
    const wallets = Array.from({ length: 58 }, () => generateKeypair().address);
    const looks = wallets.map((wallet) =>
      searches.open({ message, account: wallet, notBefore: 1_000_000, rpc }).look(9n),
    );
    assert.deepEqual(new Set(await Promise.all(looks)), new Set([undefined]));
    assert.equal(counts.unanswered, 0);
  });
});

test('attack: a node that has kept less than another one behind the same address lists nothing before what it does not know: that is not the end', async () => {
  const PAGE = 1_000;
  const listed = [...Array.from({ length: PAGE + 3 }, anySignature), signature];
  let hasAll = true;
  const rpc: Rpc = {
    name: 'test',
    async call<T>(method: string, [, options]: unknown[]): Promise<T> {
      if (method === 'getTransaction') return ours as T;
      const { before } = options as { before?: string };
      const from = before === undefined ? 0 : listed.indexOf(before) + 1;
      const rows = before === undefined || hasAll ? listed.slice(from, from + PAGE) : [];
      return rows.map((each) => ({ signature: each, slot: 8, blockTime: 1_000 })) as T;
    },
  };
  const searches = new MessageSearches({ pause: () => Promise.resolve() });
  const { look } = searches.open({ message, account, notBefore: 1_000_000, rpc });
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
    const find = openSearch({ [signature]: () => ({ ...ours, meta: null }) }, [status]);
    const found = (await find()) as { err: unknown };
    assert.deepEqual(found.err, expected);
  }
  // It is on the chain.
  const find = openSearch({ [signature]: () => ({ ...ours, meta: null }) }, [null]);
  for (let time = 0; time < 70; time++) await assert.rejects(find(9n), ChainUnavailable);
});

test('attack: a node of several behind an address says once of a message that has landed that it has failed: it has landed, and what has failed is said twice', async () => {
  const failed = { ...ours, meta: { err: { InstructionError: [0, { Custom: 1 }] } } };
  const errOf = async (...answers: unknown[]) => {
    const find = openSearch({ [signature]: () => answers.shift() });
    return ((await find(9n)) as { err: unknown }).err;
  };
  assert.equal(await errOf(failed, ours), null);
  assert.deepEqual(await errOf(failed, failed), failed.meta.err);
  await assert.rejects(errOf(failed, null), ChainUnavailable, 'looked for again');
});

test('attack: a node gives another transaction for a signature of the message: that is not believed', async () => {
  const other = compileMessage({ version: 0, feePayer: account, instructions: [], blockhash: account });
  const find = openSearch({ [signature]: () => ({ ...ours, transaction: [encoded(other)] }) });
  for (let time = 0; time < 3; time++) await assert.rejects(find(9n), ChainUnavailable);
});

describe('attack: a market maker or its taker has transactions of one wallet searched for, over and over', () => {
  /** A node that counts its calls and knows these transactions, none of which is searched for. */
  function busyNode(wallets: Record<string, number>) {
    const counts = { listings: 0, reads: 0, underWay: 0, most: 0 };
    const listed = Object.fromEntries(
      Object.entries(wallets).map(([wallet, length]) => [wallet, Array.from({ length }, anySignature)]),
    );
    const rpc: Rpc = {
      name: 'test',
      async call<T>(method: string, [asked]: unknown[]): Promise<T> {
        counts.underWay += 1;
        counts.most = Math.max(counts.most, counts.underWay);
        await new Promise((resolve) => setImmediate(resolve));
        counts.underWay -= 1;
        counts[method === 'getTransaction' ? 'reads' : 'listings'] += 1;
        return listed[asked as string]!.map((signature) => ({ signature, blockTime: 1_000 })) as T;
      },
    };
    return { rpc, counts };
  }
  const messageOf = (wallet: Address) =>
    compileMessage({ version: 0, feePayer: wallet, instructions: [], blockhash: generateKeypair().address });

  test('100 searches of a wallet with 100 transactions: one listing a round, one call at a time, no read', async () => {
    const wallet = generateKeypair().address;
    const { rpc, counts } = busyNode({ [wallet]: 100 });
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
    const searches = new MessageSearches({ pause });
    const open = () => searches.open({ message: messageOf(wallet), account: wallet, notBefore: 1_000_000, rpc });
    const all = Array.from({ length: 100 }, open);
    const first = all.map(({ look }) => look());
    await first[0];
    pass();
    assert.deepEqual(await Promise.all(first), Array(100).fill(undefined));
    // The first look had its round alone, the others share the second.
    assert.deepEqual(counts, { listings: 2, reads: 0, underWay: 0, most: 1 });
    for (let round = 3; round <= 10; round++) {
      const looks = all.map(({ look }) => look());
      pass();
      await Promise.all(looks);
      assert.deepEqual(counts, { listings: round, reads: 0, underWay: 0, most: 1 });
    }
  });

  test('the message of another wallet is found while theirs are compared', async () => {
    const [wallet, other] = [generateKeypair().address, generateKeypair().address];
    const { rpc } = busyNode({ [wallet]: 900, [other]: 1 });
    const searches = new MessageSearches({ pause: () => Promise.resolve() });
    let ended = 0;
    const crowd = Array.from({ length: 10 }, () =>
      searches
        .open({ message: messageOf(wallet), account: wallet, notBefore: 1_000_000, rpc })
        .look()
        .then(() => {
          ended += 1;
        }),
    );
    await searches.open({ message: messageOf(other), account: other, notBefore: 1_000_000, rpc }).look();
    assert.equal(ended, 0);
    await Promise.all(crowd);
  });

  test('two messages of a wallet are told apart, also when one is asked for after its transaction was listed', async () => {
    const [mine, theirs] = [messageOf(account), messageOf(account)];
    const signatureOf = (message: Uint8Array) => base58Encode(sign(key, message));
    const listed = new Map([mine, theirs].map((message) => [signatureOf(message), message]));
    const rpc: Rpc = {
      name: 'test',
      async call<T>(method: string, [asked]: unknown[]): Promise<T> {
        if (method !== 'getTransaction')
          return [...listed.keys()].map((signature) => ({ signature, blockTime: 1_000 })) as T;
        return { slot: 7, meta: { err: null }, transaction: [encoded(listed.get(asked as string)!)] } as T;
      },
    };
    const searches = new MessageSearches({ pause: () => Promise.resolve() });
    const searchFor = (message: Uint8Array) => searches.open({ message, account, notBefore: 1_000_000, rpc }).look();
    assert.equal(await searchFor(messageOf(account)), undefined);
    const found = await Promise.all([searchFor(mine), searchFor(theirs), searchFor(messageOf(account))]);
    assert.deepEqual(
      found.map((each) => each?.signature),
      [signatureOf(mine), signatureOf(theirs), undefined],
    );
  });
});
