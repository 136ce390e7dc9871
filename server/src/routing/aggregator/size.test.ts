import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ORDER_ENGINE_PROGRAM, ROUTER_PROGRAM, TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import { newAddress, randomNumbers } from '@slipway/programs/testing';
import {
  type Address,
  associatedTokenAddress,
  type LookupTable,
  MAX_TRANSACTION_SIZE,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import fc from 'fast-check';
import {
  aroundTrade,
  craftSwap,
  type Place,
  partiesOf,
  temporaryWrappedSol,
  type Untraded,
} from '../../crafting/swap.js';
import { TransactionTooLarge } from '../../crafting/transaction.js';
import { isRefused, type QuoteRequest, type SwapParties, type Token } from '../router.js';
import { type Plan, run } from './plan.js';
import { quoteOf } from './quote.js';
import { createSizing } from './size.js';
import { WRAPPED_SOL } from './testing.js';
import { Lab } from './venues/testing/lab.js';
import { type StockPool, writeStock, writeTokens } from './venues/testing/stock.js';

const RUNS = 400;
/** Of each shape: with some a pool of constant product leaves a little. */
const AMOUNTS = 12n;
const BLOCKHASH = newAddress();
const REQUEST_ID = '01890a5d-ac96-774b-bcce-b302099a8057'.replaceAll('-', '');

const lab = new Lab();
lab.vm.mint({ address: WRAPPED_SOL_MINT, decimals: 9 });
const tokens: Token[] = [WRAPPED_SOL, ...writeTokens(lab, 3)];
const stock = writeStock(lab, randomNumbers(5), tokens, { count: 30, price: 0.3 });

const index = fc.nat(1_000);
const shapes = fc.record({
  /** Which token comes next, and which pools each step takes. */
  path: fc.uniqueArray(fc.nat(tokens.length - 1), { minLength: 2, maxLength: 4 }),
  pools: fc.array(fc.array(index, { minLength: 1, maxLength: 3 }), { minLength: 3, maxLength: 3 }),
  amount: fc.bigInt(1_000_000n, 1_000_100n),
  isRouted: fc.boolean(),
  fee: fc.option(fc.constantFrom('input' as const, 'output' as const), { nil: undefined }),
  hasReceiver: fc.boolean(),
  payer: fc.constantFrom('taker', 'other' as const),
  creates: fc.boolean(),
  hasCloseAuthority: fc.boolean(),
  closes: fc.boolean(),
  hasTip: fc.boolean(),
  tables: fc.nat(3),
});
type Shape = typeof shapes extends fc.Arbitrary<infer T> ? T : never;

function planOf({ path, pools, isRouted }: Shape): Plan | undefined {
  const mints = path.map((i) => tokens[i]!.mint).slice(0, isRouted ? 4 : 2);
  const steps = mints.slice(1).map((output, i) => {
    const input = mints[i]!;
    const between = stock.filter((pool) => pool.mints.includes(input) && pool.mints.includes(output));
    const chosen = [...new Set(pools[i]!.map((n) => between[n % between.length]!))];
    const parts = chosen.map((pool: StockPool, j) => {
      const from = pool.mints[0] === input ? (0 as const) : (1 as const);
      const bps = j < chosen.length - 1 ? 2_000 : 10_000 - 2_000 * (chosen.length - 1);
      return { pool, from, state: pool.now, bps };
    });
    return { input, output, parts };
  });
  if (steps.some(({ parts }) => parts.length === 0)) return undefined;
  return { steps, pools: steps.reduce((sum, { parts }) => sum + parts.length, 0) };
}

const [taker, payer, receiver, tip, feeAccount, closeAuthority, closeTo] = Array.from({ length: 7 }, newAddress) as [
  ...[Address, Address, Address, Address, Address, Address, Address],
];

function swapOf(shape: Shape, input: Token, output: Token): { untraded: Untraded; parties: SwapParties } {
  const to = shape.hasReceiver ? receiver : taker;
  const pays = shape.payer === 'taker' ? taker : payer;
  const place = (wallet: Address, { mint, tokenProgram }: Token): Place & { account: Address } =>
    mint === WRAPPED_SOL_MINT
      ? temporaryWrappedSol(taker, REQUEST_ID)
      : { kind: 'token', account: associatedTokenAddress(wallet, mint, tokenProgram) };
  const [source, destination] = [place(taker, input), place(to, output)];
  const create = shape.creates && destination.kind === 'token';
  const untraded: Untraded = {
    taker,
    receiver: to,
    feePayer: pays,
    rentPayer: pays,
    input: {
      ...input,
      place: source,
      amount: shape.amount,
      ...(shape.closes && source.kind === 'token' && { closeTo }),
    },
    output: { ...output, place: destination, least: 1n, create },
    ...(shape.fee && {
      fee: { account: feeAccount, side: shape.fee, bps: 30, amount: (shape.amount * 30n) / 10_000n },
    }),
    ...(shape.hasCloseAuthority && create && to === taker && { closeAuthority }),
    ...(shape.hasTip && { tip: { account: tip, lamports: 1_000n } }),
  };
  const parties: SwapParties = {
    owner: taker,
    source: source.account,
    destination: destination.account,
    feePayer: pays,
    rentPayer: pays,
    receiver: destination.kind === 'wrapped' ? taker : to,
    absentSigners: new Set(),
    minOut: 1n,
    ...(shape.fee && { feeAccount }),
    ...(untraded.input.closeTo && { emptySource: true }),
  };
  return { untraded, parties };
}

const named = stock.flatMap(({ now }) => {
  const swap = now.swap(0, { owner: taker, source: taker, destination: taker, amountIn: 1n, minOut: 1n });
  return swap.accounts.map(({ address }) => address).filter((address) => address !== taker);
});
const table = (percent: number, more: Address[] = []): LookupTable => ({
  address: newAddress(),
  addresses: [...more, ...[...new Set(named)].filter((_, i) => (i * 37) % 100 < percent).slice(0, 250)],
});
/** Without tables, with one, with two that share accounts, and with one that has the wallets, too. */
const TABLES = [[], [table(40)], [table(20), table(90)], [table(60, [taker, payer, feeAccount, tip])]];
const tokenOf = (mint: Address) => tokens.find((token) => token.mint === mint)!;
let tables = TABLES[0]!;
const builderOf = (router: Address | undefined) => {
  const builder = { router, lookupTables: () => tables, used: () => {}, tokenOf };
  return { ...builder, sizing: createSizing(builder) };
};
// Kept over all runs, while the tables come and go, so that what is measured once must hold for every plan and
// surroundings of that shape, and for these tables.
const [routed, direct] = [builderOf(ROUTER_PROGRAM), builderOf(undefined)];

test('what fits by measure is what fits in bytes, for every shape of a plan and of what surrounds it', async () => {
  const counts = { fits: 0, 'too large': 0 };
  const check = async (shape: Shape) => {
    const plan = planOf(shape);
    const [input, output] = [tokens[shape.path[0]!]!, tokens[shape.path[plan?.steps.length ?? 0]!]!];
    if (!plan) return;
    if (!shape.isRouted && shape.fee === 'output') return;
    const outcome = run(plan, shape.amount, { fee: shape.fee && { bps: 30, side: shape.fee }, routed: shape.isRouted });
    if (!outcome) return;
    tables = TABLES[shape.tables]!;
    const builder = shape.isRouted ? routed : direct;
    const { untraded, parties } = swapOf(shape, input, output);
    const { absentSigners: _, minOut: __, ...rest } = parties;
    const request: QuoteRequest = {
      mode: 'exact-in',
      input,
      output,
      amount: shape.amount,
      owner: taker,
      excludeVenues: new Set(),
      ...(shape.fee && { fee: { bps: 30, side: shape.fee } }),
      surroundings: { ...rest, instructions: aroundTrade(untraded), inFull: partiesOf(untraded) },
    };
    const measured = builder.sizing(request).excess({ plan, outcome }) + MAX_TRANSACTION_SIZE;
    const isFitting = measured <= MAX_TRANSACTION_SIZE;
    counts[isFitting ? 'fits' : 'too large'] += 1;
    if (measured === Number.POSITIVE_INFINITY) return;
    const built = await quoteOf({ plan, amount: shape.amount, outcome }, request, builder).build(parties);
    if (isRefused(built)) return assert.ok(!isFitting, `${measured} bytes by measure: ${built.reason}`);
    const programs = { router: ROUTER_PROGRAM, orderEngine: ORDER_ENGINE_PROGRAM, tokenSwap: TOKEN_SWAP_PROGRAM };
    const budget = { computeUnitLimit: 1_400_000, computeUnitPrice: 7n };
    const size = sizeOf(() => craftSwap({ ...untraded, trade: built, programs }, BLOCKHASH, budget).wire.length);
    assert.equal(measured, size);
  };
  const property = fc.asyncProperty(shapes, async (shape) => {
    for (let more = 0n; more < AMOUNTS; more++) await check({ ...shape, amount: shape.amount + more });
  });
  await fc.assert(property, { numRuns: RUNS, seed: 21 });
  assert.ok(counts.fits > 50 && counts['too large'] > 50, JSON.stringify(counts));
});

function sizeOf(craft: () => number): number {
  try {
    return craft();
  } catch (error) {
    if (error instanceof TransactionTooLarge) return error.size;
    throw error;
  }
}
