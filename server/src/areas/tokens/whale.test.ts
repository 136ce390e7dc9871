import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import {
  type Address,
  base58Encode,
  encodeMint,
  encodeTokenAccount,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import { createChain, createChains, createHttpRpc, MAX_ANSWER, type Purpose, type Rpc } from '../../chain/index.js';
import { createTokenList } from '../../config/index.js';
import type { Limiter } from '../../http/index.js';
import { plentyLeft, startTestServer } from '../../http/testing.js';
import type { Guest } from '../../lib/places.js';
import { createLimiter } from '../../store/limiter.js';
import { openAnyStore } from '../../store/testing.js';
import { PAGE } from './holdings.js';
import { registerTokens } from './index.js';
import type { HoldingsAnswer } from './schema.js';

const newAddress = () => base58Encode(randomBytes(32)) as Address;
/** A read of it counts as more than the calls of a free key's minute. */
const SMALL = 7 * PAGE;

/** A wallet that holds so many token accounts, half of them of each program, each of another mint; and its node. */
function openWhaleNode(accounts: number) {
  const owner = newAddress();
  const mint = [Buffer.from(encodeMint({ decimals: 6, supply: 1n, initialized: true })).toString('base64'), 'base64'];
  const held = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM].map((program) => {
    const value = Array.from({ length: accounts / 2 }, () => {
      const plain = { state: 'initialized', delegatedAmount: 0n, isNative: false } as const;
      const data = encodeTokenAccount({ ...plain, mint: newAddress(), owner, amount: 1n });
      return { pubkey: newAddress(), account: { lamports: 1, data: [Buffer.from(data).toString('base64'), 'base64'] } };
    });
    return [program as string, value] as const;
  });
  const calls: string[] = [];
  const answers: Record<string, (params: unknown[]) => unknown> = {
    getBalance: () => 1,
    getTokenAccountsByOwner: ([, asked]) => new Map(held).get((asked as { programId: string }).programId),
    getMultipleAccounts: ([asked]) =>
      (asked as string[]).map(() => ({ lamports: 1, owner: TOKEN_PROGRAM, executable: false, data: mint })),
  };
  const rpc: Rpc = {
    name: 'node',
    async call<T>(method: string, params: unknown[]): Promise<T> {
      calls.push(method);
      return { context: { slot: 1 }, value: answers[method]!(params) } as T;
    },
  };
  return { owner, rpc, calls };
}

async function openWhale(
  limiter: (store: Awaited<ReturnType<typeof openAnyStore>>) => Limiter,
  node: ReturnType<typeof openWhaleNode> = openWhaleNode(SMALL),
  chain = createChain({ rpc: node.rpc, steadyNow: () => 0, fees: { percentile: 50, maxMicroLamports: 1n } }),
) {
  const { owner, calls } = node;
  const store = await openAnyStore();
  const listed = { usdc: { symbol: 'USDC', mint: newAddress() }, platform: { symbol: 'JUP', mint: newAddress() } };
  const tokens = createTokenList({ tokens: listed, tokenList: [] });
  const deps = { chain, shownUsd: () => undefined, store, tokens };
  const { app } = await startTestServer((server) => registerTokens(server, deps), { limiter: limiter(store) });
  const get = (path: string) => app.inject({ url: `/ultra/v1/${path}`, headers: { 'x-api-key': 'good-key' } });
  const close = async () => {
    await app.close();
    await store.close();
  };
  return { owner, calls, get, close };
}

it('attack: a free key asks for the holdings of a whale with 100,000 accounts: 23 calls of the node and 2,000 accounts a page', async (t) => {
  const { owner, calls, get, close } = await openWhale(() => ({ take: () => plentyLeft }), openWhaleNode(100_000));
  t.after(close);
  const seen = new Set<string>();
  let after = '';
  for (let page = 0; page < 3; page++) {
    calls.length = 0;
    const answer = await get(`holdings/${owner}${after}`);
    assert.equal(answer.statusCode, 200);
    const { tokens, next } = answer.json<HoldingsAnswer>();
    const accounts = Object.values(tokens).flatMap((held) => held.map(({ account }) => account));
    assert.equal(accounts.length, PAGE);
    for (const account of accounts) seen.add(account);
    const mints = calls.filter((method) => method === 'getMultipleAccounts').length;
    assert.deepEqual([calls.length, mints], [3 + PAGE / 100, PAGE / 100]);
    assert.ok(next !== undefined && accounts.every((account) => account <= next));
    after = `?after=${next}`;
  }
  assert.equal(seen.size, 3 * PAGE, 'no account is on two pages');

  calls.length = 0;
  const sums = await get(`balances/${owner}`);
  assert.deepEqual([sums.statusCode, calls.length], [400, 3]);
  assert.match(sums.json().error, /100000 token accounts: ask \/ultra\/v1\/holdings/);
});

it('attack: a free key reads one page of a whale: it takes the rest of its minute', async (t) => {
  const tiers = { free: { perMinute: 60, executePer10s: 500 } };
  const { owner, calls, get, close } = await openWhale((store) => {
    return createLimiter({ store, tiers, steadyNow: () => 5_000_000 });
  });
  t.after(close);
  const first = await get(`holdings/${owner}`);
  assert.deepEqual([first.statusCode, first.headers['x-ratelimit-remaining']], [200, '0']);
  calls.length = 0;
  for (let number = 0; number < 20; number++) assert.equal((await get(`holdings/${owner}`)).statusCode, 429);
  assert.deepEqual(calls, []);
});

it('attack: a free key asks for the holdings of 60 whales at once: four are read, and they take the rest of its minute', async (t) => {
  const tiers = { free: { perMinute: 60, executePer10s: 500 } };
  const { owner, calls, get, close } = await openWhale((store) => {
    return createLimiter({ store, tiers, steadyNow: () => 5_000_000 });
  });
  t.after(close);
  const answers = await Promise.all(Array.from({ length: 60 }, () => get(`holdings/${owner}`)));
  assert.equal(calls.filter((method) => method === 'getBalance').length, 4);
  const statuses = answers.map(({ statusCode }) => statusCode).sort();
  assert.deepEqual(statuses, [...Array(4).fill(200), ...Array(56).fill(429)]);
});

it('attack: a free key asks for the holdings of whales whose lists are longer than is read: four are begun, and they take the rest of its minute', async (t) => {
  const tiers = { free: { perMinute: 60, executePer10s: 500 } };
  const node = openWhaleNode(0);
  const over = createHttpRpc({
    url: 'http://node.example',
    post: async () => new Response(new Uint8Array(MAX_ANSWER + 1)),
  });
  const rpc: Rpc = {
    name: 'node',
    call: (method, params) => (method === 'getTokenAccountsByOwner' ? over : node.rpc).call(method, params),
  };
  const { owner, calls, get, close } = await openWhale(
    (store) => createLimiter({ store, tiers, steadyNow: () => 5_000_000 }),
    { ...node, rpc },
  );
  t.after(close);
  const answers = await Promise.all(Array.from({ length: 60 }, () => get(`holdings/${owner}`)));
  assert.equal(calls.filter((method) => method === 'getBalance').length, 4);
  const statuses = answers.map(({ statusCode }) => statusCode).sort();
  assert.deepEqual(statuses, [...Array(56).fill(429), ...Array(4).fill(503)]);
  assert.equal((await get(`holdings/${owner}`)).statusCode, 429);
});

it('attack: a free key asks for what ordinary wallets hold, over and over: each 200 token accounts count as a call', async (t) => {
  const tiers = { free: { perMinute: 60, executePer10s: 500 } };
  for (const [accounts, calls] of [
    [200, 1],
    [202, 2],
    [2_000, 10],
  ] as const) {
    const { owner, get, close } = await openWhale(
      (store) => createLimiter({ store, tiers, steadyNow: () => 5_000_000 }),
      openWhaleNode(accounts),
    );
    t.after(close);
    for (const [path, left] of [
      ['holdings', 60 - calls],
      ['balances', 60 - 2 * calls],
    ] as const) {
      const { statusCode, headers } = await get(`${path}/${owner}`);
      assert.deepEqual([statusCode, headers['x-ratelimit-remaining']], [200, `${left}`]);
    }
  }
});

it('attack: a free key has more of wallets and tokens read than the node is asked: each read waits in its own turn', async (t) => {
  const { owner, rpc } = openWhaleNode(2);
  const callers = new Set<string | undefined>();
  const rpcFor = (_purpose: Purpose, caller?: Guest): Rpc => ({
    ...rpc,
    call(method, params) {
      callers.add(caller?.id);
      return rpc.call(method, params);
    },
  });
  const { reads } = createChains(rpcFor, { steadyNow: () => 0, fees: { percentile: 50, maxMicroLamports: 1n } });
  const { get, close } = await openWhale(() => ({ take: () => plentyLeft }), { owner, rpc, calls: [] }, reads);
  t.after(close);
  const paths = [`holdings/${owner}`, `holdings/${owner}/native`, `balances/${owner}`];
  for (const path of [...paths, `shield?mints=${newAddress()}`, `search?query=${newAddress()}`]) {
    callers.clear();
    assert.equal((await get(path)).statusCode, 200);
    assert.deepEqual([...callers], ['key-1'], path);
  }
});

it('attack: a free key searches for a hundred names at once: they count as ten calls', async (t) => {
  const tiers = { free: { perMinute: 60, executePer10s: 500 } };
  const { get, close } = await openWhale((store) => createLimiter({ store, tiers, steadyNow: () => 5_000_000 }));
  t.after(close);
  const search = async (count: number) => {
    const names = Array.from({ length: count }, (_, index) => `name${index}`);
    const { statusCode, headers } = await get(`search?query=${names.join(',')}`);
    return [statusCode, headers['x-ratelimit-remaining']];
  };
  assert.deepEqual(await search(10), [200, '59']);
  assert.deepEqual(await search(100), [200, '49']);
  for (let left = 39; left > 0; left -= 10) assert.deepEqual(await search(91), [200, String(left)]);
  assert.deepEqual(await search(100), [429, '0']);
});
