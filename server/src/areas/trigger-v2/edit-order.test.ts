import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { address } from '@slipway/wire';
import { createClock } from '../../lib/clock.js';
import { PATIENCE_MS } from '../../lib/testing.js';
import type { Store } from '../../store/sql.js';
import { openTestStore } from '../../store/testing.js';
import { saveMarks } from '../../store/trigger-order-fills.js';
import { findTriggerOrder, insertTriggerOrder, type TriggerOrderRow } from '../../store/trigger-orders.js';
import { newOrder } from '../../trigger-orders/order.js';
import { triggersOf } from '../../trigger-orders/order-triggers.js';
import { editOrder } from './edit-order.js';
import { editTerms } from './order-terms.js';

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
    tick: () => ({ usd: 130, publishedAt: 0 }),
  };
  before = () => store.single((tx) => saveMarks(tx, [{ id: trailing.id, mark: 130 }]));
  await editOrder(deps, { wallet: WALLET, token: '' }, trailing.id, { orderType: 'single', slippageBps: 70 });
  before = async () => {
    await editOrder(deps, { wallet: WALLET, token: '' }, trailing.id, { orderType: 'single', slippageBps: 90 });
  };
  await editOrder(deps, { wallet: WALLET, token: '' }, trailing.id, { orderType: 'single', trailingBps: 500 });
  const { highWatermark, slippageBps, trailingBps } = (await findTriggerOrder(store, trailing.id))!;
  assert.deepEqual([highWatermark, slippageBps, trailingBps], [130, 90, 500]);
  const doubting = { ...deps, tick: () => 'contradicting' as const };
  const doubted = editOrder(doubting, { wallet: WALLET, token: '' }, trailing.id, {
    orderType: 'single',
    trailingBps: 600,
  });
  await assert.rejects(doubted, /Market price is unavailable for trailing order/, 'by a price that moves no mark');
  await close();
});

test('attack: a thief of a login edits columns of the order that no field is for, such as its mark: none is changed', async () => {
  const order = { ...trailing, type: 'single', stage: 'entry' } as const;
  const others = {
    highWatermark: 1e9,
    lowWatermark: 1,
    seal: 'x',
    wallet: 'thief',
    funded: false,
    progress: null,
    type: 'oco',
  };
  const edited = editTerms(order, { orderType: 'single', ...others, slippageBps: 70 }, AT.getTime(), 1);
  assert.deepEqual(edited, { ...order, slippageBps: 70 });
});

test('attack: a database writer gives a trailing order a mark that no price is less than: it cannot be stored, and fires nothing', async () => {
  const { store, close } = await openTestStore();
  await store.transaction((tx) => insertTriggerOrder(tx, trailing));
  for (const mark of ['NaN', 'Infinity', '0', '-1']) {
    const write = (column: string) => store.query(`update orders set ${column} = $1`, [mark]);
    await assert.rejects(write('high_watermark'), /marks_are_prices/);
    await assert.rejects(write('low_watermark'), /marks_are_prices/);
    const terms = { ...trailing, highWatermark: Number(mark), type: 'single', stage: 'entry', fired: null } as const;
    assert.deepEqual(triggersOf(terms), []);
  }
  await close();
});

test('attack: a database writer gives an order a price that none is compared with: it cannot be stored, and fires nothing', async () => {
  const { store, close } = await openTestStore();
  await store.transaction((tx) => insertTriggerOrder(tx, trailing));
  const prices = { triggerPriceUsd: 2, tpPriceUsd: 3, slPriceUsd: 1 };
  const terms = { ...trailing, ...prices, trailingBps: null, stage: 'entry', fired: null } as const;
  assert.deepEqual(
    ['single' as const, 'oco' as const].map((type) => triggersOf({ ...terms, type }).length),
    [1, 2],
  );
  for (const price of ['NaN', 'Infinity', '0', '-1']) {
    for (const [column, field, type] of [
      ['trigger_price_usd', 'triggerPriceUsd', 'single'],
      ['tp_price_usd', 'tpPriceUsd', 'oco'],
      ['sl_price_usd', 'slPriceUsd', 'oco'],
    ] as const) {
      await assert.rejects(store.query(`update orders set ${column} = $1`, [price]), /prices_are_prices/);
      assert.deepEqual(triggersOf({ ...terms, type, [field]: Number(price) }), []);
    }
  }
  await close();
});

test('once an OTOCO order has been entered, an edit changes nothing of its entry: no slippage either, which its exit does not go by', () => {
  const order = { ...trailing, trailingBps: null, highWatermark: null, type: 'otoco', stage: 'exit' } as const;
  const edit = (changes: object) => editTerms(order, { orderType: 'otoco', ...changes }, AT.getTime(), 1);
  for (const field of ['slippageBps', 'triggerPriceUsd']) {
    assert.throws(() => edit({ [field]: 1 }), { message: `${field}: the order has been entered already` });
  }
  const changes = { tpPriceUsd: 2, slPriceUsd: 1, tpSlippageBps: 3, slSlippageBps: 4 };
  assert.deepEqual(edit(changes), { ...order, ...changes });
});

test('attack: a free key edits ever more orders while the signer is silent: no statement of others waits for these', async () => {
  const { store, close } = await openTestStore('postgres');
  const ids = Array.from({ length: 12 }, (_, n) => `o${n}`);
  for (const id of ids)
    await store.transaction((tx) => insertTriggerOrder(tx, { ...trailing, id, depositRequestId: id }));
  let asked = 0;
  let answer = (_: Uint8Array) => {};
  const answered = new Promise<Uint8Array>((resolve) => {
    answer = resolve;
  });
  const sealOrder = () => {
    asked += 1;
    return answered;
  };
  const deps = {
    signer: { sealOrder } as never,
    landing: { vouchesForOrder: async () => true },
    store,
    clock: createClock(),
    host: () => 'localhost',
    maxUnsignedSlippageBps: 2_000,
    tick: () => ({ usd: 130, publishedAt: 0 }),
  };
  const edits = ids.map((id) =>
    editOrder(deps, { wallet: WALLET, token: '' }, id, { orderType: 'single', slippageBps: 70 }),
  );
  // A copy has ten connections.
  for (const end = performance.now() + PATIENCE_MS; asked < ids.length && performance.now() < end; ) await sleep(10);
  assert.equal(asked, ids.length);
  assert.equal((await store.query('select 1')).rowCount, 1);
  answer(new Uint8Array(64));
  await Promise.all(edits);
  assert.equal((await findTriggerOrder(store, 'o11'))!.slippageBps, 70);
  await close();
});
