import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newAddress, randomNumbers } from '@slipway/programs/testing';
import { type Address, TOKEN_PROGRAM } from '@slipway/wire';
import { createMarket } from './market.js';
import type { Pools } from './pools.js';
import { poolWords } from './spot.js';
import type { PoolState, Venue } from './venue.js';
import { dammV2Venue } from './venues/meteora-damm-v2.js';
import { dbcVenue } from './venues/meteora-dbc.js';
import { Lab, type LabPool } from './venues/testing/lab.js';
import { dynamicFee, MOST_VOLATILITY, randomDammPool, writeDammPool } from './venues/testing/meteora-damm-v2.js';
import { randomDbcPool, writeDbcPool } from './venues/testing/meteora-dbc.js';

const PERCENT = 10_000_000;
const NO_DYNAMIC_FEE = Buffer.alloc(96);
const LIQUIDITY = (10n ** 11n) << 64n;
const tokenPrograms: [Address, Address] = [TOKEN_PROGRAM, TOKEN_PROGRAM];
const rootOf = (price: number) => BigInt(Math.round(Math.sqrt(price) * 2 ** 52)) << 12n;

const lab = new Lab();
const [dammV2, dbc] = [dammV2Venue(), dbcVenue()];
const activation = { type: 0, point: lab.time.slot - 1_000n };

interface Fees {
  base: Buffer;
  dynamic: Buffer;
}

function dammPool({ base, dynamic }: Fees, price = 1): PoolState {
  const pool = writeDammPool(lab, {
    tokenPrograms,
    liquidity: LIQUIDITY,
    price: rootOf(price),
    range: [4_295_048_016n, 79_226_673_521_066_979_257_578_248_091n],
    baseFee: base,
    dynamicFee: dynamic,
    startPrice: rootOf(0.25),
    collectFeeMode: 1,
    compoundingBps: 0,
    feeVersion: 1,
    layoutVersion: 0,
    activation,
    status: 0,
  });
  return opened(dammV2, pool);
}

function curve({ base, dynamic }: Fees): PoolState {
  const pool = writeDbcPool(lab, {
    tokenPrograms,
    start: rootOf(0.25),
    points: [{ price: rootOf(4), liquidity: LIQUIDITY }],
    end: rootOf(4),
    price: rootOf(1),
    baseFee: { start: base.readBigUInt64LE(0), first: 0, second: 0n, third: 0n, mode: 0 },
    dynamicFee: dynamic,
    collectFeeMode: 0,
    activation,
  });
  return opened(dbc, pool);
}

function opened(venue: Venue, { address }: LabPool): PoolState {
  const { state } = lab.open(venue, address);
  if (typeof state === 'string') assert.fail(state);
  return state;
}

const fixed = (rate: number) => {
  const data = Buffer.alloc(32);
  data.writeBigUInt64LE(BigInt(rate), 0);
  return data;
};

/** A dynamic fee that can rise to this rate, and has by so much of its volatility. */
const rising = (rate: number, share: number) =>
  dynamicFee({
    control: Math.floor((rate * 1e11) / MOST_VOLATILITY ** 2),
    price: rootOf(1),
    lastUpdate: lab.time.unixTimestamp,
    volatility: BigInt(Math.floor(MOST_VOLATILITY * share)),
    reference: 0n,
  });

/** A base fee that falls by 80 steps while the price rises from 0.25 to 0.81. */
const byPrice = (kind: 'linear' | 'exponential', start: number) => {
  const data = fixed(start);
  data[8] = kind === 'linear' ? 3 : 4;
  data.writeUInt16LE(80, 14);
  data.writeUInt32LE(100, 16);
  data.writeUInt32LE(1_000_000, 20);
  data.writeBigUInt64LE(kind === 'linear' ? BigInt((start - PERCENT) / 80) : 300n, 24);
  return data;
};

function isHeard(state: PoolState): boolean {
  const [a, b] = state.tokens.map(({ mint }) => mint) as [Address, Address];
  const pool = { address: newAddress(), venue: dammV2, mints: [a, b] as const, accounts: [], refusal: () => undefined };
  const market = createMarket([{ ...pool, state: () => state }]);
  const [word] = poolWords({ knownMint: () => ({ decimals: 6 }), market: () => market } as unknown as Pools, 0, a, [b]);
  assert.ok(word, 'it is known');
  return !word.isSilent;
}

const made = { 'DAMM v2 pool': dammPool, 'launch curve': curve };

it('attack: somebody who moves pools raises the dynamic fee of a DAMM v2 pool or of a launch curve: it counts by the rest of its fee', () => {
  for (const [name, make] of Object.entries(made)) {
    for (const share of [0, 0.7, 1]) {
      const state = make({ base: fixed(2 * PERCENT), dynamic: rising(7.9 * PERCENT, share) });
      assert.ok(isHeard(state), `${name}: ${state.feeShare}`);
      assert.equal(state.feeShare > 0.05, share > 0);
    }
  }
});

it('attack: somebody who moves pools makes a DAMM v2 pool or a launch curve whose fee his trade raises, so that nobody sets it right: it never counts', () => {
  for (const [name, make] of Object.entries(made)) {
    for (const [most, share] of [
      [10, 0],
      [10, 1],
      [50, 0],
      [200, 1],
    ] as const) {
      const state = make({ base: fixed(PERCENT / 100), dynamic: rising(most * PERCENT, share) });
      assert.ok(!isHeard(state), `${name}: ${state.feeShare}`);
    }
  }
});

it('attack: somebody who moves pools pushes a DAMM v2 pool down whose base fee rises by that: it counts by the end of its schedule', () => {
  for (const kind of ['linear', 'exponential'] as const) {
    const fees = { base: byPrice(kind, 9 * PERCENT), dynamic: NO_DYNAMIC_FEE };
    const shares = [1, 0.6, 0.4, 0.2].map((price) => {
      const state = dammPool(fees, price);
      assert.ok(isHeard(state), `${kind}: ${state.feeShare} at ${price}`);
      return state.feeShare;
    });
    assert.ok(shares[0]! < 0.011 && shares[2]! > 0.02 && shares[3] === 0.09, `${shares}`);
  }
});

describe('the fee that moves of the price add', () => {
  it('may be 10 % with the base fee of the moment, where that goes by the price', () => {
    const at = (price: number, most: number) =>
      isHeard(dammPool({ base: byPrice('linear', 40 * PERCENT), dynamic: rising(most * PERCENT, 0) }, price));
    assert.deepEqual([at(1, 0), at(1, 8.9), at(1, 9.1), at(0.3, 0)], [true, true, false, false]);
  });

  it('is never more than the most that a pool says', () => {
    const random = randomNumbers(5);
    for (const [venue, write] of [
      [dammV2, randomDammPool],
      [dbc, randomDbcPool],
    ] as const) {
      for (let count = 0; count < 200; count++) {
        const { state } = lab.open(venue, write(lab, random).address);
        if (typeof state !== 'string') assert.ok(state.feeShare <= state.mostFeeShare!, venue.label);
      }
    }
  });
});
