import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { inheritedEnvironment } from './command.js';
import { type Registry, startRegistry } from './registry.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NAMES = ['wire', 'programs', 'localnet', 'client', 'testing'].map((name) => `@slipway/${name}`);

/** An empty folder with our packages installed in it by npm. */
let folder: string;
let registry: Registry;
let tarballs: string[];
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-packages-'));
  const { packAll } = await import(pathToFileURL(join(ROOT, 'scripts', 'pack.mjs')).href);
  tarballs = await packAll(folder);
  registry = await startRegistry(tarballs);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  // Not synchronously: the registry is in this process.
  await promisify(execFile)('npm', ['install', '--loglevel=error', ...NAMES], { cwd: folder, env: env() });
});
after(async () => {
  await registry?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

// A runner of tests does nothing where it thinks that another one has started it.
const env = () => ({ ...inheritedEnvironment(), ...registry.env, NODE_TEST_CONTEXT: undefined });
const packageOf = (name: string) => join(folder, 'node_modules', name);
const blocksOf = (page: string) =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(/```(?:ts|js)\n([\s\S]*?)```/g)].map(([, block]) => block!);

function filesOf(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath ?? entry.path, entry.name)] : [],
  );
}

/** Runs a module in the folder; what it printed. */
function run(name: string, source: string, ...args: string[]): string {
  writeFileSync(join(folder, name), source);
  return execFileSync(process.execPath, [...args, name], { cwd: folder, env: env(), encoding: 'utf8' });
}

describe('the packages in an empty folder', () => {
  it('have what npm shows, only what they need, and no program that is not ours', () => {
    for (const tarball of tarballs) console.log(`${basename(tarball)}: ${statSync(tarball).size} bytes`);
    for (const name of [...NAMES, 'slipway']) {
      const path = packageOf(name);
      const manifest = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
      assert.equal(manifest.license, 'Apache-2.0', name);
      assert.deepEqual(manifest.publishConfig, { access: 'public', provenance: true }, name);
      assert.ok(manifest.files.length > 0 && manifest.description && manifest.engines.node, name);
      for (const file of ['README.md', 'LICENSE']) assert.ok(existsSync(join(path, file)), `${name}: ${file}`);
      for (const { types } of Object.values<{ types: string }>(manifest.exports ?? {}))
        assert.ok(existsSync(join(path, types)), `${name}: ${types}`);
      for (const file of filesOf(path)) {
        assert.doesNotMatch(file, /\.test\.|fuzz|-testing\./);
        assert.ok(!readFileSync(file).includes(ROOT), `${file} names a folder of the machine that made it`);
        if (!file.endsWith('.so')) continue;
        const program = basename(file, '.so');
        assert.ok(readFileSync(file).equals(readFileSync(join(ROOT, 'programs', program, basename(file)))), file);
      }
    }
  });

  it('do what their READMEs show, and are typed', () => {
    const readmes = NAMES.filter((each) => each !== '@slipway/client').map((name) => `${name.slice(9)}/README.md`);
    for (const name of [...readmes, 'docs/guides/test-with-time-and-prices.md']) {
      const block = blocksOf(name)[0]!;
      assert.ok(block.split('\n').filter((line) => line.trim() !== '').length <= 15, name);
      const isTest = block.includes('node:test');
      assert.match(run('readme.test.js', block, ...(isTest ? ['--test'] : [])), isTest ? /# fail 0/ : /\d/, name);
    }
    const [, shortest] = blocksOf('testing/README.md');
    assert.match(run('readme.test.js', shortest!, '--test'), /# pass 1\n[\s\S]*# fail 0/);
    const imports = NAMES.map((name, i) => `import * as p${i} from '${name}';\nvoid p${i};\n`).join('');
    writeFileSync(join(folder, 'types.ts'), imports);
    const flags = '--noEmit --strict --target es2023 --module nodenext --lib es2023,esnext.disposable,dom,dom.iterable';
    const types = ['--typeRoots', join(ROOT, 'node_modules', '@types'), '--types', 'node'];
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const args = [tsc, ...flags.split(' '), ...types, '--skipLibCheck', 'false', 'types.ts'];
    execFileSync(process.execPath, args, { cwd: folder, stdio: 'pipe', encoding: 'utf8' });
  });

  it('give each test a sandbox of its own, fresh, and leave nothing behind', () => {
    // As of a worker that a runner of tests has killed.
    const abandoned = join(tmpdir(), `slipway-testing-${spawnSync('true').pid}-killed`);
    mkdirSync(join(abandoned, 'database'), { recursive: true });
    const printed = run(
      'own.js',
      `import assert from 'node:assert/strict';
       import { startSlipway } from '@slipway/testing';
       const begin = performance.now();
       const first = await startSlipway();
       const middle = performance.now();
       const second = await startSlipway();
       const [one, two] = [middle - begin, performance.now() - middle].map(Math.round);
       console.log('started in ms:', one, 'and', two);
       assert.notEqual(first.url, second.url);
       const { SOL, USDC } = first.mints;
       const priceOf = async ({ client }) =>
         Number((await client('bob').quote({ inputMint: SOL, outputMint: USDC, amount: 1_000_000_000n })).outAmount) / 1e6;
       await first.setPrice('SOL', 200);
       assert.ok((await priceOf(first)) > 195);
       assert.ok((await priceOf(second)) < 155);
       const before = await first.now();
       await first.advance(3_600);
       assert.ok((await first.now()) - before >= 3_600_000);
       await first.airdrop('bob', 5_000_000n, 'USDC');
       await assert.rejects(async () => first.client('nobody'), /no wallet nobody; there are alice, bob/);
       const resetting = performance.now();
       await first.reset();
       console.log('reset in ms:', Math.round(performance.now() - resetting));
       assert.ok((await priceOf(first)) < 155);
       await first.close();
       await assert.rejects(priceOf(first), { code: 'network' });
       // The second one is forgotten: the end of the process ends it.
       console.log('forgotten:', second.url, process.pid);`,
    );
    console.log(printed.trim());
    const [, url, pid] = /forgotten: (\S+) (\d+)/.exec(printed)!;
    const left = readdirSync(tmpdir()).filter((name) => name.startsWith(`slipway-testing-${pid}-`));
    assert.deepEqual([existsSync(abandoned), left], [false, []]);
    assert.throws(() => execFileSync('curl', ['--silent', '--fail', `${url}/livez`]));
    assert.equal(readdirSync(join(folder, 'node_modules', '.cache', 'slipway-testing')).length, 1);
  });

  it('says why a sandbox did not start', () => {
    const source = `import { startSlipway } from '@slipway/testing';
      await startSlipway({ env: { SLIPWAY_PORT: '70000' } }).catch(({ message }) => console.log(message));`;
    assert.match(run('refused.js', source), /^Slipway did not start: .*SLIPWAY_PORT is "70000"/);
    const attach = `import { attachSlipway } from '@slipway/testing';
      delete process.env.SLIPWAY_URL;
      process.env.SLIPWAY_PORT = '1';
      await attachSlipway().catch(({ message }) => console.log(message));`;
    assert.match(
      run('absent.js', attach),
      /^no sandbox answers at http:\/\/127\.0\.0\.1:1: start one with "npx slipway"/,
    );
  });
});
