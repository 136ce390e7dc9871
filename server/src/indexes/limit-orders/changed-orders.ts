import { isDeepStrictEqual } from 'node:util';
import type { LimitOrderRow } from '../../store/limit-orders.js';
import type { FoldedOrder } from './orders-of.js';

/** Rows of an address that give way, and those that take their place. */
export interface OrderChanges {
  gone: LimitOrderRow[];
  made: LimitOrderRow[];
}

/** What has to change for the rows of an address to be these orders. Both oldest first; most stay as they are. */
export function changesOf(known: readonly LimitOrderRow[], orders: readonly FoldedOrder[]): OrderChanges {
  const before = new Map(known.map((row) => [row.number, row]));
  const made = numbered(known, orders).filter((row) => {
    const stays = isDeepStrictEqual(row, before.get(row.number));
    if (stays) before.delete(row.number);
    return !stays;
  });
  return { gone: [...before.values()], made };
}

/**
 * An order keeps the number that it has, wherever there were others before it that are forgotten by now, or come after it.
 * Where others were before it of which nobody knew, those that are older than they make room.
 */
function numbered(known: readonly LimitOrderRow[], orders: readonly FoldedOrder[]): LimitOrderRow[] {
  const numbers = new Map<string, number[]>();
  for (const { openTx, number } of known) numbers.set(openTx, [...(numbers.get(openTx) ?? []), number]);
  // From the end: of those that one transaction opened, the oldest are forgotten first.
  const had = orders.map(() => undefined as number | undefined);
  for (let index = orders.length - 1; index >= 0; index--) had[index] = numbers.get(orders[index]!.openTx)?.pop();
  const last = had.findLastIndex((number) => number !== undefined);
  let after = orders.length + (last < 0 ? 0 : had[last]! - last);
  const rows: LimitOrderRow[] = [];
  for (let index = orders.length - 1; index >= 0; index--) {
    after = Math.min(after - 1, had[index] ?? after - 1);
    rows.push({ ...orders[index]!, number: after });
  }
  return rows.reverse();
}
