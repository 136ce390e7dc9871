import type { Tx } from './sql.js';

/** Deletes up to `limit` unsent, unreferenced requests that expired before `before`; returns how many. */
export async function deleteDead(tx: Tx, before: Date, limit: number): Promise<number> {
  const { rowCount } = await tx.query(
    `delete from ledger where id in (
       select id from ledger l
       where sent_at is null and state in ('crafted', 'expired', 'failed') and expires_at < $1
         and not exists (select from verifications v where v.request_id = l.id)
       order by expires_at limit $2 for update skip locked
     )`,
    [before, limit],
  );
  return rowCount;
}

/** Deletes up to `limit` submissions that ended before `before`; returns how many. */
export async function deleteEndedSubmissions(tx: Tx, before: Date, limit: number): Promise<number> {
  const { rowCount } = await tx.query(
    `delete from ledger where id in (
       select id from ledger where area = 'submit' and settled_at < $1
       order by settled_at limit $2 for update skip locked
     )`,
    [before, limit],
  );
  return rowCount;
}
