import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ROUTER_PROGRAM, TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import { type Address, TOKEN_PROGRAM } from '@slipway/wire';
import type { QuoteRequest, Token } from '../router.js';
import type { Room } from './found.js';
import type { Pool } from './legs.js';
import { createMarket } from './market.js';
import type { Outcome } from './plan.js';
import { search } from './search.js';
import { createSizing } from './size.js';
import { allVenues } from './venues/index.js';
import { Lab, type LabPool } from './venues/testing/lab.js';
import { CALM, writePair } from './venues/testing/meteora-dlmm.js';
import { OPEN, writeCpmmPool } from './venues/testing/raydium-cpmm.js';
import { type WhirlpoolTerms, writeWhirlpool } from './venues/testing/whirlpool.js';
import { sqrtPriceAt } from './venues/whirlpool/ticks.js';

const VENUES = allVenues({ tokenSwap: TOKEN_SWAP_PROGRAM });
const DEEP = 10n ** 14n;
const lab = new Lab();
const mints = [lab.vm.mint(), lab.vm.mint()] as const;
const tokenPrograms: [Address, Address] = [TOKEN_PROGRAM, TOKEN_PROGRAM];
const common = {
  mints,
  tokenPrograms,
  protocolFeeRate: 0,
  isDynamic: () => true,
  balances: [DEEP, DEEP] as [bigint, bigint],
};

const honest = () =>
  writeWhirlpool(lab, {
    ...common,
    tickSpacing: 64,
    feeRate: 500,
    tick: 0,
    sqrtPrice: sqrtPriceAt(0),
    positions: [{ lower: -6_400, upper: 6_400, liquidity: DEEP }],
  });

const withSteps = (positions: WhirlpoolTerms['positions']) =>
  writeWhirlpool(lab, { ...common, tickSpacing: 1, feeRate: 100, tick: 96, sqrtPrice: sqrtPriceAt(96), positions });

/** Dust in more steps than a trade may have, and all of its capital behind them, at the market's price. */
const inManySteps = (_: unknown, nth: number) =>
  withSteps([
    ...Array.from({ length: 95 }, (_, i) => ({ lower: i + 2, upper: 97, liquidity: BigInt(1_000 + nth) })),
    { lower: -30, upper: 1, liquidity: 10n * DEEP },
  ]);

/** Dust beside the market's price, through which its fee rises to a tenth, and all of its capital behind it. */
const withRisingFee = (_: unknown, nth: number) => {
  const now = lab.time.unixTimestamp;
  return writeWhirlpool(lab, {
    ...common,
    tickSpacing: 64,
    feeRate: 100,
    tick: 383,
    sqrtPrice: sqrtPriceAt(383),
    positions: [
      { lower: 0, upper: 384, liquidity: BigInt(1_000 + nth) },
      { lower: -640, upper: 0, liquidity: 10n * DEEP },
    ],
    oracle: {
      opensAt: 0n,
      filterPeriod: 30,
      decayPeriod: 600,
      reductionFactor: 5_000,
      controlFactor: 99_999,
      maxVolatility: 350_000,
      groupSize: 64,
      majorSwapTicks: 64,
      lastReferenceUpdate: now - 5_000n,
      lastMajorSwap: now - 5_000n,
      volatilityReference: 0,
      groupReference: 5,
      volatility: 0,
    },
  });
};

const cpmm = (balances: [bigint, bigint]) =>
  writeCpmmPool(lab, { mints, tokenPrograms, balances, tradeFee: 2_500n, ...OPEN });

/** What the best trade over these pools does. */
function bestOver(written: readonly LabPool[], amount: bigint, more: Partial<Room> = {}): Outcome | undefined {
  const pools = written.map(({ address }): Pool => {
    const venue = VENUES.find(({ program }) => program === lab.vm.owner(address))!;
    const { state, accounts } = lab.open(venue, address);
    if (typeof state === 'string') assert.fail(state);
    const known = accounts.map(([account]) => account);
    return { address, venue, mints, accounts: known, state: () => state, refusal: () => undefined };
  });
  const tokenOf = (mint: Address): Token => ({ mint, tokenProgram: TOKEN_PROGRAM, decimals: 6 });
  const [input, output] = [tokenOf(mints[0]), tokenOf(mints[1])];
  const request: QuoteRequest = { mode: 'exact-in', input, output, amount, excludeVenues: new Set() };
  const roomOf = createSizing({ router: ROUTER_PROGRAM, lookupTables: () => [], tokenOf });
  const market = createMarket(pools);
  const room = { ...roomOf(request), ...more };
  return search({ market, request, now: 0, routed: true, maxPools: 5, room })?.outcome;
}

const outOver = (written: readonly LabPool[], amount: bigint) => bestOver(written, amount)?.outAmount;

interface Beside {
  honest?: LabPool;
  /** The stranger's own, by which a third is lost. */
  greedy?: LabPool;
  amounts?: readonly bigint[];
}

/** Beside twelve of these. */
function assertHonest(
  hostile: (_: unknown, nth: number) => LabPool,
  {
    honest: own = honest(),
    greedy = cpmm([DEEP, (DEEP * 2n) / 3n]),
    amounts = [10n ** 8n, 10n ** 9n, 10n ** 10n, 10n ** 11n, 10n ** 12n],
  }: Beside = {},
): void {
  const market = [own, ...Array.from({ length: 12 }, hostile), greedy];
  for (const amount of amounts) {
    const best = outOver(market.slice(0, 1), amount);
    assert.ok(best);
    const found = outOver(market, amount);
    assert.ok(found && found >= best, `${found} of ${amount}, in place of ${best}`);
  }
}

it('attack: a stranger on the chain makes pools that look better than all others, by dust in more steps than a trade may have: trades go on over the honest one', () =>
  assertHonest(inManySteps));

it('attack: a stranger on the chain makes pools that look better than all others, by dust before a fee that rises to a tenth: trades go on over the honest one', () =>
  assertHonest(withRisingFee));

it('attack: a stranger on the chain makes pools that share a trade best where it takes more compute units than a transaction has: it goes over so many as it has units for', () => {
  const steep = () =>
    withSteps(Array.from({ length: 79 }, (_, i) => ({ lower: 96 - i, upper: 97, liquidity: 10n ** 10n })));
  const pools = [steep(), steep(), steep(), cpmm([10n ** 12n, 10n ** 12n])];
  // With lookup tables that hold all that they name.
  const found = bestOver(pools, 4_500_000_000n, { excess: () => 0, weigh: () => 0 });
  assert.equal(found?.trades.length, 3);
  const units = found.trades.reduce((sum, { units = 0 }) => sum + units, 0);
  assert.ok(units > 700_000 && units < 1_400_000, `${units}`);
});

describe('attack: a stranger on the chain makes pools whose many steps round away what they promise', () => {
  it('attack: less than a unit of what is bought in each step of a Whirlpool, for a token without decimals: trades go on over the honest one', () => {
    // 0.2 of a unit for a million.
    const market = -154_240;
    const at = { ...common, balances: [10n ** 12n, 10n ** 6n] as [bigint, bigint] };
    const whirlpool = (tick: number, tickSpacing: number, positions: WhirlpoolTerms['positions']) =>
      writeWhirlpool(lab, { ...at, tickSpacing, feeRate: 100, tick, sqrtPrice: sqrtPriceAt(tick), positions });
    const honest = whirlpool(market, 64, [{ lower: market - 6_400, upper: market + 6_400, liquidity: 10n ** 10n }]);
    const hostile = (_: unknown, nth: number) =>
      whirlpool(market + 40, 1, [
        ...Array.from({ length: 78 }, (_, i) => ({
          lower: market - 39 + i,
          upper: market - 38 + i,
          liquidity: 42_000_000n + BigInt(nth + (i % 2)),
        })),
        { lower: market + 38, upper: market + 42, liquidity: 42_000_000n },
      ]);
    const greedy = cpmm([10n ** 12n, 133_000n]);
    assertHonest(hostile, { honest, greedy, amounts: [50n, 100n, 200n, 300n].map((millions) => millions * 10n ** 6n) });
  });

  it('attack: a whole unit of a token without decimals for dust in each bin of a DLMM pair, and its capital behind: trades go on over the honest pool', () => {
    // Five million for a unit, and bids above that.
    const market = 15_432;
    const pair = (baseFactor: number, dust: number, each: bigint) =>
      writePair(lab, {
        ...CALM,
        mints: [lab.vm.mint(), lab.vm.mint()],
        binStep: 10,
        baseFactor,
        purpose: 1,
        activeId: market + dust,
        bins: [
          // In as many arrays.
          ...[0, 70, 140].map((below) => ({ id: market - below, x: 0n, y: 10n ** 12n })),
          ...Array.from({ length: dust }, (_, i) => ({ id: market + 1 + i, x: 0n, y: each })),
        ],
      });
    const hostile = (_: unknown, nth: number) => pair(1_000, 98, BigInt(1 + nth));
    const greedy = cpmm([10n ** 6n, 3n * 10n ** 12n]);
    assertHonest(hostile, { honest: pair(2_000, 0, 0n), greedy, amounts: [10n, 50n, 100n, 200n, 500n] });
  });
});
