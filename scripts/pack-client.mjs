// Makes the npm package of the client: what it needs of the other workspaces is inside, so it depends on nothing.
// Usage: npm run pack:client [-- <folder>], which gets the tarball; by default the root of the repository
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { root } from './prepare.mjs';

const source = join(root, 'client');
const target = join(source, 'dist', 'package');

/** Packs the client, which has been built, into the folder; the tarball's path. */
export async function packClient(folder) {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  await build({
    entryPoints: [join(source, 'dist', 'index.js')],
    outdir: target,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
  });
  copyTypes('index.d.ts', new Set());
  copyFileSync(join(source, 'README.md'), join(target, 'README.md'));
  copyFileSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
  const noble = createRequire(join(root, 'wire', 'package.json')).resolve('@noble/hashes/sha2.js');
  copyFileSync(join(dirname(noble), 'LICENSE'), join(target, 'LICENSE-noble-hashes'));
  const { name, version, description, license, type, sideEffects } = JSON.parse(
    readFileSync(join(source, 'package.json'), 'utf8'),
  );
  const exports = { '.': { types: './index.d.ts', default: './index.js' } };
  const manifest = { name, version, description, license, type, sideEffects, exports, engines: { node: '>=20' } };
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const packed = spawnSync('npm', ['pack', target, '--pack-destination', folder, '--json'], { encoding: 'utf8' });
  if (packed.status !== 0) throw new Error(packed.stderr);
  return join(folder, JSON.parse(packed.stdout)[0].filename);
}

/** Copies a file of types and those that it needs. None may need another package. */
function copyTypes(name, copied) {
  if (copied.has(name)) return;
  copied.add(name);
  const text = readFileSync(join(source, 'dist', name), 'utf8').replace(/\n\/\/# sourceMappingURL.*/, '');
  for (const [, from] of text.matchAll(/(?:from |import\()'([^']+)'/g)) {
    if (!from.startsWith('./')) throw new Error(`the types in ${name} need ${from}`);
    copyTypes(from.slice(2).replace(/\.js$/, '.d.ts'), copied);
  }
  writeFileSync(join(target, name), text);
}

if (process.argv[1] === import.meta.filename) {
  const { prepare } = await import('./prepare.mjs');
  prepare();
  console.log(await packClient(resolve(process.argv[2] ?? root)));
}
