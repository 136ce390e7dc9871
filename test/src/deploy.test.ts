import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const files = readdirSync(join(ROOT, 'deploy'), { recursive: true, withFileTypes: true }).flatMap((entry) =>
  entry.isFile() ? [join(entry.parentPath ?? entry.path, entry.name)] : [],
);

it('what is deployed sets only settings that exist', () => {
  const settings = readFileSync(join(ROOT, 'docs', 'configuration.md'), 'utf8');
  let count = 0;
  for (const path of files) {
    for (const [name] of readFileSync(path, 'utf8').matchAll(/\b(?:SLIPWAY_[A-Z_0-9]+|DATABASE_URL)\b/g)) {
      // The proxy's, in compose.
      if (name === 'SLIPWAY_NAME' || name === 'SLIPWAY_FILES_NAME') continue;
      count += 1;
      assert.ok(settings.includes(`### \`${name}\``), `${path}: ${name}`);
    }
  }
  assert.ok(count > 20);
});

for (const name of ['slipway', 'slipway-signer'])
  it(`the systemd unit of ${name} gives it little to harm`, (t) => {
    const unit = join(ROOT, 'deploy', 'systemd', `${name}.service`);
    // What is left of one that ends by a fault of the machine's code would hold the seed.
    assert.match(readFileSync(unit, 'utf8'), /^LimitCORE=0$/m);
    let report: string;
    try {
      const args = ['security', '--offline=true', unit];
      report = execFileSync('systemd-analyze', args, { encoding: 'utf8', stdio: 'pipe' });
    } catch (error) {
      if ((error as { code?: string }).code === 'ENOENT') return t.skip('systemd-analyze is not installed');
      throw error;
    }
    const level = /Overall exposure level[^:]*: (\d+\.\d+)/.exec(report)?.[1];
    assert.ok(Number(level) < 2, `exposure ${level}`);
  });
