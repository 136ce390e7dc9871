// Checks that imports go one way, through doors and never in a circle, that guarded things stay in their rooms, that the pictures of the
// house in docs/architecture.md are true, and that files named in the documentation exist. Usage: node scripts/boundaries.mjs [--map]. --map rewrites the map there.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { circlesOf } from './circles.mjs';
import { root } from './prepare.mjs';

/** Room -> rooms that it may import. `errors`, `lib` and the types of `config` are open to everybody. */
const below = ['chain', 'prices', 'signer', 'objects', 'store'];
const middle = ['trigger-orders', 'indexes', 'events', 'launches', 'routing', 'crafting', 'landing', 'vault'];
const allowed = {
  lib: [],
  errors: ['lib'],
  config: ['lib'],
  chain: [],
  // A stored trigger order changes by its state machine, which is pure.
  store: ['trigger-orders'],
  prices: ['store'],
  signer: [],
  objects: [],
  // Feeds write scores into the store, where the area reads them: only app/ needs to know the feeds.
  scores: ['store'],
  crafting: [],
  'trigger-orders': ['prices', 'store'],
  indexes: ['chain', 'store'],
  events: ['signer', 'store'],
  launches: ['chain', 'objects', 'signer', 'store'],
  routing: [...below, 'crafting', 'landing'],
  landing: [...below, 'crafting'],
  vault: [...below, 'crafting', 'trigger-orders'],
  sandbox: [...below, 'crafting', 'landing', 'routing'],
  keeper: [...middle, ...below],
  // An area is given what the sandbox has opened; it opens nothing itself.
  areas: [...middle, ...below, 'sandbox', 'scores'],
  http: ['config', 'store'],
  app: ['*'],
  cli: ['*'],
  root: ['*'],
};
const open = new Set(['lib', 'errors']);
/** The type of an area's value: what the areas share without knowing each other. */
const AREA_TYPE = 'areas/area.ts';

/** What only some rooms of the service may say, and why. Tests may always. */
const guards = [
  {
    what: /\b(?:keypairFromSeed|keypairFromSecret|generateKeypair|inviteKeypair|newInviteCode)\b|\bsign\b(?=[^;]*from '@slipway\/wire')/,
    rooms: ['signer'],
    why: 'only signer/ may hold key material',
  },
  { what: /\bDate\.now\(|\bnew Date\(\)/, files: ['lib/clock.ts'], why: 'time comes from the clock (lib/clock.ts)' },
  {
    what: /\bprocess\.env\b/,
    files: ['main.ts', 'cli/main.ts', 'signer/main.ts'],
    why: 'the environment is read in main.ts',
  },
];
const sqlTime = /\bnow\(\)|\bcurrent_timestamp\b|\bclock_timestamp\(\)/i;

const problems = [];
const arrows = new Map();
const server = join(root, 'server', 'src');
const page = join(root, 'docs', 'architecture.md');

checkServer();
checkWorkspaces();
checkCircles();
checkSpreads();
checkTree();
checkPaths();
if (process.argv.includes('--map')) writeMap();
else checkMap();
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`boundaries: ${arrows.size} rooms, no forbidden arrow, no way past a door`);

function checkServer() {
  for (const file of sources(server)) {
    const path = relative(server, file);
    const text = readFileSync(file, 'utf8');
    if (file.endsWith('.sql')) {
      if (sqlTime.test(withoutComments(text))) problems.push(`${path}: SQL must take times as parameters`);
      continue;
    }
    if (isTest(path)) continue;
    checkGuards(path, text);
    for (const { specifier, typeOnly } of imports(text)) checkImport(path, specifier, typeOnly);
  }
}

function* sources(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && /\.(?:tsx?|sql)$/.test(entry.name)) yield join(entry.parentPath ?? entry.path, entry.name);
  }
}

function isTest(path) {
  return /\.test\.ts$|(?:^|\/|-)testing(?:\.ts$|\/)/.test(path);
}

function roomOf(path) {
  return path.includes('/') ? path.split('/')[0] : 'root';
}

function* imports(text) {
  for (const match of text.matchAll(/(?:import|export)\s+(type\s)?([^;'"]*?)from\s+'([^']+)'|import\(\s*'([^']+)'/g)) {
    const [, type, names = '', specifier = match[4]] = match;
    const list = /^\{(.*)\}\s*$/s
      .exec(names)?.[1]
      .split(',')
      .filter((name) => name.trim() !== '');
    const allTypes = list !== undefined && list.length > 0 && list.every((name) => /^\s*type\s/.test(name));
    yield { specifier, typeOnly: type !== undefined || allTypes, isLater: match[4] !== undefined };
  }
}

function checkImport(path, specifier, typeOnly) {
  if (!specifier.startsWith('.')) return;
  const target = join(dirname(path), specifier).replace(/\.js$/, '.ts');
  if (target.startsWith('..')) {
    problems.push(`${path}: imports ${specifier}, which is outside of the workspace`);
    return;
  }
  const door = closedDoor(path, target);
  if (door !== undefined) problems.push(`${path}: ${door}/ is entered by its index.ts, not by ${target}`);
  const [room, to] = [roomOf(path), roomOf(target)];
  if (room === 'areas' && to === 'areas') {
    if (path.split('/')[1] !== target.split('/')[1] && target !== AREA_TYPE)
      problems.push(`${path}: areas do not import areas (${specifier})`);
    return;
  }
  if (to === room) return;
  if (!arrows.has(room)) arrows.set(room, new Set());
  arrows.get(room).add(to);
  const mayImport = allowed[room];
  if (mayImport === undefined) problems.push(`${path}: ${room}/ is not a known room; add it to scripts/boundaries.mjs`);
  else if (open.has(to) || (to === 'config' && typeOnly)) return;
  else if (!mayImport.includes('*') && !mayImport.includes(to))
    problems.push(`${path}: ${room}/ must not import ${to}/ (${specifier})`);
}

/** A folder with an index.ts is a room with a door: from outside, nothing else of it is imported. */
function closedDoor(path, target) {
  const folders = target.split('/').slice(0, -1);
  for (let depth = 1; depth <= folders.length; depth++) {
    const folder = folders.slice(0, depth).join('/');
    if (path.startsWith(`${folder}/`) || !existsSync(join(server, folder, 'index.ts'))) continue;
    return target === `${folder}/index.ts` ? undefined : folder;
  }
  return undefined;
}

function checkGuards(path, text) {
  const code = withoutComments(text);
  const room = roomOf(path);
  for (const { what, rooms, files, why } of guards) {
    if (what.test(code) && !rooms?.includes(room) && !files?.includes(path)) problems.push(`${path}: ${why}`);
  }
  if (room === 'store' && /`[^`]*\bnow\(\)[^`]*`/.test(code))
    problems.push(`${path}: SQL must take times as parameters`);
}

function withoutComments(text) {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(?:^|\s)(?:\/\/|--).*$/gm, '');
}

/** wire stands alone, the others on it; what runs in browsers imports nothing of Node. */
function checkWorkspaces() {
  const formats = ['@slipway/wire/formats', '@slipway/programs/formats'];
  const may = {
    wire: [],
    localnet: ['@slipway/wire', '@slipway/programs'],
    programs: ['@slipway/wire', '@slipway/wire/formats'],
    checks: formats,
    client: [...formats, '@slipway/checks'],
    react: ['@slipway/client'],
    'sandbox-wallet': [...formats, '@slipway/checks'],
    console: [...formats, '@slipway/checks', '@slipway/client'],
    testing: ['@slipway/client', '@slipway/wire'],
    'create-slipway-app': [],
  };
  const inBrowsers = new Set(['checks', 'client', 'react', 'sandbox-wallet', 'console']);
  for (const [workspace, others] of Object.entries(may)) {
    for (const file of sources(join(root, workspace, 'src'))) {
      const name = relative(root, file);
      const text = readFileSync(file, 'utf8');
      const neutral = inBrowsers.has(workspace) && !isTest(name);
      for (const { specifier } of imports(text)) {
        if (specifier.startsWith('@slipway/') && !others.includes(specifier) && (neutral || !inBrowsers.has(workspace)))
          problems.push(`${name}: ${workspace} must not import ${specifier}`);
        if (neutral && specifier.startsWith('node:')) problems.push(`${name}: ${specifier} is not there in a browser`);
      }
      if (neutral && /\b(?:Buffer|process)\./.test(withoutComments(text)))
        problems.push(`${name}: Buffer and process are not there in a browser`);
    }
  }
}

/** Types count, too: which of two files is read first must be clear. What is loaded only when it is used does not. */
function checkCircles() {
  const files = new Set(workspaceSources());
  const imported = new Map();
  for (const file of files) {
    const targets = [...imports(readFileSync(file, 'utf8'))]
      .filter(({ specifier, isLater }) => specifier.startsWith('.') && !isLater)
      .flatMap(({ specifier }) => ['.ts', '.tsx'].map((end) => join(dirname(file), specifier.replace(/\.js$/, end))));
    imported.set(
      file,
      targets.filter((target) => files.has(target)),
    );
  }
  for (const circle of circlesOf(imported))
    problems.push(`imports in a circle: ${circle.map((file) => relative(root, file)).join(' -> ')}`);
}

function* workspaceSources() {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const workspace of workspaces) yield* sources(join(root, workspace, 'src'));
}

/** `...{ a, b }` says no more than `a, b`, and every reader stumbles over it once. */
function checkSpreads() {
  for (const file of workspaceSources()) {
    const at = readFileSync(file, 'utf8')
      .split('\n')
      .findIndex((line) => /^\s*\.\.\.\{ /.test(line));
    if (at >= 0) problems.push(`${relative(root, file)}:${at + 1}: write the properties without \`...{ }\``);
  }
}

/** The tree in docs/architecture.md names every folder of the service, and no other. */
function checkTree() {
  const tree = /```\nwire\/[\s\S]*?```/.exec(readFileSync(page, 'utf8'))?.[0] ?? '';
  const named = new Set([...tree.matchAll(/^ {4}([a-z0-9-]+)\//gm)].map(([, name]) => name));
  const folders = readdirSync(server, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of folders) {
    if (!named.delete(name)) problems.push(`docs/architecture.md: its tree does not name server/src/${name}/`);
  }
  for (const name of named)
    problems.push(`docs/architecture.md: its tree names server/src/${name}/, which is not there`);
}

/** Every link and every source file that a page names exists. A path with <name> in it is for the reader to fill in. */
function checkPaths() {
  const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', join('programs', 'README.md')];
  for (const entry of readdirSync(join(root, 'docs'), { recursive: true, withFileTypes: true })) {
    if (entry.name.endsWith('.md')) pages.push(relative(root, join(entry.parentPath ?? entry.path, entry.name)));
  }
  for (const name of pages) {
    const text = readFileSync(join(root, name), 'utf8');
    const here = join(root, dirname(name));
    for (const [, link] of text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)) {
      if (!existsSync(join(here, link))) problems.push(`${name}: links to ${link}, which is not there`);
    }
    for (const [file] of text.matchAll(/(?<![\w.>/-])(?:[\w.-]+\/)+[\w.-]+\.(?:ts|mjs|sql|c|h)\b/g)) {
      if (![root, server, here].some((folder) => existsSync(join(folder, file))))
        problems.push(`${name}: names ${file}, which is not there`);
    }
  }
}

function map() {
  const order = Object.keys(allowed).reverse();
  const width = Math.max(...order.map((room) => room.length));
  const rows = order
    .filter((room) => arrows.has(room))
    .map((room) => `${room.padEnd(width)} -> ${[...arrows.get(room)].sort().join(', ')}`);
  return `<!-- map: written by "node scripts/boundaries.mjs --map" -->\n\`\`\`\n${rows.join('\n')}\n\`\`\`\n<!-- /map -->`;
}

function writeMap() {
  writeFileSync(page, readFileSync(page, 'utf8').replace(/<!-- map[\s\S]*<!-- \/map -->/, map()));
}

function checkMap() {
  if (!readFileSync(page, 'utf8').includes(map())) {
    problems.push('docs/architecture.md: its map is out of date; run "node scripts/boundaries.mjs --map"');
  }
}
