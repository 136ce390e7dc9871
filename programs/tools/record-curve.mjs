// Records what the published programs make of the first sequences: node tools/record-curve.mjs [count]
// Needs SLIPWAY_PROGRAMS_DIR, a folder with the programs of Meteora and Metaplex, and a build. Numbers only: errors, and
// hashes of accounts and calls.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { METADATA_PROGRAM } from '@slipway/wire';
import { encodeOutcomes, runSequence, sequenceVm } from '../dist/bonding-curve-sequences.js';
import { BONDING_CURVE_PROGRAM } from '../dist/index.js';
import { PROGRAMS } from './toolchain.mjs';

const count = Number(process.argv[2] ?? 600);
const folder = process.env.SLIPWAY_PROGRAMS_DIR;
if (!folder) {
  console.error('set SLIPWAY_PROGRAMS_DIR to a folder with the programs of Meteora and Metaplex');
  process.exit(2);
}
const published = (program) => readFileSync(join(folder, `${program}.so`));
const vm = sequenceVm({ curve: published(BONDING_CURVE_PROGRAM), metadata: published(METADATA_PROGRAM) });
const outcomes = new Map(Array.from({ length: count }, (_, seed) => [seed, runSequence(vm, seed)]));
writeFileSync(join(PROGRAMS, 'bonding-curve/outcomes.tsv'), encodeOutcomes(outcomes));
const steps = [...outcomes.values()].flat();
console.log(
  `${count} sequences, ${steps.length} steps, ${steps.filter((step) => typeof step === 'number').length} of them succeeded`,
);
