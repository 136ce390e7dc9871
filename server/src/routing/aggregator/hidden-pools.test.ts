import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ROUTER_PROGRAM, TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import { type Address, TOKEN_PROGRAM } from '@slipway/wire';
import type { QuoteRequest, Token } from '../router.js';
import { createMarket, type Pool } from './market.js';
import { search } from './search.js';
import { createSizing } from './size.js';
import { allVenues } from './venues/index.js';
import { Lab, type LabPool } from './venues/testing/lab.js';
import { OPEN, writeCpmmPool } from './venues/testing/raydium-cpmm.js';
import { writeWhirlpool } from './venues/testing/whirlpool.js';
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

/** Dust in more steps than a trade may have, and all of its capital behind them, at the market's price. */
const inManySteps = (_: unknown, nth: number) =>
  writeWhirlpool(lab, {
    ...common,
    tickSpacing: 1,
    feeRate: 100,
    tick: 96,
    sqrtPrice: sqrtPriceAt(96),
    positions: [
      ...Array.from({ length: 95 }, (_, i) => ({ lower: i + 2, upper: 97, liquidity: BigInt(1_000 + nth) })),
      { lower: -30, upper: 1, liquidity: 10n * DEEP },
    ],
  });

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

/** The stranger's own, by which a third is lost. */
const greedy = () =>
  writeCpmmPool(lab, { mints, tokenPrograms, balances: [DEEP, (DEEP * 2n) / 3n], tradeFee: 2_500n, ...OPEN });

/** What the best trade over these pools gives. */
function outOver(written: readonly LabPool[], amount: bigint): bigint | undefined {
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
  return search({ market, request, now: 0, routed: true, maxPools: 5, room: roomOf(request) })?.outcome.outAmount;
}

/** Beside twelve of these. */
function assertHonest(hostile: (_: unknown, nth: number) => LabPool): void {
  const market = [honest(), ...Array.from({ length: 12 }, hostile), greedy()];
  for (const amount of [10n ** 8n, 10n ** 9n, 10n ** 10n, 10n ** 11n, 10n ** 12n]) {
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
