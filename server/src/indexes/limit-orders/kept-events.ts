import type { PlacedOrderEvent } from '../../store/limit-orders.js';

/**
 * Events that are kept of one address, with the last opening: whatever comes of it, all of them are read and folded again.
 * Anybody may have an address opened, refused and closed in every transaction, or a dozen orders filled by one unit, for its fee.
 */
export const MOST_EVENTS_OF_ADDRESS = 50;
/** Openings that failed, which are kept besides: who opens an order again has another address for it. */
export const MOST_REFUSED_OF_ADDRESS = 10;

/**
 * Which events of an address are kept, and which are too old: of each kind the newest, all of what one transaction has done, and the
 * last that told an order's terms.
 */
export function eventsToKeep(events: readonly PlacedOrderEvent[]): {
  kept: PlacedOrderEvent[];
  old: PlacedOrderEvent[];
} {
  const kept: PlacedOrderEvent[] = [];
  const old: PlacedOrderEvent[] = [];
  let [refused, others, hasTerms] = [0, 0, false];
  for (const placed of events.toReversed()) {
    const { kind } = placed.event;
    if (kind === 'refused') {
      refused += 1;
      (refused > MOST_REFUSED_OF_ADDRESS ? old : kept).push(placed);
      continue;
    }
    others += 1;
    const isLastTerms = !hasTerms && (kind === 'opened' || kind === 'seen');
    // What is told later of a transaction, when an order's terms are known, is the sum of its parts.
    const isOfLast = placed.txId === kept.at(-1)?.txId;
    (others > MOST_EVENTS_OF_ADDRESS && !isLastTerms && !isOfLast ? old : kept).push(placed);
    hasTerms ||= isLastTerms;
  }
  return { kept: kept.reverse(), old };
}
