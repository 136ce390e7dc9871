import { LRUCache } from 'lru-cache';
import { groupCalls } from './postgres/group-calls.js';
import type { Sql, Tx } from './sql.js';

/** Told of wallets whose logins were ended. */
export const REVOKED_LOGINS_CHANNEL = 'revoked_logins';
/** How old what is known of a wallet may be: every copy refuses its tokens within this and the time of a statement. */
const KEPT_MS = 250;
const MOST_KEPT = 10_000;
/** Longer than a login lives. */
const REMEMBERED_MS = 2 * 24 * 60 * 60_000;

/** Ends all logins of a wallet that were begun until `at`. */
export async function revokeLogins(tx: Tx, wallet: string, at: Date): Promise<void> {
  await tx.query('delete from revoked_logins where revoked_at < $1', [new Date(at.getTime() - REMEMBERED_MS)]);
  await tx.query(
    `insert into revoked_logins as r (wallet, revoked_at) values ($1, $2)
     on conflict (wallet) do update set revoked_at = greatest(r.revoked_at, excluded.revoked_at)`,
    [wallet, at],
  );
  await tx.notify(REVOKED_LOGINS_CHANNEL, wallet);
}

/** When the logins of these wallets were ended last, by wallet. */
export async function revocationsOf(sql: Sql, wallets: readonly string[]): Promise<Map<string, Date>> {
  const { rows } = await sql.query<{ wallet: string; revokedAt: Date }>(
    'select wallet, revoked_at as "revokedAt" from revoked_logins where wallet = any($1)',
    [wallets],
  );
  return new Map(rows.map(({ wallet, revokedAt }) => [wallet, revokedAt]));
}

/** When the logins of a wallet were ended last; undefined: never. @throws StoreUnavailable */
export type RevokedAt = (
  wallet: string,
  /** `isFresh`: as of now, and not of a moment ago. */
  options?: { isFresh: boolean },
) => Promise<Date | undefined>;

export function createRevocations(store: Sql): RevokedAt {
  const read = groupCalls<string, Date | undefined>({
    run: async (wallets) => {
      const found = await revocationsOf(store, wallets);
      return wallets.map((wallet) => found.get(wallet));
    },
    maxGroup: 500,
  });
  const known = new LRUCache<string, { at: Date | undefined }>({
    max: MOST_KEPT,
    ttl: KEPT_MS,
    // A failure is not kept.
    fetchMethod: async (wallet) => ({ at: await read(wallet) }),
  });
  return async (wallet, { isFresh } = { isFresh: false }) => (await known.fetch(wallet, { forceRefresh: isFresh }))?.at;
}
