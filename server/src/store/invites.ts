import { clearInviteLists, extendInviteLists } from './invite-lists.js';
import { type Sql, type Tx, toJson } from './sql.js';

/** What a transaction has done with an invite. Numbers as decimal strings. */
export type InviteFact =
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

/** A fact, and where on the chain it stands. */
export interface InviteEvent {
  slot: bigint;
  /** Orders the transactions of a slot. */
  position: bigint;
  /** The place in the transaction. */
  number: number;
  signature: string;
  at: Date;
  fact: InviteFact;
}

interface ListedTransaction {
  signature: string;
  slot: bigint;
  at: Date;
}

export type UnreadTransaction = ListedTransaction & { position: bigint };

/** Rows that are written or worked through at once. */
const BATCH = 1_000;

// ---- what has been read --------------------------------------------------------------------------------------------

/** The program that the index is of, or undefined where nothing was ever read. */
export async function indexedProgram(sql: Sql): Promise<string | undefined> {
  const { rows } = await sql.query<{ program: string }>('select program from invite_index');
  return rows[0]?.program;
}

/** Makes the index one of this program, empty where it was of another. */
export async function beginInviteIndex(tx: Tx, program: string): Promise<void> {
  await tx.query('insert into invite_index (program) values ($1) on conflict do nothing', [program]);
  const { rows } = await tx.query<{ program: string }>('select program from invite_index for update');
  if (rows[0]?.program !== program) await clearInviteIndex(tx);
  await tx.query('update invite_index set program = $1', [program]);
}

/** Forgets everything that is known of invites. */
export async function clearInviteIndex(tx: Tx): Promise<void> {
  await lockInviteIndex(tx);
  await clearInviteLists(tx);
  for (const table of ['invite_transactions', 'invite_events']) await tx.query(`delete from ${table}`);
}

async function lockInviteIndex(tx: Tx): Promise<void> {
  await tx.query('select from invite_index for update');
}

/** The signature of the newest transaction that is known. */
export async function newestInviteTransaction(sql: Sql): Promise<string | undefined> {
  const { rows } = await sql.query<{ signature: string }>(
    'select signature from invite_transactions order by slot desc, position desc limit 1',
  );
  return rows[0]?.signature;
}

/** Those of the signatures that are known. */
export async function knownInviteTransactions(sql: Sql, signatures: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql.query<{ signature: string }>(
    'select signature from invite_transactions where signature = any($1)',
    [signatures],
  );
  return new Set(rows.map(({ signature }) => signature));
}

/** Adds transactions, the oldest first; those that are known stay as they are. */
export async function addInviteTransactions(tx: Tx, listed: readonly ListedTransaction[]): Promise<void> {
  await lockInviteIndex(tx);
  for (let from = 0; from < listed.length; from += BATCH) {
    const batch = listed.slice(from, from + BATCH);
    await tx.query(
      `insert into invite_transactions (signature, slot, at)
       select value ->> 'signature', (value ->> 'slot')::bigint, (value ->> 'at')::timestamptz
       from jsonb_array_elements($1::jsonb) with ordinality order by ordinality
       on conflict do nothing`,
      [toJson(batch)],
    );
  }
}

/** The oldest that have not been asked for; `again`: those that were, in vain, the least often tried ones first. */
export async function unreadInviteTransactions(sql: Sql, again: boolean, most: number): Promise<UnreadTransaction[]> {
  const { rows } = await sql.query<UnreadTransaction>(
    `select signature, slot, position, at from invite_transactions
     where not is_read and ${again ? 'tries > 0' : 'tries = 0'} order by tries, slot, position limit $1`,
    [most],
  );
  return rows;
}

export async function countUnreadInviteTransactions(sql: Sql): Promise<number> {
  const { rows } = await sql.query<{ count: bigint }>('select count(*) from invite_transactions where not is_read');
  return Number(rows[0]!.count);
}

export async function countInviteTransactions(sql: Sql): Promise<number> {
  const { rows } = await sql.query<{ count: bigint }>('select count(*) from invite_transactions');
  return Number(rows[0]!.count);
}

/**
 * Stores what transactions did, and which of them could not be read. What another copy has stored before is left out.
 * The lists follow; where one of the transactions is older than what they were made of, they are made again.
 */
export async function recordInviteTransactions(
  tx: Tx,
  read: ReadonlyMap<string, readonly InviteEvent[]>,
  unreadable: readonly string[],
): Promise<void> {
  await lockInviteIndex(tx);
  await tx.query('update invite_transactions set tries = tries + 1 where signature = any($1)', [unreadable]);
  const { rows } = await tx.query<{ signature: string }>(
    'update invite_transactions set is_read = true where signature = any($1) and not is_read returning signature',
    [[...read.keys()]],
  );
  const events = rows.flatMap(({ signature }) => read.get(signature)!).sort(inOrder);
  if (events.length === 0) return;
  const { rows: newest } = await tx.query<{ slot: bigint; position: bigint }>(
    'select slot, position from invite_events order by slot desc, position desc limit 1',
  );
  await insertEvents(tx, events);
  const isLate = newest[0] && comparePlaces(events[0]!, newest[0]) < 0;
  if (isLate) await makeListsAgain(tx);
  else await extendInviteLists(tx, events);
}

async function makeListsAgain(tx: Tx): Promise<void> {
  await clearInviteLists(tx);
  let last: Pick<InviteEvent, 'slot' | 'position' | 'number'> | undefined = { slot: -1n, position: -1n, number: -1 };
  while (last) {
    const { rows }: { rows: InviteEvent[] } = await tx.query<InviteEvent>(
      `select slot, position, number, signature, at, fact from invite_events
       where (slot, position, number) > ($1, $2, $3) order by slot, position, number limit ${BATCH}`,
      [last.slot, last.position, last.number],
    );
    await extendInviteLists(tx, rows);
    last = rows.at(-1);
  }
}

const inOrder = (a: InviteEvent, b: InviteEvent) => comparePlaces(a, b) || a.number - b.number;

function comparePlaces(a: { slot: bigint; position: bigint }, b: { slot: bigint; position: bigint }): number {
  if (a.slot !== b.slot) return a.slot < b.slot ? -1 : 1;
  return a.position < b.position ? -1 : a.position > b.position ? 1 : 0;
}

async function insertEvents(tx: Tx, events: readonly InviteEvent[]): Promise<void> {
  await tx.query(
    `insert into invite_events (slot, position, number, signature, at, fact)
     select * from jsonb_to_recordset($1::jsonb)
       as r(slot bigint, position bigint, number integer, signature text, at timestamptz, fact jsonb)`,
    [toJson(events)],
  );
}
