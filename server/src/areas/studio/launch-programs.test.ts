import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BONDING_CURVE_PROGRAM } from '@slipway/programs';
import { type Address, METADATA_PROGRAM } from '@slipway/wire';
import { AppError } from '../../errors/index.js';
import type { StudioDeps } from './deps.js';
import { requirePrograms } from './launch-programs.js';

const chainWith = (...programs: Address[]): StudioDeps => {
  const account = async (address: Address) => (programs.includes(address) ? { executable: true } : undefined);
  return { chain: { account } } as unknown as StudioDeps;
};

test('a launch on a chain without its programs is refused in one sentence, with what is missing and how it comes', async () => {
  await requirePrograms(chainWith(BONDING_CURVE_PROGRAM, METADATA_PROGRAM));
  for (const [there, missing] of [
    [[], [BONDING_CURVE_PROGRAM, METADATA_PROGRAM]],
    [[METADATA_PROGRAM], [BONDING_CURVE_PROGRAM]],
    [[BONDING_CURVE_PROGRAM], [METADATA_PROGRAM]],
  ] as [Address[], Address[]][]) {
    await assert.rejects(requirePrograms(chainWith(...there)), (error) => {
      assert.ok(error instanceof AppError);
      for (const part of [...missing, 'slipway programs pull', 'SLIPWAY_PROGRAMS_DIR', 'SLIPWAY_FORK_URL'])
        assert.ok(error.message.includes(part), error.message);
      for (const program of there) assert.ok(!error.message.includes(program), error.message);
      assert.doesNotMatch(error.message, /\. /);
      return true;
    });
  }
});
