// Mutation test of a program: node tools/mutate.mjs <name> [--without-base] [--files=<parts of paths>] [--lines=<text>]
//   [--sample=<count> --seed=<number>] [--log=<file>]
// Changes its C source (and the base's) in one place at a time, builds that, runs the recorded sequences and
// dist/<name>*.test.js on it and lists the changes that none of them noticed. Those of <name>/equivalent-mutants.json,
// which change nothing that anybody could see, are explained there and not listed. Build the tests first. Exits with 1
// when a change survives.
//
// Most changes are noticed by a few sequences. The others are tried on everything else, many of them in one program. Where
// something notices that, it is tried on each of them, and the rest once more: a change that is gone may have hidden another
// one. Two that hide each other can still survive wrongly; none is killed wrongly. With --log each verdict is a line of the
// file, and what stands there is not tried again.
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freeMachines, Judge } from './judge.mjs';
import { Mutants } from './mutants.mjs';
import { mutationsOf } from './mutations.mjs';
import { PROGRAMS } from './toolchain.mjs';

const FIRST_SEQUENCES = 24;
const AT_ONCE = 25;
const PENDING = 75;

const [name, ...options] = process.argv.slice(2);
if (!name || !existsSync(join(PROGRAMS, name))) {
  console.error(
    'node tools/mutate.mjs <program> [--without-base] [--files=…] [--lines=…] [--sample=… --seed=…] [--log=…]',
  );
  process.exit(2);
}
const optionValue = (option) => options.find((given) => given.startsWith(`${option}=`))?.slice(option.length + 1) ?? '';
const [onlyFiles, onlyLines, log] = ['--files', '--lines', '--log'].map(optionValue);
const folder = mkdtempSync(join(tmpdir(), 'slipway-mutate-'));
const mutants = new Mutants(name);
const judge = new Judge(name, folder);
const explained = readExplained();
const unused = new Set(explained.keys());
const results = { killed: 0, 'does not build': 0, 'same code': 0, explained: 0, survived: 0 };
let left = 0;

function readExplained() {
  const path = join(PROGRAMS, name, 'equivalent-mutants.json');
  const entries = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : [];
  return new Map(entries.map(({ before, after, why }) => [`${before}\n${after}`, why]));
}

const placeOf = ({ path, line, kind, after }) => `${path}:${line} (${kind}) ${after}`;

function chosen() {
  const all = [...mutants.sources]
    .filter(([path]) => path.startsWith(name) || !options.includes('--without-base'))
    .flatMap(([path, source]) => mutationsOf(source).map((mutation) => ({ path, ...mutation })))
    .filter(
      ({ path, before }) => onlyFiles.split(',').some((part) => path.includes(part)) && before.includes(onlyLines),
    );
  const done = new Set(
    log && existsSync(log)
      ? readFileSync(log, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line).place)
      : [],
  );
  return sampled(all).filter((mutation) => !done.has(placeOf(mutation)));
}

/** So many of them, the same for a seed. */
function sampled(all) {
  const count = Number(optionValue('--sample') || all.length);
  let x = Number(optionValue('--seed') || 1);
  const rest = [...all];
  const taken = new Set();
  while (taken.size < count && rest.length) {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    taken.add(rest.splice(Math.floor((x / 2 ** 32) * rest.length), 1)[0]);
  }
  return all.filter((each) => taken.has(each));
}

function told(mutation, verdict, by = '') {
  const key = `${mutation.before}\n${mutation.after}`;
  const isExplained = verdict === 'survived' && explained.has(key);
  const result = isExplained ? 'explained' : verdict;
  if (isExplained) unused.delete(key);
  results[result]++;
  left--;
  const { path, line, kind, before, after } = mutation;
  if (log) appendFileSync(log, `${JSON.stringify({ place: placeOf(mutation), result, by, before, after })}\n`);
  mutation.program = undefined;
  if (result === 'survived') console.log(`survived: ${path}:${line} (${kind}); ${left} to go\n  ${before}\n  ${after}`);
  return true;
}

function built(mutations) {
  try {
    return { file: mutants.build(mutations) };
  } catch {
    return undefined;
  }
}

/** Tries a change on what notices most of them; answers whether there is a verdict. */
function screen(mutation) {
  const program = built([mutation]);
  if (!program) return told(mutation, 'does not build');
  if (!program.file) return told(mutation, 'same code');
  const by = judge.sequenceThatNotices(program.file, FIRST_SEQUENCES);
  if (by) return told(mutation, 'killed', by);
  mutation.program = program.file;
  return false;
}

/** Tries changes together until none of them is noticed any more: one that is gone may have hidden another one. */
async function tryGroup(group) {
  const survivors = await survivorsOf([...group]);
  if (survivors.length < group.length && survivors.length > 0) return tryGroup(survivors);
  for (const mutation of survivors) told(mutation, 'survived');
}

/** Tries changes together on everything there is. Where something notices them, it is tried on each of them. */
async function survivorsOf(group, stages = judge.stages) {
  let together = programOf(group);
  for (const [i, { name: by, notices }] of stages.entries()) {
    if (together && !(await notices(together))) continue;
    const all = [...group];
    if (together) {
      for (const mutation of all) {
        if (!(await notices(mutation.program))) continue;
        told(mutation, 'killed', by);
        group.splice(group.indexOf(mutation), 1);
      }
    }
    if (group.length === 0) return [];
    together = programOf(group);
    if (together && group.length < all.length) continue;
    // They do not build together, or are noticed only together.
    const half = Math.ceil(group.length / 2);
    const first = await survivorsOf(group.slice(0, half), stages.slice(i));
    return half < group.length ? [...first, ...(await survivorsOf(group.slice(half), stages.slice(i)))] : first;
  }
  return group;
}

function programOf(group) {
  const program = group.length === 1 ? { file: group[0].program } : built(group);
  return program && (program.file ?? mutants.original);
}

/** Groups of changes of different lines, of far ones where that can be. */
function groupsOf(pending) {
  const groups = Array.from({ length: Math.ceil(pending.length / AT_ONCE) }, () => []);
  for (const [i, mutation] of pending.entries()) {
    const isFree = (group) => !group.some(({ path, line }) => path === mutation.path && line === mutation.line);
    const turn = groups.map((_, k) => groups[(i + k) % groups.length]);
    const group = turn.find((each) => each.length < AT_ONCE && isFree(each));
    if (group) group.push(mutation);
    else groups.push([mutation]);
  }
  return groups;
}

try {
  await judge.load(mutants.original);
  const queue = chosen();
  left = queue.length;
  const total = left;
  let pending = [];
  for (const [i, mutation] of queue.entries()) {
    await freeMachines();
    if (!screen(mutation)) pending.push(mutation);
    if (pending.length < PENDING && i < queue.length - 1) continue;
    for (const group of groupsOf(pending)) await tryGroup(group);
    pending = [];
  }
  console.log(`${total} changes: ${JSON.stringify(results)}`);
  if (!onlyFiles && !onlyLines && !log && !optionValue('--sample'))
    for (const key of unused) console.log(`explained, but no survivor: ${key.replace('\n', '  =>  ')}`);
} finally {
  mutants.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = results.survived ? 1 : 0;
