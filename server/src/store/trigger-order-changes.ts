import { apply, holdsFunds, IllegalEvent, type Order, type OrderEvent } from '../trigger-orders/order.js';
import { type NewEvent, tell } from './event-outbox.js';
import type { Tx } from './sql.js';
import type { TriggerOrderEventRow } from './trigger-order-events.js';
import { orderEvents } from './trigger-order-telling.js';
import {
  lockTriggerOrders,
  saveTriggerOrders,
  type TriggerOrderRow,
  type TriggerOrderTimes,
} from './trigger-orders.js';

/** Something that happens to a stored order. */
export interface OrderChange {
  id: string;
  event: OrderEvent;
  /** The order is left unchanged where this is false of it. */
  when?: (order: TriggerOrderRow) => boolean;
  /** Times to set besides `updatedAt`. */
  times?: Partial<TriggerOrderTimes>;
  /** The events that the owner sees in the history. */
  history?: (order: TriggerOrderRow) => TriggerOrderEventRow[];
}

/**
 * Applies events to orders, each to the order's current state: of concurrent calls, the second sees what the first has
 * written. Returns, by id, the changed order or why it was left unchanged (`undefined`: there is none, `when` is false of
 * it or, with `skip`, another transaction has locked it). `locked`: the orders, where this transaction has locked them already.
 */
export async function changeOrders(
  tx: Tx,
  changes: readonly OrderChange[],
  at: Date,
  { skip = false, locked }: { skip?: boolean; locked?: readonly TriggerOrderRow[] } = {},
): Promise<Map<string, TriggerOrderRow | IllegalEvent>> {
  const outcomes = new Map<string, TriggerOrderRow | IllegalEvent>();
  const byId = new Map(changes.map((change) => [change.id, change]));
  const changed: TriggerOrderRow[] = [];
  const history: TriggerOrderEventRow[] = [];
  const told: NewEvent[] = [];
  for (const row of locked ?? (await lockTriggerOrders(tx, [...byId.keys()], { skip }))) {
    const { event, when, times, history: historyOf } = byId.get(row.id)!;
    if (when && !when(row)) continue;
    const progress = tryApply(row.progress, event);
    if (progress instanceof IllegalEvent) {
      outcomes.set(row.id, progress);
      continue;
    }
    const after: TriggerOrderRow = { ...row, ...times, progress, funded: holdsFunds(progress), updatedAt: at };
    outcomes.set(row.id, after);
    changed.push(after);
    const written = historyOf?.(after) ?? [];
    history.push(...written);
    told.push(...orderEvents(row.progress, event, after, written));
  }
  await saveTriggerOrders(tx, changed, history);
  await tell(tx, told);
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
