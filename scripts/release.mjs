// Makes what a release would publish, and shows it: versions and changelogs by the changesets in .changeset, tarballs, a
// software bill of materials, checksums. docs/releasing.md tells how it is published.
// Usage: npm run release -- --dry-run [folder]   by default in dist/release; leaves everything else as it is
//        npm run release -- --version            writes the versions and changelogs into the workspaces
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { packAll } from './pack.mjs';
import { prepare, root } from './prepare.mjs';

const CHANGESETS = join('node_modules', '@changesets', 'cli', 'bin.js');
/** What an earlier run has left, also one that was ended. */
const MADE = /^(?:.*\.tgz|slipway-.*\.cdx\.json|SHA256SUMS)$/;
const NO_REPOSITORY = `
It cannot be yet: package.json names no repository, and npm makes provenance only for the one that is named. Where the
repository has its public home, say so once, and commit it:
  npm pkg set repository.type=git repository.url=git+https://<host>/<owner>/<name>.git`;
const [mode, folder = join(root, 'dist', 'release')] = process.argv.slice(2);

if (mode === '--version') bump(root);
else if (mode === '--dry-run') await dryRun(resolve(folder));
else {
  console.error('usage: npm run release -- --dry-run [folder] | --version');
  process.exitCode = 2;
}

async function dryRun(target) {
  // Whoever names another folder by mistake keeps what is in it.
  const other = existsSync(target) && readdirSync(target).find((name) => !MADE.test(name));
  if (other) throw new Error(`${target} has ${other} in it: name a new folder, or that of an earlier run`);
  prepare();
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const copy = copyManifests();
  try {
    const version = bump(copy);
    console.log(`version ${version}\n`);
    const tarballs = await packAll(target, copy);
    for (const tarball of tarballs)
      console.log(`${basename(tarball)}\n${contentsOf(tarball)}\n${changesOf(tarball, version)}`);
    const bill = join(target, `slipway-${version}.cdx.json`);
    writeFileSync(bill, billOfMaterials(version));
    const sums = [...tarballs, bill].map((path) => `${sha256(path)}  ${basename(path)}\n`).join('');
    writeFileSync(join(target, 'SHA256SUMS'), sums);
    console.log(`SHA256SUMS\n${sums}\nNothing was published. It would be, from ${target}`);
    if (!JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).repository) console.log(NO_REPOSITORY);
  } finally {
    rmSync(copy, { recursive: true });
  }
}

/** A folder with what changesets read and write: the manifests, the changelogs, and the changesets themselves. */
function copyManifests() {
  const copy = mkdtempSync(join(tmpdir(), 'slipway-release-'));
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const path of ['.changeset', 'package.json', 'package-lock.json'])
    cpSync(join(root, path), join(copy, path), { recursive: true });
  for (const workspace of workspaces) {
    mkdirSync(join(copy, workspace), { recursive: true });
    for (const name of ['package.json', 'CHANGELOG.md'])
      if (existsSync(join(root, workspace, name))) cpSync(join(root, workspace, name), join(copy, workspace, name));
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'dir');
  return copy;
}

/** Applies the changesets to the manifests and changelogs in a folder; the new version, which all packages share. */
function bump(where) {
  run(process.execPath, [join(root, CHANGESETS), 'version'], where);
  const manifest = join(where, 'package.json');
  const { version } = JSON.parse(readFileSync(join(where, 'server', 'package.json'), 'utf8'));
  const text = readFileSync(manifest, 'utf8');
  writeFileSync(manifest, text.replace(/("version": )"[^"]*"/, `$1"${version}"`));
  return version;
}

function contentsOf(tarball) {
  const files = run('tar', ['-tzf', tarball], root).trim().split('\n').sort();
  return files.map((file) => `  ${file.replace(/^package\//, '')}\n`).join('');
}

/** What its changelog says of this version. */
function changesOf(tarball, version) {
  const changelog = run('tar', ['-xOzf', tarball, 'package/CHANGELOG.md'], root);
  const [, text = ''] = changelog.split(`\n## ${version}\n`);
  const lines = text.split(/\n## /)[0].trim().split('\n');
  return `  Its changelog, of ${version}:\n${lines.map((line) => `    ${line}`.trimEnd()).join('\n')}\n`;
}

/** What the service needs to run, the code of others that is inside included, as a CycloneDX document. */
function billOfMaterials(version) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const paths = ['server'];
  for (const path of paths) {
    const { dependencies, optionalDependencies } = packages[path];
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const place = placeOf(packages, path, name);
      const target = packages[place]?.link ? packages[place].resolved : place;
      if (target !== undefined && !paths.includes(target)) paths.push(target);
    }
  }
  const components = paths.slice(1).map((path) => componentOf(path, packages[path]));
  const component = { type: 'application', name: 'slipway', version, purl: `pkg:npm/slipway@${version}` };
  const bill = { bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, metadata: { component }, components };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

function componentOf(path, { name = path.split('node_modules/').at(-1), version, license, integrity }) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const [algorithm, digest] = integrity?.split('-') ?? [];
  const content = digest && Buffer.from(digest, 'base64').toString('hex');
  return {
    type: 'library',
    'bom-ref': `${path}@${version}`,
    name,
    version,
    purl,
    licenses: [{ expression: license }],
    ...(algorithm === 'sha512' && { hashes: [{ alg: 'SHA-512', content }] }),
  };
}

/** Where Node finds a package: in the nearest folder. */
function placeOf(packages, from, name) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const place = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
    if (packages[place] || at === '') return packages[place] && place;
  }
}

function sha256(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

function run(command, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 1e8 });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? `${stdout}${stderr}`}`);
  return stdout;
}
