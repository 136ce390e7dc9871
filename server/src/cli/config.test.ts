import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { ShownSetting, ShownSettings } from '../config/index.js';
import { runCli } from './main.js';

let cwd: string;
before(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'slipway-config-command-'));
});
after(() => rm(cwd, { recursive: true, force: true }));

async function run(argv: string[], env: Record<string, string> = {}): Promise<{ code: number; out: string }> {
  const out: string[] = [];
  const stdout = (text: string) => out.push(text);
  const code = await runCli(argv, { env, cwd, stdout, stderr: stdout, colors: false });
  return { code, out: out.join('\n') };
}

function assertHas(value: ShownSetting | undefined, expected: Partial<ShownSetting>): void {
  assert.deepEqual({ ...value, ...expected }, value);
}

test('config shows every setting with where it comes from, and no secret', async () => {
  await writeFile(join(cwd, 'slipway.config.json'), JSON.stringify({ fees: { percentile: 42 } }));
  const env = {
    SLIPWAY_PORT: '9000',
    SLIPWAY_ADMIN_TOKEN: 'tokensecret',
    SLIPWAY_FORK_URL: 'https://x.example/?key=secret',
  };
  const shown = JSON.parse((await run(['config', '--json'], env)).out) as ShownSettings;
  const of = (name: string) => shown.settings.find((setting) => setting.name === name);
  assert.deepEqual([shown.mode, shown.faults], ['sandbox', []]);
  assertHas(of('SLIPWAY_PORT'), { value: 9000, from: 'environment', hidden: false });
  assertHas(of('SLIPWAY_HOST'), { value: '127.0.0.1', from: 'default' });
  assertHas(of('fees.percentile'), { value: 42, from: 'file' });
  assertHas(of('fees.maxMicroLamports'), { value: 5_000_000, from: 'default' });
  assertHas(of('SLIPWAY_ADMIN_TOKEN'), { value: null, from: 'environment', hidden: true });
  assertHas(of('SLIPWAY_FORK_URL'), { value: 'https://x.example/…', hidden: true });
  const text = await run(['config'], env);
  assert.equal(text.code, 0);
  assert.match(text.out, /^Mode: sandbox\n\nSETTING +VALUE +FROM\n/);
  assert.match(text.out, /\nSLIPWAY_PORT +9000 +environment\n/);
  assert.match(text.out, /\nSLIPWAY_ADMIN_TOKEN +\(hidden\) +environment\n/);
  assert.doesNotMatch(text.out + JSON.stringify(shown), /tokensecret|key=secret/);
});

test('config shows faults as well, and fails then; its schema is that of the settings file', async () => {
  const { code, out } = await run(['config'], { SLIPWAY_PORT: 'x', SLIPWAY_PROT: '1' });
  assert.equal(code, 1);
  assert.match(out, /cannot be used: SLIPWAY_PROT is not.*\n\ncannot be used: SLIPWAY_PORT is "x"/);
  const schema = JSON.parse((await run(['config', 'schema'])).out) as { properties: object };
  assert.ok('tokens' in schema.properties);
});
