import type { LedgerRow } from './ledger.js';
import type { Sql, Tx } from './sql.js';

/** Notified to every instance when there are other tables to use. */
export const LOOKUP_TABLES_CHANNEL = 'lookup_tables';

/** An address lookup table that the keeper made or is making. */
export interface StoredTable {
  address: string;
  /** The wallet that made it and may change it. */
  authority: string;
  addresses: string[];
  /** `making`: not known to exist; `ready`: to be used; `retiring`: to be deactivated and closed. */
  state: 'making' | 'ready' | 'retiring';
  usedAt: Date;
}

/** A change of a table; at most one is under way. */
export interface TableChange {
  /** The request id in the ledger. */
  request: string;
  address: string;
  /** What it adds. */
  addresses: readonly string[];
  /** What it costs, in lamports, and how much of that the network keeps even if it fails. */
  lamports: bigint;
  fee: bigint;
  /** The day (UTC) that it is charged to, counted since 1970. */
  day: number;
}

/** Accounts that one table should hold. */
export interface TableWish {
  /** Names what was asked for; there is one wish for it. */
  pair: string;
  addresses: readonly string[];
  /** How often it was asked for. */
  asks: number;
  askedAt: Date;
}

// ---- tables -------------------------------------------------------------------------------------------------------------

export async function storedTables(sql: Sql): Promise<StoredTable[]> {
  const { rows } = await sql.query<StoredTable>(
    `select address, authority, addresses, state, used_at as "usedAt" from lookup_tables order by used_at, address`,
  );
  return rows;
}

/** Records a table that may be made in this transaction's step. False if its address is known. */
export async function insertTable(tx: Tx, { address, authority, usedAt }: Omit<StoredTable, 'addresses' | 'state'>) {
  const { rowCount } = await tx.query(
    `insert into lookup_tables (address, authority, addresses, state, used_at) values ($1, $2, '{}', 'making', $3)
     on conflict do nothing`,
    [address, authority, usedAt],
  );
  return rowCount === 1;
}

/** Records what the chain says about a table: its addresses, or that there is none. */
export async function correctTable(tx: Tx, address: string, addresses: readonly string[] | undefined): Promise<void> {
  if (addresses) await tx.query('update lookup_tables set addresses = $2 where address = $1', [address, addresses]);
  else await tx.query('delete from lookup_tables where address = $1', [address]);
  await tx.notify(LOOKUP_TABLES_CHANNEL, '');
}

/** Takes a table out of use, unless it has been used since then. */
export async function retireTable(tx: Tx, address: string, unusedSince: Date): Promise<void> {
  const retire = `update lookup_tables set state = 'retiring' where address = $1 and state = 'ready' and used_at < $2`;
  await tx.query(retire, [address, unusedSince]);
  await tx.notify(LOOKUP_TABLES_CHANNEL, '');
}

/** Records that transactions were built with these tables. */
export async function markTablesUsed(tx: Tx, addresses: readonly string[], at: Date): Promise<void> {
  // Not for every transaction: an hour more or less does not matter. Sorted, so that instances do not deadlock.
  await tx.query(
    `with used as (
       select address from lookup_tables where address = any($1) and used_at < $2::timestamptz - interval '1 hour'
       order by address for update
     )
     update lookup_tables t set used_at = $2 from used where t.address = used.address`,
    [addresses, at],
  );
}

// ---- changes ------------------------------------------------------------------------------------------------------------

/** The change that is under way, or that an instance left behind. */
export async function tableChange(sql: Sql): Promise<TableChange | undefined> {
  const { rows } = await sql.query<TableChange>(
    'select request, address, addresses, lamports, fee, day from lookup_table_changes',
  );
  return rows[0];
}

/** Records a change before it is sent. False if another one is under way. */
export async function beginChange(tx: Tx, change: TableChange): Promise<boolean> {
  const { request, address, addresses, lamports, fee, day } = change;
  const { rowCount } = await tx.query(
    `insert into lookup_table_changes (request, address, addresses, lamports, fee, day) values ($1, $2, $3, $4, $5, $6)
     on conflict do nothing`,
    [request, address, addresses, lamports, fee, day],
  );
  return rowCount === 1;
}

/** Charges a change to its day. False if that has less left of `budget` lamports, or if the change was withdrawn. */
export async function chargeChange(tx: Tx, request: string, budget: bigint): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into lookup_table_spending as spent (day, lamports)
       select day, lamports from lookup_table_changes where request = $1 and lamports <= $2
     on conflict (day) do update set lamports = spent.lamports + excluded.lamports
       where spent.lamports + excluded.lamports <= $2`,
    [request, budget],
  );
  return rowCount === 1;
}

/** Lamports that the tables have cost on a day. */
export async function tableSpending(sql: Sql, day: number): Promise<bigint> {
  const { rows } = await sql.query<{ lamports: bigint }>('select lamports from lookup_table_spending where day = $1', [
    day,
  ]);
  return rows[0]?.lamports ?? 0n;
}

/** Records how a change that was sent has ended. What it has not cost is given back to its day. */
export async function endChange(tx: Tx, { id, state, slot }: Pick<LedgerRow, 'id' | 'state' | 'slot'>): Promise<void> {
  const change = await deleteChange(tx, id);
  if (!change) return;
  const { address, addresses, lamports, fee, day } = change;
  if (state === 'landed') {
    await tx.query(
      `update lookup_tables set addresses = addresses || $2::text[],
         state = case state when 'making' then 'ready' else state end
       where address = $1`,
      [address, addresses],
    );
  } else {
    await tx.query(`delete from lookup_tables where address = $1 and state = 'making'`, [address]);
    const unspent = slot === null ? lamports : lamports - fee;
    await tx.query('update lookup_table_spending set lamports = lamports - $2 where day = $1', [day, unspent]);
  }
  await tx.notify(LOOKUP_TABLES_CHANNEL, '');
}

/** Makes sure that a change is never sent, and forgets it. False if it has been sent. */
export async function withdrawChange(tx: Tx, request: string): Promise<boolean> {
  await tx.query(`delete from ledger where id = $1 and state = 'crafted'`, [request]);
  if ((await tx.query('select from ledger where id = $1', [request])).rowCount > 0) return false;
  const change = await deleteChange(tx, request);
  if (change) await tx.query(`delete from lookup_tables where address = $1 and state = 'making'`, [change.address]);
  return true;
}

async function deleteChange(tx: Tx, request: string): Promise<TableChange | undefined> {
  const { rows } = await tx.query<TableChange>(
    `delete from lookup_table_changes where request = $1
     returning request, address, addresses, lamports, fee, day`,
    [request],
  );
  return rows[0];
}

// ---- wishes -------------------------------------------------------------------------------------------------------------

/** Stores what tables should hold, and forgets what was last asked for before `forgetBefore`. */
export async function storeTableWishes(tx: Tx, wishes: readonly TableWish[], forgetBefore: Date): Promise<void> {
  await tx.query('delete from lookup_table_wishes where asked_at < $1', [forgetBefore]);
  // Sorted, so that instances that store the same do not deadlock.
  await tx.query(
    `insert into lookup_table_wishes as known (pair, addresses, asks, asked_at)
       select pair, addresses, asks, "askedAt"
       from json_to_recordset($1::json) as r(pair text, addresses text[], asks bigint, "askedAt" timestamptz)
       order by pair
     on conflict (pair) do update set addresses = excluded.addresses, asks = known.asks + excluded.asks,
       asked_at = greatest(known.asked_at, excluded.asked_at)`,
    [JSON.stringify(wishes)],
  );
}

/** What was asked for since then, the most often first. */
export async function tableWishes(sql: Sql, since: Date, most: number): Promise<string[][]> {
  const { rows } = await sql.query<{ addresses: string[] }>(
    `select addresses from lookup_table_wishes where asked_at >= $1 order by asks desc, pair limit $2`,
    [since, most],
  );
  return rows.map(({ addresses }) => addresses);
}
