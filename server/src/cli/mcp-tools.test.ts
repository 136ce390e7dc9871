import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client as Assistant } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { type Client, SOL } from '@slipway/client';
import { createPurse } from './mcp-purse.js';
import { createTools, type Token, tokenOf } from './mcp-tools.js';

const OTHER = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN';
const TWIN = '7dHbWXmci3dT8UFYWYZweBLXgycu7Y3iL6trKn1Y7ARj';

const finding = (
  decimalsOf: ((mint: string) => Promise<number | undefined>) | undefined,
  ...found: Partial<Token>[]
) => ({
  client: { api: { get: async () => found } } as unknown as Client,
  decimalsOf,
});
const find = (name: string, ...found: Partial<Token>[]) => tokenOf(finding(undefined, ...found), name);

test('attack: a lying service says that SOL is something else, or has more decimals, so that limits in it mean more: refused', async () => {
  assert.equal((await find('SOL', { id: SOL, symbol: 'SOL', decimals: 9, isVerified: true })).id, SOL);
  assert.equal((await find('JUP', { id: OTHER, symbol: 'JUP', decimals: 6, isVerified: true })).id, OTHER);
  await assert.rejects(find('SOL', { id: SOL, symbol: 'SOL', decimals: 12, isVerified: true }), /which is not SOL/);
  await assert.rejects(find(SOL, { id: SOL, symbol: 'SOL', decimals: 12, isVerified: true }), /which is not SOL/);
  await assert.rejects(find('sol', { id: OTHER, symbol: 'SOL', decimals: 9, isVerified: true }), /which is not SOL/);
  await assert.rejects(find('USDC', { id: SOL, symbol: 'USDC', decimals: 9, isVerified: true }), /which is SOL/);
});

test('attack: a lying service says that a token has other decimals than it has, so that limits and amounts in it mean a thousand times as much: refused', async () => {
  const told = { id: OTHER, symbol: 'JUP', isVerified: true };
  const onChain = async (mint: string) => (mint === OTHER ? 6 : undefined);
  assert.equal((await tokenOf(finding(onChain, { ...told, decimals: 6 }), 'JUP')).decimals, 6);
  for (const decimals of [9, 3])
    await assert.rejects(tokenOf(finding(onChain, { ...told, decimals }), 'JUP'), /and the node says 6/);
  const madeUp = { ...told, id: TWIN, decimals: 6 };
  await assert.rejects(tokenOf(finding(onChain, madeUp), 'JUP'), /says that there is no such token/);
});

test('attack: a lying service says of two names that they are one token, whose limit would be the larger: refused', () => {
  const limit = { mint: OTHER, symbol: 'JUP', decimals: 6, most: 2n };
  const other = { mint: SOL, symbol: 'SOL', decimals: 9, most: 5n };
  assert.throws(
    () => createPurse([limit, other, { ...limit, symbol: 'USDC', most: 100n }]),
    /two are of the token JUPy/,
  );
  const purse = createPurse([limit, other]);
  assert.throws(() => purse.reserve([{ mint: OTHER, amount: 3n }]), /above what is left/);
});

test('attack: a lying service says that a token has a thousand million decimals, which no memory can write out: refused', async () => {
  const told = { id: OTHER, symbol: 'JUP', decimals: 1e9, isVerified: true };
  await assert.rejects(find('JUP', told), /1000000000 decimals, which no token has/);
});

test('attack: a lying service gives another token for a mint than was asked for: none is found', async () => {
  await assert.rejects(find(OTHER, { id: SOL, symbol: 'SOL', decimals: 9, isVerified: true }), /no token is called/);
  const asSymbol = { id: SOL, symbol: OTHER, decimals: 9, isVerified: true };
  await assert.rejects(find(OTHER, asSymbol), /no token is called/);
  await assert.rejects(find(OTHER, { ...asSymbol, id: TWIN, decimals: 6 }), /no token is called/);
});

test('attack: an issuer of a token calls it like another one, to have assistants buy it by that name: only its mint names it', async () => {
  const real = { id: OTHER, symbol: 'JUP', decimals: 6, isVerified: true };
  const twin = { id: TWIN, symbol: 'JUP', decimals: 6, isVerified: false };
  assert.equal((await find('jup', real, twin)).id, OTHER);
  assert.equal((await find(twin.id, twin)).id, twin.id);
  await assert.rejects(find('JUP', twin), /none of these is verified: give the mint of the one that is meant, of 7dHb/);
  await assert.rejects(find('JUP', real, { ...twin, isVerified: true }), /2 tokens are called JUP/);
});

test('attack: a lying service says of a swap that less is sold than was asked for: what is signed is what is told', async () => {
  const tokens = [
    { id: SOL, symbol: 'SOL', decimals: 9, isVerified: true },
    { id: OTHER, symbol: 'JUP', decimals: 6, isVerified: true },
  ];
  const client = {
    quote: async () => ({ inAmount: '1000000', outAmount: '200000', otherAmountThreshold: '190000' }),
    api: {
      get: async (_path: string, { query }: { query: { query: string } }) =>
        tokens.filter(({ symbol }) => symbol === query.query),
    },
  } as unknown as Client;
  const assistant = await assistantOf(client);
  for (const name of ['price_of_swap', 'quote_swap']) {
    const { content } = await assistant.callTool({ name, arguments: { sell: 'SOL', buy: 'JUP', amount: '1' } });
    assert.match((content as [{ text: string }])[0].text, /"sells": "1 SOL",\s+"for": "0\.2 JUP"/);
  }
  await assistant.close();
});

test('attack: an issuer of a token calls it like another one, and has an assistant talked into its mint: each quote, also of a price order and of a gift, tells the mint and that nobody vouches for it', async () => {
  const tokens = [
    { id: SOL, symbol: 'SOL', decimals: 9, isVerified: true },
    { id: TWIN, symbol: 'JUP', decimals: 6, isVerified: false },
  ];
  const client = {
    quote: async () => ({ inAmount: '1', outAmount: '200000', otherAmountThreshold: '190000' }),
    api: {
      get: async (_path: string, { query }: { query: { query: string } }) =>
        tokens.filter(({ id, symbol }) => [id, symbol].includes(query.query)),
    },
  } as unknown as Client;
  const assistant = await assistantOf(client);
  const sold = { symbol: 'SOL', mint: SOL, isVerified: true };
  const twin = { symbol: 'JUP', mint: TWIN, isVerified: false };
  const swap = { sell: 'SOL', buy: TWIN, amount: '1' };
  const asked = [
    ['price_of_swap', swap, { tokens: { sold, bought: twin } }],
    ['quote_swap', swap, { tokens: { sold, bought: twin } }],
    ['quote_price_order', { ...swap, condition: 'below', priceUsd: 50 }, { tokens: { sold, bought: twin } }],
    ['quote_send', { token: TWIN, amount: '1' }, { token: twin }],
  ] as const;
  for (const [name, given, expected] of asked) {
    const { content } = await assistant.callTool({ name, arguments: given });
    const { tokens, token } = JSON.parse((content as [{ text: string }])[0].text);
    assert.deepEqual({ ...(tokens && { tokens }), ...(token && { token }) }, expected, name);
  }
  const { tools } = await assistant.listTools();
  const quoting = tools.map(({ name }) => name).filter((name) => /quote|price_of/.test(name));
  assert.deepEqual(quoting.sort(), asked.map(([name]) => name).sort(), 'no quote is left out');
  await assistant.close();
});

test('a login that has ended is begun anew: orders can be cancelled for as long as the program runs', async () => {
  let logins = 0;
  const client = {
    login: async () => ({ token: `token ${++logins}`, wallet: OTHER, vault: OTHER }),
    api: {
      get: async (_path: string, { token }: { token: string }) => {
        if (token === 'token 1') throw new Error('the login has expired');
        return { token };
      },
    },
  } as unknown as Client;
  const assistant = await assistantOf(client);
  const said: unknown[] = [];
  for (let i = 0; i < 3; i++) {
    const { content, isError = false } = await assistant.callTool({ name: 'price_orders', arguments: {} });
    said.push([isError, /token \d|expired/.exec((content as [{ text: string }])[0].text)?.[0]]);
  }
  assert.deepEqual(said, [
    [true, 'expired'],
    [false, 'token 2'],
    [false, 'token 2'],
  ]);
  await assistant.close();
});

/** An assistant that the tools are connected to, over this client. */
async function assistantOf(client: Client): Promise<Assistant> {
  const deps = {
    client,
    decimalsOf: undefined,
    wallet: OTHER,
    purse: createPurse([]),
    version: '1',
    steadyNow: () => 0,
  };
  const server = createTools({ ...deps, chainTime: async () => 0 });
  const assistant = new Assistant({ name: 'test', version: '1' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), assistant.connect(near)]);
  return assistant;
}
