import type { LimitOrderAddresses } from '@slipway/programs';
import type { Address } from '@slipway/wire';
import { ask, NODES_APART, wholeIn } from '../../chain/index.js';
import { tell } from '../../store/event-outbox.js';
import { lockIndexCursor } from '../../store/index-cursors.js';
import {
  addLimitOrderEvents,
  forgetLimitOrderEvents,
  knownOpenOrders,
  limitOrderEvents,
  limitOrdersAt,
  openLimitOrders,
  type PlacedOrderEvent,
  replaceLimitOrders,
} from '../../store/limit-orders.js';
import type { Tx } from '../../store/sql.js';
import { type IndexDeps, inBatches, newsSince } from '../indexed-program.js';
import { changesOf } from './changed-orders.js';
import { eventsToKeep } from './kept-events.js';
import { goneEvent, readOpenOrders, readOrder, seenEvent } from './open-orders.js';
import { newsOfChange } from './order-news.js';
import { ordersOf } from './orders-of.js';

interface Deps extends Pick<IndexDeps, 'store' | 'chain' | 'clock' | 'log'> {
  addresses: LimitOrderAddresses;
}

/**
 * Adds open orders that are not in the history read so far, by their accounts. @throws ChainUnavailable,
 * StoreUnavailable
 */
export async function addUnknown(deps: Deps): Promise<void> {
  const { store, chain, addresses } = deps;
  const { program } = addresses;
  const { slot, orders } = await openNow(chain, program);
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
  const { slot, orders } = await openNow(chain, program);
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

/** One answer alone may name a slot that never comes: nothing that happens to an order later would count. @throws ChainUnavailable */
async function openNow(chain: Deps['chain'], program: Address): ReturnType<typeof readOpenOrders> {
  const told = await readOpenOrders(chain.rpc, program);
  const newest = await ask(chain.rpc, 'getSlot', [{ commitment: 'confirmed' }], wholeIn);
  const most = (await chain.newestSlot()) + NODES_APART;
  return { ...told, slot: atMost(atMost(told.slot, newest), most) };
}

const atMost = (slot: bigint, most: bigint): bigint => (slot > most ? most : slot);

/** Adds events, changes the rows of their orders, and tells what is new of them. */
export async function addEvents(
  tx: Tx,
  { addresses: { program }, clock }: Pick<Deps, 'addresses' | 'clock'>,
  events: readonly PlacedOrderEvent[],
): Promise<void> {
  if (events.length === 0) return;
  await addLimitOrderEvents(tx, events);
  // In batches, so that no statement grows with the addresses that a transaction names.
  for (const orderKeys of inBatches([...new Set(events.map(({ orderKey }) => orderKey))])) {
    const known = byOrder(await limitOrderEvents(tx, orderKeys));
    const rows = byOrder(await limitOrdersAt(tx, orderKeys));
    const changes = [...known].map(([orderKey, all]) => {
      const { kept, old } = eventsToKeep(all);
      const changesTo = (events: typeof all) => changesOf(rows.get(orderKey) ?? [], ordersOf(program, events));
      const change = changesTo(kept);
      // Also of what is too old as soon as it is known.
      return { old, ...change, news: newsOfChange(old.length > 0 ? changesTo(all) : change, newsSince(clock)) };
    });
    await forgetLimitOrderEvents(
      tx,
      changes.flatMap(({ old }) => old),
    );
    await replaceLimitOrders(
      tx,
      changes.flatMap(({ gone }) => gone),
      changes.flatMap(({ made }) => made),
    );
    await tell(
      tx,
      changes.flatMap(({ news }) => news),
    );
  }
}

function byOrder<T extends { orderKey: string }>(all: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const each of all) {
    const group = groups.get(each.orderKey);
    if (group) group.push(each);
    else groups.set(each.orderKey, [each]);
  }
  return groups;
}
