import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address } from '@slipway/wire';
import { createClock } from '../../lib/clock.js';
import type { Store } from '../../store/sql.js';
import { openTestStore } from '../../store/testing.js';
import { saveMarks } from '../../store/trigger-order-fills.js';
import { findTriggerOrder, insertTriggerOrder, type TriggerOrderRow } from '../../store/trigger-orders.js';
import { newOrder } from '../../trigger-orders/order.js';
import { editOrder } from './edit-order.js';

const WALLET = address('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v');
const AT = new Date(Date.UTC(2026, 10, 21));

const trailing: TriggerOrderRow = {
  id: 'trailing',
  wallet: WALLET,
  depositRequestId: 'd',
  bodyHash: Buffer.alloc(32),
  vault: 'v',
  inputMint: 'SOL',
  outputMint: 'USDC',
  triggerMint: 'SOL',
  inputAccount: 'in',
  outputAccount: null,
  triggerCondition: 'below',
  triggerPriceUsd: null,
  trailingBps: 1_000,
  highWatermark: 100,
  lowWatermark: null,
  tpPriceUsd: null,
  slPriceUsd: null,
  slippageBps: null,
  tpSlippageBps: null,
  slSlippageBps: null,
  expiresAt: AT,
  createdAt: AT,
  updatedAt: AT,
  triggeredAt: null,
  leaseUntil: null,
  retryAt: null,
  funded: true,
  seal: null,
  progress: { ...newOrder('single', 100n), state: 'open' },
};

test('an edit keeps what came just before it: the mark that a tick has moved, and another edit', async () => {
  const { store, close } = await openTestStore();
  await store.transaction((tx) => insertTriggerOrder(tx, trailing));
  let before = async () => {};
  /** Another edit gets in between the arrival of the request and its transaction. */
  const raced: Store = {
    ...store,
    async transaction(work) {
      const run = before;
      before = async () => {};
      await run();
      return store.transaction(work);
    },
  };
  const signer = { sealOrder: async () => new Uint8Array(64) } as never;
  const landing = { vouchesForOrder: async () => true };
  const deps = {
    signer,
    landing,
    store: raced,
    clock: createClock(),
    host: () => 'localhost',
    maxUnsignedSlippageBps: 2_000,
    prices: { forOrders: () => ({ usd: 130 }) } as never,
  };
  before = () => store.single((tx) => saveMarks(tx, [{ id: trailing.id, mark: 130 }]));
  await editOrder(deps, { wallet: WALLET, token: '' }, trailing.id, { orderType: 'single', slippageBps: 70 });
  before = async () => {
    await editOrder(deps, { wallet: WALLET, token: '' }, trailing.id, { orderType: 'single', slippageBps: 90 });
  };
  await editOrder(deps, { wallet: WALLET, token: '' }, trailing.id, { orderType: 'single', trailingBps: 500 });
  const { highWatermark, slippageBps, trailingBps } = (await findTriggerOrder(store, trailing.id))!;
  assert.deepEqual([highWatermark, slippageBps, trailingBps], [130, 90, 500]);
  await close();
});
