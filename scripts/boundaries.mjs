// Checks that imports go one way and that guarded things stay in their rooms; prints the map of the rooms.
// Usage: node scripts/boundaries.mjs [--map]. --map rewrites the map in docs/architecture.md.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './prepare.mjs';

/** Room -> rooms that it may import. `errors`, `lib` and the types of `config` are open to everybody. */
const below = ['chain', 'prices', 'signer', 'objects', 'store'];
const middle = ['orders', 'limit-orders', 'invites', 'launches', 'routing', 'crafting', 'landing', 'vault'];
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
  // Feeds write scores into the store, where the area reads them: nothing but app.ts needs to know the feeds.
  scores: ['store'],
  crafting: [],
  orders: [],
  'limit-orders': ['chain', 'store'],
  launches: ['objects', 'signer', 'store'],
  invites: ['chain', 'store'],
  routing: [...below, 'crafting'],
  landing: [...below, 'crafting'],
  vault: [...below, 'crafting', 'orders'],
  maker: [...below, 'crafting', 'routing'],
  areas: [...middle, ...below],
  keeper: [...middle, ...below],
  http: ['store'],
  cli: ['*'],
  root: ['*'],
};
const open = new Set(['lib', 'errors']);

/** What only some rooms of the service may say, and why. `tests` may always. */
const guards = [
  {
    what: /\b(?:keypairFromSeed|keypairFromSecret|generateKeypair|inviteKeypair|newInviteCode)\b|\bsign\b(?=[^;]*from '@slipway\/wire')/,
    rooms: ['signer'],
    why: 'only signer/ may hold key material',
  },
  { what: /\bDate\.now\(|\bnew Date\(\)/, files: ['lib/clock.ts'], why: 'time comes from the clock (lib/clock.ts)' },
  { what: /\bprocess\.env\b/, files: ['main.ts', 'cli/main.ts'], why: 'the environment is read in main.ts' },
];
const sqlTime = /\bnow\(\)|\bcurrent_timestamp\b|\bclock_timestamp\(\)/i;

const problems = [];
const arrows = new Map();
const server = join(root, 'server', 'src');

for (const file of sources(server)) {
  const path = relative(server, file);
  const text = readFileSync(file, 'utf8');
  const room = roomOf(path);
  if (file.endsWith('.sql')) {
    if (sqlTime.test(withoutComments(text))) problems.push(`${path}: SQL must take times as parameters`);
    continue;
  }
  const test = /\.test\.ts$|(?:^|\/)testing(?:\.ts$|\/)/.test(path);
  if (!test) checkGuards(path, room, text);
  if (test) continue;
  for (const { specifier, typeOnly } of imports(text)) checkImport(path, room, specifier, typeOnly);
}
checkWorkspaces();

if (process.argv.includes('--map')) writeMap();
else checkMap();
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`boundaries: ${arrows.size} rooms, no forbidden arrow`);

function* sources(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && /\.(?:ts|sql)$/.test(entry.name)) yield join(entry.parentPath ?? entry.path, entry.name);
  }
}

function roomOf(path) {
  return path.includes('/') ? path.split('/')[0] : 'root';
}

function* imports(text) {
  for (const match of text.matchAll(/(?:import|export)\s+(type\s)?[^;'"]*?from\s+'([^']+)'|import\(\s*'([^']+)'/g)) {
    yield { specifier: match[2] ?? match[3], typeOnly: match[1] !== undefined };
  }
}

function checkImport(path, room, specifier, typeOnly) {
  if (!specifier.startsWith('.')) return;
  const target = relative(server, join(server, path, '..', specifier));
  if (target.startsWith('..')) {
    problems.push(`${path}: imports ${specifier}, which is outside of the workspace`);
    return;
  }
  const to = roomOf(target);
  if (room === 'areas' && to === 'areas') {
    const [, from] = path.split('/');
    const [, area] = target.split('/');
    if (from !== area) problems.push(`${path}: areas do not import areas (${specifier})`);
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

function checkGuards(path, room, text) {
  const code = withoutComments(text);
  for (const { what, rooms, files, why } of guards) {
    if (what.test(code) && !rooms?.includes(room) && !files?.includes(path)) problems.push(`${path}: ${why}`);
  }
  if (room === 'store' && /`[^`]*\bnow\(\)[^`]*`/.test(code))
    problems.push(`${path}: SQL must take times as parameters`);
}

function withoutComments(text) {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(?:^|\s)(?:\/\/|--).*$/gm, '');
}

/** wire stands alone, programs on wire, localnet on both; nothing imports a workspace by a path. */
function checkWorkspaces() {
  const may = { wire: [], localnet: ['@slipway/wire', '@slipway/programs'], programs: ['@slipway/wire'] };
  for (const [workspace, others] of Object.entries(may)) {
    for (const file of sources(join(root, workspace, 'src'))) {
      for (const { specifier } of imports(readFileSync(file, 'utf8'))) {
        if (specifier.startsWith('@slipway/') && !others.includes(specifier)) {
          problems.push(`${relative(root, file)}: ${workspace} must not import ${specifier}`);
        }
      }
    }
  }
}

function map() {
  const order = Object.keys(allowed).reverse();
  const rows = order
    .filter((room) => arrows.has(room))
    .map((room) => `${room.padEnd(9)} -> ${[...arrows.get(room)].sort().join(', ')}`);
  return `<!-- map: written by "node scripts/boundaries.mjs --map" -->\n\`\`\`\n${rows.join('\n')}\n\`\`\`\n<!-- /map -->`;
}

function writeMap() {
  const file = join(root, 'docs', 'architecture.md');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/<!-- map[\s\S]*<!-- \/map -->/, map()));
}

function checkMap() {
  const file = join(root, 'docs', 'architecture.md');
  if (!existsSync(file) || !readFileSync(file, 'utf8').includes(map())) {
    problems.push('docs/architecture.md: its map is out of date; run "node scripts/boundaries.mjs --map"');
  }
}
