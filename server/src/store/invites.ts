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

/** Events per batch when the lists are rebuilt. */
const BATCH = 1_000;

/** Locks the index and assigns it to the program. It is emptied if it belonged to another program. */
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
 * Stores what transactions did and updates the lists. If an event is older than what the lists contain, they stay
 * behind until they are rebuilt. What happened since `newsSince` is told. Call it with the index locked.
 */
export async function recordInviteEvents(tx: Tx, events: readonly PlacedInviteEvent[], newsSince: Date): Promise<void> {
  if (events.length === 0) return;
  const newest = await newestInviteEvent(tx);
  const added = await addInviteEvents(tx, events);
  const isLate = added[0] && newest && inOrder(added[0], newest) < 0;
  if (isLate) await tx.query('update invite_index set lists_behind = true');
  else await extendInviteLists(tx, added, newsSince);
}

/** Whether events arrived late, so that the lists must be rebuilt. */
export async function areInviteListsBehind(sql: Sql): Promise<boolean> {
  const { rows } = await sql.query('select from invite_index where lists_behind');
  return rows.length > 0;
}

/** Rebuilds the lists if events arrived late. */
export async function repairInviteLists(tx: Tx, newsSince: Date): Promise<void> {
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
    await extendInviteLists(tx, events, newsSince);
    last = events.at(-1);
  }
}
