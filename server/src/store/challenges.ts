import type { Sql, Tx } from './sql.js';

type ChallengeType = 'message' | 'transaction';

/** A text that a wallet is asked to sign, by itself or as the memo of a transaction. */
export interface Challenge {
  /** The nonce in the text. */
  id: string;
  wallet: string;
  type: ChallengeType;
  challenge: string;
  /** Of the transaction type; null otherwise. */
  blockhash: string | null;
  createdAt: Date;
  expiresAt: Date;
  usedAt: Date | null;
}

const COLUMNS =
  'id, wallet, type, challenge, blockhash, created_at as "createdAt", expires_at as "expiresAt", used_at as "usedAt"';

/**
 * Stores a challenge, of which at most `maxLive` of one wallet and type live at a time. Anybody may ask in the name of
 * any wallet, so nobody is turned away and none is taken from its asker early: while the newest of `maxLive` has at
 * least half of its life left, that one is the answer; else the oldest ends for the new one.
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

/** The newest challenges of a wallet, used and expired ones as well. */
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

/** Uses a challenge up. False when it was used before or has expired: of many that try, one gets true. */
export async function consumeChallenge(tx: Tx, wallet: string, id: string, at: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update login_challenges set used_at = $3
     where wallet = $1 and id = $2 and used_at is null and expires_at > $3`,
    [wallet, id, at],
  );
  return rowCount === 1;
}

/** Deletes challenges that expired before `before`; how many. */
export async function deleteChallenges(tx: Tx, before: Date): Promise<number> {
  return (await tx.query('delete from login_challenges where expires_at < $1', [before])).rowCount;
}
