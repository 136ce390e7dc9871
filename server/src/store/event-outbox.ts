import type { Tx } from './sql.js';

/** What can happen. */
export const eventKinds = [
  'transaction.landed',
  'transaction.failed',
  'transaction.expired',
  'order.opened',
  'order.triggered',
  'order.partly_filled',
  'order.filled',
  'order.cancelled',
  'order.expired',
  'order.failed',
  'verification.requested',
  'verification.approved',
  'verification.rejected',
  'launch.created',
  'launch.migrated',
  'invite.created',
  'invite.claimed',
  'invite.taken_back',
  'invite.expired',
  'score.changed',
  'price.changed',
] as const;

export type EventKind = (typeof eventKinds)[number];

/** What has happened, before it has its numbers. */
export interface NewEvent {
  kind: EventKind;
  at: Date;
  /**
   * The wallets that hear of it; the first one is the wallet that it is about. Without any, it concerns everybody: those
   * hear of it who follow its kind.
   */
  wallets: readonly string[];
  /** What began it: the key behind that request hears of it too. */
  begunBy: { requestId: string } | { signature: string } | undefined;
  /**
   * Names what is read from the chain, where it may be read again: what was told before is not told again, as long as that
   * is kept.
   */
  once?: string;
  /**
   * JSON without undefined, bigint and NUL characters. Amounts are decimal strings in the smallest unit. What is null is left
   * out.
   */
  data: object;
}

/** The channel that notifies of events that wait for their numbers. */
export const OUTBOX_CHANNEL = 'event_outbox';

const TELL = `
  with told as (
    insert into event_outbox (kind, at, wallets, request_id, begun_by, once, data)
    select kind, at, wallets, request_id, begun_by, once, data
    from json_to_recordset($1::json) as e(kind text, at timestamptz, wallets text[], request_id text, begun_by text,
      once text, data jsonb)
    where (once is null or not exists (select from event_outbox known where known.once = e.once)
      and not exists (select from events known where account = 'wallet:' || e.wallets[1] and known.once = e.once))
      and (cardinality(wallets) > 0 or exists (select from event_followers f where f.kind = e.kind and until > e.at))
    returning id
  )
  select pg_notify('${OUTBOX_CHANNEL}', '') from (select from told limit 1) as any_of_them`;

/**
 * Tells what this transaction changes: readers hear of it once it has committed. One statement, without a lock that
 * other writers wait for. Two calls with the same `once` must not run at the same time.
 */
export async function tell(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  if (events.length > 0) await tx.query(TELL, [encode(events)]);
}

function encode(events: readonly NewEvent[]): string {
  return JSON.stringify(
    events.map(({ kind, at, wallets, begunBy, once = null, data }) => ({
      kind,
      at,
      wallets: [...new Set(wallets)],
      request_id: begunBy && 'requestId' in begunBy ? begunBy.requestId : null,
      begun_by: begunBy && 'signature' in begunBy ? begunBy.signature : null,
      once,
      data: Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null)),
    })),
  );
}
