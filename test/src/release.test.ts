import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

describe('a release that is only shown', () => {
  let folder: string;
  let printed: string;
  let earlier: string;
  /** What the repository's own files are. */
  const state = () => execFileSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' });
  const inTarball = (tarball: string, file: string) =>
    execFileSync('tar', ['-xOzf', join(folder, tarball), `package/${file}`], { encoding: 'utf8' });
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-release-'));
    earlier = state();
    const script = join(ROOT, 'scripts', 'release.mjs');
    printed = execFileSync(process.execPath, [script, '--dry-run', folder], { encoding: 'utf8', maxBuffer: 1e8 });
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('attack: an operator by mistake names a folder with something else in it: nothing of it is touched', () => {
    const other = mkdtempSync(join(tmpdir(), 'slipway-release-other-'));
    try {
      writeFileSync(join(other, 'precious'), 'mine');
      const script = join(ROOT, 'scripts', 'release.mjs');
      const { status, stderr } = spawnSync(process.execPath, [script, '--dry-run', other], { encoding: 'utf8' });
      assert.equal(status, 1);
      assert.match(stderr, /has precious in it: name a new folder/);
      assert.equal(readFileSync(join(other, 'precious'), 'utf8'), 'mine');
    } finally {
      rmSync(other, { recursive: true });
    }
  });

  it('gives all packages the version that the changesets ask for, each with its changelog', () => {
    const [, version] = /^version (\S+)\n/.exec(printed)!;
    const { version: current } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    assert.notEqual(version, current);
    const tarballs = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    assert.equal(tarballs.length, 8);
    for (const tarball of tarballs) {
      const { version: own, dependencies = {} } = JSON.parse(inTarball(tarball, 'package.json'));
      assert.equal(own, version, tarball);
      for (const [name, range] of Object.entries(dependencies))
        if (name.startsWith('@slipway/') || name === 'slipway') assert.equal(range, version, `${tarball}: ${name}`);
      const [, changes] = inTarball(tarball, 'CHANGELOG.md').split(`## ${version}\n`);
      const shown = printed.slice(printed.indexOf(`${tarball}\n`)).split(`Its changelog, of ${version}:\n`)[1]!;
      assert.ok(
        changes!
          .trim()
          .split('\n')
          .every((line) => shown.includes(line)),
        tarball,
      );
    }
  });

  it('names every file that would be published', () => {
    for (const tarball of readdirSync(folder).filter((name) => name.endsWith('.tgz'))) {
      const listed = printed
        .slice(printed.indexOf(`${tarball}\n`))
        .split('\n')
        .slice(1);
      const files = execFileSync('tar', ['-tzf', join(folder, tarball)], { encoding: 'utf8' })
        .trim()
        .split('\n')
        .sort();
      assert.deepEqual(
        listed.slice(0, files.length).map((line) => line.trim()),
        files.map((file) => file.replace('package/', '')),
      );
    }
  });

  it('has checksums that are right, and says what the service consists of, with licences', () => {
    const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trim().split('\n');
    assert.equal(sums.length, 9);
    for (const line of sums) {
      const [sum, name] = line.split('  ');
      assert.equal(
        createHash('sha256')
          .update(readFileSync(join(folder, name!)))
          .digest('hex'),
        sum,
        name,
      );
    }
    const bill = JSON.parse(readFileSync(join(folder, sums.at(-1)!.split('  ')[1]!), 'utf8'));
    assert.equal(bill.bomFormat, 'CycloneDX');
    assert.equal(bill.metadata.component.name, 'slipway');
    const names: string[] = bill.components.map(({ purl }: { purl: string }) => purl);
    for (const name of ['fastify', 'pino', 'litesvm', 'pg', '%40noble/hashes'])
      assert.ok(
        names.some((purl) => purl.startsWith(`pkg:npm/${name}@`)),
        name,
      );
    assert.ok(!names.some((purl) => purl.startsWith('pkg:npm/typescript@')), 'what only builds it is not in it');
    for (const { name, licenses } of bill.components) assert.match(licenses[0].expression, /\w/, name);
  });

  it('publishes nothing, and leaves the repository as it is', () => {
    assert.match(printed, /Nothing was published/);
    // There is no public home yet.
    const { repository } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    assert.equal(/names no repository[\s\S]*npm pkg set repository/.test(printed), repository === undefined);
    assert.equal(state(), earlier);
  });
});
