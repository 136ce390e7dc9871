import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type Address, METADATA_PROGRAM } from '@slipway/wire';
import { publishedProgram, withoutPrograms, writeMigrationAccounts } from './bonding-curve-testing.js';
import {
  BONDING_CURVE_PROGRAM,
  DAMM_V2_PROGRAM,
  LOCKER_PROGRAM,
  type ProgramName,
  programFile,
  STAND_INS,
} from './index.js';
import { decodeOutcomes, isSameStep, type Step } from './sequences.js';
import { programUnderTest, TestVm } from './test-vm.js';

const FRESH = 200;
const PROGRAMS = [BONDING_CURVE_PROGRAM, DAMM_V2_PROGRAM, METADATA_PROGRAM, LOCKER_PROGRAM];

/** A machine for any number of sequences, with the published programs at these addresses, and ours at the others. */
export function sequenceVm(published: Address[] = []): TestVm {
  const vm = new TestVm();
  for (const program of PROGRAMS) {
    const name = STAND_INS[program]!;
    vm.addProgram(program, published.includes(program) ? publishedProgram(program) : programUnderTest(name));
  }
  writeMigrationAccounts(vm);
  return vm;
}

/** A machine with nothing but the published programs. */
export const publishedVm = (): TestVm => sequenceVm(PROGRAMS);

/** Where it is recorded what the published programs made of a program's sequences. */
export const recordedOutcomes = (name: ProgramName): string => join(programFile(name), '../outcomes.tsv');

/** Compares what our programs make of random sequences with what is recorded, and with the published ones where they are. */
export function describeSequences(what: string, name: ProgramName, run: (vm: TestVm, seed: number) => Step[]): void {
  describe(what, () => {
    it('end as they were recorded of the published programs', () => {
      const vm = sequenceVm();
      const recorded = decodeOutcomes(readFileSync(recordedOutcomes(name), 'utf8'));
      assert.ok(recorded.size >= 500);
      for (const [seed, steps] of recorded) assertSame(seed, run(vm, seed), steps);
    });

    it('end as on the published programs, which also work with one of ours', { skip: withoutPrograms }, () => {
      const expected = publishedVm();
      const mixed = [[], ...PROGRAMS.map((ours) => PROGRAMS.filter((each) => each !== ours))].map(sequenceVm);
      const first = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000_000);
      const count = Number(process.env.TEST_SEQUENCES ?? FRESH);
      for (let seed = first; seed < first + count; seed++) {
        assertSame(seed, run(mixed[seed % mixed.length]!, seed), run(expected, seed));
      }
    });
  });
}

function assertSame(seed: number, steps: Step[], expected: Step[]) {
  for (const [i, step] of expected.entries()) {
    assert.ok(isSameStep(steps[i], step), `seed ${seed}, step ${i}: ${steps[i]} instead of ${step}`);
  }
  assert.equal(steps.length, expected.length, `seed ${seed}`);
}
