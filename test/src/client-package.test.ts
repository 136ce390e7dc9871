import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { apiTypes } from './api-types.js';
import { launchBrowser, servePage, withoutBrowser } from './browser.js';
import { type Service, startService } from './service.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MOST_BYTES = 15_000;

let service: Service;
/** An empty project with the packed client in it, and kit beside it. */
let project: string;
before(async () => {
  project = mkdtempSync(join(tmpdir(), 'slipway-client-'));
  const { pack } = await import(pathToFileURL(join(ROOT, 'scripts', 'pack.mjs')).href);
  const tarball: string = await pack('client', project);
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  const options = ['--offline', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', ['install', ...options, tarball], { cwd: project, stdio: 'pipe' });
  mkdirSync(join(project, 'node_modules', '@solana'));
  symlinkSync(join(ROOT, 'node_modules', '@solana', 'kit'), join(project, 'node_modules', '@solana', 'kit'), 'dir');
  service = await startService();
});
after(async () => {
  await service?.close();
  if (project) rmSync(project, { recursive: true, force: true });
});

const readme = readFileSync(join(ROOT, 'client', 'README.md'), 'utf8');
const snippet = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
const snippetOf = ({ url }: Service) => snippet.replace('http://127.0.0.1:8080', url);
/** What the snippet says in the end. */
const PRINTED = /^\d+ of USDC's smallest unit, in \w{80,}/;

it('the types are those of the API document', async () => {
  const written = readFileSync(join(ROOT, 'client', 'src', 'api-types.ts'), 'utf8');
  assert.ok(written === (await apiTypes(service)), 'run "npm run client-types"');
});

describe('the packed client in an empty project', () => {
  it('swaps as its README shows', () => {
    assert.ok(snippet.split('\n').filter((line) => line.trim() !== '').length <= 15);
    const source = snippetOf(service);
    writeFileSync(join(project, 'snippet.ts'), source);
    writeFileSync(join(project, 'use.ts'), "import * as slipway from '@slipway/client';\nexport default slipway;\n");
    const strict = [
      '--noEmit',
      '--strict',
      '--target',
      'es2023',
      '--module',
      'nodenext',
      '--lib',
      'es2023,dom,dom.iterable',
    ];
    const compile = (compiler: string, ...more: string[]) =>
      execFileSync(process.execPath, [join(ROOT, 'node_modules', compiler, 'bin', 'tsc'), ...strict, ...more], {
        cwd: project,
        encoding: 'utf8',
      });
    // The older one too, which many have.
    compile('typescript', '--skipLibCheck', 'false', 'use.ts');
    compile('typescript-7', '--skipLibCheck', 'snippet.ts');
    const script = source.replaceAll('!;', ';').replaceAll(')!.', ').');
    writeFileSync(join(project, 'snippet.js'), script);
    const printed = execFileSync(process.execPath, ['snippet.js'], { cwd: project, encoding: 'utf8' });
    assert.match(printed, PRINTED);
  });

  it('is small where it is loaded, and has nothing of Node', async () => {
    const { first, later } = await sizesOf(`export * from '@slipway/client';`);
    console.log(`client: ${first} bytes at first, ${later} when it signs (gzip)`);
    assert.ok(first < MOST_BYTES, `${first} bytes`);
    const few = await sizesOf(`export { connect, score } from '@slipway/client';`);
    assert.ok(few.first < first, 'what is not imported is not there');
  });

  it('swaps in a page as its README shows', { skip: withoutBrowser }, async () => {
    const { outputFiles } = await bundled(snippetOf(service), false);
    const [app, browser] = await Promise.all([servePage(), launchBrowser()]);
    try {
      const page = await browser.newPage();
      await page.goto(`http://localhost:${app.port}/`);
      const printed = page.waitForEvent('console', { predicate: (message) => PRINTED.test(message.text()) });
      await Promise.all([printed, page.addScriptTag({ content: outputFiles![0]!.text, type: 'module' })]);
    } finally {
      await browser.close();
      app.server.close();
    }
  });
});

function bundled(contents: string, splitting = true) {
  return build({
    stdin: { contents, resolveDir: project, loader: 'ts' },
    outdir: join(project, 'bundle'),
    bundle: true,
    minify: true,
    splitting,
    format: 'esm',
    platform: 'browser',
    write: false,
    metafile: true,
    logLevel: 'error',
  });
}

/** Bytes after gzip that a page loads at once, and those that it loads when it needs them. */
async function sizesOf(contents: string): Promise<{ first: number; later: number }> {
  const { outputFiles, metafile } = await bundled(contents);
  const outputs = Object.entries(metafile!.outputs);
  const sizeOf = (name: string) =>
    gzipSync(outputFiles!.find(({ path }) => path.endsWith(`/${name.split('/').at(-1)}`))!.contents, { level: 9 })
      .length;
  const first = new Set(outputs.filter(([, { entryPoint }]) => entryPoint === '<stdin>').map(([name]) => name));
  for (const name of first) {
    const { imports } = metafile!.outputs[name]!;
    for (const { kind, path } of imports) if (kind === 'import-statement') first.add(path);
  }
  const sum = (names: string[]) => names.reduce((size, name) => size + sizeOf(name), 0);
  assert.ok(first.size > 0);
  return { first: sum([...first]), later: sum(outputs.map(([name]) => name).filter((name) => !first.has(name))) };
}
