// Joins the compiled service and most of what it imports into a few files, because Node takes longer to find and load
// 1,500 small ones than the service takes for all the rest of its start; and builds the console beside.
// Usage: node scripts/bundle.mjs
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { buildConsole } from './console.mjs';
import { packagesOf } from './pack-service.mjs';
import { checkSignerParts } from './signer-parts.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const out = join(root, 'server', 'dist', 'bundle');
/** What is started by itself: programs, and threads. */
export const ENTRIES = {
  start: 'server/dist/start.js',
  slipway: 'server/dist/cli/main.js',
  signer: 'server/dist/signer/main.js',
  'chain-worker': 'localnet/dist/worker.js',
  'database-worker': 'server/dist/store/postgres/pglite-worker.js',
  'mint-worker': 'server/dist/signer/mint-worker.js',
};
/** Has files of its own beside its code, or is loaded only where it is configured or installed. */
const EXTERNAL = [
  'litesvm-*',
  '*.node',
  '@electric-sql/pglite',
  '@aws-sdk/*',
  'pg-native',
  'bufferutil',
  'utf-8-validate',
];

const entryOf = new Map(Object.entries(ENTRIES).map(([name, path]) => [join(root, path), name]));

/** A module that finds files by its own place, or starts a thread, still finds them from where the bundle is. */
const places = {
  name: 'places',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]dist[\\/].*\.js$/ }, ({ path }) => {
      if (path.includes('node_modules')) return undefined;
      const own = `new URL(${JSON.stringify(relative(out, path).replaceAll(sep, '/'))}, import.meta.url)`;
      const contents = readFileSync(path, 'utf8').replace(
        /new URL\('(\.[^']*\.js)', import\.meta\.url\)|import\.meta\.url/g,
        (_, started) => {
          const entry = started && entryOf.get(resolve(dirname(path), started));
          if (started && !entry) throw new Error(`${path} starts ${started}, which is no entry of the bundle`);
          return entry ? `new URL('./${entry}.js', import.meta.url)` : `${own}.href`;
        },
      );
      return { contents, loader: 'js' };
    });
    // Installed beside the packed service, its files are elsewhere than in the repository.
    onLoad({ filter: /[\\/]node_modules[\\/]@fastify[\\/]swagger[^\\/]*[\\/].*\.js$/ }, ({ path }) => {
      const [, name, inside] = /.*[\\/]node_modules[\\/](@fastify[\\/][^\\/]*)[\\/](.*)/.exec(dirname(path) + sep);
      const main = `resolvePackage(${JSON.stringify(name.replaceAll(sep, '/'))})`;
      const own = `require('node:path').join(require('node:path').dirname(${main}), ${JSON.stringify(inside)})`;
      return { contents: readFileSync(path, 'utf8').replaceAll('__dirname', own), loader: 'js' };
    });
  },
};

/**
 * Names that packages of the older kind have and a module does not. And what Node has from version 21 on: without it, the
 * driver of PostgreSQL finds out where it runs by `Response`, and all of `fetch` is loaded for that.
 */
export const NAMES = `import { createRequire as requireFrom } from 'node:module';
const require = requireFrom(import.meta.url);
const resolvePackage = require.resolve;
globalThis.navigator ??= { userAgent: 'Node.js/' + process.versions.node.split('.')[0] };`;

/** What the service serves to browsers: joined, because a page loads it from another origin with one tag. */
async function bundleForBrowsers() {
  await build({
    absWorkingDir: root,
    entryPoints: { 'sandbox-wallet': 'sandbox-wallet/dist/index.js' },
    outdir: join(root, 'server', 'dist', 'browser'),
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    legalComments: 'inline',
    logLevel: 'warning',
  });
}

export async function bundle() {
  rmSync(out, { recursive: true, force: true });
  await bundleForBrowsers();
  // By itself, so that no part of the service comes along.
  const { signer, ...others } = ENTRIES;
  const [service, own] = await Promise.all([bundleEntries(others), bundleEntries({ signer })]);
  checkSignerParts(own.metafile);
  const inputs = { ...service.metafile.inputs, ...own.metafile.inputs };
  writeFileSync(join(out, 'packages.json'), JSON.stringify(packagesOf({ inputs })));
}

function bundleEntries(entryPoints) {
  return build({
    absWorkingDir: root,
    entryPoints,
    outdir: out,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: EXTERNAL,
    plugins: [places],
    banner: { js: NAMES },
    legalComments: 'linked',
    sourcemap: 'linked',
    metafile: true,
    logLevel: 'warning',
  });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  await Promise.all([bundle(), buildConsole()]);
