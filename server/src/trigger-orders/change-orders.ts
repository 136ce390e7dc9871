import { apply, holdsFunds, IllegalEvent, type Order, type OrderEvent } from './order.js';
import { type OrderEventRow, writeOrderEvents } from '../store/trigger-order-events.js';
import { lockOrders, type OrderRow, type OrderTimes, saveOrders } from '../store/trigger-orders.js';
import type { Tx } from '../store/sql.js';

/** Something that happens to a stored order. */
export interface OrderChange {
  id: string;
  event: OrderEvent;
  /** Times to set beside `updatedAt`. */
  times?: Partial<OrderTimes>;
  /** What its owner shall see of it. */
  history?: (order: OrderRow) => OrderEventRow[];
}

/**
 * Applies events to orders, each to the state that the order is in now: whoever comes second meets what the first has
 * made of it. Answers, by id, the changed order, or why it was left as it is (`undefined`: there is none, or with
 * `skip` somebody else is at it).
 */
export async function changeOrders(
  tx: Tx,
  changes: readonly OrderChange[],
  at: Date,
  options: { skip: boolean } = { skip: false },
): Promise<Map<string, OrderRow | IllegalEvent>> {
  const outcomes = new Map<string, OrderRow | IllegalEvent>();
  const byId = new Map(changes.map((change) => [change.id, change]));
  const locked = await lockOrders(tx, [...byId.keys()], options);
  const changed: OrderRow[] = [];
  const history: OrderEventRow[] = [];
  for (const row of locked) {
    const { event, times, history: tell } = byId.get(row.id)!;
    const progress = tryApply(row.progress as Order, event);
    if (progress instanceof IllegalEvent) {
      outcomes.set(row.id, progress);
      continue;
    }
    const after: OrderRow = { ...row, ...times, progress, funded: holdsFunds(progress), updatedAt: at };
    outcomes.set(row.id, after);
    changed.push(after);
    history.push(...(tell?.(after) ?? []));
  }
  await saveOrders(tx, changed);
  await writeOrderEvents(tx, history);
  return outcomes;
}

function tryApply(order: Order, event: OrderEvent): Order | IllegalEvent {
  try {
    return apply(order, event);
  } catch (error) {
    if (error instanceof IllegalEvent) return error;
    throw error;
  }
}
