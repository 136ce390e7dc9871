// Which test files there are, which of them are meant, and in which order they run best.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { root } from './prepare.mjs';

const TIMES = join(root, 'node_modules', '.slipway-test-times.json');

/**
 * Source paths from the root, such as `server/src/lib/decimal.test.ts`, of every test that has been compiled. What tsc
 * compiled before and whose source is gone does not count.
 */
export function testFiles() {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return workspaces.flatMap((workspace) =>
    readdirSync(join(root, workspace, 'src'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
      .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)).replaceAll(sep, '/'))
      .filter((file) => existsSync(compiled(file))),
  );
}

/** The full path of what a test is compiled to. */
export function compiled(file) {
  return join(root, file.replace('/src/', '/dist/').replace(/\.ts$/, '.js'));
}

/**
 * Those that `npm run test:unit` runs: they start no service, which only the workspace `test` does, open no database,
 * for which tests import `store/testing.ts` or another fixture that does, and are not named `.slow.test.ts`.
 */
export function unitFiles(files) {
  const withDatabase = importersOf(join(root, 'server', 'dist', 'store', 'testing.js'));
  return files.filter(
    (file) => !file.startsWith('test/') && !file.endsWith('.slow.test.ts') && !withDatabase.has(compiled(file)),
  );
}

/** Full paths of the compiled files of the same workspace that import this one, themselves or through others. */
function importersOf(target) {
  const dist = join(root, 'server', 'dist');
  const importers = new Map();
  for (const name of readdirSync(dist, { recursive: true })) {
    if (!name.endsWith('.js')) continue;
    const file = join(dist, name);
    for (const [, imported] of readFileSync(file, 'utf8').matchAll(/\bfrom '(\.{1,2}\/[^']+)'/g)) {
      const path = join(dirname(file), imported);
      importers.set(path, [...(importers.get(path) ?? []), file]);
    }
  }
  const found = new Set();
  const due = [target];
  for (const path of due) {
    for (const file of importers.get(path) ?? []) {
      if (found.has(file)) continue;
      found.add(file);
      due.push(file);
    }
  }
  return found;
}

/**
 * The files that any of the words names. A word is a part of a path, or a path as an editor gives it: of the test or of
 * what it tests, of the source or of what was compiled, absolute or relative, with a line. Throws for a word that names
 * none.
 */
export function matching(files, words) {
  const found = new Set();
  for (const word of words) {
    const part = asPart(word);
    const named = files.filter((file) => file.includes(part));
    if (named.length === 0) throw new Error(`no test file has "${part}" in its path`);
    for (const file of named) found.add(file);
  }
  return files.filter((file) => found.has(file));
}

function asPart(word) {
  const path = word.replaceAll('\\', '/').replace(/(:\d+)+$/, '');
  // npm changes to the root, and tells where it was called.
  const full = resolve(process.env.INIT_CWD ?? root, path);
  const inside = existsSync(full) && full.startsWith(root + sep);
  const part = inside ? relative(root, full).replaceAll(sep, '/') : path.replace(/^\.\//, '');
  return part.replace(/(^|\/)dist(\/|$)/, '$1src$2').replace(/(\.test)?(\.d)?\.[jt]s(\.map)?$/, '');
}

/**
 * Longest first, so that the run does not end with one long file; without a time, unit tests are taken to be short. Those
 * of equal weight as their names scatter them: neighbours by name, such as all that start a browser, compute at once.
 */
export function inOrder(files) {
  const times = readTimes();
  const units = new Set(unitFiles(files));
  const weight = (file) => times[file] ?? (units.has(file) ? 0 : Number.MAX_SAFE_INTEGER);
  const scattered = new Map(files.map((file) => [file, createHash('sha256').update(file).digest().readUInt32BE()]));
  return [...files].sort((a, b) => weight(b) - weight(a) || scattered.get(a) - scattered.get(b));
}

/** Keeps how long files took, in milliseconds, for the order of the next run. */
export function keepTimes(times) {
  writeFileSync(TIMES, JSON.stringify({ ...readTimes(), ...times }));
}

function readTimes() {
  try {
    return JSON.parse(readFileSync(TIMES, 'utf8'));
  } catch {
    return {};
  }
}
