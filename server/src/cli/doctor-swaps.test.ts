import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Localnet, startLocalnet } from '@slipway/localnet';
import { generateKeypair, WRAPPED_SOL_MINT } from '@slipway/wire';
import { loadConfig } from '../config/index.js';
import type { Check } from './doctor-check.js';
import { runCli } from './main.js';

interface Info {
  mints: { symbol: string; mint: string }[];
  lookupTable: string;
  wallets: { address: string }[];
}

let folder: string;
let localnet: Localnet;
let info: Info;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-doctor-swaps-'));
  localnet = await startLocalnet({ rpcPort: 0 });
  info = (await localnet.call('localnet_info')) as Info;
});

after(async () => {
  await localnet.close();
  await rm(folder, { recursive: true, force: true });
});

async function doctor(settings: object, env: Record<string, string> = {}): Promise<(name: string) => Check> {
  const file = join(folder, 'settings.json');
  await writeFile(file, JSON.stringify(settings));
  const out: string[] = [];
  await runCli(['doctor', '--json'], {
    env: {
      SLIPWAY_PORT: '1',
      SLIPWAY_SANDBOX: '1',
      SLIPWAY_RPC_URL: localnet.rpcUrl,
      SLIPWAY_CONFIG: file,
      SLIPWAY_DATA_DIR: join(folder, 'data'),
      ...env,
    },
    cwd: folder,
    stdout: (text) => out.push(text),
    stderr: (text) => assert.fail(text),
    colors: false,
  });
  const { checks } = JSON.parse(out.join('')) as { checks: Check[] };
  return (name) => checks.find((check) => check.name === name) ?? assert.fail(`no check ${name}: ${out}`);
}

test('the fee receiver is told which token accounts it lacks, and how to make them', async () => {
  const feeReceiver = generateKeypair().address;
  const poor = (await doctor({ swap: { feeReceiver } }))('fee receiver');
  assert.match(poor.detail, /no token account for SOL, USDC, .*no default fee/);
  assert.match(poor.next ?? '', /slipway wallets fee-accounts$/);

  for (const { mint } of info.mints) await localnet.call('localnet_airdropToken', [feeReceiver, mint, '1']);
  const rich = (await doctor({ swap: { feeReceiver } }))('fee receiver');
  assert.match(rich.detail, /takes fees in SOL, USDC/);
  assert.equal(rich.next, undefined);
});

test('of a fee receiver that only the signer knows, nothing is said while that is away', async () => {
  const away = { SLIPWAY_SIGNER_URL: `unix:${join(folder, 'nobody.sock')}` };
  const unknown = (await doctor({}, away))('fee receiver');
  assert.match(unknown.detail, /^not checked: it is the gas wallet, whose address only the signer knows$/);
  assert.match(unknown.next ?? '', /the check of the signer/);
  const named = (await doctor({ swap: { feeReceiver: generateKeypair().address } }, away))('fee receiver');
  assert.match(named.detail, /has no token account for SOL/);
  assert.equal(
    (await doctor({}))('fee receiver').next,
    undefined,
    'before the first start there is no wallet to check',
  );
});

test('a router program that is not there fails; none in production means one hop', async () => {
  const nowhere = generateKeypair().address;
  assert.equal((await doctor({}))('router program').next, undefined);
  const wrong = (await doctor({ programs: { router: nowhere } }))('router program');
  assert.deepEqual([wrong.ok, wrong.detail.includes(nowhere)], [false, true]);
  const production = { SLIPWAY_SANDBOX: '0', SLIPWAY_EMBEDDED_DATABASE: '1', SLIPWAY_SIGNER_PASSPHRASE: 'x' };
  const none = (await doctor({ express: { receiver: nowhere } }, production))('router program');
  assert.deepEqual([none.ok, /one hop/.test(none.detail)], [true, true]);
});

test('pools and lookup tables that are something else are named', async () => {
  const fine = (await doctor({ swap: { lookupTables: [info.lookupTable] } }))('pools');
  assert.deepEqual([fine.ok, fine.next], [true, undefined], fine.detail);
  assert.match(fine.detail, /^[1-9]\d* of /);

  const wallet = info.wallets[0]!.address;
  const wrong = (await doctor({ swap: { pools: [wallet], lookupTables: [wallet] } }))('pools');
  assert.equal(wrong.ok, false);
  assert.match(wrong.detail, new RegExp(`pool ${wallet}: .*; lookup table ${wallet}: `));
  const closed = (await doctor({ swap: { pools: [generateKeypair().address] } }))('pools');
  assert.match(closed.detail, /there is no account/);
});

test('sources of prices say what they lack', async () => {
  const feeds = { [WRAPPED_SOL_MINT]: 'ef0d8b6fda2ceba41da15d4095d1da392a0d2f8ed0c6c7bc0f4cfac8c280b56d' };
  const hermes = { SLIPWAY_PRICES: 'hermes,pools' };
  assert.equal((await doctor({}))('prices').next, undefined);
  assert.match((await doctor({}, hermes))('prices').next ?? '', /prices\.feeds and SLIPWAY_HERMES_KEY/);
  const keyless = (await doctor({ prices: { feeds } }, hermes))('prices');
  assert.deepEqual([keyless.ok, keyless.next], [false, 'set SLIPWAY_HERMES_KEY']);
  const key = { SLIPWAY_HERMES_KEY: 'k' };
  const withoutUsdc = (await doctor({ prices: { feeds } }, { ...hermes, ...key }))('prices');
  assert.deepEqual([withoutUsdc.ok, withoutUsdc.next?.startsWith('add USDC to prices.feeds')], [true, true]);
  const { usdc } = loadConfig({}, { cwd: tmpdir() }).tokens;
  const all = { ...feeds, [usdc.mint]: 'eaa020c61cc479712813461ce153894a96a6c00b21ed0cfc2798d1f9a9e9c94a' };
  const whole = (await doctor({ prices: { feeds: all } }, { ...hermes, ...key }))('prices');
  assert.deepEqual([whole.ok, whole.next], [true, undefined]);
});
