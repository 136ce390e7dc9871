import { resetIndexCursor } from './index-cursors.js';
import { addInviteEvents, newestInviteEvent, type PlacedInviteEvent } from './invite-events.js';
import { clearInviteLists, extendInviteLists } from './invite-lists.js';
import { mustWaitForRepair } from './invite-repair.js';
import type { Tx } from './sql.js';

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
  await tx.query('update invite_index set lists_behind = false');
}

/**
 * Stores what transactions did and updates the lists. If an event is older than what the lists contain, they stay
 * behind until they are repaired. What happened since `newsSince` is told. Call it with the index locked.
 */
export async function recordInviteEvents(tx: Tx, events: readonly PlacedInviteEvent[], newsSince: Date): Promise<void> {
  if (events.length === 0) return;
  const newest = await newestInviteEvent(tx);
  const added = await addInviteEvents(tx, events);
  if (!added[0] || (await mustWaitForRepair(tx, added[0], newest))) return;
  await extendInviteLists(tx, added, newsSince);
}
