// Everything that tests this repository, as one command: format and lint, boundaries, types, then all tests.
// Usage: npm test [-- <part of a test file's path> ...]. Uses nothing but Node itself until the rest is installed.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { prepare, root } from './prepare.mjs';

const filters = process.argv.slice(2);
prepare();
if (filters.length === 0) {
  step('format and lint', join('node_modules', '@biomejs', 'biome', 'bin', 'biome'), ['check', '.']);
  step('boundaries', join('scripts', 'boundaries.mjs'), []);
}
const files = testFiles().filter((file) => filters.length === 0 || filters.some((part) => file.includes(part)));
if (files.length === 0) {
  console.error(`no test file has ${filters.join(' or ')} in its path`);
  process.exit(1);
}
// Reporting by "spec" keeps node's closing lines, which say how many passed and failed.
const { status } = spawnSync(process.execPath, ['--test', '--test-concurrency=2', '--test-reporter=spec', ...files], {
  cwd: root,
  stdio: ['ignore', 'inherit', 'inherit'],
});
process.exit(status ?? 1);

function step(name, script, args) {
  console.log(`> ${name}`);
  const { status } = spawnSync(process.execPath, [join(root, script), ...args], { cwd: root, stdio: 'inherit' });
  if (status !== 0) {
    console.error(`${name} failed; "npm run format" mends what can be mended by itself`);
    process.exit(1);
  }
}

/** Compiled tests whose source is still there: tsc does not remove what it compiled before. */
function testFiles() {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return workspaces.flatMap((workspace) =>
    readdirSync(join(root, workspace, 'src'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
      .map((entry) => {
        const source = relative(join(root, workspace, 'src'), join(entry.parentPath ?? entry.path, entry.name));
        return join(workspace, 'dist', source.replace(/\.ts$/, '.js'));
      })
      .filter((file) => existsSync(join(root, file))),
  );
}
