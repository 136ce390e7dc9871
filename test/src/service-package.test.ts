import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inheritedEnvironment } from './command.js';
import { type Service, startService } from './service.js';
import { executeOrder, order, SOL, tokensOf, USDC } from './swap.js';
import { newWallet } from './wallet.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MOST_BYTES = 4_000_000;

/** An empty folder with the packed service installed, and what it depends on linked from this repository. */
let folder: string;
let installed: string;
let tarball: string;
let manifest: { dependencies: Record<string, string>; optionalDependencies: Record<string, string> };
let service: Service;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-package-'));
  const { packService } = await import(pathToFileURL(join(ROOT, 'scripts', 'pack.mjs')).href);
  tarball = packService(folder);
  installed = join(folder, 'node_modules', 'slipway');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed]);
  manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
    const source = join(ROOT, 'node_modules', name);
    // Native parts of other platforms are not here.
    if (!existsSync(source)) continue;
    const target = join(folder, 'node_modules', name);
    mkdirSync(join(target, '..'), { recursive: true });
    symlinkSync(source, target, 'dir');
  }
  service = await startService({ program: join(installed, 'server', 'bin', 'slipway.mjs') });
});
after(async () => {
  await service?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** Every file of the package. */
const files = () =>
  readdirSync(installed, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath ?? entry.path, entry.name)] : [],
  );

describe('the packed service in an empty folder', () => {
  it('starts a sandbox by its name alone, and lands a swap', async () => {
    assert.match(service.welcome, /as a sandbox/);
    assert.match(service.welcome, /npx slipway serve --reset/);
    const taker = await newWallet(service, 5_000_000_000n, 0n);
    const made = await order(service, {
      inputMint: SOL,
      outputMint: USDC,
      amount: 1_000_000_000n,
      taker: taker.address,
    });
    const { status, totalOutputAmount } = await executeOrder(service, made, taker);
    assert.equal(status, 'Success');
    assert.equal((await tokensOf(service, taker.address, USDC)).toString(), totalOutputAmount);
  });

  it('has its pages inside', async () => {
    const html = async (path: string) => {
      const response = await fetch(`${service.url}${path}`, { headers: { accept: 'text/html' } });
      assert.equal(response.status, 200, path);
      return response.text();
    };
    const [console, docs] = [await html('/'), await html('/docs')];
    for (const [path, text] of [
      ['/', console],
      ['/docs/', docs],
    ] as const) {
      const sources = [...text.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, source]) => source!);
      for (const source of sources.filter((each) => !/^(?:data:|https?:)/.test(each)))
        assert.equal((await fetch(new URL(source, `${service.url}${path}`))).status, 200, source);
    }
    assert.equal((await fetch(`${service.url}/sandbox/wallet.js`)).status, 200);
  });

  it('answers on the command line', () => {
    const slipway = (...args: string[]) =>
      execFileSync(process.execPath, [join(installed, 'server', 'bin', 'slipway.mjs'), ...args], {
        cwd: folder,
        env: { ...inheritedEnvironment(), SLIPWAY_URL: service.url },
        encoding: 'utf8',
      });
    assert.match(slipway('quote', '1', 'SOL', 'USDC'), /1 SOL -> \d+/);
    assert.equal(slipway('--version').trim(), JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version);
  });

  it('is small, names no path of the machine that made it, and holds no program that is not ours', () => {
    assert.ok(statSync(tarball).size < MOST_BYTES, `${statSync(tarball).size} bytes`);
    const known = new Set(Object.keys(JSON.parse(readFileSync(join(ROOT, 'programs', 'hashes.json'), 'utf8'))));
    const programs = files().filter((path) => path.endsWith('.so'));
    assert.ok(programs.length >= known.size);
    for (const path of programs) assert.ok(existsSync(join(ROOT, 'programs', path.split('/').at(-2)!, 'src')), path);
    for (const path of files())
      assert.ok(!readFileSync(path).includes(ROOT), `${path} names a folder of the machine that made it`);
  });

  it('says whose code is inside, under licences that allow it', () => {
    const text = readFileSync(join(installed, 'LICENSES-OF-OTHERS'), 'utf8');
    assert.match(text, /^fastify \d/m);
    const packages: string[] = JSON.parse(
      readFileSync(join(installed, 'server', 'dist', 'bundle', 'packages.json'), 'utf8'),
    );
    for (const path of packages) {
      const { license } = JSON.parse(readFileSync(join(ROOT, path, 'package.json'), 'utf8'));
      assert.match(license, /^(?:MIT|ISC|Apache-2\.0|BSD-[23]-Clause|0BSD|BlueOak-1\.0\.0|\(.*\bMIT\b.*\))$/, path);
    }
  });

  it('says what is missing where the native part of the chain is not installed', async () => {
    const native = readdirSync(join(folder, 'node_modules')).filter((name) => name.startsWith('litesvm-'));
    const alone = mkdtempSync(join(tmpdir(), 'slipway-package-'));
    try {
      mkdirSync(join(alone, 'node_modules'));
      for (const name of readdirSync(join(folder, 'node_modules')))
        if (!native.includes(name))
          symlinkSync(join(folder, 'node_modules', name), join(alone, 'node_modules', name), 'dir');
      const flags = ['--preserve-symlinks', '--preserve-symlinks-main'];
      const child = spawn(process.execPath, [...flags, join(alone, 'node_modules/slipway/server/bin/slipway.mjs')], {
        cwd: alone,
        env: { ...inheritedEnvironment(), SLIPWAY_PORT: '0', SLIPWAY_RPC_PORT: '0' },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let said = '';
      child.stderr.on('data', (chunk) => {
        said += chunk;
      });
      // Not at its exit: what it has said may be read only afterwards.
      const code = await new Promise((resolve) => child.once('close', resolve));
      assert.equal(code, 1, said);
      assert.match(said, /^slipway: .*(?:not installed for)/m);
      assert.doesNotMatch(said, /^\s+at /m);
    } finally {
      rmSync(alone, { recursive: true, force: true });
    }
  });
});
