import { inOrder, inviteEventsAfter, inviteEventsBefore, type PlacedInviteEvent } from './invite-events.js';
import { extendInviteLists } from './invite-lists.js';
import { clearSomeOfInviteLists, removeFromInviteLists } from './invite-removal.js';
import type { Sql, Tx } from './sql.js';

/** Events that a step takes out of the lists, and puts in, at most. */
const STEP = 1_000;

/** Where the lists stand while they are behind; `slot` is null if nobody knows. */
interface Standing {
  slot: bigint | null;
  position: bigint;
  number: number;
  lateSlot: bigint | null;
  latePosition: bigint;
}

/** Whether the lists do not hold all events. */
export async function areInviteListsBehind(sql: Sql): Promise<boolean> {
  const { rows } = await sql.query('select from invite_index where lists_behind');
  return rows.length > 0;
}

/**
 * Whether events, of which this is the first, must wait for a repair, which is noted: because they come late, or lists that
 * are behind do not hold yet what comes before them. `newest` is the newest event that was stored before.
 */
export async function mustWaitForRepair(
  tx: Tx,
  first: PlacedInviteEvent,
  newest: PlacedInviteEvent | undefined,
): Promise<boolean> {
  const late = [first.slot, first.position];
  if (await areInviteListsBehind(tx)) {
    await tx.query(
      `update invite_index set late_slot = $1, late_position = $2
       where listed_slot is not null and ($1, $2) <= (listed_slot, listed_position)
         and (late_slot is null or ($1, $2) < (late_slot, late_position))`,
      late,
    );
    return true;
  }
  if (!newest || inOrder(first, newest) > 0) return false;
  await tx.query(
    `update invite_index set lists_behind = true, late_slot = $1, late_position = $2,
       listed_slot = $3, listed_position = $4, listed_number = $5`,
    [...late, newest.slot, newest.position, newest.number],
  );
  return true;
}

/**
 * Brings lists that are behind a step nearer to all events: what comes after a late event is taken out and put in again, the
 * newest first. Lists that few events came into meanwhile are right after one step. Returns whether another one is needed.
 * What happened since `newsSince` is told.
 */
export async function repairInviteLists(tx: Tx, newsSince: Date, most = STEP): Promise<boolean> {
  const { rows } = await tx.query<Standing>(
    `select listed_slot as slot, listed_position as position, listed_number as number,
       late_slot as "lateSlot", late_position as "latePosition"
     from invite_index where lists_behind for update`,
  );
  const standing = rows[0];
  if (!standing) return false;
  // A copy of the version before may have written to them since.
  if (standing.slot === null) return startOver(tx);
  if (standing.lateSlot === null) return putIn(tx, standing, newsSince, most);
  const left = await takeOut(tx, standing, most);
  if (!left) return startOver(tx);
  return left.lateSlot === null ? putIn(tx, left, newsSince, most) : true;
}

async function startOver(tx: Tx): Promise<true> {
  const isEmpty = !(await clearSomeOfInviteLists(tx));
  const nothing = { slot: -1n, position: 0n, number: 0, lateSlot: null, latePosition: 0n };
  await keep(tx, { ...nothing, slot: isEmpty ? -1n : null });
  return true;
}

/** Where the lists stand then; undefined if they are not what their events make. */
async function takeOut(tx: Tx, standing: Standing, most: number): Promise<Standing | undefined> {
  const { slot, lateSlot, latePosition } = standing;
  const since = { slot: lateSlot!, position: latePosition };
  const events = await inviteEventsBefore(tx, { ...standing, slot: slot! }, since, most);
  if (!(await removeFromInviteLists(tx, events))) return undefined;
  const isOut = events.length < most;
  const first = isOut ? { ...since, number: 0 } : events.at(-1)!;
  const left = {
    slot: first.slot,
    position: first.position,
    number: first.number - 1,
    lateSlot: isOut ? null : lateSlot,
    latePosition,
  };
  await keep(tx, left);
  return left;
}

async function putIn(tx: Tx, standing: Standing, newsSince: Date, most: number): Promise<boolean> {
  const events = await inviteEventsAfter(tx, { ...standing, slot: standing.slot! }, most);
  await extendInviteLists(tx, events, newsSince);
  if (events.length < most) {
    await tx.query('update invite_index set lists_behind = false');
    return false;
  }
  const { slot, position, number } = events.at(-1)!;
  await keep(tx, { ...standing, slot, position, number });
  return true;
}

/** After each change of the lists: until then it counts as one of the version before. */
async function keep(tx: Tx, { slot, position, number, lateSlot, latePosition }: Standing): Promise<void> {
  await tx.query(
    `update invite_index set listed_slot = $1, listed_position = $2, listed_number = $3, late_slot = $4,
       late_position = $5`,
    [slot, position, number, lateSlot, latePosition],
  );
}
