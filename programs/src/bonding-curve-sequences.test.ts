import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { METADATA_PROGRAM } from '@slipway/wire';
import { type CurvePrograms, decodeOutcomes, isSameStep, runSequence, sequenceVm } from './bonding-curve-sequences.js';
import { withoutPrograms } from './bonding-curve-testing.js';
import { BONDING_CURVE_PROGRAM } from './index.js';
import { programFile } from './program-files.js';
import { programUnderTest, type TestVm } from './test-vm.js';

const RECORDED = join(programFile('bonding-curve'), '../outcomes.tsv');
const FRESH = 200;
const ours: CurvePrograms = {
  curve: programUnderTest('bonding-curve'),
  metadata: programUnderTest('token-metadata'),
};

describe('launches and trades of the stand-in', () => {
  it('end as they were recorded of the published programs', () => {
    const vm = sequenceVm(ours);
    const recorded = decodeOutcomes(readFileSync(RECORDED, 'utf8'));
    assert.ok(recorded.size >= 500);
    for (const [seed, steps] of recorded) assertSame(seed, runSequence(vm, seed), steps);
  });

  it('end as on the published programs, which also work with one of ours', { skip: withoutPrograms }, () => {
    const theirs = { curve: published(BONDING_CURVE_PROGRAM), metadata: published(METADATA_PROGRAM) };
    const expected = sequenceVm(theirs);
    const mixed = [ours, { ...ours, curve: theirs.curve }, { ...ours, metadata: theirs.metadata }].map(sequenceVm);
    const first = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000_000);
    for (let seed = first; seed < first + FRESH; seed++) {
      const steps = runSequence(expected, seed);
      assertSame(seed, runSequence(mixed[seed % 3] as TestVm, seed), steps);
    }
  });
});

function assertSame(seed: number, steps: ReturnType<typeof runSequence>, expected: ReturnType<typeof runSequence>) {
  for (const [i, step] of expected.entries()) {
    assert.ok(isSameStep(steps[i], step), `seed ${seed}, step ${i}: ${steps[i]} instead of ${step}`);
  }
  assert.equal(steps.length, expected.length, `seed ${seed}`);
}

function published(program: string): Uint8Array {
  return readFileSync(join(process.env.SLIPWAY_PROGRAMS_DIR!, `${program}.so`));
}
