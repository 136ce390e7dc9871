import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { startLocalnet } from '@slipway/localnet';
import { launch, SLIPWAY } from './command.js';
import { eventually } from './rounds.js';
import { request, type Service, startService } from './service.js';
import { RECEIVER, rpc } from './wallet.js';

let localnet: Awaited<ReturnType<typeof startLocalnet>>;
let service: Service;
let env: Record<string, string>;
before(async () => {
  localnet = await startLocalnet({ rpcPort: 0 });
  const dataDir = mkdtempSync(join(tmpdir(), 'slipway-test-'));
  writeFileSync(join(dataDir, 'slipway.config.json'), JSON.stringify({ express: { receiver: RECEIVER } }));
  env = {
    SLIPWAY_SANDBOX: '0',
    SLIPWAY_RPC_URL: localnet.rpcUrl,
    SLIPWAY_EMBEDDED_DATABASE: '1',
    SLIPWAY_SIGNER_PASSPHRASE: 'correct horse battery staple',
    SLIPWAY_ADMIN_TOKEN: 'a-token-of-the-operator-of-this-test',
  };
  service = await startService({ env, dataDir });
});
after(async () => {
  await service?.close();
  await localnet?.close();
});

interface Ready {
  checks: { keeper?: string };
}

/** It keeps no instance from serving; undefined where something else does for a moment, such as a probe that took too long. */
const keeperCheck = async () => {
  const { status, body } = await request<Ready>(`${service.url}/readyz`);
  return status === 200 ? body.checks.keeper : undefined;
};
const metric = async () => {
  const { body } = await request<string>(`${service.url}/metrics`);
  return /^slipway_wallet_lamports\{wallet="keeper"\} (\d+)$/m.exec(body)?.[1];
};
async function doctor(): Promise<{ ok: boolean; detail: string } | undefined> {
  const args = ['doctor', '--json', '--url', service.url];
  const { out } = await launch(SLIPWAY, args, {
    env: { ...env, SLIPWAY_DATA_DIR: service.dataDir },
    cwd: service.dataDir,
  }).ended;
  const { checks } = JSON.parse(out) as { checks: { name: string; ok: boolean; detail: string }[] };
  return checks.find(({ name }) => name === 'keeper wallet');
}

it('a keeper in production says everywhere that its wallet has no SOL, until it has', async () => {
  const says = await eventually('it is ready, and has read its balance', async () => {
    const state = await keeperCheck();
    return state === 'ok' ? undefined : state;
  });
  const wallet = /^the keeper wallet (\S+) has 0 SOL/.exec(says!)?.[1];
  assert.ok(wallet, says);
  assert.equal(await eventually('the metric is there', metric), '0');
  assert.equal(service.log().split('the keeper wallet').length - 1, 1, 'one warning');
  const poor = await doctor();
  assert.equal(poor?.ok, false);
  assert.match(poor?.detail ?? '', new RegExp(wallet));

  await rpc({ ...service, rpcUrl: localnet.rpcUrl }, 'requestAirdrop', wallet, 1_000_000_000);
  await eventually('it has read its balance again', async () => ((await keeperCheck()) === 'ok' ? true : undefined));
  assert.equal(
    await eventually('the metric follows', async () => ((await metric()) === '0' ? undefined : metric())),
    '1000000000',
  );
  assert.equal((await doctor())?.ok, true);
});
