import type { PlacedInviteEvent } from './invite-events.js';
import { LISTS, lastInviteId, numbersOfWallets, writeCounts } from './invite-lists.js';
import { type KnownInvite, type UnfoldedChanges, type UnfoldState, unfoldEvents } from './invite-unfold.js';
import { type Tx, toJson } from './sql.js';

/** Rows of each list that are deleted at a time. */
const MOST_CLEARED = 5_000;

/**
 * Takes events, newest first, out of the lists, of which they must be the last. Returns false if the lists are not what such
 * events make, and must be made from nothing.
 */
export async function removeFromInviteLists(tx: Tx, events: readonly PlacedInviteEvent[]): Promise<boolean> {
  const changes = unfoldEvents(await stateFor(tx, events), events);
  return changes !== undefined && (await write(tx, changes));
}

/** Deletes some of all lists. Returns whether there was any. */
export async function clearSomeOfInviteLists(tx: Tx): Promise<boolean> {
  let deleted = 0;
  for (const table of LISTS) {
    const text = `delete from ${table} where ctid = any(array(select ctid from ${table} limit $1))`;
    deleted += (await tx.query(text, [MOST_CLEARED])).rowCount;
  }
  return deleted > 0;
}

const KNOWN = `i.id, i.invite_pda as "invitePda", i.sender, i.sent, i.is_open as "isOpen", i.action, i.receiver,
  i.creation_tx as "creationTx", i.deletion_tx as "deletionTx"`;

async function stateFor(tx: Tx, events: readonly PlacedInviteEvent[]): Promise<UnfoldState> {
  const lastId = await lastInviteId(tx);
  const accounts = [...new Set(events.map(({ event }) => event.invitePda))];
  const before = lastId - BigInt(events.filter(({ event }) => event.kind === 'created').length);
  const { rows } = await tx.query<KnownInvite>(
    `select ${KNOWN} from invites i where id > $1
     union all
     select i.* from unnest($2::text[]) as account cross join lateral (
       select ${KNOWN} from invites i where invite_pda = account and id <= $1 order by id desc limit 1
     ) i
     order by id`,
    [before, accounts],
  );
  const invites = new Map<string, KnownInvite[]>();
  for (const invite of rows) {
    const ofAccount = invites.get(invite.invitePda);
    if (ofAccount) ofAccount.push(invite);
    else invites.set(invite.invitePda, [invite]);
  }
  const wallets = rows.flatMap(({ sender, receiver }) => [sender, receiver]);
  return { lastId, invites, numbers: await numbersOfWallets(tx, wallets) };
}

/** Returns whether the lists held all that was to be deleted. */
async function write(tx: Tx, { lastId, removed, reopened, history, numbers, blocks }: UnfoldedChanges) {
  const invites = await tx.query('delete from invites where id > $1', [lastId]);
  const ended = await tx.query(
    `delete from invite_history h using jsonb_to_recordset($1::jsonb) as r(address text, number bigint, invite bigint)
     where h.address = r.address and h.number = r.number and h.invite = r.invite`,
    [toJson(history)],
  );
  await tx.query(
    `update invites set is_open = true, action = 'created', receiver = null, deletion_tx = null, deletion_time = null
     where id = any($1)`,
    [reopened],
  );
  await writeCounts(tx, { numbers, blocks });
  await tx.query('delete from invite_addresses where address = any($1) and sent = 0 and ended = 0', [
    [...numbers.keys()],
  ]);
  return invites.rowCount === removed && ended.rowCount === history.length;
}
