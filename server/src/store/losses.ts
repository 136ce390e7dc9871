import { anyOf, type Sql, type Tx } from './sql.js';

/** Bounds on what our wallets may lose on transactions that fail on the chain, counting those under way. */
export interface LossBounds {
  /** The areas, by their names in the ledger, whose losses count together. */
  areas: readonly string[];
  /** For the transactions of one wallet: no more than `walletMost` lost since then. */
  walletSince: Date;
  walletMost: number;
  /** For all of them; at `allMost`, those are barred of whom `stillMost` were lost since then, while `paceMost` were lost since `paceSince`. */
  allSince: Date;
  allMost: number;
  stillMost: number;
  paceSince: Date;
  paceMost: number;
  /** Then `allMost` bars everybody, and this much of it is for wallets of whom none was lost and one landed before. */
  reserve?: number;
  /** In lamports, of one wallet with what is blamed in its place and of all, since `allSince`: the rents of all that was signed. */
  rents?: { walletMost: bigint; allMost: bigint };
}

/** Why we do not pay for a transaction now. */
export type LossBar = 'under-way' | 'failed' | 'too-many' | 'rents-of-wallet' | 'rents-of-all';

/**
 * Where one of our wallets signs: `paid`, what fails costs us its fee, and what expires nothing; `handed-over`, its maker
 * pays that, but our signature is given away for nothing where it does not land. Each kind has the same bounds for itself.
 * The signer counts what has expired, too; but what we pay for and send ourselves is signed with blocks left to land in: to
 * have it expire all the same, somebody has to fill these blocks for its accounts, at about the price that it counts for.
 */
export type LossKind = 'paid' | 'handed-over';

const SIGNED: Readonly<Record<LossKind, string>> = {
  paid: `area = any($1) and cosigners <> '{}' and not handed_over`,
  'handed-over': `area = any($1) and cosigners <> '{}' and handed_over`,
};
const LOST: Readonly<Record<LossKind, string>> = {
  paid: `${SIGNED.paid} and state = 'failed' and slot is not null`,
  'handed-over': `${SIGNED['handed-over']} and state in ('failed', 'expired')`,
};

/** A wallet, or an account that was blamed in its place (`blame`): otherwise a wallet would lose for each of its accounts anew. */
const BLAMED = `c.wallet, c.payload ->> 'order', c.payload ->> 'orderId', c.payload ->> 'invite'`;

// Locked before the others are read, so that of two transactions the second sees the first.
const lock = (kind: LossKind): string => `
  select pg_advisory_xact_lock(hashtextextended('losses ' || array_to_string($1::text[], ',')${kind === 'paid' ? '' : " || ' handed over'"}, 0))
  where exists (select from ledger where id = ${anyOf('$2')} and ${SIGNED[kind]})`;

/** Who goes on when the others have to stop. `blamed`: whose losses count against it. */
const trusted = (kind: LossKind, wallet: string, blamed = wallet): string => `(
  (select count(*) from ledger l where l.wallet in (${blamed}) and ${LOST[kind]} and settled_at > $5) < $8::bigint
  and ($7::bigint is null
    or exists (select from ledger l
      where l.wallet = ${wallet} and ${SIGNED[kind]} and state = 'landed' and settled_at <= $5)))`;

// Of those that come together, the trusted come first, and what is barred by itself last: strangers who post many at once take no turn of
// theirs.
const barredClaims = (kind: LossKind): string => `
  with claimed as (
    select id, wallet, ${trusted(kind, 'c.wallet', BLAMED)} as trusted, row_number() over (partition by wallet order by id) as turn,
      (select count(*) from ledger l where l.wallet = c.wallet and ${LOST[kind]} and settled_at > $3) as lost
    from ledger c where id = ${anyOf('$2')} and ${SIGNED[kind]}
  ), counted as (
    select id, turn, trusted, lost,
      (select count(*) from ledger l
        where l.wallet = c.wallet and ${SIGNED[kind]} and state = 'sending' and l.id <> all($2)) as under_way,
      (select count(*) from ledger where ${LOST[kind]} and settled_at > $5) as all_lost,
      (select count(*) from ledger where ${LOST[kind]} and settled_at > $9) as lately_lost,
      (select count(*) from ledger where ${SIGNED[kind]} and state = 'sending' and id <> all($2))
        + row_number() over (order by lost >= $4::bigint, trusted desc, turn, id) as going
    from claimed c
  ), judged as (
    select id, case
      when lost >= $4::bigint then 'failed'
      when lost + under_way + turn > $4::bigint then 'under-way'
      when all_lost + going > $6::bigint and $7::bigint is not null then 'too-many'
      when not trusted and all_lost + going > $6::bigint - coalesce($7::bigint, 0)
        and ($7::bigint is not null or lately_lost + going > $10::bigint) then 'too-many'
      when all_lost + going > $6::bigint and under_way + turn > 1 then 'under-way'
    end as why
    from counted
  )
  select id, why from judged where why is not null`;

// What has landed gave the rents back, or was paid for them, but a signer has counted them; what has expired, and what its area
// refused after it was signed, as well. A copy of an earlier version writes no rents down.
const BARRED_BY_RENTS = `
  with claimed as (
    select id, sum(rents) over (partition by wallet order by id) as of_wallet, sum(rents) over (order by id) as of_all, wallet, payload
    from ledger where id = ${anyOf('$2')} and area = any($1) and rents > 0
  ), signed as (
    select wallet, rents from ledger
    where area = any($1) and rents > 0 and state in ('landed', 'failed', 'expired') and settled_at > $3
    union all
    select wallet, rents from ledger
    where area = any($1) and rents > 0 and state = 'crafted' and created_at > $3
    union all
    select wallet, rents from ledger where area = any($1) and rents > 0 and state = 'sending' and id <> all($2)
  ), judged as (
    select id, case
      when of_wallet + (select coalesce(sum(s.rents), 0) from signed s where s.wallet in (${BLAMED})) > $4::bigint then 'rents-of-wallet'
      when of_all + (select coalesce(sum(rents), 0) from signed) > $5::bigint then 'rents-of-all'
    end as why
    from claimed c
  )
  select id, why from judged where why is not null`;

const barredWallet = (kind: LossKind): string => `
  with counted as (
    select ${trusted(kind, '$2')} as trusted, (select count(*) from ledger where ${LOST[kind]} and settled_at > $5) as of_all,
      (select count(*) from ledger where ${LOST[kind]} and settled_at > $9) as lately
  )
  select case
    when (select count(*) from ledger where wallet = $2 and ${LOST[kind]} and settled_at > $3) >= $4::bigint then 'failed'
    when of_all >= $6::bigint and $7::bigint is not null then 'too-many'
    when not trusted and of_all >= $6::bigint - coalesce($7::bigint, 0)
      and ($7::bigint is not null or lately >= $10::bigint) then 'too-many'
  end as why
  from counted`;

/**
 * Which of the requests that this transaction has just claimed must not be paid for by us, and why. Across all
 * instances, those under way and those lost never exceed a bound, but for the bound for all without a `reserve`: beyond
 * that each wallet loses `stillMost` at most, or all of them at that pace. Requests that pay for themselves are never returned.
 */
export async function barLosses(
  tx: Tx,
  ids: readonly string[],
  bounds: LossBounds,
  kind: LossKind = 'paid',
): Promise<Map<string, LossBar>> {
  await tx.query(lock(kind), [bounds.areas, ids]);
  const { rows } = await tx.query<{ id: string; why: LossBar }>(barredClaims(kind), parameters(ids, bounds));
  return new Map([...rows, ...(await barredByRents(tx, ids, bounds))].map(({ id, why }) => [id, why]));
}

async function barredByRents(
  tx: Tx,
  ids: readonly string[],
  { areas, allSince, rents }: LossBounds,
): Promise<{ id: string; why: LossBar }[]> {
  if (!rents) return [];
  const { walletMost, allMost } = rents;
  return (await tx.query<{ id: string; why: LossBar }>(BARRED_BY_RENTS, [areas, ids, allSince, walletMost, allMost]))
    .rows;
}

/** Why a transaction of this wallet would not be paid for now; undefined if it would. */
export async function lossBarOf(
  sql: Sql,
  wallet: string,
  bounds: LossBounds,
  kind: LossKind = 'paid',
): Promise<LossBar | undefined> {
  const { rows } = await sql.query<{ why: LossBar | null }>(barredWallet(kind), parameters(wallet, bounds));
  return rows[0]?.why ?? undefined;
}

/** How many transactions of these areas were lost since then. */
export async function countLosses(
  sql: Sql,
  areas: readonly string[],
  since: Date,
  kind: LossKind = 'paid',
): Promise<number> {
  const text = `select count(*)::int as lost from ledger where ${LOST[kind]} and settled_at > $2`;
  return (await sql.query<{ lost: number }>(text, [areas, since])).rows[0]!.lost;
}

function parameters(whose: string | readonly string[], bounds: LossBounds): unknown[] {
  const { areas, walletSince, walletMost, allSince, allMost, reserve, stillMost, paceSince, paceMost } = bounds;
  return [areas, whose, walletSince, walletMost, allSince, allMost, reserve ?? null, stillMost, paceSince, paceMost];
}
