import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, it } from 'node:test';
import { newKey } from './admin.js';
import { openStore, type Store, type TestPostgres, usePostgres } from './postgres.js';
import { eventually } from './rounds.js';
import { request, type Service, startService } from './service.js';
import { SOL, USDC } from './trigger-user.js';
import { type Behavior, faithful, startUpstreamProxy, type UpstreamProxy } from './upstream-proxy.js';
import { RECEIVER } from './wallet.js';

/** In production, pools are found by the mints that are asked for. The chain is a sandbox's, whose node can be slow. */
let sandbox: Service;
let proxy: UpstreamProxy;
let dataDir: string;
let service: Service | undefined;
let key: string;
let postgres: TestPostgres;
let databaseUrl: string;
let store: Store;
before(async () => {
  postgres = await usePostgres();
  databaseUrl = await postgres.createDatabase();
  store = await openStore({ kind: 'postgres', url: databaseUrl });
  sandbox = await startService();
  proxy = await startUpstreamProxy(sandbox.rpcUrl);
  dataDir = mkdtempSync(join(tmpdir(), 'slipway-test-'));
  writeFileSync(join(dataDir, 'slipway.config.json'), JSON.stringify({ express: { receiver: RECEIVER } }));
});
afterEach(() => {
  proxy.behavior = faithful;
});
after(async () => {
  await service?.close();
  await store?.close();
  await postgres?.stop();
  await proxy?.close();
  await sandbox?.close();
});

async function start(): Promise<Service> {
  await service?.kill();
  const env = {
    SLIPWAY_SANDBOX: '0',
    SLIPWAY_RPC_URL: proxy.url,
    DATABASE_URL: databaseUrl,
    SLIPWAY_SIGNER_PASSPHRASE: 'correct horse battery staple',
  };
  service = await startService({ env, dataDir });
  return service;
}

/** Of 1 SOL in USDC. */
const order = () =>
  request<{ error?: string; outAmount?: string }>(
    `${service!.url}/ultra/v1/order?inputMint=${SOL}&outputMint=${USDC}&amount=1000000000`,
    { headers: { 'x-api-key': key } },
  );

const without =
  (method: string): Behavior =>
  (call, forward) =>
    call.method === method ? Promise.resolve('hang') : faithful(call, forward);

it('an order that comes before its pools are known is to be sent again, and not refused', async () => {
  proxy.behavior = without('getProgramAccounts');
  await start();
  ({ key } = await newKey(service!, {}));
  const cold = await order();
  assert.equal(cold.status, 503, JSON.stringify(cold.body));
  assert.match(cold.body.error ?? '', /^Failed to get quotes: .*ask again/);
  assert.ok(Number(cold.headers.get('retry-after')) >= 1);
});

it('an instance that starts quotes what was quoted before at once, though its node lists no pools', async () => {
  await start();
  const quote = () =>
    eventually('it has found pools', async () => {
      const { status, body } = await order();
      return status === 200 ? body : undefined;
    });
  await quote();
  await eventually('the pools are remembered', async () => {
    const { rows } = await store.query<{ mints: string; pools: string[] }>('select mints, pools from routed_mints');
    return (
      rows.some(({ mints, pools }) => pools.length > 0 && mints.includes(SOL) && mints.includes(USDC)) || undefined
    );
  });
  // Only now, over what the next start knows: when it was quoted first, the search may not have come to all of it.
  const quoted = await quote();
  proxy.behavior = without('getProgramAccounts');
  await start();
  // Asked again, as clients do, where it had no time; what the node lists never comes.
  const again = await eventually('it quotes', async () => {
    const { status, body } = await order();
    return status === 503 ? undefined : { status, ...body };
  });
  assert.deepEqual([again.status, again.outAmount], [200, quoted.outAmount], JSON.stringify(again));
});
