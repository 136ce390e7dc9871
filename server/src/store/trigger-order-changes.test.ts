import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { apply, IllegalEvent, newOrder, type Order, type OrderEvent } from '../trigger-orders/order.js';
import type { RawState } from '../trigger-orders/state.js';
import type { Store } from './sql.js';
import { openTestStore } from './testing.js';
import { changeOrders } from './trigger-order-changes.js';
import { triggerOrderEvents } from './trigger-order-events.js';
import { editTriggerOrder, findTriggerOrder, insertTriggerOrder, type TriggerOrderRow } from './trigger-orders.js';

const NOW = new Date(Date.UTC(2026, 10, 21));

let count = 0;
function row(state: RawState, type: 'single' | 'oco' | 'otoco' = 'single'): TriggerOrderRow {
  count += 1;
  const id = `order-${String(count).padStart(6, '0')}`;
  return {
    id,
    wallet: 'w',
    depositRequestId: id,
    bodyHash: Buffer.alloc(32),
    vault: 'v',
    inputMint: 'USDC',
    outputMint: 'SOL',
    triggerMint: 'SOL',
    inputAccount: 'in',
    outputAccount: 'out',
    triggerCondition: 'above',
    triggerPriceUsd: 1,
    trailingBps: null,
    highWatermark: null,
    lowWatermark: null,
    tpPriceUsd: null,
    slPriceUsd: null,
    slippageBps: null,
    tpSlippageBps: null,
    slSlippageBps: null,
    expiresAt: NOW,
    createdAt: NOW,
    updatedAt: NOW,
    triggeredAt: null,
    leaseUntil: null,
    retryAt: null,
    funded: true,
    seal: null,
    progress: { ...newOrder(type, 100n), state },
  };
}

for (const kind of ['embedded', 'postgres'] as const) {
  describe(`changes of stored orders on ${kind}`, () => {
    let store: Store;
    let close: () => Promise<void>;
    before(async () => {
      ({ store, close } = await openTestStore(kind));
    });
    after(() => close());

    const insert = async (order: TriggerOrderRow) => (await store.transaction((tx) => insertTriggerOrder(tx, order)))!;
    const change = async (id: string, event: OrderEvent) =>
      (await store.transaction((tx) => changeOrders(tx, [{ id, event }], NOW))).get(id);
    const fire: OrderEvent = { type: 'triggered', leg: 'entry' };

    test('of many keepers that claim the same orders at once, one gets each', async () => {
      const ids: string[] = [];
      for (let n = 0; n < 60; n += 1) ids.push((await insert(row('open'))).id);
      const claims = await Promise.all(
        Array.from({ length: 12 }, (_, keeper) =>
          store.transaction(async (tx) => {
            const mine = [...ids].sort(() => (keeper % 2 ? 1 : -1));
            const leaseUntil = new Date(NOW.getTime() + 1_000 * (keeper + 1));
            const changes = mine.map((id) => ({ id, event: fire, times: { leaseUntil } }));
            const outcomes = await changeOrders(tx, changes, NOW, { skip: true });
            return [...outcomes].filter(([, outcome]) => !(outcome instanceof IllegalEvent)).map(([id]) => id);
          }),
        ),
      );
      assert.deepEqual(claims.flat().sort(), ids);
      for (const id of ids) assert.equal((await findTriggerOrder(store, id))?.progress.state, 'ready_execute');
    });

    test('of a claim, an edit, an expiry and a cancellation at once, the order ends as one of them says', async () => {
      for (let round = 0; round < 15; round += 1) {
        const order = await insert(row('open'));
        const { id } = order;
        const edit = store.transaction((tx) => editTriggerOrder(tx, order, { ...order, triggerPriceUsd: 2 }, NOW));
        const results: unknown[] = await Promise.all([
          change(id, fire),
          change(id, { type: 'expiry_due' }),
          change(id, { type: 'cancel_asked' }),
        ]);
        const [fired, expired, cancelled]: boolean[] = results.map((result) => !(result instanceof IllegalEvent));
        const { progress, triggerPriceUsd } = (await findTriggerOrder(store, id))!;
        // A cancellation that comes after another is remembered; it never undoes what has begun.
        assert.equal([fired, expired].filter(Boolean).length, progress.state === 'ready_to_cancel' ? 0 : 1);
        assert.equal(cancelled, true);
        assert.equal(progress.cancelAsked, true);
        assert.equal(triggerPriceUsd, (await edit) ? 2 : 1);
      }
    });

    test('what its owner sees is written with the change, or not at all', async () => {
      const { id } = await insert(row('open'));
      const expire = (event: OrderEvent) =>
        store.transaction((tx) => changeOrders(tx, [{ id, event, history: (order) => [expiredEvent(order)] }], NOW));
      await expire({ type: 'expired' });
      assert.deepEqual(await triggerOrderEvents(store, 'w', [id]), []);
      await change(id, { type: 'expiry_due' });
      await expire({ type: 'expired' });
      const [event] = await triggerOrderEvents(store, 'w', [id]);
      assert.equal(event?.type, 'expired');
      assert.equal((await findTriggerOrder(store, id))?.funded, true);
    });

    test('an order that is not there is left out of the answer', async () => {
      const outcomes = await store.transaction((tx) => changeOrders(tx, [{ id: 'none', event: fire }], NOW));
      assert.equal(outcomes.size, 0);
    });

    test('a walk in the store is the walk of the pure state machine', async () => {
      const event = fc.constantFrom<OrderEvent>(
        ...(['triggered'] as const).map((type) => ({ type, leg: 'entry' }) as const),
        ...(['deposit_sent', 'deposit_landed', 'sent', 'fill_lost', 'retried', 'cancel_asked'] as const).map(
          (type) => ({ type }),
        ),
        { type: 'fill_landed', input: 30n, output: 7n, into: 'vault', whole: false },
        { type: 'fill_landed', input: 100n, output: 20n, into: 'vault', whole: true },
        { type: 'exit_opened' },
        { type: 'withdrawn' },
      );
      const walk = fc.array(event, { maxLength: 25 });
      const types = fc.constantFrom('single' as const, 'otoco' as const);
      await fc.assert(
        fc.asyncProperty(types, walk, async (type, events) => {
          const stored = await insert(row('pending_deposit', type));
          let left = [...events, { type: 'deposit_sent' }, { type: 'deposit_landed' }] as OrderEvent[];
          left = [...left.slice(-2), ...left.slice(0, -2)];
          let pure: Order = stored.progress;
          for (const each of left) {
            await change(stored.id, each);
            pure = applied(pure, each);
            assert.deepEqual((await findTriggerOrder(store, stored.id))?.progress, pure);
          }
        }),
        { numRuns: 15 },
      );
    });
  });
}

function expiredEvent({ wallet, id }: TriggerOrderRow) {
  const nothing = { signature: null, mint: null, amount: null, outputMint: null, outputAmount: null, context: null };
  return { wallet, orderId: id, id: `e ${id}`, type: 'expired', state: 'success', at: NOW, ...nothing } as const;
}

function applied(order: Order, event: OrderEvent): Order {
  try {
    return apply(order, event);
  } catch {
    return order;
  }
}
