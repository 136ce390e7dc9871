import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  bondingCurveConfig,
  bondingCurvePool,
  type LaunchChoices,
  launchConfig,
  sniperFeeOfSteps,
  sniperFeeOver,
} from '@slipway/programs';
import { type Address, generateKeypair, MAX_TRANSACTION_SIZE, WRAPPED_SOL_MINT } from '@slipway/wire';
import { requireUriRoom } from '../areas/studio/uri-room.js';
import type { Objects } from '../objects/index.js';
import { craftLaunch, type Launch } from './launch.js';
import { TransactionTooLarge } from './transaction.js';

const newAddress = (): Address => generateKeypair().address;
const BLOCKHASH = newAddress();
/** What is left for the URL of the metadata beside the longest name and symbol. */
const MOST_URI = 123;

const PLAIN: LaunchChoices = {
  initialMarketCap: 32_000_000_000n,
  migrationMarketCap: 240_000_000_000n,
  vesting: undefined,
  feeBps: 100,
  sniperFee: undefined,
  isLpLocked: true,
};

/** With two segments, which few curves have. */
function longest(choices: LaunchChoices, quoteMint: Address = WRAPPED_SOL_MINT): Launch {
  const { terms } = launchConfig(choices);
  const [point] = terms.curve;
  return {
    creator: newAddress(),
    operator: newAddress(),
    pool: bondingCurvePool(newAddress(), newAddress(), quoteMint),
    terms: { ...terms, curve: [point!, point!] },
    name: 'ö'.repeat(16),
    symbol: 'S'.repeat(10),
    uri: 'u'.repeat(MOST_URI),
  };
}

it('the fee of a launch is that of the limit which the chain takes by default', () => {
  const { feeLamports } = craftLaunch(longest(PLAIN), BLOCKHASH, 1_000_000n);
  assert.equal(feeLamports, 3n * 5_000n + 2n * 200_000n + 3_000n);
});

/** Every combination of what can be chosen, the figures of the curve aside. */
function* allChoices(): Generator<LaunchChoices> {
  const durations = [15_552_000, 15_811_200, 31_536_000];
  const vestings: LaunchChoices['vesting'][] = [undefined];
  for (const cliffSeconds of [0, ...durations]) {
    vestings.push({ total: 800_000_000n, cliff: 800_000_000n, periods: 0, durationSeconds: 0, cliffSeconds });
    for (const durationSeconds of durations) {
      for (const periods of [6, 12, 183, 365]) {
        vestings.push({ total: 800_000_000n, cliff: 1n, periods, durationSeconds, cliffSeconds });
      }
    }
  }
  for (const vesting of vestings) {
    for (const isLpLocked of [true, false]) {
      for (const feeBps of [100, 200] as const) {
        const modes = ['linear', 'exponential'] as const;
        const sniperFees = [
          ...modes.flatMap((mode) => [98, 197, 300].map((slots) => sniperFeeOfSteps(slots, feeBps, mode))),
          ...modes.flatMap((mode) => [60, 120, 180, 240, 300].map((slots) => sniperFeeOver(slots, feeBps, mode))),
        ];
        for (const sniperFee of [undefined, ...sniperFees]) {
          yield { ...PLAIN, vesting, isLpLocked, feeBps, sniperFee };
        }
      }
    }
  }
}

describe('a launch with the longest texts', () => {
  it('has as many bytes whatever is chosen, but for a second segment of the curve', () => {
    let count = 0;
    for (const choices of allChoices()) {
      const { terms } = launchConfig(choices);
      assert.equal(bondingCurveConfig.encode(terms, 'terms').length, 187 + 32 * terms.curve.length);
      assert.ok(terms.curve.length <= 2);
      count++;
    }
    assert.equal(count, 53 * 2 * 34);
  });

  it('fits into a transaction, and not with a byte more', () => {
    for (const choices of [PLAIN, { ...PLAIN, isLpLocked: false, sniperFee: sniperFeeOver(60, 100, 'linear') }]) {
      for (const quote of [WRAPPED_SOL_MINT, newAddress()]) {
        const launch = longest(choices, quote);
        const { wire, signers } = craftLaunch(launch, BLOCKHASH, 5_000_000n);
        assert.equal(wire.length, MAX_TRANSACTION_SIZE);
        assert.deepEqual(signers[0], launch.creator);
        assert.deepEqual(new Set(signers), new Set([launch.creator, launch.pool.config, launch.pool.baseMint]));
        const more = { ...launch, uri: `${launch.uri}u` };
        assert.throws(() => craftLaunch(more, BLOCKHASH, 0n), new TransactionTooLarge(1_233, 1_232));
      }
    }
  });

  it('is the same bytes for the same input', () => {
    const launch = longest(PLAIN);
    assert.deepEqual(craftLaunch(launch, BLOCKHASH, 1n), craftLaunch(launch, BLOCKHASH, 1n));
  });

  it('leaves a public URL only so much room', () => {
    const objects = (base: string) => ({ publicUrl: (key: string) => `${base}/objects/${key}` }) as Objects;
    // "/objects/metadata/" and 44 characters and ".json".
    const room = MOST_URI - 67;
    requireUriRoom(objects(`https://${'x'.repeat(room - 8)}`));
    assert.throws(() => requireUriRoom(objects(`https://${'x'.repeat(room - 6)}`)), {
      message: /has 125 bytes, but at most 123 fit .* SLIPWAY_PUBLIC_URL/,
    });
  });
});
