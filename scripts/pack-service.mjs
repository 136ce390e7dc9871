// What the package `slipway` has inside: the bundled service, its command line and its pages, so that it needs neither a
// compiler nor a clone. Used by scripts/pack.mjs.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { root } from './prepare.mjs';

/** What the service reads while it runs, where it expects it beside the bundle. */
const FILES = [
  'server/bin',
  'server/dist/browser',
  'console/dist/page',
  'server/src/store/migrations',
  'server/src/app/recorded-calls.json',
];
/** What an operator reads, and copies. */
const PAGES = ['deploy', 'docs'];
/** What is for who has a clone. */
const NOT_PACKED = /^docs\/(?:contributing|decisions|images)(?:\/|$)|\.test\./;
/** Of the files beside compose.yaml: the others are an operator's own, and most of them secrets. */
const FILES_OF_DEPLOY = /^deploy\/(?:Dockerfile|compose(?:\.sandbox)?\.yaml|[^/]+\.example)$/;
/** What the bundle loads from packages. The native part of the chain is the one that fits the platform. */
const LOADED = ['@electric-sql/pglite', '@fastify/swagger', '@fastify/swagger-ui'];
const WHERE_CONFIGURED = ['@aws-sdk/client-s3', '@aws-sdk/s3-request-presigner'];

export const manifestOf = (folder, from = root) => JSON.parse(readFileSync(join(from, folder, 'package.json'), 'utf8'));

/** Fills a folder that can be packed with what has been built. The manifests, whose versions count, are those in `from`. */
export function fillServicePackage(target, from) {
  rmSync(target, { recursive: true, force: true });
  for (const path of FILES) cpSync(join(root, path), join(target, path), { recursive: true });
  copyPages(root, target);
  const bundled = 'server/dist/bundle';
  cpSync(join(root, bundled), join(target, bundled), { recursive: true, filter: (path) => !path.endsWith('.map') });
  for (const name of readdirSync(join(root, 'programs'))) {
    const program = join('programs', name, `${name}.so`);
    if (existsSync(join(root, program))) cpSync(join(root, program), join(target, program));
  }
  const { version, description, license } = manifestOf('.', from);
  const { dependencies } = manifestOf('server');
  const versionsOf = (names) => Object.fromEntries(names.map((name) => [name, dependencies[name]]));
  writeManifest(join(target, 'server'), { name: '@slipway/server', version, type: 'module' });
  writeManifest(target, {
    name: 'slipway',
    version,
    description,
    license,
    ...shared(),
    type: 'module',
    bin: { slipway: 'server/bin/slipway.mjs' },
    dependencies: versionsOf(LOADED),
    optionalDependencies: {
      ...manifestOf('node_modules/litesvm').optionalDependencies,
      ...versionsOf(WHERE_CONFIGURED),
    },
    files: ['server', 'console', 'programs', ...PAGES, 'LICENSES-OF-OTHERS', 'CHANGELOG.md'],
  });
  for (const name of ['LICENSE', 'README.md']) cpSync(join(root, name), join(target, name));
  copyChangelog(join(from, 'server'), target);
  writeFileSync(
    join(target, 'LICENSES-OF-OTHERS'),
    licensesOf(JSON.parse(readFileSync(join(root, bundled, 'packages.json'), 'utf8'))),
  );
}

/** Copies what operators read and copy, and nothing that one of them has put beside it. */
export function copyPages(from, target) {
  const isPacked = (path) => {
    const name = relative(from, path).replaceAll(sep, '/');
    const isOurs = !/^deploy\/[^/]+$/.test(name) || statSync(path).isDirectory() || FILES_OF_DEPLOY.test(name);
    return isOurs && !NOT_PACKED.test(name);
  };
  for (const path of PAGES) cpSync(join(from, path), join(target, path), { recursive: true, filter: isPacked });
}

/** What every package that we publish says. */
export function shared() {
  const { engines, repository } = manifestOf('.');
  return { engines, repository, publishConfig: { access: 'public', provenance: true } };
}

/** Before the first release there is none. */
export function copyChangelog(from, target) {
  const path = join(from, 'CHANGELOG.md');
  if (existsSync(path)) cpSync(path, join(target, 'CHANGELOG.md'));
}

export function writeManifest(folder, manifest) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** The folders of the packages whose code esbuild has joined. */
export function packagesOf({ inputs }) {
  const folders = Object.keys(inputs).flatMap((path) => /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []);
  return [...new Set(folders)].sort();
}

/** The licences of the packages in these folders. */
export function licensesOf(folders) {
  return folders
    .map((folder) => {
      const { name, version, license } = manifestOf(folder);
      const file = readdirSync(join(root, folder)).find((each) => /^licen[cs]e/i.test(each));
      const text = file ? readFileSync(join(root, folder, file), 'utf8').trim() : `Licence: ${license}`;
      return `${name} ${version}\n\n${text}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}
