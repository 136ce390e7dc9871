import type { Tx } from './sql.js';

interface ClaimSlot {
  id: string;
  invitePda: string;
  now: Date;
  /** When the claim can no longer land. */
  expiresAt: Date;
  /** The most live claims of one invite. */
  most: number;
}

/** Any number that no other two-part advisory lock in the database uses. */
const LOCK = 617_542;

/** Whether one more claim of the invite may be signed. If so, it counts against the limit until it expires. */
export async function takeClaimSlot(tx: Tx, { id, invitePda, now, expiresAt, most }: ClaimSlot): Promise<boolean> {
  await tx.query('select pg_advisory_xact_lock($1, hashtext($2))', [LOCK, invitePda]);
  await tx.query('delete from invite_claims where expires_at <= $1', [now]);
  const { rowCount } = await tx.query(
    `insert into invite_claims (id, invite_pda, expires_at) select $1::text, $2::text, $3::timestamptz
     where (select count(*) from invite_claims where invite_pda = $2) < $4::bigint`,
    [id, invitePda, expiresAt, most],
  );
  return rowCount === 1;
}

/** Frees the slot of a claim that was not signed after all. */
export async function freeClaimSlot(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from invite_claims where id = $1', [id]);
}
