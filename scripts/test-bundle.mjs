// Joins the compiled tests beside the parts of the service, and most of what they import, into fewer files for a long
// run: Node takes up to half a second of processor time to find and load the thousand small ones of such a test.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { ENTRIES, NAMES } from './bundle.mjs';
import { root } from './prepare.mjs';

/** Of this run: another one may go on beside. */
const out = join(root, 'dist', 'tests', String(process.pid));
const programs = Object.values(ENTRIES).map((path) => join(root, path));
const bundled = (path) => join(out, relative(root, path));
const urlOf = (path) => JSON.stringify(pathToFileURL(path).href);

/** Programs and threads that a test starts are joined, too. What finds files by its own place finds them from where it was. */
const places = {
  name: 'places',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]dist[\\/].*\.js$/ }, ({ path }) => {
      if (path.includes('node_modules')) return undefined;
      const contents = readFileSync(path, 'utf8')
        .replace(/new URL\('(\.[^']*\.js)', import\.meta\.url\)/g, (all, started) => {
          const program = resolve(dirname(path), started);
          return programs.includes(program) ? `new URL(${urlOf(bundled(program))})` : all;
        })
        .replace(/\bimport\.meta\.url\b/g, urlOf(path))
        .replace(/\bimport\.meta\.dirname\b/g, JSON.stringify(dirname(path)));
      return { contents, loader: 'js' };
    });
  },
};

/**
 * Our own packages, those that the bundle of the service joins, and those that only one of our packages has; but not
 * what finds files by its own place.
 */
const packages = {
  name: 'packages',
  setup({ onResolve }) {
    const folders = JSON.parse(readFileSync(join(root, 'server', 'dist', 'bundle', 'packages.json'), 'utf8'));
    const names = new Set(folders.map((folder) => folder.replace(/.*node_modules\//, '')));
    for (const name of ['@fastify/swagger', '@fastify/swagger-ui']) names.delete(name);
    onResolve({ filter: /^[^./#]/ }, ({ path, kind }) => {
      const [name] = /^(?:@[^/]+\/)?[^/]+/.exec(path);
      const isJoined = kind === 'entry-point' || name.startsWith('@slipway/') || names.has(name);
      const isEverywhere = isBuiltin(name) || existsSync(join(root, 'node_modules', name));
      return isJoined || !isEverywhere ? undefined : { external: true };
    });
  },
};

/** Joins these compiled tests; answers the path of each bundle, in their order. A run that fails leaves what its traces name. */
export async function bundleTests(tests) {
  process.once('exit', (code) => {
    if (code === 0) rmSync(out, { recursive: true, force: true });
  });
  await build({
    absWorkingDir: root,
    entryPoints: [...programs, ...tests],
    outbase: root,
    outdir: out,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    plugins: [places, packages],
    banner: { js: NAMES },
    legalComments: 'none',
    logLevel: 'warning',
  });
  return tests.map(bundled);
}
