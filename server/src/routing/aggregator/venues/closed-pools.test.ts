import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Address, CLOCK_SYSVAR, TOKEN_PROGRAM } from '@slipway/wire';
import { priceAfterFirst, priceAfterSecond, withFee } from './meteora.js';
import { raydiumCpmmVenue } from './raydium-cpmm.js';
import { Lab, openFrom } from './testing/lab.js';
import { OPEN, writeCpmmPool } from './testing/raydium-cpmm.js';
import { accountsOf, type RecordedTrade, readRecorded } from './testing/recorded.js';
import { TESTED_VENUES } from './testing/venues.js';

/** Which of a pool's accounts is changed, where, and to what. */
type Change = [account: 'pool' | number, at: number, bytes: number[] | bigint];

const LATE = 2n ** 62n;

/** By the order of the accounts that a venue asks for. */
const CLOSED: Record<string, [reason: string, ...changes: Change[]][]> = {
  'raydium-cpmm': [
    ['trading is disabled', ['pool', 329, [4]]],
    ['trading has not begun', ['pool', 373, LATE]],
    ['its type of creator fee is unknown', ['pool', 389, [3]]],
    ['its type of creator fee is unknown', ['pool', 390, [2]]],
    ['its fees are no fractions', [0, 12, 1_000_000n]],
    ['it has no fee', [0, 12, 0n]],
    ['vault 0: frozen', [1, 108, [2]]],
    ['vault 1: empty', [2, 64, 0n]],
    ['it owes what is in its vaults', ['pool', 341, LATE]],
  ],
  'meteora-damm-v2': [
    ['trading is disabled', ['pool', 481, [1]]],
    ['trading has not begun', ['pool', 472, LATE]],
    ['an unknown version', ['pool', 486, [2]]],
    ['an unknown version', ['pool', 484, [3]]],
    ['an unknown version', ['pool', 16, [5]]],
    ['it has no liquidity', ['pool', 360, 0n], ['pool', 368, 0n]],
    ['its price is out of its range', ['pool', 484, [0]], ['pool', 456, 1n], ['pool', 464, 0n]],
    ['its tokens are none', ['pool', 482, [2]]],
    ['vault 0: frozen', [0, 108, [2]]],
    ['vault 1: frozen', [1, 108, [2]]],
  ],
  'meteora-dbc': [
    ['it has migrated', ['pool', 305, [1]]],
    ['its curve is complete', ['pool', 240, LATE]],
    ['an unknown version', ['pool', 304, [2]]],
    ['a configuration of an unknown version', [0, 232, [2]]],
    ['a configuration of an unknown version', [0, 130, [3]]],
    ['a configuration without a curve', [0, 408, 0n], [0, 416, 0n]],
    ['vault 0: frozen', [1, 108, [2]]],
    ['vault 1: frozen', [2, 108, [2]]],
  ],
};

function changed(trade: RecordedTrade, changes: readonly Change[]) {
  const accounts = accountsOf(trade);
  const others = [...accounts.keys()].filter((address) => address !== trade.pool);
  for (const [which, at, value] of changes) {
    const { data } = accounts.get(which === 'pool' ? trade.pool : others[which]!)!;
    if (typeof value === 'bigint') Buffer.from(data.buffer, data.byteOffset).writeBigUInt64LE(value, at);
    else data.set(value, at);
  }
  return accounts;
}

describe('a pool that nobody can trade with is not quoted, and says why', () => {
  for (const { name, venue } of TESTED_VENUES) {
    const { trades } = readRecorded(name);
    const trade = trades[0]!;
    for (const [reason, ...changes] of CLOSED[name] ?? []) {
      it(`${venue.label}: ${reason}`, () => {
        const accounts = changed(trade, changes);
        assert.equal(openFrom(venue, trade.pool, (address) => accounts.get(address)).state, reason);
      });
    }

    it(`${venue.label}: the clock cannot be read`, () => {
      const timed = trades.find(({ accounts }) => CLOCK_SYSVAR in accounts)!;
      const accounts = accountsOf(timed);
      accounts.delete(CLOCK_SYSVAR);
      const { state } = openFrom(venue, timed.pool, (address) => accounts.get(address));
      assert.equal(state, 'the clock cannot be read');
    });
  }
});

describe("the fee of a Raydium pool's creator, by the program's published source", () => {
  const received = (on: number, from: 0 | 1): bigint | undefined => {
    const lab = new Lab();
    const { address } = writeCpmmPool(lab, {
      balances: [1_000_000n, 1_000_000n],
      tradeFee: 2_500n,
      ...OPEN,
      creatorFee: { rate: 1_000n, on },
      tokenPrograms: [TOKEN_PROGRAM, TOKEN_PROGRAM] as [Address, Address],
    });
    const { state } = lab.open(raydiumCpmmVenue(), address);
    if (typeof state === 'string') assert.fail(state);
    return state.quote(from, 100_000n)?.received;
  };

  it('is taken with the other fee, rounded once, where it is on what comes in', () => {
    // 350 of 100,000; 99,650 * 1,000,000 / 1,099,650
    for (const [on, from] of [
      [0, 0],
      [0, 1],
      [1, 0],
      [2, 1],
    ] as const)
      assert.equal(received(on, from), 90_619n);
  });

  it('is taken from what comes out elsewhere', () => {
    // 250 of 100,000; 99,750 * 1,000,000 / 1,099,750 = 90,702, less 91
    for (const [on, from] of [
      [1, 1],
      [2, 0],
    ] as const)
      assert.equal(received(on, from), 90_611n);
  });
});

describe("Meteora's rounding", () => {
  it('leaves what does not divide to the pool', () => {
    assert.equal(priceAfterFirst(10n, 7n, 3n), 2n);
    assert.equal(priceAfterSecond(10n, 3n, 1n), 10n + 2n ** 128n / 3n);
    assert.equal(withFee(10n, 300_000_000n), 15n);
  });
});
