// Of mutate.mjs: builds changed programs and judges them in one process, by the random sequences whose outcomes are
// recorded. Told a change, it answers 'same code', 'does not build', 'killed', or 'unnoticed': then the tests have to tell.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileProgram } from './toolchain.mjs';

const [name, root, programs] = process.argv.slice(2);
const original = compileProgram(name).file;
/** The sequences that run a program, the fastest first. */
const SEQUENCES = {
  'bonding-curve': ['bonding-curve', 'damm-v2', 'locker'],
  'damm-v2': ['damm-v2'],
  locker: ['locker', 'damm-v2'],
  'token-metadata': ['bonding-curve'],
};
const dist = (file) => new URL(`../dist/${file}.js`, import.meta.url);
const { decodeOutcomes, isSameStep } = await import(dist('sequences'));
const { recordedOutcomes, sequenceVm } = await import(dist('sequences-testing'));
let sequences = [];
for (const of of SEQUENCES[name] ?? []) {
  const module = Object.entries(await import(dist(`${of}-sequences`)));
  const [, run] = module.find(([exported]) => exported.startsWith('run'));
  const recorded = decodeOutcomes(readFileSync(recordedOutcomes(of), 'utf8'));
  for (const [seed, steps] of recorded) sequences.push({ of, run, seed, steps });
}

/** Whether a sequence ends otherwise; the one that noticed is the first to be tried on the next program. */
function differs() {
  const machines = {};
  const noticed = sequences.find(({ of, run, seed, steps }) => {
    try {
      machines[of] ??= sequenceVm();
      const ended = run(machines[of], seed);
      return ended.length !== steps.length || !steps.every((step, i) => isSameStep(ended[i], step));
    } catch {
      return true;
    }
  });
  if (noticed) sequences = [noticed, ...sequences.filter((each) => each !== noticed)];
  return noticed !== undefined;
}

function judge({ path, text, source }) {
  writeFileSync(join(root, path), text);
  try {
    const { file } = compileProgram(name, root);
    if (file.equals(original)) return 'same code';
    writeFileSync(join(programs, `${name}.so`), file);
  } catch {
    return 'does not build';
  } finally {
    writeFileSync(join(root, path), source);
  }
  return differs() ? 'killed' : 'unnoticed';
}

process.env.SLIPWAY_PROGRAMS = programs;
writeFileSync(join(programs, `${name}.so`), original);
if (differs()) throw new Error('the sequences end otherwise without any change');
process.on('message', (change) => process.send(judge(change)));
