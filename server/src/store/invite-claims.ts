import type { Tx } from './sql.js';

/**
 * Of these claims of invites, which this transaction has just claimed the right to send, those whose invite another
 * one is under way for: one would fail. `payload.invite` is the invite's account.
 */
export async function claimsOfBusyInvites(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `select c.id from ledger c where c.id = any($1) and exists (
       select from ledger o
       where o.wallet = c.wallet and o.area = c.area and o.state = 'sending' and o.cosigners <> '{}'
         and not o.handed_over and o.payload ->> 'invite' = c.payload ->> 'invite' and o.id <> c.id
         and (o.id <> all($1) or o.id < c.id)
     )`,
    [ids],
  );
  return rows.map(({ id }) => id);
}

/** Of these claims, those whose invite has had so many of them fail since then. */
export async function claimsOfFailingInvites(
  tx: Tx,
  ids: readonly string[],
  { since, most }: { since: Date; most: number },
): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `select c.id from ledger c where c.id = any($1) and $3::bigint <= (
       select count(*) from ledger o
       where o.wallet in (c.wallet, c.payload ->> 'invite') and o.area = c.area and o.state = 'failed' and o.slot is not null and o.cosigners <> '{}'
         and not o.handed_over and o.settled_at > $2 and o.payload ->> 'invite' = c.payload ->> 'invite'
     )`,
    [ids, since, most],
  );
  return rows.map(({ id }) => id);
}

/** From now on, what these claims have cost counts as their invites' own, and not as the sender's. */
export async function blameInvites(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.query(`update ledger set wallet = payload ->> 'invite' where id = any($1)`, [ids]);
}
