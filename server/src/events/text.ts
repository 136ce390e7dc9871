import type { EventRow } from '../store/events.js';

/** An event as readers get it, as JSON: in a stream, and as the body of a webhook. */
export function eventText({ number, kind, at, wallet, data }: Omit<EventRow, 'account'>): string {
  return JSON.stringify({
    number: Number(number),
    kind,
    at: at.toISOString(),
    ...(wallet !== null && { wallet }),
    data,
  });
}
