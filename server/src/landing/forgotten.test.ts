import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLocalnet } from '@slipway/localnet';
import {
  decodeTransaction,
  encodeTransaction,
  generateKeypair,
  memo,
  sign,
  transactionSignature,
  withSignature,
} from '@slipway/wire';
import { ChainUnavailable, createChain, createLocalRpc, type Rpc } from '../chain/index.js';
import { craftTransaction } from '../crafting/transaction.js';
import { createClock, steadyNow } from '../lib/clock.js';
import { PATIENCE_MS } from '../lib/testing.js';
import { testSigner } from '../sandbox/maker/testing.js';
import { claimMany, findRequest, insertCrafted } from '../store/ledger.js';
import { openAnyStore } from '../store/testing.js';
import { historySince, isForgotten } from './history-since.js';
import { Landing, newRequest } from './index.js';
import { FEES, log } from './testing.js';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

it('attack: a node has forgotten the time when something was sent that a backup has as under way: it is not called expired, and told as it has ended once a node knows', async (t) => {
  const { net, inner, rpc, clock, store, landing, chain, crafted, row } = await world(t);
  rpc.instead = forgetful(clock.now() - DAY_MS / 2);
  await inner.call('sendTransaction', [Buffer.from(crafted.wire).toString('base64'), { encoding: 'base64' }]);
  const sentAt = new Date(clock.now() - DAY_MS);
  await store.transaction(async (tx) => {
    await insertCrafted(tx, [row]);
    const { signature, wire } = crafted;
    await claimMany(tx, [{ id: row.id, signature, wire, sentAt }]);
  });
  await net.call('localnet_advanceClock', [120]);
  chain.forget();
  const state = async () => (await findRequest(store, row.id))?.state;
  assert.equal(await landing.resume({ all: true }), 1);
  await until(async () => rpc.asked.has('getFirstAvailableBlock') || (await state()) !== 'sending');
  assert.equal(await state(), 'sending');
  rpc.instead = undefined;
  await until(async () => (await state()) !== 'sending');
  assert.equal(await state(), 'landed');
});

it('attack: a node tells a long history, and another one behind the same address, which has kept less, tells the rest: nothing is called expired', async () => {
  let asked = 0;
  const rpc: Rpc = {
    name: 'test',
    async call<T>(method: string, [slot]: unknown[]): Promise<T> {
      if (method === 'getBlockTime') return (Number(slot) / 1_000) as T;
      return (asked++ % 2 === 0 ? DAY_MS : 3 * DAY_MS) as T;
    },
  };
  assert.equal(isForgotten(2 * DAY_MS, await historySince(rpc)), true);
  assert.equal(isForgotten(4 * DAY_MS, await historySince(rpc)), false);
});

it('attack: a node goes away with what it has landed, and one in its place begins later: nothing is called expired that this copy has followed all along', async (t) => {
  const { net, rpc, clock, store, landing, chain, crafted, row } = await world(t);
  await store.transaction((tx) => insertCrafted(tx, [row]));
  let isSent = false;
  rpc.instead = (method) => {
    if (isSent) return () => Promise.reject(new ChainUnavailable('away'));
    isSent = method === 'sendTransaction';
    return undefined;
  };
  const end = landing.execute((await findRequest(store, row.id))!, crafted.transaction);
  await until(() => isSent);
  await net.call('localnet_advanceClock', [HOUR_MS / 1_000]);
  clock.setOffset(HOUR_MS);
  chain.forget();
  rpc.instead = forgetful(clock.now() - HOUR_MS / 2);
  const state = async () => (await findRequest(store, row.id))?.state;
  await until(async () => rpc.asked.has('getFirstAvailableBlock') || (await state()) !== 'sending');
  assert.equal(await state(), 'sending');
  rpc.instead = undefined;
  assert.equal((await end).state, 'landed');
});

it('what stands in a block without votes when it is dead is not called expired, and told as it ends', async (t) => {
  const { net, inner, rpc, store, landing, chain, crafted, row } = await world(t);
  let asked = 0;
  const status = { slot: 1, err: null, confirmations: 0 };
  rpc.instead = (method) => {
    if (method !== 'getSignatureStatuses') return undefined;
    asked += 1;
    return () => ({ context: { slot: 10 ** 9 }, value: [status] });
  };
  await inner.call('sendTransaction', [Buffer.from(crafted.wire).toString('base64'), { encoding: 'base64' }]);
  await store.transaction(async (tx) => {
    await insertCrafted(tx, [row]);
    const { signature, wire } = crafted;
    await claimMany(tx, [{ id: row.id, signature, wire, sentAt: new Date() }]);
  });
  await net.call('localnet_advanceClock', [120]);
  chain.forget();
  const state = async () => (await findRequest(store, row.id))?.state;
  assert.equal(await landing.resume({ all: true }), 1);
  await until(async () => asked >= 6 || (await state()) !== 'sending');
  assert.equal(await state(), 'sending');
  rpc.instead = undefined;
  await until(async () => (await state()) !== 'sending');
  assert.equal(await state(), 'landed');
});

/** What a node answers that knows of nothing before `since`, in Unix milliseconds. */
function forgetful(since: number): (method: string) => (() => unknown) | undefined {
  const said: Record<string, () => unknown> = {
    getSignatureStatuses: () => ({ context: { slot: 10 ** 9 }, value: [null] }),
    getFirstAvailableBlock: () => 1_000,
    getBlockTime: () => Math.floor(since / 1_000),
  };
  return (method) => said[method];
}

/** A transaction of a wallet, crafted and signed, and what lands it over a node that may answer otherwise. */
async function world(t: TestContext) {
  const net = await startLocalnet({ rpcPort: 0 });
  t.after(() => net.close());
  const inner = createLocalRpc((method, params) => net.call(method, params));
  const [store, clock, wallet] = [await openAnyStore(), createClock(), generateKeypair()];
  t.after(() => store.close());
  const rpc: Rpc & { asked: Set<string>; instead?: ((method: string) => (() => unknown) | undefined) | undefined } = {
    name: 'forgetful',
    asked: new Set(),
    async call<T>(method: string, params: unknown[]) {
      rpc.asked.add(method);
      const said = rpc.instead?.(method);
      return said ? ((await said()) as T) : inner.call<T>(method, params);
    },
  };
  const chain = createChain({ rpc, steadyNow, fees: FEES });
  const signer = testSigner();
  const given = { store, clock, steadyNow, log, signer, chain };
  const landing = new Landing({ ...given, settlements: {}, sendRpcs: [rpc], observe: () => {} });
  t.after(() => landing.close());

  await inner.call('requestAirdrop', [wallet.address, 1_000_000_000]);
  const { blockhash, lastValidBlockHeight } = await chain.latestBlockhash();
  const budget = { computeUnitLimit: 10_000, computeUnitPrice: 0n };
  const made = craftTransaction({ feePayer: wallet.address, instructions: [memo('old')], blockhash, budget });
  const unsigned = decodeTransaction(made.wire);
  const transaction = withSignature(unsigned, wallet.address, sign(wallet, unsigned.message));
  const crafted = {
    transaction,
    wire: Buffer.from(encodeTransaction(transaction)),
    signature: transactionSignature(transaction),
  };
  const asked = {
    area: 'old',
    wallet: wallet.address,
    crafted: made,
    lastValidBlockHeight,
    cosigners: [],
    payload: {},
  };
  return { net, inner, rpc, clock, store, landing, chain, crafted, row: newRequest(asked, clock) };
}

async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  for (let waited = 0; !(await isSo()); waited += 20) {
    assert.ok(waited < PATIENCE_MS);
    await sleep(20);
  }
}
