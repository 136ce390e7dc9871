import type { EventPlace } from './index-cursors.js';
import { type Sql, type Tx, toJson } from './sql.js';

/** What a transaction has done with an invite. Numbers as decimal strings. */
export type InviteEvent =
  | {
      kind: 'created';
      invitePda: string;
      inviteSigner: string;
      sender: string;
      mint: string | null;
      tokenProgram: string | null;
      amount: string;
      expiry: string;
    }
  | { kind: InviteEnd; invitePda: string; receiver: string | null };
export type InviteEnd = 'claimed' | 'clawed_back' | 'expired';

/** An event and its place. */
export interface PlacedInviteEvent extends EventPlace {
  event: InviteEvent;
}

/** Adds events, skipping known ones; returns the new ones in chain order. */
export async function addInviteEvents(tx: Tx, events: readonly PlacedInviteEvent[]): Promise<PlacedInviteEvent[]> {
  const { rows } = await tx.query<{ txId: string; number: number }>(
    `insert into invite_events (slot, position, number, signature, at, fact)
     select slot, position, number, "txId", at, event from jsonb_to_recordset($1::jsonb)
       as r(slot bigint, position bigint, number integer, "txId" text, at timestamptz, event jsonb)
     on conflict (signature, number) do nothing returning signature as "txId", number`,
    [toJson(events)],
  );
  const added = new Set(rows.map(({ txId, number }) => `${txId} ${number}`));
  return events.filter(({ txId, number }) => added.has(`${txId} ${number}`)).sort(inOrder);
}

/** The newest known event. */
export async function newestInviteEvent(sql: Sql): Promise<PlacedInviteEvent | undefined> {
  const { rows } = await sql.query<PlacedInviteEvent>(
    `${EVENTS} order by slot desc, position desc, number desc limit 1`,
  );
  return rows[0];
}

/** The newest transactions that known events are of, newest first. */
export async function newestInviteTransactions(sql: Sql, most: number): Promise<Pick<EventPlace, 'txId' | 'slot'>[]> {
  const { rows } = await sql.query<Pick<EventPlace, 'txId' | 'slot'>>(
    `select signature as "txId", slot from invite_events where number = 0 order by slot desc, position desc limit $1`,
    [most],
  );
  return rows;
}

/** The first events after a place, in chain order. */
export async function inviteEventsAfter(
  sql: Sql,
  { slot, position, number }: Pick<EventPlace, 'slot' | 'position' | 'number'>,
  most: number,
): Promise<PlacedInviteEvent[]> {
  const { rows } = await sql.query<PlacedInviteEvent>(
    `${EVENTS} where (slot, position, number) > ($1, $2, $3) order by slot, position, number limit $4`,
    [slot, position, number, most],
  );
  return rows;
}

/** The last events up to a place, and none of before the transaction at `since`, newest first. */
export async function inviteEventsBefore(
  sql: Sql,
  { slot, position, number }: Pick<EventPlace, 'slot' | 'position' | 'number'>,
  since: Pick<EventPlace, 'slot' | 'position'>,
  most: number,
): Promise<PlacedInviteEvent[]> {
  const { rows } = await sql.query<PlacedInviteEvent>(
    `${EVENTS} where (slot, position, number) <= ($1, $2, $3) and (slot, position) >= ($4, $5)
     order by slot desc, position desc, number desc limit $6`,
    [slot, position, number, since.slot, since.position, most],
  );
  return rows;
}

const EVENTS = 'select slot, position, number, signature as "txId", at, fact as event from invite_events';

/** Compares by chain order. */
export function inOrder(a: EventPlace, b: EventPlace): number {
  if (a.slot !== b.slot) return a.slot < b.slot ? -1 : 1;
  if (a.position !== b.position) return a.position < b.position ? -1 : 1;
  return a.number - b.number;
}
