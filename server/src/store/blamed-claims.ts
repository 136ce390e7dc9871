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

/** What a transaction may be blamed on in place of a wallet: an account that its payload names. */
export type Blamed = 'invite' | 'order' | 'orderId';

/** Of these requests, which this transaction has just claimed, those whose account has had so many of them fail since then. */
export async function claimsOfFailing(
  tx: Tx,
  ids: readonly string[],
  { blamed, since, most }: { blamed: Blamed; since: Date; most: number },
): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `select c.id from ledger c where c.id = any($1) and $3::bigint <= (
       select count(*) from ledger o
       where o.wallet in (c.wallet, c.payload ->> $4) and o.area = c.area and o.state = 'failed' and o.slot is not null
         and o.cosigners <> '{}' and not o.handed_over and o.settled_at > $2 and o.payload ->> $4 = c.payload ->> $4
     )`,
    [ids, since, most, blamed],
  );
  return rows.map(({ id }) => id);
}

/** From now on, what these have cost counts as that of the accounts which their payloads name, and not as their wallets'. */
export async function blame(tx: Tx, ids: readonly string[], blamed: Blamed): Promise<void> {
  if (ids.length === 0) return;
  await tx.query('update ledger set wallet = payload ->> $2 where id = any($1)', [ids, blamed]);
}
