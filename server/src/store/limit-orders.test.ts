import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addLimitOrderEvents,
  forgetLimitOrderEvents,
  knownOpenOrders,
  type LimitOrderRow,
  limitOrderEvents,
  limitOrdersAt,
  listLimitOrders,
  type PlacedOrderEvent,
  replaceLimitOrders,
} from './limit-orders.js';
import type { Store } from './sql.js';
import { openTestStore } from './testing.js';

const U64_MAX = 2n ** 64n - 1n;
const at = new Date('2026-01-02T03:04:05Z');
const seen = (slot: bigint, left: string): PlacedOrderEvent => ({
  orderKey: 'k',
  txId: '',
  number: 0,
  slot,
  position: -(2n ** 62n),
  at,
  event: {
    kind: 'seen',
    terms: {
      maker: 'm',
      inputMint: 'i',
      outputMint: 'o',
      makingAmount: left,
      takingAmount: `${U64_MAX}`,
      feeBps: 1,
      slippageBps: 2,
      expiredAt: null,
    },
    createdAt: 1,
    remainingMakingAmount: left,
    remainingTakingAmount: '0',
  },
});
const closed = (slot: bigint, position: bigint, number: number): PlacedOrderEvent => ({
  orderKey: 'k',
  txId: 't',
  number,
  slot,
  position,
  at,
  event: { kind: 'closed', signers: ['m'], isDust: false },
});
const row = (number: number, more: Partial<LimitOrderRow>): LimitOrderRow => ({
  orderKey: 'k',
  number,
  openTx: 'a',
  program: 'p',
  maker: 'm',
  inputMint: 'i',
  outputMint: 'o',
  makingAmount: U64_MAX,
  takingAmount: 1n,
  remainingMakingAmount: 0n,
  remainingTakingAmount: 7n,
  slippageBps: 5,
  expiredAt: 2n ** 63n - 1n,
  state: 'completed',
  closeTx: 'b',
  createdAt: at,
  updatedAt: at,
  trades: [{ txId: 'b', keeper: 'x', makingAmount: U64_MAX, takingAmount: 1n, feeAmount: 0n, confirmedAt: at }],
  slot: 2n ** 53n + 1n,
  position: -3n,
  ...more,
});

for (const kind of ['embedded', 'postgres'] satisfies Store['kind'][]) {
  test(`${kind}: events of limit orders come back in the chain's order, each once`, async (t) => {
    const { store, close } = await openTestStore(kind);
    t.after(close);
    const add = (...events: PlacedOrderEvent[]) => store.transaction((tx) => addLimitOrderEvents(tx, events));
    const last = closed(2n ** 53n + 1n, 1n, 1);
    await add(last, closed(2n ** 53n + 1n, 1n, 0), seen(9n, '5'));
    await add(closed(4n, 9n, 0), seen(8n, '6'));
    const first = { ...closed(2n ** 53n + 1n, 1n, 0) };
    assert.deepEqual(await limitOrderEvents(store, ['k', 'other']), [seen(9n, '5'), first, last]);
    await add(seen(10n, '4'));
    assert.deepEqual((await limitOrderEvents(store, ['k']))[0], seen(10n, '4'), 'what is newer counts');
    await store.transaction((tx) => forgetLimitOrderEvents(tx, [first, { ...last, orderKey: 'other' }]));
    assert.deepEqual(await limitOrderEvents(store, ['k']), [seen(10n, '4'), last]);
  });

  test(`${kind}: rows of limit orders take the place of others, to the unit`, async (t) => {
    const { store, close } = await openTestStore(kind);
    t.after(close);
    const replace = (gone: LimitOrderRow[], rows: LimitOrderRow[]) =>
      store.transaction((tx) => replaceLimitOrders(tx, gone, rows));
    const open = row(1, { state: 'open', closeTx: '', openTx: '', expiredAt: null, trades: [], position: -2n });
    const other = row(0, { orderKey: 'l', maker: 'n' });
    await replace([], [open, row(0, {}), other]);
    assert.deepEqual(await limitOrdersAt(store, ['k']), [row(0, {}), open]);
    const filter = { program: 'p', maker: 'm', states: ['open', 'completed'] as const };
    const list = async (more: object, page = { offset: 0, limit: 10 }) =>
      listLimitOrders(store, { ...filter, ...more }, page);
    assert.deepEqual(await list({}), { rows: [open, row(0, {})], total: 2 });
    assert.deepEqual((await list({}, { offset: 1, limit: 1 })).rows, [row(0, {})]);
    assert.deepEqual((await list({ states: ['open'] })).rows, [open]);
    for (const unlike of [{ inputMint: 'x' }, { outputMint: 'x' }, { program: 'x' }, { states: ['failed'] }])
      assert.equal((await list(unlike)).total, 0);
    assert.deepEqual(await knownOpenOrders(store, ['k', 'l']), new Set(['k']));
    await replace([row(0, {})], [row(2, { openTx: 'c' })]);
    assert.deepEqual(await limitOrdersAt(store, ['k']), [open, row(2, { openTx: 'c' })]);
    await replace([open, row(2, {})], []);
    assert.equal((await list({})).total, 0);
    assert.equal((await list({ maker: 'n' })).total, 1);
  });
}
