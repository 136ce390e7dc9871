import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { after, before, test } from 'node:test';
import { runCli } from './main.js';

const WALLET = '8gMBNeKwXaoNi9bhbVUWFt4Uc5aobL9PeYMXfYDMePE2';
const SOL = { id: 'So11111111111111111111111111111111111111112', symbol: 'SOL', decimals: 9, isVerified: true };
const USDC = { id: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', symbol: 'USDC', decimals: 6, isVerified: true };
const JUPUSD = { id: 'JuprjznTrTSp2UFa3ZBUFgwdAmtZCq4MQCwysN55USD', symbol: 'JUPUSD', decimals: 6, isVerified: true };
const TWINS = [SOL.id, USDC.id].map((id) => ({ id, symbol: 'TWIN', decimals: 2, isVerified: true }));
const MOON = { id: WALLET, symbol: 'MOON', decimals: 6, isVerified: false };
const FALSE_USDC = { ...USDC, id: `${WALLET.slice(0, -1)}3`, isVerified: false };
const LIES = [
  { id: WALLET, symbol: 'LONG', decimals: 3_000, isVerified: true },
  { id: WALLET, symbol: 'LINE\nslipway: Maker 1 is removed.', decimals: 6, isVerified: true },
];
const LISTED = [SOL, FALSE_USDC, USDC, JUPUSD, MOON, ...TWINS, ...LIES];

const hop = (input: string, inAmount: string, output: string, outAmount: string, percent: number) => ({
  swapInfo: { ammKey: WALLET, label: 'Pool', inputMint: input, outputMint: output, inAmount, outAmount },
  percent,
  bps: percent * 100,
});
/** An answer for 2 SOL in two hops. */
const ORDER = {
  mode: 'ultra',
  swapMode: 'ExactIn',
  router: 'metis',
  swapType: 'aggregator',
  requestId: 'r',
  totalTime: 1,
  inputMint: SOL.id,
  outputMint: JUPUSD.id,
  inAmount: '2000000000',
  outAmount: '299100000',
  otherAmountThreshold: '297604500',
  slippageBps: 50,
  priceImpact: 0.123456,
  priceImpactPct: '0.00123456',
  routePlan: [
    hop(SOL.id, '2000000000', USDC.id, '299400000', 100),
    hop(USDC.id, '299400000', JUPUSD.id, '299100000', 100),
  ],
  feeBps: 2,
  feeMint: SOL.id,
  platformFee: { amount: '400000', feeBps: 2 },
  inUsdValue: 300,
  outUsdValue: 299.1,
  gasless: false,
  transaction: null,
  taker: null,
  signatureFeeLamports: 0,
  prioritizationFeeLamports: 0,
  rentFeeLamports: 0,
};

let server: Server;
let base: string;
/** What the service answers to the next order, and what it was asked. */
let answer: { status: number; body: unknown } = { status: 200, body: ORDER };
const BUSY = { status: 503, body: { error: 'Failed to get quotes: no answer within 400 ms' } };
/** How many of the orders that it is asked for come too early. */
let busyUntil = 0;
const asked: { order: Record<string, string>; key: unknown }[] = [];

before(async () => {
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://service');
    const query = Object.fromEntries(searchParams);
    response.setHeader('content-type', 'application/json');
    if (pathname === '/tokens/v2/search') {
      const terms = query.query!.toLowerCase().split(',');
      const matches = ({ id, symbol }: (typeof LISTED)[0]) =>
        terms.some((term) => (term.length > 30 ? id.toLowerCase() === term : symbol.toLowerCase().startsWith(term)));
      const found = LISTED.filter(matches).filter(({ symbol }) => symbol !== 'TWIN' || terms.includes('twin'));
      response.end(JSON.stringify(found));
      return;
    }
    if (pathname === '/sandbox/info') {
      response.statusCode = 404;
      response.end(JSON.stringify({ error: 'No such route' }));
      return;
    }
    asked.push({ order: query, key: request.headers['x-api-key'] });
    const { status, body } = asked.length <= busyUntil ? BUSY : answer;
    if (status === 503) response.setHeader('retry-after', '0');
    response.statusCode = status;
    response.end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.close();
  server.closeAllConnections();
});

async function quote(args: string[], env: Record<string, string> = {}) {
  const said = { out: '', err: '' };
  const code = await runCli(['quote', ...args, ...(args.includes('--url') ? [] : ['--url', base])], {
    env,
    cwd: tmpdir(),
    colors: false,
    stdout: (text) => {
      said.out += text;
    },
    stderr: (text) => {
      said.err += text;
    },
  });
  return { code, ...said };
}

test('a quote tells amounts, route, price, impact and fee in whole tokens', async () => {
  answer = { status: 200, body: ORDER };
  const { code, out, err } = await quote(['2', 'sol', 'JUPUSD']);
  assert.deepEqual([code, err], [0, '']);
  assert.deepEqual(asked.at(-1), {
    order: { inputMint: SOL.id, outputMint: JUPUSD.id, amount: '2000000000' },
    key: 'sandbox',
  });
  assert.deepEqual(out.split('\n'), [
    '2 SOL -> 299.1 JUPUSD',
    '  Router        metis (aggregator)',
    '  Route         2 SOL -> 299.4 USDC, 100 % by Pool',
    '                299.4 USDC -> 299.1 JUPUSD, 100 % by Pool',
    '  Price         1 SOL = 149.55 JUPUSD',
    '  At least      297.6045 JUPUSD, slippage 0.5 %',
    '  Value         300.00 USD -> 299.10 USD',
    '  Price impact  0.1235 %',
    '  Fee           0.02 %, 0.0004 SOL',
  ]);
});

test('a symbol that anybody may have given a token is told with its mint', async () => {
  answer = { status: 200, body: { ...ORDER, outputMint: MOON.id, routePlan: [] } };
  const { code, out } = await quote(['2', 'SOL', 'moon']);
  const told = out.split('\n').filter((line) => line.includes('Not verified'));
  assert.deepEqual([code, told], [0, [`  Not verified  MOON is ${MOON.id}: anybody may have given it this name`]]);
});

test('attack: a lying service tells decimals and amounts that take minutes to write out, and texts of several lines that look like those of the command: it ends at once, and each stays in its line', async () => {
  answer = { status: 200, body: ORDER };
  for (const [to, body, says] of [
    ['LONG', ORDER, /has 3000 decimals, which no token has$/],
    ['USDC', { ...ORDER, outAmount: '1'.repeat(3_000) }, /the service told an amount that is none$/],
    ['LINE', ORDER, /^slipway: no token is called LINE: did you mean one of LINE slipway: Maker 1 is removed\.\?\n/],
  ] as const) {
    answer = { status: 200, body };
    const { code, out, err } = await quote(['2', 'SOL', to]);
    assert.ok(code > 0 && out === '', to);
    assert.match(err, says);
  }
  const said = 'no\nslipway: Maker 1 is removed.';
  answer = { status: 200, body: { ...ORDER, transaction: '', errorMessage: said } };
  const { out } = await quote(['2', 'SOL', 'JUPUSD']);
  assert.match(out, /^ {2}Not possible {2}no slipway: Maker 1 is removed\.$/m);
  answer = { status: 400, body: { error: said } };
  assert.equal((await quote(['2', 'SOL', 'JUPUSD'])).err, 'slipway: no slipway: Maker 1 is removed. (400)');
});

test('attack: an issuer of a token calls it USDC: who asks for USDC still gets the one that the operator has verified', async () => {
  answer = { status: 200, body: { ...ORDER, routePlan: [] } };
  const { code, err } = await quote(['2', 'SOL', 'usdc']);
  assert.deepEqual([code, err, asked.at(-1)!.order.outputMint], [0, '', USDC.id]);
});

test('with a taker it tells the costs, and what is lacking', async () => {
  const costs = { signatureFeeLamports: 5_000, prioritizationFeeLamports: 1_000, rentFeeLamports: 2_039_280 };
  answer = { status: 200, body: { ...ORDER, ...costs, transaction: 'AQ==', taker: WALLET } };
  const ready = await quote(['2', 'SOL', JUPUSD.id, '--taker', WALLET, '--exclude-routers', 'jupiterz,okx']);
  assert.match(ready.out, /Network {7}0\.000006 SOL in fees, 0\.00203928 SOL in rent$/);
  const { order } = asked.at(-1)!;
  assert.deepEqual([order.taker, order.excludeRouters], [WALLET, 'jupiterz,okx']);
  answer = { status: 200, body: { ...ORDER, transaction: '', errorCode: 1, errorMessage: 'Insufficient funds' } };
  const poor = await quote(['2', 'SOL', 'JUPUSD', '--taker', WALLET]);
  assert.equal(poor.code, 0);
  assert.match(poor.out, /Not possible {2}Insufficient funds$/);
});

test('--json gives the order as the service did, and SLIPWAY_API_KEY goes with it', async () => {
  answer = { status: 200, body: ORDER };
  const { out } = await quote(['7', 'SOL', 'USDC', '--raw', '--json'], { SLIPWAY_API_KEY: 'mine' });
  assert.deepEqual(JSON.parse(out), ORDER);
  assert.equal(asked.at(-1)!.order.amount, '7');
  assert.equal(asked.at(-1)!.key, 'mine');
});

test('what is wrong is said before an order is asked for', async () => {
  const before = asked.length;
  for (const [args, says] of [
    [['1', 'JUP', 'SOL'], /no token is called JUP: did you mean one of JUPUSD\?/],
    [['1', 'SOL', 'nothing'], /no token is called nothing\n/],
    [['1', 'SOL', 'TWIN'], /2 tokens are called TWIN: give the mint of one, of So1\w+, EPj/],
    [['0.0000000001', 'SOL', 'USDC'], /more than the token's 9 decimals/],
    [['1.5', 'SOL', 'USDC', '--raw'], /with --raw the amount must be a whole number/],
    [['1', 'SOL', 'USDC', '--taker', 'alice'], /--taker must be the address/],
    [['1', 'SOL'], /TO/],
    [['-1', 'SOL', 'USDC'], /the amount must be a number such as 1\.5, not "-1"\nSee "slipway quote --help"/],
    [['-.5', 'SOL', 'USDC'], /must be a number such as 1\.5, not "-\.5"/],
  ] as const) {
    const { code, out, err } = await quote([...args]);
    assert.deepEqual([code, out], [2, ''], args.join(' '));
    assert.match(err, says);
  }
  assert.equal(asked.length, before);
});

test('a service that has just started is asked again when it says so, four times in all', async () => {
  answer = { status: 200, body: ORDER };
  const before = asked.length;
  busyUntil = before + 3;
  assert.equal((await quote(['2', 'SOL', 'JUPUSD'])).code, 0);
  assert.equal(asked.length, before + 4);
  busyUntil = before + 8;
  const refused = await quote(['2', 'SOL', 'JUPUSD']);
  assert.deepEqual([refused.code, refused.err], [1, 'slipway: Failed to get quotes: no answer within 400 ms (503)']);
  assert.equal(asked.length, before + 8);
});

test("a refusal is told in the service's words, and a missing service by how to start one", async () => {
  answer = { status: 400, body: { error: 'Failed to get quotes' } };
  const refused = await quote(['1', 'SOL', 'USDC']);
  assert.deepEqual([refused.code, refused.err], [1, 'slipway: Failed to get quotes (400)']);
  answer = { status: 400, body: { error: 'outputMint: expected another token than inputMint' } };
  assert.match((await quote(['1', 'SOL', 'USDC'])).err, /^slipway: TO: expected another token than FROM \(400\)$/);
  answer = { status: 401, body: { message: 'Unauthorized' } };
  assert.match((await quote(['1', 'SOL', 'USDC'])).err, /SLIPWAY_API_KEY/);
  const away = await quote(['1', 'SOL', 'USDC', '--url', 'http://127.0.0.1:1']);
  assert.equal(away.code, 1);
  assert.match(away.err, /does not answer.*slipway serve/);
});
