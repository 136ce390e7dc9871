import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DLMM_PROGRAM } from '@slipway/checks';
import { addressToBytes, findProgramAddress } from '@slipway/wire';
import type { PoolState } from '../../venue.js';
import { Lab, type LabPool } from '../testing/lab.js';
import { type PairTerms, writePair } from '../testing/meteora-dlmm.js';
import { dlmmVenue } from './index.js';

const BIN = 10n ** 9n;
const venue = dlmmVenue();

/** X above a bin, Y below it, and both in it. */
const around = (active: number, width: number): PairTerms['bins'] =>
  Array.from({ length: 2 * width + 1 }, (_, i) => {
    const id = active - width + i;
    return { id, x: id >= active ? BIN : 0n, y: id <= active ? BIN : 0n };
  });

const TERMS: PairTerms = {
  binStep: 10,
  baseFactor: 10_000,
  baseFeePower: 0,
  filterPeriod: 30,
  decayPeriod: 600,
  reductionFactor: 5_000,
  variableFeeControl: 40_000,
  maxVolatility: 350_000,
  volatility: 0,
  volatilityReference: 0,
  indexReference: 0,
  lastUpdate: 0n,
  purpose: 2,
  feeInY: false,
  activeId: 0,
  activation: { byTime: true, point: 0n },
  bins: around(0, 90),
  is2022: [false, false],
};

const write = (lab: Lab, terms: Partial<PairTerms> = {}) => writePair(lab, { ...TERMS, ...terms });
function opened(lab: Lab, pair: LabPool): PoolState {
  const { state } = lab.open(venue, pair.address);
  if (typeof state === 'string') assert.fail(state);
  return state;
}
const reasonOf = (lab: Lab, pair: LabPool) => {
  const { state } = lab.open(venue, pair.address);
  return typeof state === 'string' ? state : undefined;
};

function bins(pair: LabPool, index: number) {
  const place = Buffer.alloc(8);
  place.writeBigInt64LE(BigInt(index));
  return findProgramAddress([Buffer.from('bin_array'), addressToBytes(pair.address), place], DLMM_PROGRAM).address;
}

describe('a DLMM pair', () => {
  const lab = new Lab();

  it('promises nothing beyond bins that are not known, and the same before them', () => {
    const pair = write(lab);
    const whole = opened(lab, pair);
    lab.vm.put(bins(pair, -1), new Uint8Array(0), DLMM_PROGRAM, 0n);
    const cut = opened(lab, pair);
    assert.deepEqual(cut.quote(0, BIN / 2n), whole.quote(0, BIN / 2n));
    assert.ok(whole.quote(0, 5n * BIN));
    assert.equal(cut.quote(0, 5n * BIN), undefined);
    assert.deepEqual(cut.quote(1, 5n * BIN), whole.quote(1, 5n * BIN));
  });

  it('promises no more than its vault holds, whatever its bins say', () => {
    const pair = write(lab);
    const { tokens, quote } = opened(lab, pair);
    const { received } = quote(0, BIN)!;
    lab.vm.setAmount(tokens[1].vault, received - 1n);
    assert.equal(opened(lab, pair).quote(0, BIN), undefined);
    lab.vm.setAmount(tokens[1].vault, received);
    assert.equal(opened(lab, pair).quote(0, BIN)!.received, received);
  });

  it('names a fee that is the share which it says, whichever token it is taken in', () => {
    for (const feeInY of [false, true]) {
      const state = opened(lab, write(lab, { feeInY }));
      assert.equal(state.feeShare, 0.001);
      for (const from of [0, 1] as const) {
        const { fee, received } = state.quote(from, 100_000_000n)!;
        assert.ok(Math.abs(Number(fee) - 100_000) <= 1, `${fee}`);
        assert.ok(Math.abs(Number(received) - 99_900_000) <= 1, `${received}`);
      }
    }
  });

  it('is not traded with before its time, when it is closed, or of a kind that is not known', () => {
    const { unixTimestamp, slot } = lab.time;
    assert.equal(
      reasonOf(lab, write(lab, { activation: { byTime: true, point: unixTimestamp + 1n } })),
      'trading has not begun',
    );
    assert.equal(
      reasonOf(lab, write(lab, { activation: { byTime: false, point: slot + 1n } })),
      'trading has not begun',
    );
    assert.equal(reasonOf(lab, write(lab, { activation: { byTime: false, point: slot } })), undefined);
    const pair = write(lab);
    lab.vm.patch(pair.address, 82, Uint8Array.of(1));
    assert.equal(reasonOf(lab, pair), 'trading is disabled');
    for (const [at, what] of [
      [35, 3],
      [36, 2],
      [75, 4],
      [86, 2],
      [880, 2],
    ] as const) {
      const other = write(lab);
      lab.vm.patch(other.address, at, Uint8Array.of(what));
      assert.equal(reasonOf(lab, other), 'no pair that is understood', `${what} at ${at}`);
    }
  });

  it('is not traded with while its program cannot calculate how its volatility falls', () => {
    const { unixTimestamp } = lab.time;
    const hot = { volatility: 429_497, maxVolatility: 500_000, reductionFactor: 10_000 };
    const after = (seconds: bigint) => write(lab, { ...hot, lastUpdate: unixTimestamp - seconds });
    assert.equal(reasonOf(lab, after(29n)), undefined);
    assert.equal(reasonOf(lab, after(30n)), 'a volatility too large for its program');
    assert.equal(reasonOf(lab, after(600n)), undefined);
    const less = write(lab, { ...hot, volatility: 429_496, lastUpdate: unixTimestamp - 30n });
    assert.equal(reasonOf(lab, less), undefined);
  });

  it('is not traded with when its bins are of another pair', () => {
    const [first, second] = [write(lab), write(lab)];
    lab.vm.put(bins(first, 0), lab.vm.data(bins(second, 0)), DLMM_PROGRAM);
    assert.equal(reasonOf(lab, first), 'bins that cannot be read');
  });

  it('fills limit orders only where it has them', () => {
    const orders = { sellsX: true, open: BIN, processing: BIN };
    const withOrders = TERMS.bins.map((bin) => (bin.id === 3 ? { ...bin, orders } : bin));
    const [filled, other] = [write(lab, { bins: withOrders }), write(lab, { bins: withOrders, purpose: 1 })];
    const [with_, without] = [filled, other].map((pair) => opened(lab, pair).reserves[0]);
    assert.equal(with_! - without!, Number(2n * BIN));
  });

  it('finds its bins far away by the map beside the pair', () => {
    const far = 70 * 600 + 5;
    const pair = write(lab, { binStep: 1, activeId: far, indexReference: far, bins: around(far, 5) });
    const state = opened(lab, pair);
    assert.ok(state.quote(0, 1_000n)!.received > 0n);
    assert.ok(state.quote(1, 1_000_000n)!.received > 0n);
    const map = pair.written.at(-1)!;
    lab.vm.put(map, new Uint8Array(0), DLMM_PROGRAM, 0n);
    assert.equal(reasonOf(lab, pair), 'it has no liquidity', 'without it nothing is known');
  });
});
