// Mutation test of a program: node tools/mutate.mjs <name> [--without-base] [--files=<part of a path>] [--lines=<text>]
// Changes its C source (and the base's) in one place at a time, builds that, runs the recorded sequences (screen.mjs) and
// dist/<name>*.test.js on it and lists the changes that no test noticed. Those of <name>/equivalent-mutants.json, which
// change nothing that anybody could see, are explained there and not listed. Build the tests first. Exits with 1 when a
// change survives.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { mutationsOf } from './mutations.mjs';
import { compileProgram, PROGRAMS } from './toolchain.mjs';

const WORKERS = 2;
const TEST_TIMEOUT_MS = 120_000;

const [name, ...options] = process.argv.slice(2);
if (!name || !existsSync(join(PROGRAMS, name))) {
  console.error('node tools/mutate.mjs <program> [--without-base] [--files=<part of a path>] [--lines=<text in it>]');
  process.exit(2);
}
const optionValue = (option) => options.find((given) => given.startsWith(`${option}=`))?.slice(option.length + 1) ?? '';
const [onlyFiles, onlyLines] = [optionValue('--files'), optionValue('--lines')];
const folders = [join(name, 'src'), ...(options.includes('--without-base') ? [] : ['base'])];
const original = compileProgram(name).file;
const tests = readdirSync(join(PROGRAMS, 'dist'))
  .filter((file) => file.startsWith(name) && file.endsWith('.test.js') && !file.endsWith('-sequences.test.js'))
  .map((file) => ({ file, ms: 0 }));
const explained = readExplained();
const queue = folders.flatMap((folder) =>
  readdirSync(join(PROGRAMS, folder))
    .filter((file) => /\.[ch]$/.test(file))
    .flatMap((file) => {
      const path = join(folder, file);
      const source = readFileSync(join(PROGRAMS, path), 'utf8');
      return mutationsOf(source).map((mutation) => ({ path, source, ...mutation }));
    })
    .filter(({ path, before }) => path.includes(onlyFiles) && before.includes(onlyLines)),
);
const total = queue.length;
const results = { killed: 0, 'does not build': 0, 'same code': 0, explained: 0, survived: 0 };
const survivors = [];
const unused = new Set(explained.keys());

function readExplained() {
  const path = join(PROGRAMS, name, 'equivalent-mutants.json');
  const entries = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : [];
  return new Map(entries.map(({ before, after, why }) => [`${before}\n${after}`, why]));
}

/** Whether a test fails on the programs of this folder; stops at the first that does. */
function testsFail(file, programs) {
  return new Promise((resolve) => {
    const env = { ...process.env, SLIPWAY_PROGRAMS: programs };
    const child = spawn(process.execPath, [join(PROGRAMS, 'dist', file)], { env, stdio: ['ignore', 'pipe', 'ignore'] });
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

async function judge(mutation, screen, programs) {
  screen.send(mutation);
  const [verdict] = await once(screen, 'message');
  if (verdict !== 'unnoticed') return verdict;
  for (const { file } of tests) if (await testsFail(file, programs)) return 'killed';
  const key = `${mutation.before}\n${mutation.after}`;
  unused.delete(key);
  return explained.has(key) ? 'explained' : 'survived';
}

async function work() {
  const root = mkdtempSync(join(tmpdir(), 'slipway-mutate-'));
  const programs = join(root, 'out');
  mkdirSync(programs);
  for (const folder of [name, 'base']) cpSync(join(PROGRAMS, folder), join(root, folder), { recursive: true });
  const screen = fork(join(PROGRAMS, 'tools/screen.mjs'), [name, root, programs]);
  screen.on('exit', (code) => code && process.exit(code));
  try {
    for (let mutation = queue.shift(); mutation; mutation = queue.shift()) {
      const result = await judge(mutation, screen, programs);
      results[result]++;
      if (result !== 'survived') continue;
      survivors.push(mutation);
      const { path, line, kind, before, after } = mutation;
      console.log(`survived: ${path}:${line} (${kind}); ${queue.length} of ${total} to go\n  ${before}\n  ${after}`);
    }
  } finally {
    screen.disconnect();
    rmSync(root, { recursive: true, force: true });
  }
}

for (const test of tests) {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-mutate-'));
  writeFileSync(join(folder, `${name}.so`), original);
  const start = performance.now();
  const fails = await testsFail(test.file, folder);
  test.ms = performance.now() - start;
  rmSync(folder, { recursive: true, force: true });
  if (fails) throw new Error(`${test.file} fails without any change`);
}
tests.sort((a, b) => a.ms - b.ms);
await Promise.all(Array.from({ length: WORKERS }, work));
console.log(`${total} changes: ${JSON.stringify(results)}`);
if (!onlyFiles && !onlyLines)
  for (const key of unused) console.log(`explained, but no survivor: ${key.replace('\n', '  =>  ')}`);
process.exitCode = survivors.length ? 1 : 0;
