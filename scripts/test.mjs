// Everything that tests this repository, as one command: format and lint, boundaries, types, then all tests.
// Usage: npm test [-- <word> ...] | npm run test:unit [-- <word> ...] | npm run test:coverage [-- <word> ...]
// A word is a part of a path, or a path as an editor gives it. Uses nothing but Node itself until the rest is installed.
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { prepare, root } from './prepare.mjs';
import { compiled, inOrder, keepTimes, matching, testFiles, unitFiles } from './test-files.mjs';
import { useMemoryForFolders } from './test-folders.mjs';
import { exitOnSignals, startPostgresOfRun } from './test-postgres.mjs';

/** To start a server of PostgreSQL and to bundle the tests takes seconds: that pays for a run of more files than this. */
const FEW_FILES = 20;
const SLOWEST = 10;
/** Of what a file has written as errors, when it failed by itself and not by a test. */
const LAST_CHARACTERS = 4_000;
/** Of a file: the longest takes two minutes, and a test that was given up may go on for good. */
const LONGEST_MS = 20 * 60_000;
/** Twice as many as there are cores, because most files wait half of their time; each may take a gigabyte. */
const CONCURRENCY = Math.min(5, 2 * availableParallelism());

const flags = new Set(['--unit', '--coverage']);
const options = new Set(process.argv.slice(2).filter((argument) => flags.has(argument)));
const words = process.argv.slice(2).filter((argument) => !flags.has(argument));
const all = words.length === 0 && !options.has('--unit');

prepare();
if (all) {
  step('format and lint', join('node_modules', '@biomejs', 'biome', 'bin', 'biome'), ['check', '.']);
  step('boundaries', join('scripts', 'boundaries.mjs'), []);
  step('platforms', join('scripts', 'platforms.mjs'), []);
  step('threat model', join('scripts', 'threat-model.mjs'), []);
}
const files = chosenFiles();
exitOnSignals();
useMemoryForFolders();
const isLong = files.length > FEW_FILES;
const postgres = isLong ? await startPostgresOfRun() : undefined;
const coverage = options.has('--coverage') ? (await import('./coverage.mjs')).startCoverage() : undefined;
const isBundled = isLong && coverage === undefined;
const places = await placesOf(files);
console.log(`> ${files.length} test file${files.length === 1 ? '' : 's'}`);
const times = await runTests(inOrder(files));
keepTimes(times);
if (files.length > 1) printSlowest(times);
coverage?.print();
await postgres?.stop();

function step(name, script, args) {
  console.log(`> ${name}`);
  const { status } = spawnSync(process.execPath, [join(root, script), ...args], { cwd: root, stdio: 'inherit' });
  if (status !== 0) fail(`${name} failed; "npm run format" mends what can be mended by itself`);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

function chosenFiles() {
  const candidates = options.has('--unit') ? unitFiles(testFiles()) : testFiles();
  try {
    return words.length === 0 ? candidates : matching(candidates, words);
  } catch (error) {
    return fail(error.message);
  }
}

/** What to run for each source. A bundle has lines of its own, which a count of those that were executed does not know. */
async function placesOf(sources) {
  const places = new Map(sources.map((source) => [source, compiled(source)]));
  if (!isBundled) return places;
  const { bundleTests } = await import('./test-bundle.mjs');
  const joined = sources.filter((source) => source.startsWith('server/'));
  const bundles = await bundleTests(joined.map(compiled));
  for (const [i, source] of joined.entries()) places.set(source, bundles[i]);
  return places;
}

/** Runs the files, each in a process of its own, and prints as node's runner does; how long each took, in ms. */
async function runTests(ordered) {
  const sources = new Map(ordered.map((file) => [places.get(file), file]));
  const times = {};
  const written = new Map();
  const failed = [];
  /** What came after a file's tests had ended: it names its place by itself. */
  const late = [];
  let tests = 0;
  const events = run({ files: [...sources.keys()], concurrency: CONCURRENCY, timeout: LONGEST_MS });
  events.on('test:fail', ({ todo, name, nesting }) => {
    if (todo === undefined || todo === false) process.exitCode = 1;
    if (nesting === 0 && sources.has(name)) failed.push(name);
  });
  events.on('test:stderr', ({ file, message }) =>
    written.set(file, `${written.get(file) ?? ''}${message}`.slice(-LAST_CHARACTERS)),
  );
  events.on('test:complete', ({ name, nesting, details }) => {
    if (nesting !== 0 || !sources.has(name)) return;
    times[sources.get(name)] = Math.round(details.duration_ms);
    coverage?.collect();
  });
  events.on('test:diagnostic', ({ message }) => {
    if (/^Error: /.test(message)) late.push(message);
    const [, count] = /^tests (\d+)$/.exec(message) ?? [];
    if (count !== undefined) tests = Number(count);
  });
  for await (const text of events.compose(new spec())) process.stdout.write(text);
  for (const name of failed)
    console.log(`> ${sources.get(name)} failed, and wrote:\n${written.get(name) ?? 'nothing'}`);
  if (failed.length > 0 && isBundled)
    console.log('> lines are those of bundles: "npm test -- <file>" runs a file as it was compiled');
  for (const message of late) console.log(`> ${message}`);
  if (tests === 0) fail('there was no test in these files');
  return times;
}

function printSlowest(times) {
  const slowest = Object.entries(times).sort(([, a], [, b]) => b - a);
  console.log(`> slowest files, of ${slowest.length}`);
  for (const [file, ms] of slowest.slice(0, SLOWEST)) console.log(`${(ms / 1000).toFixed(1).padStart(7)} s  ${file}`);
}
