// Builds the console's page: files with hashed names, each also compressed, for the service to give out as they are.
// Usage: node scripts/console.mjs
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import tailwind from '@tailwindcss/vite';
import { build } from 'vite';
import { root } from './prepare.mjs';

const out = join(root, 'console', 'dist', 'page');
/** The highest takes seconds for 2 % less. */
const BROTLI_QUALITY = 9;

export async function buildConsole() {
  await build({
    configFile: false,
    root: join(root, 'console', 'src'),
    plugins: [tailwind()],
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic' } },
    build: {
      outDir: out,
      emptyOutDir: true,
      target: 'es2023',
      // What the page may load is bounded by its content security policy, which knows no data: for scripts and styles.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        checks: { pluginTimings: false },
        // Libraries mark what also runs on servers; nothing here does.
        onwarn: (warning, tell) => warning.code === 'MODULE_LEVEL_DIRECTIVE' || tell(warning),
      },
    },
  });
  await Promise.all(
    ['.', 'assets'].flatMap((folder) =>
      readdirSync(join(out, folder)).map((name) => compress(join(out, folder, name))),
    ),
  );
}

async function compress(path) {
  if (!/\.(?:html|js|css|svg)$/.test(path)) return;
  const content = readFileSync(path);
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } };
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(content, options),
    promisify(gzip)(content, { level: 9 }),
  ]);
  writeFileSync(`${path}.br`, br);
  writeFileSync(`${path}.gz`, gz);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await buildConsole();
