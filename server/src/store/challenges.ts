import type { Sql, Tx } from './sql.js';

type ChallengeType = 'message' | 'transaction';

/** A text that a wallet is asked to sign, either as a message or as the memo of a transaction. */
export interface Challenge {
  /** The nonce in the text. */
  id: string;
  wallet: string;
  type: ChallengeType;
  challenge: string;
  /** Only for the transaction type; null otherwise. */
  blockhash: string | null;
  createdAt: Date;
  expiresAt: Date;
  usedAt: Date | null;
}

const COLUMNS =
  'id, wallet, type, challenge, blockhash, created_at as "createdAt", expires_at as "expiresAt", used_at as "usedAt"';

/**
 * Stores a challenge. A wallet can have at most `maxLive` live challenges per type. Anybody can request challenges for
 * any wallet, so requests are never refused and must not invalidate somebody else's: at the limit, the newest challenge
 * is returned while it has at least half of its life left; after that, the new one replaces the oldest.
 */
export async function addChallenge(tx: Tx, fresh: Omit<Challenge, 'usedAt'>, maxLive: number): Promise<Challenge> {
  const { wallet, type, createdAt, expiresAt } = fresh;
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`challenge ${type} ${wallet}`]);
  const { rows: live } = await tx.query<Challenge>(
    `select ${COLUMNS} from login_challenges
     where wallet = $1 and type = $2 and used_at is null and expires_at > $3 order by expires_at desc, id desc`,
    [wallet, type, createdAt],
  );
  const [newest] = live;
  if (newest && live.length >= maxLive) {
    const halfLife = (expiresAt.getTime() - createdAt.getTime()) / 2;
    if (newest.expiresAt.getTime() - createdAt.getTime() >= halfLife) return newest;
    await tx.query('update login_challenges set expires_at = $3 where wallet = $1 and id = any($2)', [
      wallet,
      live.slice(maxLive - 1).map(({ id }) => id),
      createdAt,
    ]);
  }
  const { rows } = await tx.query<Challenge>(
    `insert into login_challenges (wallet, id, type, challenge, blockhash, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7) returning ${COLUMNS}`,
    [wallet, fresh.id, type, fresh.challenge, fresh.blockhash, createdAt, expiresAt],
  );
  return rows[0]!;
}

/** The newest challenges of a wallet, including used and expired ones. */
export async function recentChallenges(
  sql: Sql,
  wallet: string,
  type: ChallengeType,
  limit: number,
): Promise<Challenge[]> {
  const { rows } = await sql.query<Challenge>(
    `select ${COLUMNS} from login_challenges where wallet = $1 and type = $2 order by created_at desc, id desc limit $3`,
    [wallet, type, limit],
  );
  return rows;
}

/** Consumes a challenge. False if it was consumed before or has expired; of concurrent calls, one gets true. */
export async function consumeChallenge(tx: Tx, wallet: string, id: string, at: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update login_challenges set used_at = $3
     where wallet = $1 and id = $2 and used_at is null and expires_at > $3`,
    [wallet, id, at],
  );
  return rowCount === 1;
}

/** Undoes what was consumed at this time: no login was given for it. */
export async function returnChallenge(tx: Tx, wallet: string, id: string, at: Date): Promise<void> {
  await tx.query('update login_challenges set used_at = null where wallet = $1 and id = $2 and used_at = $3', [
    wallet,
    id,
    at,
  ]);
}

/** Deletes challenges that expired before `before`; returns how many. */
export async function deleteChallenges(tx: Tx, before: Date): Promise<number> {
  return (await tx.query('delete from login_challenges where expires_at < $1', [before])).rowCount;
}
