// Makes the npm packages that we publish. What they need of other workspaces that are not published is inside.
// Usage: npm run pack [-- <folder>], which gets the tarballs; by default the root of the repository
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { fillServicePackage } from './pack-service.mjs';
import { root } from './prepare.mjs';

/** The workspaces that are published. */
export const PUBLISHED = ['client', 'react'];
/** Whose code is inside of a package, and so must its licence be. */
const INLINED = { client: { 'noble-hashes': ['wire', '@noble/hashes/sha2.js'] } };

/** Packs a workspace, which has been built, into the folder; the tarball's path. */
export async function pack(workspace, folder) {
  const source = join(root, workspace);
  const target = join(source, 'dist', 'package');
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const { name, version, description, license, type, sideEffects, peerDependencies } = manifest;
  const needed = Object.keys(peerDependencies ?? {});
  await build({
    entryPoints: [join(source, 'dist', 'index.js')],
    outdir: target,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    external: needed,
  });
  copyTypes({ source, target, needed }, 'index.d.ts', new Set());
  copyFileSync(join(source, 'README.md'), join(target, 'README.md'));
  copyFileSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
  for (const [title, [from, module]] of Object.entries(INLINED[workspace] ?? {})) {
    const folderOf = dirname(createRequire(join(root, from, 'package.json')).resolve(module));
    copyFileSync(join(folderOf, 'LICENSE'), join(target, `LICENSE-${title}`));
  }
  const published = {
    name,
    version,
    description,
    license,
    type,
    sideEffects,
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
    engines: { node: '>=20' },
    peerDependencies,
  };
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  return tarballOf(target, folder);
}

/** Packs the service, its command line and its pages, which must have been built, into the folder; the tarball's path. */
export function packService(folder) {
  const target = join(root, 'server', 'dist', 'package');
  fillServicePackage(target);
  return tarballOf(target, folder);
}

function tarballOf(target, folder) {
  const packed = spawnSync('npm', ['pack', target, '--pack-destination', folder, '--json'], { encoding: 'utf8' });
  if (packed.status !== 0) throw new Error(packed.stderr);
  return join(folder, JSON.parse(packed.stdout)[0].filename);
}

/** Copies a file of types and those that it needs. Of other packages it may need those that the user has. */
function copyTypes(package_, name, copied) {
  if (copied.has(name)) return;
  copied.add(name);
  const { source, target, needed } = package_;
  const text = readFileSync(join(source, 'dist', name), 'utf8').replace(/\n\/\/# sourceMappingURL.*/, '');
  for (const [, from] of text.matchAll(/(?:from |import\()['"]([^'"]+)['"]/g)) {
    if (needed.includes(from)) continue;
    if (!from.startsWith('./')) throw new Error(`the types in ${name} need ${from}`);
    copyTypes(package_, from.slice(2).replace(/\.js$/, '.d.ts'), copied);
  }
  writeFileSync(join(target, name), text);
}

if (process.argv[1] === import.meta.filename) {
  const { prepare } = await import('./prepare.mjs');
  prepare();
  const folder = resolve(process.argv[2] ?? root);
  mkdirSync(folder, { recursive: true });
  for (const workspace of PUBLISHED) console.log(await pack(workspace, folder));
  console.log(packService(folder));
}
