import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { generateKeypair, type Keypair } from '@slipway/wire';
import { run, SLIPWAY } from './command.js';
import { request, type Service, startService } from './service.js';
import { asWallet, logIn } from './trigger-wallet.js';
import { balancesOf, JUP } from './wallet.js';

interface Report {
  vault: string;
  sent: { account: string; mint: string; amount: string; signature: string }[];
  left: { account: string; reason: string }[];
}

let service: Service;
let cwd: string;
before(async () => {
  service = await startService();
  cwd = mkdtempSync(join(tmpdir(), 'slipway-vaults-'));
});
after(async () => {
  await service?.close();
  rmSync(cwd, { recursive: true, force: true });
});

const airdrop = (wallet: string, amount: string, mint?: string) =>
  request(`${service.url}/sandbox/airdrop`, { body: { wallet, amount, mint } });

async function vaultOf(wallet: Keypair): Promise<string> {
  const token = await logIn(service, wallet);
  return String((await asWallet(service, token, '/vault/register')).body.vaultPubkey);
}

async function sweep(wallet: string, dataDir = service.dataDir) {
  const env = { SLIPWAY_RPC_PORT: new URL(service.rpcUrl).port, SLIPWAY_DATA_DIR: dataDir };
  const { code, out, error } = await run(SLIPWAY, ['vaults', 'sweep', '--wallet', wallet, '--json'], { env, cwd });
  return { code, error, report: out === '' ? undefined : (JSON.parse(out) as Report) };
}

it('gives a wallet back what its vault holds', async () => {
  const wallet = generateKeypair();
  const vault = await vaultOf(wallet);
  await airdrop(vault, '5000000', JUP);
  const first = await sweep(wallet.address);
  // Nobody has sent the gas wallet anything yet, unless the sandbox has.
  const gas = /gas wallet (\w+)/.exec(first.report?.left[0]?.reason ?? '')?.[1];
  if (gas) {
    assert.equal(first.code, 1);
    await airdrop(gas, '1000000000');
  }
  const { code, report } = gas ? await sweep(wallet.address) : first;
  assert.equal(code, 0);
  assert.equal(report?.vault, vault);
  assert.deepEqual(
    report?.sent.map(({ mint, amount }) => [mint, amount]),
    [[JUP, '5000000']],
  );
  assert.equal((await balancesOf(service, wallet.address)).jup, 5_000_000n);
});

it('does so from a backup of the signer file alone', async () => {
  const wallet = generateKeypair();
  const vault = await vaultOf(wallet);
  await airdrop(vault, '3000000000');
  const backup = join(cwd, 'restored');
  mkdirSync(backup);
  for (const file of ['signer.json', 'signer.pass']) copyFileSync(join(service.dataDir, file), join(backup, file));
  const { code, report } = await sweep(wallet.address, backup);
  assert.equal(code, 0);
  assert.equal(report?.sent[0]?.amount, '3000000000');
  assert.equal((await balancesOf(service, wallet.address)).lamports, 3_000_000_000n);
});

it('says what is missing', async () => {
  const wallet = generateKeypair().address;
  const unknown = await sweep(wallet, join(cwd, 'nothing'));
  assert.equal(unknown.code, 1);
  assert.match(unknown.error, /no signer file/);
  const bad = await sweep('abc');
  assert.equal(bad.code, 2);
  const empty = await sweep(wallet);
  assert.deepEqual([empty.code, empty.report?.sent, empty.report?.left], [0, [], []]);
});
