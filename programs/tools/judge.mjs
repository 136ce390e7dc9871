// Of mutate.mjs: tells whether anybody notices a changed program, by the random sequences whose outcomes are recorded, and by
// the tests.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { register } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { collected } from './collected-tests.mjs';
import { PROGRAMS } from './toolchain.mjs';

const TEST_TIMEOUT_MS = 600_000;
/** The sequences that run a program. */
const SEQUENCES = {
  'bonding-curve': ['bonding-curve', 'damm-v2', 'locker'],
  'damm-v2': ['damm-v2'],
  locker: ['locker', 'damm-v2'],
  'token-metadata': ['bonding-curve'],
};
/** So many uses of virtual machines until the memory of those that are gone is given back. */
const USES_UNTIL_FREED = 20;
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');
let uses = 0;
const dist = (file) => new URL(`../dist/${file}.js`, import.meta.url);
const { decodeOutcomes, isSameStep } = await import(dist('sequences'));
const { recordedOutcomes, sequenceVm } = await import(dist('sequences-testing'));

/** Their memory lies outside of the heap, which does not grow with it; and a process may have only so many pieces of it. */
export async function freeMachines() {
  if (++uses % USES_UNTIL_FREED !== 0) return;
  collectGarbage();
  await wait(0);
}

export class Judge {
  #name;
  #folder;
  #sequences = [];
  #tests;

  /** `folder` is where a changed program is put. */
  constructor(name, folder) {
    this.#name = name;
    this.#folder = folder;
    process.env.SLIPWAY_PROGRAMS = folder;
  }

  /** Reads the sequences and finds out how long the tests take. Throws where the program without a change is refused. */
  async load(original) {
    const kinds = [];
    for (const of of SEQUENCES[this.#name] ?? []) {
      const module = Object.entries(await import(dist(`${of}-sequences`)));
      const [, run] = module.find(([exported]) => exported.startsWith('run'));
      const recorded = decodeOutcomes(readFileSync(recordedOutcomes(of), 'utf8'));
      kinds.push([...recorded].map(([seed, steps]) => ({ of, run, seed, steps })));
    }
    // By turns, so that the first ones run every part of the program.
    this.#sequences = (kinds[0] ?? []).flatMap((_, i) => kinds.flatMap((kind) => kind[i] ?? []));
    this.#put(original);
    this.#tests = await testsOf(this.#name);
    for (const test of this.#tests) {
      const before = process.cpuUsage();
      if (await test.fails()) throw new Error(`${test.name} fails without any change`);
      const { user, system } = process.cpuUsage(before);
      test.used = test.isHere ? user + system : Number.POSITIVE_INFINITY;
    }
    this.#tests.sort((a, b) => a.used - b.used);
    const noticed = this.sequenceThatNotices(original);
    if (noticed) throw new Error(`the sequence ${noticed} ends otherwise without any change`);
  }

  /** Which of the first sequences ends otherwise: those that noticed a change last are the first on the next one. */
  sequenceThatNotices(program, count = this.#sequences.length) {
    const machines = this.#machines(program);
    const noticed = this.#sequences.slice(0, count).find((sequence) => endsOtherwise(machines, sequence));
    if (noticed) this.#sequences = withFirst(this.#sequences, noticed);
    return noticed && nameOf(noticed);
  }

  /** Everything that can notice a change: { name, notices(program) }. Those of one kind share a machine of a program. */
  get stages() {
    const machines = { of: undefined, all: undefined };
    const sequences = this.#sequences.map((sequence) => ({
      name: nameOf(sequence),
      notices: async (program) => {
        await freeMachines();
        if (machines.of !== program) Object.assign(machines, { of: program, all: this.#machines(program) });
        if (!endsOtherwise(machines.all, sequence)) return false;
        this.#sequences = withFirst(this.#sequences, sequence);
        return true;
      },
    }));
    const tests = this.#tests.map((test) => ({
      name: test.name,
      notices: (program) => {
        this.#put(program);
        return failsForSure(test);
      },
    }));
    return [...sequences, ...tests];
  }

  #machines(program) {
    const made = {};
    return (kind) => {
      if (!made[kind]) this.#put(program);
      made[kind] ??= sequenceVm();
      return made[kind];
    };
  }

  #put(program) {
    writeFileSync(join(this.#folder, `${this.#name}.so`), program);
  }
}

const withFirst = (all, first) => [first, ...all.filter((each) => each !== first)];
const nameOf = ({ of, seed }) => `${of} ${seed}`;

function endsOtherwise(machineOf, { of, run, seed, steps }) {
  try {
    const ended = run(machineOf(of), seed);
    return ended.length !== steps.length || !steps.every((step, i) => isSameStep(ended[i], step));
  } catch {
    return true;
  }
}

/** The tests of a program: those that can be run in this process, and the files whose tests cannot. */
async function testsOf(name) {
  register('./collect-tests.mjs', import.meta.url);
  const files = readdirSync(join(PROGRAMS, 'dist')).filter(
    (file) => file.startsWith(name) && file.endsWith('.test.js') && !file.endsWith('-sequences.test.js'),
  );
  const tests = [];
  for (const file of files) {
    collected.length = 0;
    const isHere = await import(dist(file.slice(0, -3))).then(
      () => true,
      () => false,
    );
    if (!isHere) tests.push({ name: file, file, isHere, fails: () => fileFails(file) });
    else
      for (const { name, body } of collected)
        tests.push({ name: `${file}: ${name}`, file, isHere, fails: () => bodyFails(body) });
  }
  return tests;
}

/** Here each run has other addresses, which a test may not be made for: its own process has the last word. */
async function failsForSure({ file, isHere, fails }) {
  return (await fails()) && (!isHere || fileFails(file));
}

async function bodyFails(body) {
  await freeMachines();
  try {
    await body({ diagnostic: () => undefined });
    return false;
  } catch {
    return true;
  }
}

/** Whether a test of a file fails; stops it at the first failure. */
function fileFails(file) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(PROGRAMS, 'dist', file)], { stdio: ['ignore', 'pipe', 'ignore'] });
    const timer = setTimeout(() => child.kill('SIGKILL'), TEST_TIMEOUT_MS);
    createInterface(child.stdout).on('line', (line) => {
      if (/^\s*not ok/.test(line)) child.kill('SIGKILL');
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve(code !== 0);
    });
  });
}
