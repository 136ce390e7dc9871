import type { Address } from '@slipway/wire';
import { lockIndexCursor } from '../../store/index-cursors.js';
import {
  addLimitOrderEvents,
  knownOpenOrders,
  limitOrderEvents,
  openLimitOrders,
  type PlacedOrderEvent,
  replaceLimitOrders,
} from '../../store/limit-orders.js';
import type { Tx } from '../../store/sql.js';
import { inBatches } from '../indexed-program.js';
import { goneEvent, readOpenOrders, readOrder, seenEvent } from './open-orders.js';
import type { LimitOrderIndexDeps } from './order-index.js';
import { ordersOf } from './orders-of.js';

type Deps = Pick<LimitOrderIndexDeps, 'store' | 'chain' | 'addresses' | 'log'>;

/**
 * Adds open orders that are not in the history read so far, by their accounts. @throws ChainUnavailable,
 * StoreUnavailable
 */
export async function addUnknown({ store, chain, addresses: { program } }: Deps): Promise<void> {
  const { slot, orders } = await readOpenOrders(chain.rpc, program);
  const known = await knownOpenOrders(
    store,
    orders.map(({ address }) => address),
  );
  const unknown = orders.filter(({ address }) => !known.has(address));
  for (const batch of inBatches(unknown)) {
    await store.transaction(async (tx) => {
      await lockIndexCursor(tx, program);
      const events = batch.map((order) => seenEvent(order, slot));
      await addEvents(tx, program, events);
    });
  }
}

/**
 * Closes orders that are open by their history but no longer have an account: the transaction that closed them could
 * not be read, or the node does not have it. @throws ChainUnavailable, StoreUnavailable
 */
export async function endGone({ store, chain, addresses: { program }, log }: Deps): Promise<void> {
  const { slot, orders } = await readOpenOrders(chain.rpc, program);
  const open = new Set<string>(orders.map(({ address }) => address));
  const missing = (await openLimitOrders(store, program, slot)).filter(({ orderKey }) => !open.has(orderKey));
  for (const batch of inBatches(missing)) {
    const accounts = await Promise.all(batch.map(({ orderKey }) => readOrder(chain, program, orderKey as Address)));
    const gone = batch.filter((_, index) => accounts[index] === undefined);
    if (gone.length === 0) continue;
    await store.transaction(async (tx) => {
      await lockIndexCursor(tx, program);
      await addEvents(
        tx,
        program,
        gone.map(({ orderKey, updatedAt }) => goneEvent(orderKey, slot, updatedAt)),
      );
    });
    log.warn(
      { program, orders: gone.length },
      'limit orders are gone from the chain, and no known transaction closed them',
    );
  }
}

/** Adds events and rebuilds the rows of their orders. */
export async function addEvents(tx: Tx, program: string, events: readonly PlacedOrderEvent[]): Promise<void> {
  if (events.length === 0) return;
  await addLimitOrderEvents(tx, events);
  const orderKeys = [...new Set(events.map(({ orderKey }) => orderKey))];
  const known = await limitOrderEvents(tx, orderKeys);
  const rows = orderKeys.map((key) => known.filter(({ orderKey }) => orderKey === key));
  await replaceLimitOrders(
    tx,
    orderKeys,
    rows.flatMap((of) => ordersOf(program, of)),
  );
}
