import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTER_PROGRAM, TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import { randomNumbers } from '@slipway/programs/testing';
import { type Address, TOKEN_PROGRAM } from '@slipway/wire';
import type { LiveAccounts } from '../../chain/index.js';
import type { QuoteRequest, Token } from '../router.js';
import { unbounded } from './found.js';
import type { Pool } from './legs.js';
import { createMarket } from './market.js';
import type { PoolTrials } from './pool-trials.js';
import type { Pools } from './pools.js';
import { Quoter } from './quoter.js';
import { search } from './search.js';
import { createSizing } from './size.js';
import type { PoolState } from './venue.js';
import { allVenues } from './venues/index.js';
import { Lab, type LabPool } from './venues/testing/lab.js';
import { writeDammPool } from './venues/testing/meteora-damm-v2.js';
import { writeWhirlpool } from './venues/testing/whirlpool.js';
import { sqrtPriceAt, tickAt } from './venues/whirlpool/ticks.js';

const VENUES = allVenues({ tokenSwap: TOKEN_SWAP_PROGRAM });
const AMOUNT = 10 ** 12;
/** Percent of the price within which all of a pool's liquidity lies. */
const REACH = 2n;

/** The pools of a pair: of each size, three of either kind, the smaller the better; all end, and the first ones far away. */
const SIZES = [10 ** 15, AMOUNT, AMOUNT / 3, AMOUNT / 8, AMOUNT / 25, AMOUNT / 100];

const STEP = 8;

const rootOf = (price: number) => BigInt(Math.round(Math.sqrt(price) * 2 ** 53)) << 11n;
const tokenPrograms: [Address, Address] = [TOKEN_PROGRAM, TOKEN_PROGRAM];

function writeDamm(lab: Lab, mints: [Address, Address], price: bigint, liquidity: bigint): LabPool {
  const baseFee = Buffer.alloc(32);
  baseFee.writeBigUInt64LE(100_000n, 0);
  return writeDammPool(lab, {
    mints,
    tokenPrograms,
    price,
    startPrice: price,
    baseFee,
    dynamicFee: Buffer.alloc(96),
    liquidity: liquidity << 64n,
    range: [(price * 200n) / (200n + REACH), (price * (200n + REACH)) / 200n],
    collectFeeMode: 0,
    compoundingBps: 0,
    feeVersion: 1,
    layoutVersion: 1,
    status: 0,
    activation: { type: 1, point: 0n },
  });
}

function writeNarrow(lab: Lab, mints: [Address, Address], price: bigint, liquidity: bigint): LabPool {
  const tickSpacing = 64;
  const tick = tickAt(price);
  const place = (at: number) => Math.floor(at / tickSpacing) * tickSpacing;
  const reach = 100 * Number(REACH);
  return writeWhirlpool(lab, {
    mints,
    tokenPrograms,
    tickSpacing,
    tick,
    sqrtPrice: sqrtPriceAt(tick),
    feeRate: 100,
    protocolFeeRate: 1_300,
    positions: [{ lower: place(tick - reach), upper: place(tick + reach) + tickSpacing, liquidity }],
    balances: [liquidity, liquidity],
    isDynamic: () => false,
  });
}

/** A pool with a tick at every few hundredths of a percent of its price: of two that take the amount, each goes some 60 steps. */
function writeSteps(lab: Lab, mints: [Address, Address], tick: number, takes: number): LabPool {
  const liquidity = BigInt(Math.round((AMOUNT * takes) / 0.0315));
  const upper = 264 * STEP;
  const steps = Array.from({ length: 82 }, (_, i) => ({
    lower: -STEP * (i + 1),
    upper,
    liquidity: liquidity / 1_000n,
  }));
  return writeWhirlpool(lab, {
    mints,
    tokenPrograms,
    tickSpacing: STEP,
    tick,
    sqrtPrice: sqrtPriceAt(tick),
    feeRate: 100,
    protocolFeeRate: 1_300,
    positions: [...steps, { lower: -upper, upper, liquidity: (liquidity * 918n) / 1_000n }],
    balances: [liquidity, liquidity],
    isDynamic: () => true,
  });
}

function openedAs(lab: Lab, { address, mints }: LabPool, as: (state: PoolState) => PoolState): Pool {
  const venue = VENUES.find(({ program }) => program === lab.vm.owner(address))!;
  const { state } = lab.open(venue, address);
  if (typeof state === 'string') assert.fail(state);
  const own = as(state);
  return { address, venue, mints, accounts: [address], state: () => own, refusal: () => undefined };
}

const tokenOf = (mint: Address): Token => ({ mint, tokenProgram: TOKEN_PROGRAM, decimals: 6 });

const requestOf = (mode: QuoteRequest['mode'], input: Address, output: Address): QuoteRequest => ({
  mode,
  input: tokenOf(input),
  output: tokenOf(output),
  amount: BigInt(AMOUNT),
  excludeVenues: new Set(),
});

test('attack: a free key asks for a trade over dozens of pools that all end before it: the search ends, too', () => {
  const lab = new Lab();
  const random = randomNumbers(7);
  const [input, between, output] = Array.from({ length: 3 }, () => lab.vm.mint()) as [Address, Address, Address];
  let estimates = 0;
  const opened = (pool: LabPool): Pool =>
    openedAs(lab, pool, (state) => ({
      ...state,
      estimateOut(from, amount) {
        estimates += 1;
        return state.estimateOut(from, amount);
      },
    }));
  const pair = (mints: [Address, Address], sizes: readonly number[]) =>
    [writeDamm, writeNarrow].flatMap((write) =>
      sizes.flatMap((size, i) =>
        Array.from({ length: 3 }, () => {
          const depth = BigInt(Math.round(size * (1.05 + random(40) / 100)));
          const price = rootOf(0.9 + 0.02 * i + random(1_000) / 1e5);
          return opened(write(lab, mints, price, (depth * 200n) / REACH));
        }),
      ),
    );
  const pools = [...pair([input, between], SIZES), ...pair([between, output], SIZES.slice(2))];
  const request = requestOf('exact-in', input, output);
  const room = createSizing({ router: ROUTER_PROGRAM, lookupTables: () => [], tokenOf })(request);
  search({ market: createMarket(pools), request, now: 0, routed: true, maxPools: 5, room });
  assert.ok(estimates < 500_000, `${estimates} estimates`);
});

test('attack: a stranger on the chain opens limit orders over dozens of pools of many steps, whose trades no transaction has room for: they are calculated only so often', async () => {
  const lab = new Lab();
  const [input, between, output] = Array.from({ length: 3 }, () => lab.vm.mint()) as [Address, Address, Address];
  let quotes = 0;
  const counting = (state: PoolState): PoolState => ({
    ...state,
    quote(...asked) {
      quotes += 1;
      return state.quote(...asked);
    },
  });
  const pair = (mints: [Address, Address], takes: number) =>
    Array.from({ length: 15 }, (_, i) => {
      const tier = Math.floor(i / 3);
      const size = takes * (1 - 0.03 * tier) * (1 + (i % 3) / 500);
      return openedAs(lab, writeSteps(lab, mints, 2 * tier, size), counting);
    });
  const market = createMarket([...pair([input, between], 0.62), ...pair([between, output], 1.15)]);
  const quoter = new Quoter({
    pools: {
      asked: { askInTurn: () => {}, isSearching: () => false },
      market: () => market,
      knownMint: tokenOf,
    } as unknown as Pools,
    live: {} as LiveAccounts,
    steadyNow: () => 0,
    router: ROUTER_PROGRAM,
    lookupTables: { current: () => [] },
    tableBook: undefined,
    trials: {} as PoolTrials,
  });
  const request = { ...requestOf('exact-in', input, output), forLimitOrder: true };
  market.paths(request, 0);
  quotes = 0;
  const refusal = await quoter.quote(request, new AbortController().signal);
  assert.deepEqual(refusal, {
    refused: 'no-route',
    reason: `the pools from ${input} to ${output} do not take this amount`,
  });
  assert.ok(quotes < 800, `${quotes} quotes`);

  const room = unbounded(createSizing({ router: ROUTER_PROGRAM, lookupTables: () => [], tokenOf })(request), () => 0);
  const wanted = requestOf('exact-out', input, output);
  quotes = 0;
  assert.equal(search({ market, request: wanted, now: 0, routed: true, maxPools: 5, room }), undefined);
  assert.ok(quotes < 4_000, `${quotes} quotes for an exact output`);
});
