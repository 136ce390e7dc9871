import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { RpcError, startLocalnet } from './index.js';
import { startTestNet } from './testing.js';
import { openInWorker } from './worker-client.js';

test('call gives in the worker and in this thread what HTTP gives', async () => {
  for (const inWorker of [true, false]) {
    const { localnet, post, wallet } = await startTestNet({ inWorker });
    const params = [wallet('alice').address, { encoding: 'base64' }];
    const called = (await localnet.call('getAccountInfo', params)) as {
      value: { lamports: number; rentEpoch: bigint };
    };
    assert.equal(called.value.lamports, 10_000_000_000_000);
    assert.equal(called.value.rentEpoch, 2n ** 64n - 1n, 'beyond 2^53 it is a bigint');
    const { result } = await post('getAccountInfo', params);
    assert.equal(result.value?.lamports, 10_000_000_000_000);
    await assert.rejects(localnet.call('getBalance', ['nonsense']), (error) => {
      assert.ok(error instanceof RpcError);
      assert.equal(error.code, -32602);
      return true;
    });
    await localnet.close();
    assert.equal(await localnet.closed, undefined);
    await localnet.close();
    await assert.rejects(fetch(localnet.rpcUrl, { method: 'POST', body: '{}' }));
    await assert.rejects(localnet.call('getSlot', []), RpcError);
  }
});

test('what was confirmed is there after a restart on the same folder', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'localnet-'));
  try {
    const first = await startTestNet({ dataDir });
    const { address } = first.wallet('alice');
    const signature = await first.localnet.call('requestAirdrop', [address, 5]);
    await assert.rejects(startLocalnet({ rpcPort: 0, dataDir }), /in use/);
    await first.localnet.close();
    const second = await startTestNet({ dataDir });
    const { result } = await second.post('getBalance', [address]);
    assert.equal(result.value, 10_000_000_000_005);
    const history = await second.post('getTransaction', [signature]);
    assert.equal(history.result.meta?.err, null);
    await second.localnet.close();
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test('a fork shows the accounts of its upstream and tells its host only', async () => {
  const upstream = await startTestNet();
  const { address } = upstream.wallet('alice');
  await upstream.localnet.call('requestAirdrop', [address, 5]);
  const fork = await startTestNet({ forkUrl: `${upstream.localnet.rpcUrl}/?api-key=secret` });
  assert.equal(fork.info.forkHost, new URL(upstream.localnet.rpcUrl).host);
  assert.equal((await fork.post('getBalance', [address])).result.value, 10_000_000_000_005);
  await fork.localnet.call('requestAirdrop', [address, 5]);
  assert.equal((await fork.post('getBalance', [address])).result.value, 10_000_000_000_010);
  assert.equal((await upstream.post('getBalance', [address])).result.value, 10_000_000_000_005);
  await upstream.localnet.close();
  const { error } = await fork.post('getBalance', ['SysvarS1otHashes111111111111111111111111112']);
  assert.equal(error?.code, -32603);
  assert.doesNotMatch(String(error?.message), /secret/);
  await fork.localnet.close();
});

test('a crash of the worker rejects the pending calls and is told', async () => {
  const entry = new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { parentPort } from 'node:worker_threads';
      parentPort.on('message', () => { throw new Error('out of order'); });
      parentPort.postMessage({ type: 'listening', rpcUrl: 'http://none', wsUrl: 'ws://none' });
    `)}`,
  );
  const local = await openInWorker({ host: '127.0.0.1', rpcPort: 0 }, () => {}, entry);
  await assert.rejects(local.call('getSlot', []), /the chain has crashed: out of order/);
  assert.match(String(await local.closed), /out of order/);
  await assert.rejects(local.call('getSlot', []), /the chain has crashed: out of order/);
  await local.close();
});
