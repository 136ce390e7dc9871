import { type Sql, type Tx, toJson } from './sql.js';

/** Where a transaction stands in a program's history. */
export interface HistoryPlace {
  txId: string;
  slot: bigint;
  /** Orders the transactions of a slot. */
  position: bigint;
  at: Date;
}

/** Where an event stands. */
export interface EventPlace extends HistoryPlace {
  /** The place among the events of the transaction. */
  number: number;
}

/** How much of a program's history has been read: everything between two transactions. */
export interface IndexCursor {
  /** Empty where nothing has been read. */
  newest: string;
  oldest: string;
  /** Of the newest; 0 where it is not known. */
  newestSlot: bigint;
  /** The two positions are apart by the number of transactions between them. */
  newestPosition: bigint;
  oldestPosition: bigint;
  /** There is nothing older. */
  complete: boolean;
}

const CURSOR = `newest, oldest, newest_slot as "newestSlot", newest_position as "newestPosition", oldest_position as "oldestPosition", complete`;

/** How far a program's history has been read; undefined where nobody has ever begun to. */
export async function getIndexCursor(sql: Sql, program: string): Promise<IndexCursor | undefined> {
  const { rows } = await sql.query<IndexCursor>(`select ${CURSOR} from index_cursors where program = $1`, [program]);
  return rows[0];
}

/** The same, begun where it was not; whoever else asks for it in this way waits for the end of the transaction. */
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

/** Stores how far it has been read. Call it with the cursor locked. */
export async function setIndexCursor(tx: Tx, program: string, cursor: IndexCursor): Promise<void> {
  const { newest, oldest, newestSlot, newestPosition, oldestPosition, complete } = cursor;
  await tx.query(
    `update index_cursors set newest = $2, oldest = $3, newest_position = $4, oldest_position = $5, complete = $6,
       newest_slot = $7 where program = $1`,
    [program, newest, oldest, newestPosition, oldestPosition, complete, newestSlot],
  );
}

/** Nothing of the program's history counts as read any more. */
export async function resetIndexCursor(tx: Tx, program: string): Promise<void> {
  await tx.query(
    `update index_cursors set newest = '', oldest = '', newest_slot = 0, newest_position = 0, oldest_position = 0,
       complete = false where program = $1`,
    [program],
  );
  await tx.query('delete from index_unread where program = $1', [program]);
}

/** Remembers transactions that the node could not give. */
export async function addUnread(tx: Tx, program: string, places: readonly HistoryPlace[]): Promise<void> {
  await tx.query(
    `insert into index_unread (program, tx_id, slot, position, at)
     select $1, "txId", slot, position, at
     from jsonb_to_recordset($2::jsonb) as r("txId" text, slot bigint, position bigint, at timestamptz)
     on conflict do nothing`,
    [program, toJson(places)],
  );
}

/** Some of them, those that were tried least; all of these count as tried once more. */
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

/** Those of the transactions that were still unread until now. */
export async function removeUnread(tx: Tx, program: string, txIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ txId: string }>(
    'delete from index_unread where program = $1 and tx_id = any($2) returning tx_id as "txId"',
    [program, txIds],
  );
  return new Set(rows.map(({ txId }) => txId));
}

/** How many transactions of the program could not be read. */
export async function countUnread(sql: Sql, program: string): Promise<number> {
  const { rows } = await sql.query<{ count: bigint }>('select count(*) as count from index_unread where program = $1', [
    program,
  ]);
  return Number(rows[0]!.count);
}
