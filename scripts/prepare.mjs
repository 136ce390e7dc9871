// Installs and builds what is missing, so that every command works as the first one after a clone.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const OLDEST_NODE = [20, 19];
/** Holds the number of the process that builds. */
const BUILDING = join(root, 'node_modules', '.slipway-building');
const TEMPLATE = join(root, 'server', 'dist', 'database-template');

/** Makes sure that `target`, a path from the root of the repository, is there and current; answers its full path. */
export function prepare(target = '') {
  checkNode();
  install();
  build();
  return join(root, target);
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  console.error(`Slipway needs Node ${OLDEST_NODE.join('.')} or newer; this is ${process.versions.node}`);
  process.exit(1);
}

/** npm writes its own lockfile into node_modules last: older than ours, or absent, means that something is missing. */
function install() {
  const installed = join(root, 'node_modules', '.package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs) return;
  console.error('Installing dependencies (once; about a minute) …');
  run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error']);
  // It belongs to the version of the database that made it.
  rmSync(TEMPLATE, { recursive: true, force: true });
}

/** One command at a time: two would write the same files. Another one waits, and finds what the first has built. */
function build() {
  const stamp = join(root, 'node_modules', '.slipway-build');
  const current = newestSource();
  const isBuilt = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === current && existsSync(TEMPLATE);
  for (let waits = false; !isBuilt(); waits = true) {
    if (takeTurn()) return make(stamp, current);
    if (!waits) console.error('Another command is building: waiting for it …');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
}

/** Until this process ends; false while another one has it, or has just ended. */
function takeTurn() {
  try {
    writeFileSync(BUILDING, `${process.pid}`, { flag: 'wx' });
    process.once('exit', () => rmSync(BUILDING, { force: true }));
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (!isBuilding()) rmSync(BUILDING, { force: true });
    return false;
  }
}

function isBuilding() {
  try {
    return process.kill(Number(readFileSync(BUILDING, 'utf8')), 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function make(stamp, current) {
  console.error('Building …');
  run(process.execPath, [join(root, 'node_modules', 'typescript-7', 'bin', 'tsc'), '-b']);
  run(process.execPath, [join(root, 'scripts', 'bundle.mjs')]);
  run(process.execPath, [
    '-e',
    `import('./server/dist/store/postgres/make-template.js').then((m) => m.makeTemplate())`,
  ]);
  writeFileSync(stamp, current);
  rmSync(BUILDING, { force: true });
}

/** What the build depends on, as one text: the number of sources and the time of the newest. */
function newestSource() {
  const workspaces = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).workspaces;
  let count = 0;
  let newest = statSync(join(root, 'tsconfig.base.json')).mtimeMs;
  for (const workspace of workspaces) {
    for (const entry of readdirSync(join(root, workspace, 'src'), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.(tsx?|sql|css|html|svg)$/.test(entry.name)) continue;
      count += 1;
      newest = Math.max(newest, statSync(join(entry.parentPath ?? entry.path, entry.name)).mtimeMs);
    }
  }
  return `${count} ${newest}`;
}

function run(command, args) {
  // Its output goes to standard error, which keeps standard output for the program itself.
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  console.error(error ? `${command}: ${error.message}` : `${command} ${args[0]} failed; see above`);
  process.exit(1);
}
