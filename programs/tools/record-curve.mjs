// Records what the published programs make of the first sequences: node tools/record-curve.mjs [count]
// Needs SLIPWAY_PROGRAMS_DIR, a folder with the programs of Meteora and Metaplex, and a build. Numbers only: errors, and
// hashes of accounts and calls.
import { writeFileSync } from 'node:fs';
import { runSequence } from '../dist/bonding-curve-sequences.js';
import { runMigration } from '../dist/damm-v2-sequences.js';
import { runLock } from '../dist/locker-sequences.js';
import { encodeOutcomes } from '../dist/sequences.js';
import { publishedVm, recordedOutcomes } from '../dist/sequences-testing.js';

const count = Number(process.argv[2] ?? 600);
if (!process.env.SLIPWAY_PROGRAMS_DIR) {
  console.error('set SLIPWAY_PROGRAMS_DIR to a folder with the programs of Meteora and Metaplex');
  process.exit(2);
}
for (const [name, run] of [
  ['bonding-curve', runSequence],
  ['damm-v2', runMigration],
  ['locker', runLock],
]) {
  const vm = publishedVm();
  const outcomes = new Map(Array.from({ length: count }, (_, seed) => [seed, run(vm, seed)]));
  writeFileSync(recordedOutcomes(name), encodeOutcomes(outcomes));
  const steps = [...outcomes.values()].flat();
  const succeeded = steps.filter((step) => typeof step === 'number').length;
  console.log(`${name}: ${count} sequences, ${steps.length} steps, ${succeeded} of them succeeded`);
}
