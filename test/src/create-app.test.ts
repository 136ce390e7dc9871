import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { inheritedEnvironment } from './command.js';
import { type Registry, startRegistry } from './registry.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let folder: string;
let registry: Registry;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-create-'));
  const { packAll } = await import(pathToFileURL(join(ROOT, 'scripts', 'pack.mjs')).href);
  registry = await startRegistry(await packAll(folder));
});
after(async () => {
  await registry?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** Runs npm as a user would whose only registry is ours. Nobody answers questions. */
async function npm(cwd: string, ...args: string[]): Promise<string> {
  const env = { ...inheritedEnvironment(), ...registry.env, NODE_TEST_CONTEXT: undefined };
  const running = promisify(execFile)('npm', args, { cwd, env, maxBuffer: 1e7 });
  running.child.stdin?.end();
  const { stdout } = await running.catch((error) => assert.fail(`${args.join(' ')}: ${error.stdout}${error.stderr}`));
  return stdout;
}

describe('npm create slipway-app', () => {
  it('makes an app that installs, passes its tests, and builds, without a network', async () => {
    assert.match(await npm(folder, 'create', 'slipway-app', 'My App'), /cd My App\n {2}npm install/);
    const app = join(folder, 'My App');
    const { name, devDependencies } = JSON.parse(readFileSync(join(app, 'package.json'), 'utf8'));
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    assert.deepEqual([name, devDependencies.slipway], ['my-app', version]);
    assert.ok(existsSync(join(app, '.gitignore')));
    await npm(app, 'install', '--loglevel=error');
    const tested = await npm(app, 'test');
    assert.match(tested, /pass 3\n/);
    assert.match(tested, /fail 0\n/);
    await npm(app, 'run', 'build');
    const scripts = readdirSync(join(app, 'dist', 'assets')).filter((each) => each.endsWith('.js'));
    const bytes = scripts.reduce((sum, each) => sum + statSync(join(app, 'dist', 'assets', each)).size, 0);
    assert.ok(bytes > 200_000, `${bytes}`);
    assert.match(
      readFileSync(join(app, 'dist', 'index.html'), 'utf8'),
      /http:\/\/127\.0\.0\.1:8080\/sandbox\/wallet\.js/,
    );
  });

  it('leaves a folder alone that is not empty, and says what it takes', async () => {
    const create = (...args: string[]) => npm(folder, 'create', 'slipway-app', '--', ...args);
    writeFileSync(join(folder, 'precious'), '');
    await assert.rejects(create('.'), /\. is not empty; name another folder/);
    await assert.rejects(create('a', 'b'), /expected one folder, got 2/);
    await assert.rejects(create('--typescript'), /unknown option --typescript/);
    assert.match(await create('--help'), /Usage: npm create slipway-app \[folder\]/);
  });
});
