import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLocalnet } from '@slipway/localnet';
import { decodeTransaction, generateKeypair, memo, sign, transactionSignature, withSignature } from '@slipway/wire';
import { createChain, createLocalRpc, type Rpc } from '../chain/index.js';
import { craftTransaction } from '../crafting/transaction.js';
import { createClock, steadyNow } from '../lib/clock.js';
import { PATIENCE_MS } from '../lib/testing.js';
import { testSigner } from '../sandbox/maker/testing.js';
import { claimMany, findRequest, insertCrafted } from '../store/ledger.js';
import { openAnyStore } from '../store/testing.js';
import { Landing, newRequest } from './index.js';
import { FEES, log } from './testing.js';

const DAY_MS = 24 * 60 * 60_000;

it('attack: a node has forgotten the time when something was sent that a backup has as under way: it is not called expired, and told as it has ended once a node knows', async (t) => {
  const net = await startLocalnet({ rpcPort: 0 });
  t.after(() => net.close());
  const inner = createLocalRpc((method, params) => net.call(method, params));
  const [store, clock, wallet] = [await openAnyStore(), createClock(), generateKeypair()];
  t.after(() => store.close());
  let [forgets, asked] = [true, 0];
  const rpc: Rpc = {
    name: 'forgetful',
    async call<T>(method: string, params: unknown[]) {
      const said: Record<string, () => unknown> = {
        getSignatureStatuses: () => ({ context: { slot: 10 ** 9 }, value: [null] }),
        getFirstAvailableBlock: () => 1_000,
        getBlockTime: () => Math.floor((clock.now() - DAY_MS / 2) / 1_000),
      };
      if (!forgets || !said[method]) return inner.call<T>(method, params);
      if (method === 'getFirstAvailableBlock') asked++;
      return said[method]() as T;
    },
  };
  const chain = createChain({ rpc, steadyNow, fees: FEES });
  const signer = testSigner();
  const given = { store, clock, steadyNow, log, signer, chain };
  const landing = new Landing({ ...given, settlements: {}, sendRpcs: [rpc], observe: () => {} });
  t.after(() => landing.close());

  await inner.call('requestAirdrop', [wallet.address, 1_000_000_000]);
  const { blockhash } = await chain.latestBlockhash();
  const budget = { computeUnitLimit: 10_000, computeUnitPrice: 0n };
  const crafted = craftTransaction({ feePayer: wallet.address, instructions: [memo('old')], blockhash, budget });
  const transaction = decodeTransaction(crafted.wire);
  const signed = withSignature(transaction, wallet.address, sign(wallet, transaction.message));
  const wire = Buffer.from(crafted.wire);
  wire.set(signed.signatures[0]!, 1);
  await inner.call('sendTransaction', [wire.toString('base64'), { encoding: 'base64' }]);

  const made = { area: 'old', wallet: wallet.address, crafted, lastValidBlockHeight: 1n, cosigners: [], payload: {} };
  const row = newRequest(made, clock);
  const sentAt = new Date(clock.now() - DAY_MS);
  await store.transaction(async (tx) => {
    await insertCrafted(tx, [row]);
    const signature = transactionSignature(signed);
    await claimMany(tx, [{ id: row.id, signature, wire, sentAt, leaseUntil: sentAt }]);
  });
  await net.call('localnet_advanceClock', [120]);
  chain.forget();
  const state = async () => (await findRequest(store, row.id))?.state;
  const until = async (isSo: () => Promise<boolean> | boolean) => {
    for (let waited = 0; !(await isSo()); waited += 20) {
      assert.ok(waited < PATIENCE_MS);
      await sleep(20);
    }
  };
  assert.equal(await landing.resume({ all: true }), 1);
  await until(async () => asked > 0 || (await state()) !== 'sending');
  assert.equal(await state(), 'sending');
  forgets = false;
  await until(async () => (await state()) !== 'sending');
  assert.equal(await state(), 'landed');
});
