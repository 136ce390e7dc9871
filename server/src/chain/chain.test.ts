import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { generateKeypair } from '@slipway/wire';
import { createAccountReader } from './accounts.js';
import { createUnitMeter } from './compute-units.js';
import { type Chain, createChain, createChains, createHttpRpc, percentile, type Rpc, RpcError } from './index.js';

/** An endpoint whose accounts each hold as many lamports as their position in the request, plus 1. */
function countingRpc(): { rpc: Rpc; questions: string[][] } {
  const questions: string[][] = [];
  const rpc: Rpc = {
    name: 'test',
    async call<T>(_method: string, [addresses]: unknown[]): Promise<T> {
      questions.push(addresses as string[]);
      const value = (addresses as string[]).map((address, index) => ({
        lamports: index + 1,
        owner: address,
        executable: false,
        data: ['', 'base64'],
      }));
      return { context: { slot: 1 }, value } as T;
    },
  };
  return { rpc, questions };
}

const newAddresses = (count: number) => Array.from({ length: count }, () => generateKeypair().address);

describe('reading accounts', () => {
  it('asks for what is wanted in one turn with one call, each address once', async () => {
    const { rpc, questions } = countingRpc();
    const read = createAccountReader(rpc);
    const [a, b] = newAddresses(2) as [never, never];
    const found = await Promise.all([read(a), read(b), read(a)]);
    assert.deepEqual(
      found.map((account) => account?.owner),
      [a, b, a],
    );
    assert.deepEqual(questions, [[a, b]]);
  });

  it('asks again for every later question: nothing that it answers is older than that', async () => {
    const { rpc, questions } = countingRpc();
    const read = createAccountReader(rpc);
    const [a] = newAddresses(1) as [never];
    await read(a);
    await read(a);
    assert.equal(questions.length, 2);
  });

  it('never asks for more than 100 at a time, and gives each its own', async () => {
    const { rpc, questions } = countingRpc();
    const read = createAccountReader(rpc);
    const addresses = newAddresses(250);
    const found = await Promise.all(addresses.map(read));
    assert.deepEqual(
      questions.map((question) => question.length),
      [100, 100, 50],
    );
    assert.deepEqual(
      found.map((account) => account?.owner),
      addresses,
    );
  });

  it('fails everybody of a call that fails, and nobody after', async () => {
    let broken = true;
    const { rpc } = countingRpc();
    const read = createAccountReader({
      name: 'test',
      call: async (method, params) => {
        if (broken) throw new RpcError(-32000, 'no');
        return rpc.call(method, params);
      },
    });
    const [a, b] = newAddresses(2) as [never, never];
    const failed = await Promise.allSettled([read(a), read(b)]);
    assert.ok(failed.every(({ status }) => status === 'rejected'));
    broken = false;
    assert.equal((await read(a))?.owner, a);
  });
});

describe('the price of a compute unit', () => {
  it('is the nearest rank', () => {
    const prices = [1n, 2n, 3n, 4n, 5n];
    assert.equal(percentile(prices, 0), 1n);
    assert.equal(percentile(prices, 50), 3n);
    assert.equal(percentile(prices, 75), 4n);
    assert.equal(percentile(prices, 95), 5n);
    assert.equal(percentile(prices, 100), 5n);
    assert.equal(percentile([], 95), 0n);
  });
});

describe('the price of compute units that the chain tells', () => {
  it('is that of the configured percentile or of the one asked for, and never above the most', async () => {
    const fees = Array.from({ length: 100 }, (_, index) => ({ slot: index, prioritizationFee: 100 - index }));
    const rpc: Rpc = { name: 'test', call: async <T>() => fees as T };
    const settings = { percentile: 50, maxMicroLamports: 96n };
    const chain = createChain({ rpc, steadyNow: () => 0, fees: settings });
    assert.equal(await chain.computeUnitPrice(), 50n);
    assert.equal(await chain.computeUnitPrice(95), 95n);
    assert.equal(await chain.computeUnitPrice(100), 96n);
  });
});

describe('what nodes tell that are not equally far', () => {
  const open = (answers: Record<string, () => unknown>) => {
    let now = 0;
    const rpc: Rpc = { name: 'test', call: async <T>(method: string) => answers[method]!() as T };
    const fees = { percentile: 50, maxMicroLamports: 1n };
    return { chain: createChain({ rpc, steadyNow: () => now, fees }), pass: (ms: number) => (now += ms) };
  };

  it('counts by the newest slot that one has told, and for 30 s by one that is none, where it is told twice', async () => {
    const [blockhash] = newAddresses(1);
    let slot = 100;
    const { chain, pass } = open({
      getLatestBlockhash: () => ({ context: { slot }, value: { blockhash, lastValidBlockHeight: 150 } }),
    });
    const newestAfter = (ms: number, told: number) => {
      pass(ms);
      slot = told;
      return chain.newestSlot();
    };
    assert.equal(await newestAfter(0, 100), 100n);
    assert.equal(await newestAfter(500, 99), 100n);
    assert.equal(await newestAfter(500, 1_000_000), 1_000_000n);
    assert.equal(await newestAfter(29_500, 174), 1_000_000n);
    assert.equal(await newestAfter(500, 175), 175n);
  });

  it('keeps for a second that a blockhash is known, and not that it is none: the next one may know it', async () => {
    const [blockhash] = newAddresses(1);
    let slot = 0;
    const { chain, pass } = open({ isBlockhashValid: () => ({ context: { slot: ++slot }, value: slot > 1 }) });
    const ask = () => chain.isBlockhashValid(blockhash!);
    const none = { valid: false, slot: 1n };
    assert.deepEqual(await Promise.all([ask(), ask()]), [none, none]);
    assert.deepEqual([await ask(), await ask()], Array(2).fill({ valid: true, slot: 2n }));
    pass(1_000);
    assert.deepEqual(await ask(), { valid: true, slot: 3n });
  });
});

describe('measuring compute units', () => {
  it('simulates a shape once, other shapes for themselves, and failures each time', async () => {
    let simulations = 0;
    let now = 0;
    const outcomes = [
      { err: null, logs: [], unitsConsumed: 700 },
      { err: 'AccountNotFound', logs: [], unitsConsumed: 0 },
      { err: null, logs: [], unitsConsumed: 900 },
      { err: null, logs: [], unitsConsumed: 710 },
    ];
    const chain = { simulate: async () => outcomes[simulations++]! } as unknown as Chain;
    const unitsOf = createUnitMeter({ chain, steadyNow: () => now });
    const sample = () => new Uint8Array();
    assert.equal(await unitsOf('a', sample), 700);
    assert.equal(await unitsOf('a', sample), 700);
    assert.deepEqual(await unitsOf('b', sample), outcomes[1]);
    assert.equal(await unitsOf('b', sample), 900);
    now = 3_600_000;
    assert.equal(await unitsOf('a', sample), 710, 'a program may have been upgraded meanwhile');
  });
});

describe('an RPC over HTTP', () => {
  const key = 'secret-key';
  const url = `https://user:${key}@rpc.example/${key}?api-key=${key}`;
  const answers: [string, () => Promise<Response>, RegExp][] = [
    ['429', async () => new Response('', { status: 429 }), /throttling/],
    ['503', async () => new Response('', { status: 503 }), /503/],
    ['half a body', async () => new Response('{"jsonrpc":"2.0","resu'), /no usable answer/],
    ['a page', async () => new Response('<html>'), /no usable answer/],
    ['null', async () => new Response('null'), /not a JSON-RPC answer/],
    ['no result', async () => new Response('{}'), /not a JSON-RPC answer/],
    ['a broken connection', async () => Promise.reject(new TypeError(`fetch failed ${url}`)), /no usable answer/],
  ];
  for (const [name, fetch, says] of answers) {
    it(`says what is wrong with ${name}, without the URL`, async () => {
      const rpc = createHttpRpc({ url, post: fetch });
      await assert.rejects(rpc.call('getSlot', []), (error: Error) => {
        assert.equal(error.name, 'ChainUnavailable');
        assert.match(error.message, says);
        assert.ok(!error.message.includes(key) && !String(error.stack).includes(key));
        return true;
      });
    });
  }

  it('passes on a refusal with its code and data', async () => {
    const body = { jsonrpc: '2.0', id: 1, error: { code: -32002, message: 'no', data: { err: 'AlreadyProcessed' } } };
    const rpc = createHttpRpc({ url, post: async () => Response.json(body) });
    await assert.rejects(rpc.call('sendTransaction', []), { name: 'RpcError', code: -32002, data: body.error.data });
  });
});

it('what a caller asks for goes by its own calls, and what all have read goes for all', async () => {
  const asked: string[] = [];
  const rpcFor = (purpose: string, caller?: { id: string }): Rpc => ({
    name: 'test',
    async call<T>(method: string): Promise<T> {
      asked.push(`${method} ${purpose} ${caller?.id}`);
      return {
        context: { slot: 1 },
        value: { blockhash: generateKeypair().address, lastValidBlockHeight: 150, err: null },
      } as T;
    },
  });
  const { posts } = createChains(rpcFor, { steadyNow: () => 0, fees: { percentile: 50, maxMicroLamports: 0n } });
  const [one, other] = [posts.by({ id: 'one' }), posts.by({ id: 'other' })];
  assert.equal(posts.by({ id: 'one' }), one);
  for (const chain of [one, other, one.by({ id: 'other' }), one.by(undefined)]) {
    await chain.simulate(new Uint8Array(1), { sigVerify: false });
    await chain.latestBlockhash();
  }
  const tried = ['one', 'other', 'other', 'undefined'].map((caller) => `simulateTransaction posts ${caller}`);
  assert.deepEqual(asked, [tried[0], 'getLatestBlockhash landing undefined', ...tried.slice(1)]);
});

it('attack: a free key asks first whether a blockhash lives: landing asks again by its own calls, and never waits for those of others', async () => {
  let now = 0;
  let hangs = false;
  const asked: string[] = [];
  const rpcFor = (purpose: string): Rpc => ({
    name: 'test',
    async call<T>(): Promise<T> {
      asked.push(purpose);
      if (hangs && purpose === 'strangers') return new Promise<T>(() => {});
      return { context: { slot: 1 }, value: true } as T;
    },
  });
  const fees = { percentile: 50, maxMicroLamports: 1_000n };
  const { strangers, landing } = createChains(rpcFor, { steadyNow: () => now, fees });
  const [blockhash] = newAddresses(1);
  const known = await strangers.isBlockhashValid(blockhash!);
  assert.deepEqual(await landing.isBlockhashValid(blockhash!), known);
  now += 1_000;
  hangs = true;
  void strangers.isBlockhashValid(blockhash!);
  assert.deepEqual(await landing.isBlockhashValid(blockhash!), known);
  assert.deepEqual(asked, ['strangers', 'strangers', 'landing']);
});
