import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { LimitOrderAddresses } from '@slipway/programs';
import { type LimitOrderEvent, listLimitOrders, type PlacedOrderEvent } from '../../store/limit-orders.js';
import type { Store } from '../../store/sql.js';
import { openTestStore } from '../../store/testing.js';
import { addEvents, MOST_EVENTS_OF_ADDRESS } from './known-orders.js';

const START = Date.parse('2026-01-01T00:00:00Z');
const STATES = ['open', 'completed', 'cancelled', 'failed'] as const;
const terms = {
  maker: 'maker',
  inputMint: 'in',
  outputMint: 'out',
  makingAmount: '100000',
  takingAmount: '100000',
  feeBps: 0,
  slippageBps: 0,
  expiredAt: null,
};
const traded = (left: number): LimitOrderEvent => ({
  kind: 'traded',
  keeper: 'keeper',
  makingAmount: '1',
  takingAmount: '1',
  remainingMakingAmount: `${left}`,
  remainingTakingAmount: `${left}`,
});

describe('what is kept of a limit order', () => {
  let store: Store;
  let close: () => Promise<void>;
  before(async () => {
    ({ store, close } = await openTestStore());
  });
  after(() => close());

  const deps = { addresses: { program: 'program' } as unknown as LimitOrderAddresses, clock: { now: () => START } };
  /** Adds them in this order, a transaction for each, after all that were added before. */
  let slot = 0;
  const add = (orderKey: string, ...events: LimitOrderEvent[]) =>
    store.transaction((tx) =>
      addEvents(
        tx,
        deps as never,
        events.map((event): PlacedOrderEvent => {
          slot += 1;
          const place = { slot: BigInt(slot), position: 0n, number: 0, at: new Date(START + slot) };
          return { orderKey, txId: `tx ${slot}`, event, ...place };
        }),
      ),
    );
  const kept = async (orderKey: string) =>
    (await store.query('select from limit_order_events where order_key = $1', [orderKey])).rowCount;
  const ordersAt = async (orderKey: string) => {
    const filter = { program: 'program', maker: 'maker', states: STATES };
    const { rows } = await listLimitOrders(store, filter, { offset: 0, limit: 10_000 });
    return rows.filter((row) => row.orderKey === orderKey);
  };
  const many = (event: LimitOrderEvent) => Array<LimitOrderEvent>(MOST_EVENTS_OF_ADDRESS).fill(event);

  it('attack: a stranger on the chain has one order refused, or opened and cancelled, ever again: 200 events of it are kept', async () => {
    for (let n = 0; n < 3; n++) await add('refused', ...many({ kind: 'refused', terms }));
    assert.equal(await kept('refused'), MOST_EVENTS_OF_ADDRESS);
    assert.equal((await ordersAt('refused')).length, MOST_EVENTS_OF_ADDRESS);
    const cancelled: LimitOrderEvent = { kind: 'closed', signers: ['maker'], isDust: false };
    for (let n = 0; n < 3; n++)
      await add('cancelled', ...many(cancelled).flatMap((end): LimitOrderEvent[] => [{ kind: 'opened', terms }, end]));
    assert.equal(await kept('cancelled'), MOST_EVENTS_OF_ADDRESS);
    assert.equal((await ordersAt('cancelled')).length, MOST_EVENTS_OF_ADDRESS / 2);
  });

  it('attack: a stranger on the chain fills the order of another in ever smaller parts: it stays as it is, with the newest trades', async () => {
    await add('filled', { kind: 'opened', terms });
    const opening = `tx ${slot}`;
    const parts = Array.from({ length: 1_000 }, (_, n) => traded(99_999 - n));
    for (let n = 0; n < parts.length; n += 100) await add('filled', ...parts.slice(n, n + 100));
    assert.equal(await kept('filled'), MOST_EVENTS_OF_ADDRESS + 1, 'the newest, and the opening');
    const orders = await ordersAt('filled');
    assert.deepEqual(
      orders.map(({ openTx, state, remainingMakingAmount, trades }) => [
        ...[openTx, state, remainingMakingAmount, trades.length, trades.at(-1)!.txId],
      ]),
      [[opening, 'open', 99_000n, MOST_EVENTS_OF_ADDRESS, `tx ${slot}`]],
    );
    await add('filled', { kind: 'closed', signers: ['maker'], isDust: false });
    assert.deepEqual(
      (await ordersAt('filled')).map(({ state, closeTx }) => [state, closeTx]),
      [['cancelled', `tx ${slot}`]],
    );
  });

  it('attack: a stranger on the chain fills an order in two parts by one transaction: its maker hears of each, once', async () => {
    slot += 1;
    const place = { orderKey: 'parts', txId: 'one', slot: BigInt(slot), position: 0n, at: new Date(START + slot) };
    const events = [{ kind: 'opened', terms } as const, traded(99_999), traded(99_998)].map(
      (event, number): PlacedOrderEvent => ({ ...place, number, event }),
    );
    for (const times of [1, 2]) {
      await store.transaction((tx) => addEvents(tx, deps as never, events));
      const { rows } = await store.query<{ page: string }>('select unnest(pages) as page from event_outbox');
      const told = rows.flatMap(({ page }) => JSON.parse(page) as { kind: string; data: { order: string } }[]);
      const kinds = told.filter(({ data }) => data.order === 'parts').map(({ kind }) => kind);
      assert.deepEqual(kinds.sort(), ['order.opened', 'order.partly_filled', 'order.partly_filled'], `${times}`);
    }
  });
});
