// Runs each test file many times, in random order, beside processes that keep the cores busy, and says which failed:
// what passes only on a quiet machine, or only after another file, shows here.
// Usage: npm run test:stress [-- <word> ...] [--times=20] [--busy=<cores>] [--at-once=<files>] [--seed=<number>]
import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepare, root } from './prepare.mjs';
import { compiled, matching, testFiles } from './test-files.mjs';
import { exitOnSignals, startPostgresOfRun } from './test-postgres.mjs';

const MINUTE_MS = 60_000;
const cores = availableParallelism();
const { times, busy, atOnce, seed, words } = readArguments();
prepare();
const files = words.length === 0 ? testFiles() : chosen();
const logs = mkdtempSync(join(tmpdir(), 'slipway-stress-'));
const burners = Array.from({ length: busy }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
process.once('exit', () => {
  for (const burner of burners) burner.kill('SIGKILL');
});
exitOnSignals(report);

const queue = shuffled(files.flatMap((file) => Array.from({ length: times }, () => file)));
const failures = [];
let done = 0;
const planned = queue.length;
setInterval(() => console.log(`${done} of ${planned} runs, ${failures.length} failed`), MINUTE_MS).unref();
console.log(
  `> ${files.length} files, ${times} times each, ${atOnce} at once beside ${busy} busy processes, seed ${seed}`,
);
const postgres = await startPostgresOfRun();
await Promise.all(Array.from({ length: atOnce }, work));
await postgres?.stop();
report();
process.exit(failures.length === 0 ? 0 : 1);

async function work() {
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    const { passed, output, seconds } = await runOnce(file);
    done += 1;
    if (passed) continue;
    const log = join(logs, `${failures.length + 1}.log`);
    writeFileSync(log, output);
    failures.push({ file, log });
    console.log(`run ${done}: ${file} failed after ${seconds} s: ${log}`);
    for (const line of failedTests(output)) console.log(`    ${line}`);
  }
}

function runOnce(file) {
  const started = performance.now();
  const child = spawn(process.execPath, ['--test', '--test-reporter=spec', compiled(file)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  child.stderr.on('data', (chunk) => chunks.push(chunk));
  return new Promise((resolve) => {
    child.once('close', (code) => {
      const seconds = Math.round((performance.now() - started) / 1000);
      resolve({ passed: code === 0, output: Buffer.concat(chunks).toString('utf8'), seconds });
    });
  });
}

/** The names of the tests that failed, and the seeds that the output names, so that the run can be repeated. */
function failedTests(output) {
  const [tests] = output.split('failing tests:');
  return tests.split('\n').filter((line) => /✖ |\bseed\b/i.test(line));
}

function report() {
  const byFile = new Map();
  for (const { file } of failures) byFile.set(file, (byFile.get(file) ?? 0) + 1);
  console.log(`> ${done} runs of ${files.length} files, ${failures.length} failed, seed ${seed}`);
  for (const [file, count] of byFile) console.log(`${String(count).padStart(5)} of ${times}  ${file}`);
}

function chosen() {
  try {
    return matching(testFiles(), words);
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}

function readArguments() {
  const { values, positionals } = parseArgs({
    options: {
      times: { type: 'string', default: '20' },
      busy: { type: 'string', default: String(cores) },
      'at-once': { type: 'string', default: String(cores) },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    },
    allowPositionals: true,
  });
  const whole = (name, least) => {
    const value = Number(values[name]);
    if (Number.isInteger(value) && value >= least) return value;
    console.error(`--${name} is "${values[name]}": expected a whole number of at least ${least}`);
    process.exit(2);
  };
  return {
    times: whole('times', 1),
    busy: whole('busy', 0),
    atOnce: whole('at-once', 1),
    seed: whole('seed', 0),
    words: positionals,
  };
}

/** Fisher-Yates with a small generator of our own (mulberry32), because the order must follow from the seed. */
function shuffled(items) {
  const result = [...items];
  let state = seed;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [result[last], result[other]] = [result[other], result[last]];
  }
  return result;
}
