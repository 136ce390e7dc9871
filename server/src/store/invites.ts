import { resetIndexCursor } from './index-cursors.js';
import {
  addInviteEvents,
  inOrder,
  inviteEventsAfter,
  newestInviteEvent,
  type PlacedInviteEvent,
} from './invite-events.js';
import { clearInviteLists, extendInviteLists } from './invite-lists.js';
import type { Sql, Tx } from './sql.js';

/** Events that the lists are made of at once. */
const BATCH = 1_000;

/** Locks the index and makes it one of this program, empty where it was of another. */
export async function beginInviteIndex(tx: Tx, program: string): Promise<void> {
  await tx.query('insert into invite_index (program) values ($1) on conflict do nothing', [program]);
  const { rows } = await tx.query<{ program: string }>('select program from invite_index for update');
  if (rows[0]?.program === program) return;
  await clearInviteIndex(tx);
  await tx.query('update invite_index set program = $1', [program]);
}

/** Forgets everything that is known of invites. */
export async function clearInviteIndex(tx: Tx): Promise<void> {
  const { rows } = await tx.query<{ program: string }>('select program from invite_index for update');
  if (rows[0]) await resetIndexCursor(tx, rows[0].program);
  await clearInviteLists(tx);
  await tx.query('delete from invite_events');
}

/**
 * Stores what transactions did; the lists follow. Where one of them is older than what the lists were made of, they only
 * follow when they are made again. Call it with the index locked.
 */
export async function recordInviteEvents(tx: Tx, events: readonly PlacedInviteEvent[]): Promise<void> {
  if (events.length === 0) return;
  const newest = await newestInviteEvent(tx);
  const added = await addInviteEvents(tx, events);
  const isLate = added[0] && newest && inOrder(added[0], newest) < 0;
  if (isLate) await tx.query('update invite_index set lists_behind = true');
  else await extendInviteLists(tx, added);
}

/** Whether events came late, so that the lists have to be made again. */
export async function areInviteListsBehind(sql: Sql): Promise<boolean> {
  const { rows } = await sql.query('select from invite_index where lists_behind');
  return rows.length > 0;
}

/** Makes the lists again where events came late. */
export async function repairInviteLists(tx: Tx): Promise<void> {
  const { rowCount } = await tx.query('update invite_index set lists_behind = false where lists_behind');
  if (rowCount === 0) return;
  await clearInviteLists(tx);
  let last: Pick<PlacedInviteEvent, 'slot' | 'position' | 'number'> | undefined = {
    slot: -1n,
    position: 0n,
    number: 0,
  };
  while (last) {
    const events: PlacedInviteEvent[] = await inviteEventsAfter(tx, last, BATCH);
    await extendInviteLists(tx, events);
    last = events.at(-1);
  }
}
