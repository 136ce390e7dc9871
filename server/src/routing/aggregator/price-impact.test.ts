import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ROUTER_PROGRAM, TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import { type Address, TOKEN_PROGRAM } from '@slipway/wire';
import type { QuoteRequest, Token } from '../router.js';
import { automaticSlippageBps } from '../slippage.js';
import type { Pool } from './legs.js';
import { createMarket } from './market.js';
import { priceImpact } from './plan.js';
import { search } from './search.js';
import { createSizing } from './size.js';
import { allVenues } from './venues/index.js';
import { Lab, type LabPool } from './venues/testing/lab.js';
import { CALM, writePair } from './venues/testing/meteora-dlmm.js';
import { OPEN, writeCpmmPool } from './venues/testing/raydium-cpmm.js';
import { writeWhirlpool } from './venues/testing/whirlpool.js';
import { sqrtPriceAt } from './venues/whirlpool/ticks.js';

const VENUES = allVenues({ tokenSwap: TOKEN_SWAP_PROGRAM });
const AMOUNT = 10n ** 12n;
/** Of either token on either side of a price of 1. */
const DEEP = 1_000n * AMOUNT;
/** Twice the price. */
const [FAR_TICK, FAR_BIN] = [6_976, 70];
const tokenPrograms: [Address, Address] = [TOKEN_PROGRAM, TOKEN_PROGRAM];

const lab = new Lab();
const mints = [lab.vm.mint(), lab.vm.mint()] as const;

/** With the least fee there is, a millionth. */
const product = (balances: [bigint, bigint], tradeFee = 1n) =>
  writeCpmmPool(lab, { mints, tokenPrograms, balances, tradeFee, ...OPEN });
const honest = () => product([DEEP, DEEP], 2_500n);

/** Bids below a price of 1, and, with `dust`, one of a few units at twice that, where the pool's price then is. */
const ticks = (dust: boolean) =>
  writeWhirlpool(lab, {
    mints,
    tokenPrograms,
    tickSpacing: 64,
    tick: dust ? FAR_TICK : 0,
    sqrtPrice: sqrtPriceAt(dust ? FAR_TICK : 0),
    feeRate: 100,
    protocolFeeRate: 1_300,
    positions: [
      { lower: -1_024, upper: 64, liquidity: DEEP },
      ...(dust ? [{ lower: FAR_TICK - 64, upper: FAR_TICK + 64, liquidity: 1_000n }] : []),
    ],
    balances: [DEEP, DEEP],
    isDynamic: () => false,
  });

const bins = (dust: boolean) =>
  writePair(lab, {
    ...CALM,
    mints,
    binStep: 100,
    baseFactor: 100,
    purpose: 2,
    activeId: dust ? FAR_BIN : 0,
    bins: [
      ...[0, -1, -2].map((id) => ({ id, x: 0n, y: DEEP / 5n })),
      ...(dust ? [{ id: FAR_BIN, x: 0n, y: 10n }] : []),
    ],
  });

/** The price impact of the best trade over these pools, and how many of them it goes over. */
function tradeOver(written: readonly LabPool[]): { impact: number; pools: number } {
  const pools = written.map(({ address }): Pool => {
    const venue = VENUES.find(({ program }) => program === lab.vm.owner(address))!;
    const { state } = lab.open(venue, address);
    if (typeof state === 'string') assert.fail(state);
    return { address, venue, mints, accounts: [address], state: () => state, refusal: () => undefined };
  });
  const tokenOf = (mint: Address): Token => ({ mint, tokenProgram: TOKEN_PROGRAM, decimals: 6 });
  const [input, output] = [tokenOf(mints[0]), tokenOf(mints[1])];
  const request: QuoteRequest = { mode: 'exact-in', input, output, amount: AMOUNT, excludeVenues: new Set() };
  const room = createSizing({ router: ROUTER_PROGRAM, lookupTables: () => [], tokenOf })(request);
  const found = search({ market: createMarket(pools), request, now: 0, routed: true, maxPools: 5, room });
  assert.ok(found);
  return { impact: priceImpact(found.outcome), pools: found.plan.pools };
}

it('attack: somebody who moves pools has a dust of bids at twice the price, so that trades look as if they moved it: automatic slippage stays what it was', () => {
  for (const write of [ticks, bins]) {
    const [usual, dusty] = [false, true].map((dust) => tradeOver([honest(), write(dust)]));
    assert.ok(usual!.impact < 0.002 && automaticSlippageBps({ priceImpact: usual!.impact }) < 100, `${usual!.impact}`);
    assert.ok(dusty!.impact < usual!.impact + 1e-4, `${dusty!.impact} instead of ${usual!.impact}`);
    const alone = tradeOver([write(true)]);
    assert.ok(alone.impact < 0.002, `${alone.impact}`);
  }
});

it('attack: somebody who moves pools has small ones give a part of a trade at its price, from far above to far below: automatic slippage stays what it was', () => {
  const usual = tradeOver([honest()]);
  const small: [bigint, bigint] = [(AMOUNT * 8n) / 100n, (AMOUNT * 12n) / 100n];
  for (const count of [1, 2]) {
    const raised = tradeOver([honest(), ...Array.from({ length: count }, () => product(small))]);
    assert.equal(raised.pools, 1 + count);
    assert.ok(raised.impact < usual.impact + 1e-4, `${raised.impact} instead of ${usual.impact}`);
  }
});

it('of a trade whose larger part moves its pool far from a price that is better, the price impact is that of all of it', () => {
  const { impact, pools } = tradeOver([honest(), product([6n * AMOUNT, (72n * AMOUNT) / 10n])]);
  assert.equal(pools, 2);
  assert.ok(impact > 0.05 && impact < 0.06, `${impact}`);
});

it('of a trade over pools that are about as large, the price impact is that over one as large as all of them', () => {
  const sizes = [20n, 15n, 12n].map((size): [bigint, bigint] => [size * AMOUNT, size * AMOUNT]);
  const { impact, pools } = tradeOver(sizes.map((size) => product(size)));
  assert.equal(pools, 3);
  assert.ok(Math.abs(impact - 1 / 48) < 1e-3, `${impact}`);
});
