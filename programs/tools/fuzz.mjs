// Fuzzes programs on the virtual machine, after `npm run build`:
//   node programs/tools/fuzz.mjs [--program NAME] [--count 1000000] [--seed N] [--coverage]
// With --coverage it runs copies that were built to report the basic blocks that they reach; that needs the compiler. The
// same seed sends the same transactions to both.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compileForCoverage } from './toolchain.mjs';

const { values } = parseArgs({
  options: {
    program: { type: 'string' },
    count: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '20261123' },
    coverage: { type: 'boolean', default: false },
  },
});
const [count, seed] = [Number(values.count), Number(values.seed)];
const { fuzz } = await import('../dist/fuzz-engine.js');
const { FUZZ_TARGETS } = await import('../dist/fuzz-targets.js');
for (const name of values.program ? [values.program] : Object.keys(FUZZ_TARGETS)) fuzzProgram(name);

/** Shares the count among the worlds in which the program is attacked. */
function fuzzProgram(name) {
  const folder = values.coverage ? mkdtempSync(join(tmpdir(), 'slipway-fuzz-')) : undefined;
  try {
    const all = folder && instrument(name, folder);
    const worlds = FUZZ_TARGETS[name];
    const reached = new Set();
    for (const [i, open] of worlds.entries()) {
      const started = performance.now();
      const report = fuzz(open(seed), seed, Math.ceil(count / worlds.length));
      for (const block of report.blocks) reached.add(block);
      const seconds = ((performance.now() - started) / 1000).toFixed(0);
      const { instructions, succeeded, refusals } = report;
      const sent = `${instructions} instructions, ${succeeded} transactions succeeded`;
      console.log(`${name}, world ${i + 1}: seed ${seed}, ${sent}, ${refusals.size} kinds of refusal, ${seconds} s`);
    }
    if (all) console.log(`${name}: ${reached.size} of ${all} basic blocks reached`);
  } finally {
    if (folder) rmSync(folder, { recursive: true, force: true });
    delete process.env.SLIPWAY_PROGRAMS;
  }
}

function instrument(name, folder) {
  const { file, blocks } = compileForCoverage(name);
  writeFileSync(join(folder, `${name}.so`), file);
  process.env.SLIPWAY_PROGRAMS = folder;
  return blocks;
}
