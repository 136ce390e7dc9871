// Makes the npm packages that we publish. What they need of other workspaces that are not published is inside.
// Usage: npm run pack [-- <folder>], which gets the tarballs; by default the root of the repository
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import {
  copyChangelog,
  fillServicePackage,
  licensesOf,
  manifestOf,
  packagesOf,
  shared,
  writeManifest,
} from './pack-service.mjs';
import { root } from './prepare.mjs';

/** What the published workspaces consist of: modules as they were compiled, or joined ones, for pages or for Node. */
const KINDS = {
  wire: 'modules',
  programs: 'modules',
  localnet: 'node',
  client: 'browser',
  react: 'browser',
  testing: 'modules',
  'create-slipway-app': 'modules',
};
/** The workspaces that are published, each after those that it needs. */
export const PUBLISHED = Object.keys(KINDS);

/** Packs a workspace, which has been built, into the folder; the tarball's path. Versions are those of the manifests in `from`. */
export async function pack(workspace, folder, from = root) {
  const [tarball] = tarballsOf([await filled(workspace, from)], folder);
  return tarball;
}

/** Packs the service, its command line and its pages, which must have been built, into the folder; the tarball's path. */
export function packService(folder, from = root) {
  const [tarball] = tarballsOf([filledService(from)], folder);
  return tarball;
}

/** Packs all of them; the paths of the tarballs, each after those that it needs. */
export async function packAll(folder, from = root) {
  const targets = [filledService(from)];
  for (const workspace of PUBLISHED) targets.push(await filled(workspace, from));
  return tarballsOf(targets, folder);
}

/** A folder with what the package of a workspace consists of. */
async function filled(workspace, from) {
  const kind = KINDS[workspace];
  const source = join(root, workspace);
  const target = newFolder();
  const manifest = publishedManifest(workspace, kind, from);
  const needed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  const parts = { dist: join(source, 'dist'), target: join(target, 'dist'), needed, copied: new Set() };
  const entries = pathsIn([manifest.exports, manifest.imports, manifest.bin]).map((path) =>
    path.slice('./dist/'.length),
  );
  for (const path of entries) if (kind === 'modules' || path.endsWith('.d.ts')) copyModule(parts, path);
  if (kind !== 'modules') {
    const inside = await joinModules(parts, entries, kind);
    if (inside.length > 0) writeFileSync(join(target, 'LICENSES-OF-OTHERS'), licensesOf(inside));
  }
  for (const path of manifestOf(workspace).files ?? [])
    cpSync(join(source, path), join(target, path), { recursive: true });
  cpSync(join(source, 'README.md'), join(target, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
  copyChangelog(join(from, workspace), target);
  writeManifest(target, { ...manifest, files: readdirSync(target).sort() });
  return target;
}

function filledService(from) {
  const target = newFolder();
  fillServicePackage(target, from);
  return target;
}

/** Of its own, so that several can pack at the same time. */
const newFolder = () => mkdtempSync(join(tmpdir(), 'slipway-pack-'));

/** By npm, which takes longer to start than to pack one of them. */
function tarballsOf(targets, folder) {
  const packed = spawnSync('npm', ['pack', ...targets, '--pack-destination', folder, '--json'], { encoding: 'utf8' });
  for (const target of targets) rmSync(target, { recursive: true });
  if (packed.status !== 0) throw new Error(packed.stderr);
  return JSON.parse(packed.stdout).map(({ filename }) => join(folder, filename));
}

function publishedManifest(workspace, kind, from) {
  const manifest = manifestOf(workspace, from);
  const { name, version, description, license, type, bin, sideEffects, imports, peerDependencies } = manifest;
  // For tests of this repository only.
  const { './testing': _, ...exports } = manifest.exports ?? {};
  // Of the virtual machine, only the native part is a file of its own.
  const { litesvm, ...dependencies } = manifest.dependencies ?? {};
  return {
    name,
    version,
    description,
    license,
    ...shared(),
    type,
    ...(bin && { bin }),
    sideEffects,
    ...(Object.keys(exports).length > 0 && { exports }),
    imports,
    ...(kind !== 'browser' && {
      dependencies: { ...dependencies, ...(workspace === 'testing' && { slipway: version }) },
    }),
    ...(litesvm && { optionalDependencies: manifestOf('node_modules/litesvm').optionalDependencies }),
    peerDependencies,
  };
}

/** All paths that a manifest names, whatever the conditions. */
function pathsIn(value) {
  return typeof value === 'string' ? [value] : Object.values(value ?? {}).flatMap(pathsIn);
}

/** Copies a module or a file of types, and those that it needs. Of other packages it may need those that the user has. */
function copyModule(parts, path) {
  const { dist, target, needed, copied } = parts;
  if (copied.has(path)) return;
  copied.add(path);
  const text = readFileSync(join(dist, path), 'utf8').replace(/\n\/\/# sourceMappingURL.*/, '');
  const types = path.endsWith('.d.ts');
  for (const [, from] of text.matchAll(/(?:\bfrom |\bimport\(|\bnew URL\()['"]([^'"]+)['"]/g)) {
    if (/^\.\.?\/.*\.js$/.test(from))
      copyModule(parts, join(dirname(path), types ? from.replace(/\.js$/, '.d.ts') : from));
    else if (
      !isBuiltin(from) &&
      !/^[.#]/.test(from) &&
      !needed.some((name) => from === name || from.startsWith(`${name}/`))
    )
      throw new Error(`${path} needs ${from}`);
  }
  mkdirSync(dirname(join(target, path)), { recursive: true });
  writeFileSync(join(target, path), text);
}

/** Joins the modules of a package; the folders of the packages of others whose code is inside. */
async function joinModules({ dist, target, needed }, entries, platform) {
  const worker = platform === 'node' ? ['worker.js'] : [];
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...entries.filter((path) => path.endsWith('.js')), ...worker].map((path) => join(dist, path)),
    outdir: target,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform,
    target: platform === 'node' ? 'node20.19' : 'es2022',
    external: [...needed, 'litesvm-*', '*.node'],
    // The loader of the native part is a module of the older kind.
    ...(platform === 'node' && {
      banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
    }),
    metafile: true,
  });
  return packagesOf(metafile);
}

if (process.argv[1] === import.meta.filename) {
  const { prepare } = await import('./prepare.mjs');
  prepare();
  const folder = resolve(process.argv[2] ?? root);
  mkdirSync(folder, { recursive: true });
  for (const tarball of await packAll(folder)) console.log(tarball);
}
