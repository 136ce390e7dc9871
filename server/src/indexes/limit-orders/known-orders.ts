import type { Address } from '@slipway/wire';
import { tell } from '../../store/event-outbox.js';
import { lockIndexCursor } from '../../store/index-cursors.js';
import {
  addLimitOrderEvents,
  forgetOldLimitOrderEvents,
  knownOpenOrders,
  limitOrderEvents,
  openLimitOrders,
  type PlacedOrderEvent,
  replaceLimitOrders,
} from '../../store/limit-orders.js';
import type { Tx } from '../../store/sql.js';
import { inBatches, newsSince } from '../indexed-program.js';
import { goneEvent, readOpenOrders, readOrder, seenEvent } from './open-orders.js';
import type { LimitOrderIndexDeps } from './order-index.js';
import { orderNews } from './order-news.js';
import { ordersOf } from './orders-of.js';

type Deps = Pick<LimitOrderIndexDeps, 'store' | 'chain' | 'clock' | 'addresses' | 'log'>;

/**
 * Adds open orders that are not in the history read so far, by their accounts. @throws ChainUnavailable,
 * StoreUnavailable
 */
export async function addUnknown(deps: Deps): Promise<void> {
  const { store, chain, addresses } = deps;
  const { program } = addresses;
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
      await addEvents(tx, deps, events);
    });
  }
}

/**
 * Closes orders that are open by their history but no longer have an account: the transaction that closed them could
 * not be read, or the node does not have it. @throws ChainUnavailable, StoreUnavailable
 */
export async function endGone(deps: Deps): Promise<void> {
  const { store, chain, addresses, log } = deps;
  const { program } = addresses;
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
        deps,
        gone.map(({ orderKey, updatedAt }) => goneEvent(orderKey, slot, updatedAt)),
      );
    });
    log.warn(
      { program, orders: gone.length },
      'limit orders are gone from the chain, and no known transaction closed them',
    );
  }
}

/**
 * Events that are kept of one address, with the last opening: whatever comes of it, all of them are read and folded again.
 * Anybody may have an address opened, refused and closed in every transaction, for its fee.
 */
export const MOST_EVENTS_OF_ADDRESS = 200;

/** Adds events, rebuilds the rows of their orders, and tells what is new of them. */
export async function addEvents(
  tx: Tx,
  { addresses: { program }, clock }: Pick<Deps, 'addresses' | 'clock'>,
  events: readonly PlacedOrderEvent[],
): Promise<void> {
  if (events.length === 0) return;
  await addLimitOrderEvents(tx, events);
  // In batches, so that no statement grows with the addresses that a transaction names.
  for (const orderKeys of inBatches([...new Set(events.map(({ orderKey }) => orderKey))])) {
    await forgetOldLimitOrderEvents(tx, orderKeys, MOST_EVENTS_OF_ADDRESS);
    const known = await limitOrderEvents(tx, orderKeys);
    const ofEach = orderKeys.map((key) => known.filter(({ orderKey }) => orderKey === key));
    const rows = ofEach.flatMap((of) => ordersOf(program, of));
    await replaceLimitOrders(tx, orderKeys, rows);
    await tell(
      tx,
      rows.flatMap((row) => orderNews(row, newsSince(clock))),
    );
  }
}
