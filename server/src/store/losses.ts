import type { Sql, Tx } from './sql.js';

/** Bounds on what our wallets may lose on transactions that fail on the chain, counting those under way. */
export interface LossBounds {
  /** The areas, by their names in the ledger, whose losses count together. */
  areas: readonly string[];
  /** For the transactions of one wallet: no more than `walletMost` lost since then. */
  walletSince: Date;
  walletMost: number;
  /** For all of them. */
  allSince: Date;
  allMost: number;
}

/** Why we do not pay for a transaction now. */
export type LossBar = 'under-way' | 'failed' | 'too-many';

/** Excludes what was handed over: its maker pays the network fee. */
const PAID = `area = any($1) and cosigners <> '{}' and not handed_over`;
const LOST = `${PAID} and state = 'failed' and slot is not null`;

// Locked before the others are read, so that of two transactions the second sees the first.
const LOCK = `
  select pg_advisory_xact_lock(hashtextextended('losses ' || array_to_string($1::text[], ','), 0))
  where exists (select from ledger where id = any($2) and ${PAID})`;

const BARRED_CLAIMS = `
  with claimed as (
    select id, wallet, row_number() over (partition by wallet order by id) as turn
    from ledger where id = any($2) and ${PAID}
  ), counted as (
    select id, turn,
      (select count(*) from ledger l where l.wallet = c.wallet and ${LOST} and settled_at > $3) as lost,
      (select count(*) from ledger l
        where l.wallet = c.wallet and ${PAID} and state = 'sending' and l.id <> all($2)) as under_way
    from claimed c
  ), judged as (
    select id, case
      when lost >= $4::bigint then 'failed'
      when lost + under_way + turn > $4::bigint then 'under-way'
      when (select count(*) from ledger where ${LOST} and settled_at > $5)
        + (select count(*) from ledger where ${PAID} and state = 'sending') > $6::bigint then 'too-many'
    end as why
    from counted
  )
  select id, why from judged where why is not null`;

const BARRED_WALLET = `
  select case
    when (select count(*) from ledger where wallet = $2 and ${LOST} and settled_at > $3) >= $4::bigint then 'failed'
    when (select count(*) from ledger where ${LOST} and settled_at > $5) >= $6::bigint then 'too-many'
  end as why`;

/**
 * Which of the requests that this transaction has just claimed must not be paid for by us, and why. Across all
 * instances, those under way and those lost never exceed a bound. Requests that pay for themselves are never returned.
 */
export async function barLosses(tx: Tx, ids: readonly string[], bounds: LossBounds): Promise<Map<string, LossBar>> {
  await tx.query(LOCK, [bounds.areas, ids]);
  const { rows } = await tx.query<{ id: string; why: LossBar }>(BARRED_CLAIMS, parameters(ids, bounds));
  return new Map(rows.map(({ id, why }) => [id, why]));
}

/** Why a transaction of this wallet would not be paid for now; undefined if it would. */
export async function lossBarOf(sql: Sql, wallet: string, bounds: LossBounds): Promise<LossBar | undefined> {
  const { rows } = await sql.query<{ why: LossBar | null }>(BARRED_WALLET, parameters(wallet, bounds));
  return rows[0]?.why ?? undefined;
}

/** How many transactions of these areas have failed since then at our cost. */
export async function countLosses(sql: Sql, areas: readonly string[], since: Date): Promise<number> {
  const text = `select count(*)::int as lost from ledger where ${LOST} and settled_at > $2`;
  return (await sql.query<{ lost: number }>(text, [areas, since])).rows[0]!.lost;
}

function parameters(whose: string | readonly string[], bounds: LossBounds): unknown[] {
  const { areas, walletSince, walletMost, allSince, allMost } = bounds;
  return [areas, whose, walletSince, walletMost, allSince, allMost];
}
