import { LOST_LOOKS } from './lost-deposits.js';
import type { Sql, Tx } from './sql.js';

/**
 * Deletes up to `limit` requests that were never sent and expired before `before`, but for those of verifications, and of
 * launches whose files are still to be removed: their mint addresses go back first. Returns how many.
 */
export async function deleteDead(tx: Tx, before: Date, limit: number): Promise<number> {
  const { rowCount } = await tx.query(
    `delete from ledger where id in (
       select id from ledger l
       where sent_at is null and state in ('crafted', 'expired', 'failed') and expires_at < $1
         and not exists (select from verifications v where v.request_id = l.id)
         and not exists (select from launches where request_id = l.id and finished_at is null)
       order by expires_at limit $2 for update skip locked
     )`,
    [before, limit],
  );
  return rowCount;
}

/** Whether there are submissions that ended before `before`. */
export async function areSubmissionsOver(sql: Sql, before: Date): Promise<boolean> {
  const { rows } = await sql.query<{ found: boolean }>(
    `select exists (select from ledger where area = 'submit' and settled_at < $1) as found`,
    [before],
  );
  return rows[0]!.found;
}

/**
 * Deletes up to `limit` submissions that ended before `before`; returns how many. Of one that has opened an invite or an
 * order which is still open, it is kept which key has submitted it. While invites are missing from the lists, none is deleted.
 */
export async function deleteEndedSubmissions(tx: Tx, before: Date, limit: number): Promise<number> {
  const { rows } = await tx.query<{ deleted: bigint }>(
    `with gone as (
       delete from ledger where id in (
         select id from ledger where area = 'submit' and settled_at < $1
           and not exists (select from invite_index where lists_behind)
         order by settled_at limit $2 for update skip locked
       ) returning signature, api_key
     ), kept as (
       insert into opened_by_keys (signature, api_key)
       select distinct on (signature) signature, api_key from gone where api_key is not null
         and (exists (select from invites where creation_tx = gone.signature and is_open)
           or exists (select from limit_orders where open_tx = gone.signature and state = 'open'))
       on conflict do nothing
     )
     select count(*) as deleted from gone`,
    [before, limit],
  );
  return Number(rows[0]!.deleted);
}

/**
 * Deletes up to `limit` requests that were sent, never landed, and ended before `before`, but for those of verifications, and of
 * launches whose files are still to be removed: other launches go with theirs. Returns how many. A wallet makes any number of
 * them for the fee of the one that takes its money.
 */
export async function deleteNeverLanded(tx: Tx, before: Date, limit: number): Promise<number> {
  const { rowCount } = await tx.query(
    `delete from ledger where id in (
       select id from ledger l
       where area <> 'submit' and state in ('expired', 'failed') and slot is null and sent_at is not null and settled_at < $1
         and not exists (select from verifications v where v.request_id = l.id)
         and not exists (select from launches where request_id = l.id and finished_at is null)
       order by settled_at limit $2 for update skip locked
     )`,
    [before, limit],
  );
  return rowCount;
}

/**
 * Deletes up to `limit` trigger orders whose deposits were lost before `before`, and were not found at any look, with their history;
 * returns how many.
 */
export async function deleteNeverPaid(tx: Tx, before: Date, limit: number): Promise<number> {
  const { rows } = await tx.query<{ deleted: bigint }>(
    `with gone as (
       delete from orders where (wallet, id) in (
         select wallet, id from orders where state = 'deposit_failed' and lost_looks = ${LOST_LOOKS} and updated_at < $1
         order by updated_at limit $2 for update skip locked
       ) returning wallet, id
     ), told as (
       delete from order_events e using gone where e.wallet = gone.wallet and e.order_id = gone.id
     )
     select count(*) as deleted from gone`,
    [before, limit],
  );
  return Number(rows[0]!.deleted);
}

/** Of one wallet, the newest of the orders whose deposits were lost: all of a wallet's are read for each page of them. */
export const MOST_LOST = 1_000;

/** Deletes the oldest orders of a wallet whose deposits were lost, and not found at the first look, with their history, where there are more. */
export async function keepNewestLost(tx: Tx, wallet: string): Promise<void> {
  await tx.query(
    `with gone as (
       delete from orders where wallet = $1 and id in (
         select id from orders where wallet = $1 and state = 'deposit_failed' and lost_looks > 0 and id <= (
           select id from orders where wallet = $1 and state = 'deposit_failed' order by id desc offset $2 limit 1
         ) order by id for update skip locked
       ) returning id
     )
     delete from order_events e using gone where e.wallet = $1 and e.order_id = gone.id`,
    [wallet, MOST_LOST],
  );
}
