import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { IMMUTABLE_WHIRLPOOL_PROGRAM } from '@slipway/checks';
import { newAddress, randomNumbers } from '@slipway/programs/testing';
import { TOKEN_PROGRAM } from '@slipway/wire';
import type { Pool } from './legs.js';
import { createMarket } from './market.js';
import { middlePrice, nearDepth } from './near-depth.js';
import type { Pools } from './pools.js';
import { poolWords } from './spot.js';
import type { PoolState, Side, Venue } from './venue.js';
import { dlmmVenue } from './venues/meteora-dlmm/index.js';
import { raydiumCpmmVenue } from './venues/raydium-cpmm.js';
import { Lab, type LabPool } from './venues/testing/lab.js';
import { CALM, type PairTerms, writePair } from './venues/testing/meteora-dlmm.js';
import { randomCpmmPool } from './venues/testing/raydium-cpmm.js';
import { TESTED_VENUES } from './venues/testing/venues.js';
import { type WhirlpoolTerms, writeWhirlpool } from './venues/testing/whirlpool.js';
import { whirlpoolVenue } from './venues/whirlpool/index.js';
import { sqrtPriceAt } from './venues/whirlpool/ticks.js';

/** 100,000 whole tokens of six decimals. */
const DEEP = 10n ** 11n;
/** What a constant product gives until its price is 5 % away, as a share of its side. */
const SHARE = 1 - 1 / Math.sqrt(1.05);

const lab = new Lab();
const whirlpools = whirlpoolVenue(IMMUTABLE_WHIRLPOOL_PROGRAM);
const pairs = dlmmVenue();

function opened(venue: Venue, { address }: LabPool): PoolState {
  const { state } = lab.open(venue, address);
  if (typeof state === 'string') assert.fail(state);
  return state;
}

type Positions = WhirlpoolTerms['positions'];
const mints = [lab.vm.mint(), lab.vm.mint()] as const;

/** A Whirlpool between the two tokens, at the price of this tick. */
function whirlpool(tick: number, positions: Positions): PoolState {
  const pool = writeWhirlpool(lab, {
    mints,
    tickSpacing: 64,
    feeRate: 3_000,
    protocolFeeRate: 0,
    sqrtPrice: sqrtPriceAt(tick),
    tick,
    positions,
    tokenPrograms: [TOKEN_PROGRAM, TOKEN_PROGRAM],
    balances: [1_000n * DEEP, 1_000n * DEEP],
    isDynamic: () => false,
  });
  return opened(whirlpools, pool);
}

/** A pair with X in the bins above the price and Y in those below it. */
function pair(binStep: number, bins: PairTerms['bins'], activeId = 0): PoolState {
  const written = writePair(lab, {
    ...CALM,
    binStep,
    baseFactor: 1_000,
    purpose: 2,
    activeId,
    bins,
  });
  return opened(pairs, written);
}

const cpmm = () => opened(raydiumCpmmVenue(), randomCpmmPool(lab, randomNumbers(3)));
/** Ticks of 1 %, about: bids 26 % to 39 % below the price, offers as far above it. */
const FAR: Positions = [
  { lower: -4_992, upper: -3_008, liquidity: 100n * DEEP },
  { lower: 3_008, upper: 4_992, liquidity: 100n * DEEP },
];
const FAR_BINS = Array.from({ length: 10 }, (_, i) => [
  { id: -30 - i, x: 0n, y: DEEP },
  { id: 30 + i, x: DEEP, y: 0n },
]).flat();

/** What the pools that hold these states say of the first token, in the second. */
function wordsOf(states: readonly PoolState[]) {
  const pools = states.map((state): Pool => {
    const [{ mint: first }, { mint: second }] = state.tokens;
    const own = { address: newAddress(), venue: whirlpools, mints: [first, second] as const, accounts: [] };
    return { ...own, state: () => state, refusal: () => undefined };
  });
  const market = createMarket(pools);
  const known = { decimals: 6 };
  return poolWords({ knownMint: () => known, market: () => market } as unknown as Pools, 0, mints[0], [mints[1]]);
}

describe('the depth of a pool', () => {
  it('of constant product is all that it holds', () => {
    const state = cpmm();
    assert.deepEqual(nearDepth(state), [...state.reserves]);
  });

  it('of a position over all prices is no more than what the pool has within a factor of four', () => {
    const whole = whirlpool(0, [{ lower: -443_584, upper: 443_584, liquidity: DEEP }]);
    assert.deepEqual(nearDepth(whole), [...whole.reserves]);
    for (const depth of nearDepth(whole)) assert.ok(depth > 0.4 * Number(DEEP) && depth <= Number(DEEP) / 2);
  });

  it('with all of it near the price is what it holds: a tenth of the capital does not look ten times as deep', () => {
    const narrow = whirlpool(0, [{ lower: -192, upper: 192, liquidity: DEEP }]);
    assert.deepEqual(nearDepth(narrow), [...narrow.reserves]);
    assert.ok(narrow.reserves.every((held) => held < Number(DEEP) / 100));
  });

  it('can be traded: so much of it goes out at 2.5 % and the fee, for any pool of any venue', () => {
    let counted = 0;
    for (const { venue, randomPool } of TESTED_VENUES) {
      const random = randomNumbers(11);
      for (let i = 0; i < 60; i++) {
        const { state } = lab.open(venue, randomPool(lab, random).address);
        if (typeof state === 'string' || state.feeShare > 0.02) continue;
        const depth = nearDepth(state);
        for (const side of [0, 1] as const) {
          assert.ok(depth[side] <= state.reserves[side], venue.label);
          // Too little of it, or of the other token, is lost in rounding.
          if (depth[side] * SHARE < 1e6 || !isPriced(state, side)) continue;
          // Its program refuses the time, or it owes more than it has: there is none like it on a chain.
          if (!state.quote(side === 0 ? 1 : 0, 10_000_000n)) continue;
          if (Number(lab.vm.amount(state.tokens[side].vault)) < depth[side]) continue;
          counted += 1;
          assertTraded(state, side, depth[side] * SHARE, venue.label);
        }
      }
    }
    assert.ok(counted > 50, `only ${counted} sides were deep enough`);
  });
});

const isPriced = (state: PoolState, side: Side) => {
  const price = middlePrice(state, side);
  return price > 1e-3 && price < 1e3;
};

/** By what the venue does to the unit: the average price of this output is within 2.5 % of the middle, and the fee. */
function assertTraded(state: PoolState, side: Side, out: number, label: string): void {
  const from = side === 0 ? 1 : 0;
  const most = ((out / middlePrice(state, from)) * Math.sqrt(1.05)) / (1 - state.feeShare);
  const offered = Math.min(most, state.estimateIn(from, out));
  // One transaction may be too small for the steps of an adaptive fee; then a part must do.
  for (let part = 1; part > 0.1; part /= 2) {
    const done = state.quote(from, BigInt(Math.floor(offered * part)));
    if (!done) continue;
    // Fees that rise with the price are known to the estimate only roughly.
    assert.ok(Number(done.received) >= out * part * 0.98, `${label}: ${done.received}, not ${out * part}`);
    return;
  }
  assert.fail(`${label}: no part of ${out} is traded`);
}

it('a pool that cannot be read or traded with, or whose fee is high, says that it is silent', () => {
  const state = whirlpool(0, [{ lower: -443_584, upper: 443_584, liquidity: DEEP }]);
  const own = { address: newAddress(), venue: whirlpools, mints, accounts: [], refusal: () => undefined };
  for (const now of [undefined, { ...state, baseFeeShare: 0.021 }]) {
    const market = createMarket([{ ...own, state: () => now }]);
    const pools = { knownMint: () => ({ decimals: 6 }), market: () => market } as unknown as Pools;
    const silent = { pool: own.address, in: mints[1], price: 0, depth: 0, isSilent: true };
    assert.deepEqual(poolWords(pools, 0, mints[0], [mints[1]]), [silent]);
  }
});

it('attack: somebody who moves pools raises the dynamic fee of a deep pair, so that his own pool is believed: it still counts', () => {
  const terms = { ...CALM, binStep: 100, baseFactor: 8_000, purpose: 2, activeId: 0 };
  const raised = { variableFeeControl: 7_500, maxVolatility: 150_000, filterPeriod: 300, decayPeriod: 1_200 };
  const bins = [
    { id: -1, x: 0n, y: DEEP },
    { id: 1, x: DEEP, y: 0n },
  ];
  const at = { mints, indexReference: 15, volatility: 150_000, lastUpdate: 9_000_000_000n };
  const state = opened(pairs, writePair(lab, { ...terms, bins, ...raised, ...at }));
  assert.ok(state.feeShare > 0.024);
  const [calm, [word]] = [opened(pairs, writePair(lab, { ...terms, bins, mints })), wordsOf([state])];
  assert.equal(word!.isSilent, undefined);
  assert.deepEqual(
    [word!.price, word!.depth],
    wordsOf([calm]).flatMap(({ price, depth }) => [price, depth]),
  );
});

describe('attack: somebody who moves pools makes one that looks deep, with what nobody will trade against', () => {
  const honest = whirlpool(0, [{ lower: -443_584, upper: 443_584, liquidity: DEEP }]);

  it('attack: bids far below the price and offers far above it, in a Whirlpool or a DLMM pair: not counted', () => {
    const [honestWord] = wordsOf([honest]);
    for (const tick of [-2_560, -640, 0, 640, 2_560]) {
      const parked = whirlpool(tick, FAR);
      assert.ok(
        parked.reserves.every((held) => held > 50 * honestWord!.depth),
        'it holds far more than the honest pool',
      );
      assert.deepEqual(nearDepth(parked), [0, 0]);
      assert.deepEqual(
        wordsOf([honest, parked]).map(({ price }) => price),
        [honestWord!.price],
      );
    }
    for (const activeId of [-20, 0, 20]) assert.deepEqual(nearDepth(pair(100, FAR_BINS, activeId)), [0, 0]);
  });

  it('attack: a bid that is dust at the price, in front of those far away: counted as dust', () => {
    const dust = whirlpool(0, [...FAR, { lower: -64, upper: 64, liquidity: 1_000_000n }]);
    const dusty = pair(100, [...FAR_BINS, { id: 0, x: 1_000n, y: 1_000n }]);
    for (const state of [dust, dusty]) for (const depth of nearDepth(state)) assert.ok(depth < 50_000, `${depth}`);
  });

  it('attack: deep on one side only: not counted', () => {
    const bids = whirlpool(0, [{ lower: -960, upper: -64, liquidity: 100n * DEEP }]);
    assert.ok(nearDepth(bids)[1] > Number(DEEP));
    assert.equal(nearDepth(bids)[0], 0);
    assert.deepEqual(wordsOf([bids]), []);
    assert.deepEqual(wordsOf([pair(100, [{ id: -1, x: 0n, y: DEEP }])]), []);
  });

  it('attack: deep bids and offers with more than 5 % between them, among which the price is free: not counted', () => {
    const apart = (bins: number) =>
      pair(100, [
        { id: -bins, x: 0n, y: DEEP },
        { id: bins, x: DEEP, y: 0n },
      ]);
    assert.deepEqual(nearDepth(apart(3)), [0, 0]);
    assert.ok(nearDepth(apart(2)).every((depth) => depth > 0));
    const gap: Positions = [
      { lower: -960, upper: -320, liquidity: 100n * DEEP },
      { lower: 320, upper: 960, liquidity: 100n * DEEP },
    ];
    for (const tick of [-256, 0, 256]) assert.deepEqual(wordsOf([whirlpool(tick, gap)]), []);
  });

  it('attack: move its price between bids and offers with what is near it: the depth is that of the capital there', () => {
    const [near] = [{ lower: -3_008, upper: 3_008, liquidity: DEEP / 10n }];
    for (const tick of [-2_560, 0, 2_560]) {
      const [word] = wordsOf([whirlpool(tick, [...FAR, near])]);
      const own = Number(DEEP / 10n) / 1e6;
      assert.ok(word!.depth <= own * 1.2, `${word!.depth} of ${own}`);
    }
  });
});

it('attack: a stranger on the chain opens positions of dust in the Whirlpools of others, until no trade goes through all of their steps: their depth stays', () => {
  const depthOf = (tickSpacing: number, dust: number) => {
    const ranges = Array.from({ length: dust }, (_, i) => (i + 1) * tickSpacing);
    const written = writeWhirlpool(lab, {
      mints,
      tickSpacing,
      feeRate: 500,
      protocolFeeRate: 0,
      sqrtPrice: sqrtPriceAt(0),
      tick: 0,
      positions: [
        { lower: -20_480, upper: 20_480, liquidity: DEEP },
        ...ranges.map((upper) => ({ lower: -upper, upper, liquidity: 1_000n })),
      ],
      tokenPrograms: [TOKEN_PROGRAM, TOKEN_PROGRAM],
      balances: [1_000n * DEEP, 1_000n * DEEP],
      isDynamic: () => true,
    });
    return nearDepth(opened(whirlpools, written));
  };
  for (const tickSpacing of [1, 4, 16, 64, 128]) {
    const [before, after] = [depthOf(tickSpacing, 0), depthOf(tickSpacing, 81)];
    for (const side of [0, 1] as const) assert.ok(after[side] >= before[side] * 0.999, `${after} of ${before}`);
  }
});

it('attack: a stranger on the chain puts dust into the empty bins of the DLMM pairs of others, until no trade goes through all of them: their depth stays', () => {
  const depthOf = (binStep: number, every: number, dust: bigint) => {
    const ids = Array.from({ length: 401 }, (_, i) => i - 200);
    const held = (id: number) => (id % every === 0 ? 10n ** 12n : dust);
    const bins = ids.map((id) => ({ id, x: id >= 0 ? held(id) : 0n, y: id <= 0 ? held(id) : 0n }));
    return nearDepth(pair(binStep, bins));
  };
  for (const [every, binSteps] of [
    [20, [1, 2, 4]],
    [10, [4, 5, 10]],
  ] as const)
    for (const binStep of binSteps) {
      const [before, after] = [depthOf(binStep, every, 0n), depthOf(binStep, every, 1n)];
      for (const side of [0, 1] as const) assert.ok(after[side] >= before[side] * 0.999, `${after} of ${before}`);
    }
});
