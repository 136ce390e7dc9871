import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTER_PROGRAM, TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import { randomNumbers } from '@slipway/programs/testing';
import { type Address, TOKEN_PROGRAM } from '@slipway/wire';
import type { QuoteRequest, Token } from '../router.js';
import { createMarket, type Pool } from './market.js';
import { search } from './search.js';
import { createSizing } from './size.js';
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

test('attack: a free key asks for a trade over dozens of pools that all end before it: the search ends, too', () => {
  const lab = new Lab();
  const random = randomNumbers(7);
  const [input, between, output] = Array.from({ length: 3 }, () => lab.vm.mint()) as [Address, Address, Address];
  let estimates = 0;
  const opened = ({ address, mints }: LabPool): Pool => {
    const venue = VENUES.find(({ program }) => program === lab.vm.owner(address))!;
    const { state } = lab.open(venue, address);
    if (typeof state === 'string') assert.fail(state);
    const counting = {
      ...state,
      estimateOut(from: 0 | 1, amount: number) {
        estimates += 1;
        return state.estimateOut(from, amount);
      },
    };
    return { address, venue, mints, accounts: [address], state: () => counting, refusal: () => undefined };
  };
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
  const tokenOf = (mint: Address): Token => ({ mint, tokenProgram: TOKEN_PROGRAM, decimals: 6 });
  const request: QuoteRequest = {
    mode: 'exact-in',
    input: tokenOf(input),
    output: tokenOf(output),
    amount: BigInt(AMOUNT),
    excludeVenues: new Set(),
  };
  const room = createSizing({ router: ROUTER_PROGRAM, lookupTables: () => [], tokenOf })(request);
  search({ market: createMarket(pools), request, now: 0, routed: true, maxPools: 5, room });
  assert.ok(estimates < 500_000, `${estimates} estimates`);
});
