import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { IMMUTABLE_WHIRLPOOL_PROGRAM } from '@slipway/checks';
import { randomNumbers } from '@slipway/programs/testing';
import { type Address, TOKEN_PROGRAM } from '@slipway/wire';
import { MAX_COMPUTE_UNITS, unitLimitFrom } from '../../../crafting/budget.js';
import type { Side, Venue } from '../venue.js';
import { dlmmVenue } from './meteora-dlmm/index.js';
import { moreSteps } from './more-steps.js';
import { Lab, type LabPool, missingPrograms } from './testing/lab.js';
import { CALM, writePair } from './testing/meteora-dlmm.js';
import { writeWhirlpool } from './testing/whirlpool.js';
import { whirlpoolVenue } from './whirlpool/index.js';

const ONE = 1n << 64n;
const DEEP = 10n ** 12n;
const SHARE = 0.01;
const MOVES = 60;

describe('the steps that a trade may take beyond those of now', () => {
  const points = (...ats: number[]) => ats.map((at) => ({ at, change: Math.abs(at) / 1_000 }));

  it('are those where it begins among points that stand closer', () => {
    assert.equal(moreSteps([], points(100, 200, 300), 50, 0), 0, 'nothing moves');
    assert.equal(moreSteps([], points(100, 200, 300), 50, 0.2), 1);
    assert.equal(moreSteps([], points(100, 110, 120, 130), 50, 0.2), 4);
    assert.equal(moreSteps(points(-10, -20, -30), points(100), 50, 0.2), 3, 'it may also begin behind');
    assert.equal(moreSteps([], points(10, 20, 30), 50, 0.2), 0, 'it passes all of them already');
  });

  it('are none of those that no move reaches', () => {
    assert.equal(moreSteps([], points(100, 900, 901, 902, 903), 50, 0.2), 1);
    assert.equal(moreSteps([], points(100, 900, 901, 902, 903), 50, 1), 4);
    assert.equal(moreSteps([], [], 50, 1), 0);
  });
});

/** Liquidity that is thin at the price and comes in many small parts around it. */
const whirlpool = (lab: Lab): LabPool =>
  writeWhirlpool(lab, {
    tickSpacing: 8,
    feeRate: 500,
    protocolFeeRate: 0,
    sqrtPrice: ONE,
    tick: 0,
    positions: [
      { lower: -5_632, upper: 5_632, liquidity: DEEP },
      ...Array.from({ length: 20 }, (_, i) => ({ lower: 24 + 8 * i, upper: 32 + 8 * i, liquidity: DEEP / 50n })),
      ...Array.from({ length: 20 }, (_, i) => ({ lower: -32 - 8 * i, upper: -24 - 8 * i, liquidity: DEEP / 50n })),
    ],
    tokenPrograms: [TOKEN_PROGRAM, TOKEN_PROGRAM],
    balances: [DEEP, DEEP],
    isDynamic: () => true,
  });

const pair = (lab: Lab): LabPool => {
  const has = (id: number) => (id === 7 ? DEEP : DEEP / 40n);
  return writePair(lab, {
    ...CALM,
    mints: [lab.vm.mint(), lab.vm.mint()] as [Address, Address],
    binStep: 10,
    baseFactor: 5_000,
    indexReference: 7,
    purpose: 1,
    activeId: 7,
    bins: Array.from({ length: 120 }, (_, i) => i - 53).map((id) => ({
      id,
      x: id >= 7 ? has(id) : 0n,
      y: id <= 7 ? has(id) : 0n,
    })),
  });
};

const CASES: [venue: Venue, write: (lab: Lab) => LabPool, amount: bigint, most: bigint][] = [
  [whirlpoolVenue(IMMUTABLE_WHIRLPOOL_PROGRAM), whirlpool, DEEP / 1_000n, DEEP / 100n],
  [dlmmVenue(), pair, DEEP / 8n, 2n * DEEP],
];

describe('the compute units of a swap whose price moves before it lands', () => {
  for (const [venue, write, amount, most] of CASES) {
    it(`${venue.label}: are enough for every move that its slippage allows`, {
      skip: missingPrograms(venue.program),
    }, () => {
      const lab = new Lab(venue.program);
      const pool = write(lab);
      const before = pool.written.map((address) => [address, lab.account(address)!] as const);
      const random = randomNumbers(11);
      let beyondATenth = 0;
      for (let i = 0; i < MOVES; i++) {
        const restore = () => {
          for (const [address, { data, owner, lamports }] of before) lab.vm.put(address, data, owner, lamports);
        };
        restore();
        const from = (i % 2) as Side;
        const { state } = lab.open(venue, pool.address);
        if (typeof state === 'string') assert.fail(state);
        const now = lab.try(venue, pool, from, amount);
        const units = now.outcome!.computeUnits;
        const limit = unitLimitFrom(units, { more: state.moreUnits!(from, amount, SHARE) });
        assert.ok(limit < MAX_COMPUTE_UNITS / 2, `${limit}`);
        restore();
        lab.try(venue, pool, random(2) as Side, (most * BigInt(1 + random(1_000))) / 1_000n);
        const moved = lab.try(venue, pool, from, amount);
        const share = 1 - Number(moved.done?.received ?? 0) / Number(now.done!.received);
        if (Math.abs(share) > SHARE) continue;
        assert.ok(
          moved.outcome!.computeUnits <= limit,
          `${moved.outcome!.computeUnits} of ${limit}, at first ${units}`,
        );
        if (moved.outcome!.computeUnits > units * 1.1) beyondATenth++;
      }
      assert.ok(beyondATenth > 0, 'a tenth more would not do');
    });
  }
});
