import { type Sql, type Tx, toJson } from './sql.js';

/** A transaction's place in a program's history. */
export interface HistoryPlace {
  txId: string;
  slot: bigint;
  /** Orders the transactions of a slot. */
  position: bigint;
  at: Date;
}

/** An event's place in a program's history. */
export interface EventPlace extends HistoryPlace {
  /** The event's index within the transaction. */
  number: number;
}

/** How much of a program's history has been read: everything between two transactions. */
export interface IndexCursor {
  /** The transaction's signature; empty if nothing has been read. */
  newest: string;
  oldest: string;
  /** The slot of the newest transaction; 0 if unknown. */
  newestSlot: bigint;
  /** The two positions differ by the number of transactions between them. */
  newestPosition: bigint;
  oldestPosition: bigint;
  /** Whether there is nothing older. */
  complete: boolean;
}

const CURSOR = `newest, oldest, newest_slot as "newestSlot", newest_position as "newestPosition", oldest_position as "oldestPosition", complete`;

/** How far a program's history has been read; undefined if reading has never begun. */
export async function getIndexCursor(sql: Sql, program: string): Promise<IndexCursor | undefined> {
  const { rows } = await sql.query<IndexCursor>(`select ${CURSOR} from index_cursors where program = $1`, [program]);
  return rows[0];
}

/** Locks the program's cursor until the transaction ends, and creates it if it is missing. */
export async function lockIndexCursor(tx: Tx, program: string): Promise<IndexCursor> {
  await tx.query(
    `insert into index_cursors (program, newest, oldest, newest_position, oldest_position, complete)
     values ($1, '', '', 0, 0, false) on conflict do nothing`,
    [program],
  );
  const { rows } = await tx.query<IndexCursor>(`select ${CURSOR} from index_cursors where program = $1 for update`, [
    program,
  ]);
  return rows[0]!;
}

/** Stores the cursor, which must be locked. */
export async function setIndexCursor(tx: Tx, program: string, cursor: IndexCursor): Promise<void> {
  const { newest, oldest, newestSlot, newestPosition, oldestPosition, complete } = cursor;
  await tx.query(
    `update index_cursors set newest = $2, oldest = $3, newest_position = $4, oldest_position = $5, complete = $6,
       newest_slot = $7 where program = $1`,
    [program, newest, oldest, newestPosition, oldestPosition, complete, newestSlot],
  );
}

/** Resets the cursor, so that the history is read again from the beginning. */
export async function resetIndexCursor(tx: Tx, program: string): Promise<void> {
  await tx.query(
    `update index_cursors set newest = '', oldest = '', newest_slot = 0, newest_position = 0, oldest_position = 0,
       complete = false where program = $1`,
    [program],
  );
  await tx.query('delete from index_unread where program = $1', [program]);
}

/** Remembers transactions that the node could not return. */
export async function addUnread(tx: Tx, program: string, places: readonly HistoryPlace[]): Promise<void> {
  await tx.query(
    `insert into index_unread (program, tx_id, slot, position, at)
     select $1, "txId", slot, position, at
     from jsonb_to_recordset($2::jsonb) as r("txId" text, slot bigint, position bigint, at timestamptz)
     on conflict do nothing`,
    [program, toJson(places)],
  );
}

/** Returns up to `most` unread transactions, least tried first, and counts a try for each. */
export async function tryUnread(sql: Sql, program: string, most: number): Promise<HistoryPlace[]> {
  const { rows } = await sql.query<HistoryPlace>(
    `update index_unread set tries = tries + 1
     where program = $1 and tx_id in
       (select tx_id from index_unread where program = $1 order by tries, slot desc, position desc limit $2)
     returning tx_id as "txId", slot, position, at`,
    [program, most],
  );
  return rows;
}

/** Removes transactions from the unread ones; returns those that were still among them. */
export async function removeUnread(tx: Tx, program: string, txIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ txId: string }>(
    'delete from index_unread where program = $1 and tx_id = any($2) returning tx_id as "txId"',
    [program, txIds],
  );
  return new Set(rows.map(({ txId }) => txId));
}

/** Forgets the unread transactions after a slot. */
export async function forgetUnread(tx: Tx, program: string, slot: bigint): Promise<void> {
  await tx.query('delete from index_unread where program = $1 and slot > $2', [program, slot]);
}

/** How many transactions of the program could not be read. */
export async function countUnread(sql: Sql, program: string): Promise<number> {
  const { rows } = await sql.query<{ count: bigint }>('select count(*) as count from index_unread where program = $1', [
    program,
  ]);
  return Number(rows[0]!.count);
}
