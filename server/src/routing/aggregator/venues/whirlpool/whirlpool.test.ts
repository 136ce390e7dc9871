import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { IMMUTABLE_WHIRLPOOL_PROGRAM } from '@slipway/checks';
import { randomNumbers } from '@slipway/programs/testing';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from '@slipway/wire';
import type { PoolState } from '../../venue.js';
import { Lab, type LabPool } from '../testing/lab.js';
import { type OracleTerms, type WhirlpoolTerms, writeWhirlpool } from '../testing/whirlpool.js';
import { whirlpoolVenue } from './index.js';
import { MAX_SQRT_PRICE, MAX_TICK, MIN_SQRT_PRICE, sqrtPriceAt, tickAt } from './ticks.js';

const ONE = 1n << 64n;
const DEEP = 10n ** 12n;
const venue = whirlpoolVenue(IMMUTABLE_WHIRLPOOL_PROGRAM);

const TERMS: WhirlpoolTerms = {
  tickSpacing: 64,
  feeRate: 3_000,
  protocolFeeRate: 0,
  sqrtPrice: ONE,
  tick: 0,
  positions: [
    { lower: -6_400, upper: 6_400, liquidity: DEEP },
    { lower: -640, upper: 640, liquidity: DEEP },
  ],
  tokenPrograms: [TOKEN_PROGRAM, TOKEN_PROGRAM],
  balances: [DEEP, DEEP],
  isDynamic: () => true,
};
const ORACLE: OracleTerms = {
  opensAt: 0n,
  filterPeriod: 30,
  decayPeriod: 600,
  reductionFactor: 5_000,
  controlFactor: 4_000,
  maxVolatility: 350_000,
  groupSize: 64,
  majorSwapTicks: 64,
  lastReferenceUpdate: 0n,
  lastMajorSwap: 0n,
  volatilityReference: 0,
  groupReference: 0,
  volatility: 0,
};

const write = (lab: Lab, terms: Partial<WhirlpoolTerms> = {}) => writeWhirlpool(lab, { ...TERMS, ...terms });
function opened(lab: Lab, pool: LabPool): PoolState {
  const { state } = lab.open(venue, pool.address);
  if (typeof state === 'string') assert.fail(state);
  return state;
}
const reasonOf = (lab: Lab, pool: LabPool) => {
  const { state } = lab.open(venue, pool.address);
  return typeof state === 'string' ? state : undefined;
};

describe('the ticks of a Whirlpool', () => {
  it('end where the program ends them', () => {
    assert.equal(sqrtPriceAt(-MAX_TICK), MIN_SQRT_PRICE);
    assert.equal(sqrtPriceAt(MAX_TICK), MAX_SQRT_PRICE);
    assert.equal(sqrtPriceAt(0), ONE);
  });

  it('are found by their price, and by every price up to the next', () => {
    const random = randomNumbers(7);
    for (let i = 0; i < 3_000; i++) {
      const tick = i < 2_000 ? random(2 * MAX_TICK) - MAX_TICK : i - 2_500;
      const [low, high] = [sqrtPriceAt(tick), sqrtPriceAt(tick + 1)];
      assert.ok(low < high, `${tick}`);
      assert.equal(tickAt(low), tick);
      assert.equal(tickAt(high - 1n), tick);
    }
  });
});

describe('a Whirlpool', () => {
  const lab = new Lab();

  it('promises no more than its vault holds, whatever its ticks say', () => {
    const pool = write(lab);
    const { received } = opened(lab, pool).quote(0, 1_000_000_000n)!;
    const poor = write(lab, { balances: [DEEP, received - 1n] });
    assert.equal(opened(lab, poor).quote(0, 1_000_000_000n), undefined);
    const enough = write(lab, { balances: [DEEP, received] });
    assert.equal(opened(lab, enough).quote(0, 1_000_000_000n)!.received, received);
  });

  it('promises nothing beyond the ticks that a trade can be given', () => {
    const pool = write(lab, { tickSpacing: 1, positions: [{ lower: -400_000, upper: 400_000, liquidity: DEEP }] });
    const state = opened(lab, pool);
    let [most, beyond] = [0, Number(DEEP)];
    for (let i = 0; i < 60; i++) {
      const middle = (most + beyond) / 2;
      if (Number.isFinite(state.estimateIn(1, middle))) most = middle;
      else beyond = middle;
    }
    assert.ok(state.quote(1, BigInt(Math.floor(state.estimateIn(1, most * 0.999)))));
    assert.equal(state.quote(1, DEEP), undefined);
    assert.equal(state.estimateIn(1, most * 1.001), Number.POSITIVE_INFINITY);
    assert.equal(state.estimateOut(1, state.estimateIn(1, most) * 1.1), 0);
  });

  it('is not traded with when its oracle is missing, of another pool, or says that it opens later', () => {
    const [first, second] = [write(lab, { oracle: ORACLE }), write(lab, { oracle: ORACLE })];
    assert.equal(reasonOf(lab, first), undefined);
    const [own, other] = [first, second].map(({ written }) => written.at(-1)!);
    lab.vm.put(own!, lab.vm.data(other!), IMMUTABLE_WHIRLPOOL_PROGRAM);
    assert.equal(reasonOf(lab, first), 'an oracle that cannot be read');
    lab.vm.put(own!, new Uint8Array(0), IMMUTABLE_WHIRLPOOL_PROGRAM, 0n);
    assert.equal(reasonOf(lab, first), 'an oracle that cannot be read');
    const late = write(lab, { oracle: { ...ORACLE, opensAt: lab.time.unixTimestamp + 1n } });
    assert.equal(reasonOf(lab, late), 'trading has not begun');
  });

  it('is not traded with when its ticks are of another pool', () => {
    const [first, second] = [write(lab), write(lab)];
    const [own, other] = [first, second].map(({ written }) => written.at(-1)!);
    lab.vm.put(own!, lab.vm.data(other!), IMMUTABLE_WHIRLPOOL_PROGRAM);
    assert.equal(reasonOf(lab, first), 'ticks that cannot be read');
  });

  it('takes for no ticks what somebody has sent lamports to', () => {
    const pool = write(lab, { tickSpacing: 1, positions: [{ lower: -10, upper: 10, liquidity: DEEP }] });
    const before = opened(lab, pool).quote(0, 1_000n);
    const { accounts } = lab.open(venue, pool.address);
    const described = venue.describe(pool.address, lab.account(pool.address)!, { get: () => undefined });
    assert.ok(typeof described === 'object' && 'mints' in described);
    const empty = described.accounts.filter((address) => !accounts.some(([known]) => known === address));
    assert.ok(empty.length > 0);
    for (const address of empty) lab.vm.put(address, new Uint8Array(0), SYSTEM_PROGRAM, 1n);
    assert.deepEqual(opened(lab, pool).quote(0, 1_000n), before);
  });

  it('leaves the liquidity of a position at once when the price stands on its lower tick and falls', () => {
    const below = { lower: -640, upper: 640, liquidity: DEEP };
    const [both, one] = [[below, { lower: 0, upper: 640, liquidity: DEEP }], [below]].map((positions) =>
      opened(lab, write(lab, { positions })),
    );
    // It passes the tick on which it stands, which takes units.
    assert.deepEqual(both!.quote(0, 1_000_000n), { ...one!.quote(0, 1_000_000n), units: 7_000 });
    assert.ok(both!.quote(1, 1_000_000_000n)!.received > one!.quote(1, 1_000_000_000n)!.received);
  });

  it('is given the ticks of the next account where a rising price has passed the last of its own', () => {
    const arraysAt = (tick: number) => {
      const pool = write(lab, { tick, sqrtPrice: sqrtPriceAt(tick) });
      const party = lab.taker;
      const accounts = { owner: party, source: party, destination: party, amountIn: 1n, minOut: 0n };
      const { accounts: metas } = opened(lab, pool).swap(1, accounts);
      const described = venue.describe(pool.address, lab.account(pool.address)!, { get: () => undefined });
      assert.ok(typeof described === 'object' && 'mints' in described);
      // Behind the two vaults: two accounts below the price, its own, and those above.
      return metas.slice(11, 14).map(({ address }) => described.accounts.indexOf(address) - 2);
    };
    assert.deepEqual(arraysAt(87 * 64 - 1), [2, 3, 4]);
    assert.deepEqual(arraysAt(87 * 64), [3, 4, 5]);
  });

  it('forgets how its price has moved when the decay period is over', () => {
    const { unixTimestamp } = lab.time;
    const moved = { ...ORACLE, volatility: 200_000, volatilityReference: 150_000, groupReference: 0 };
    const shareAfter = (seconds: bigint) =>
      opened(lab, write(lab, { oracle: { ...moved, lastReferenceUpdate: unixTimestamp - seconds } })).feeShare;
    // 4000 / 100,000 of the square of the groups of 64 ticks, in millionths: of 15, of half of 20, of none.
    assert.equal(shareAfter(29n), (3_000 + 0.04 * (15 * 64) ** 2) / 1e6);
    assert.equal(shareAfter(30n), (3_000 + 0.04 * (10 * 64) ** 2) / 1e6);
    assert.equal(shareAfter(599n), shareAfter(30n));
    assert.equal(shareAfter(600n), 0.003);
  });

  it('counts only what is near the price as standing behind it', () => {
    const far = { lower: 16_000, upper: 16_640, liquidity: 1_000n * DEEP };
    const [plain, parked] = [write(lab), write(lab, { positions: [...TERMS.positions, far] })];
    assert.deepEqual(opened(lab, parked).reserves, opened(lab, plain).reserves);
  });
});
