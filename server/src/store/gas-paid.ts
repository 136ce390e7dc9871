import type { Sql, Tx } from './sql.js';

/** Bounds on what the gas wallet may lose on users' swaps that fail on the chain. */
export interface GasBounds {
  /** A wallet with a failure since then is not sponsored. */
  walletSince: Date;
  /** Nobody is sponsored while there are `maxLost` failures since then, counting swaps in flight. */
  allSince: Date;
  maxLost: number;
}

/** Why the gas wallet does not sponsor an order now. */
export type GasBar = 'under-way' | 'failed' | 'too-many';

/** Excludes orders whose transaction was handed over: their maker pays the network fee. */
const GAS_PAID = `area = 'swap' and cosigners <> '{}' and not handed_over`;
const LOST = `${GAS_PAID} and state = 'failed' and slot is not null`;

// Locked before the other orders are read, so that the second of a wallet's orders sees the first.
const LOCK_WALLETS = `
  select pg_advisory_xact_lock(key) from (
    select distinct hashtextextended('gas ' || wallet, 0) as key from ledger where id = any($1) and ${GAS_PAID}
    order by key
  ) as keys`;

const BARRED_CLAIMS = `
  with claimed as (
    select id, wallet, row_number() over (partition by wallet order by id) as turn
    from ledger where id = any($1) and ${GAS_PAID}
  ), judged as (
    select id, case
      when exists (select from ledger l where l.wallet = c.wallet and ${LOST} and settled_at > $2) then 'failed'
      when turn > 1 or exists (
        select from ledger l where l.wallet = c.wallet and ${GAS_PAID} and state = 'sending' and l.id <> all($1)
      ) then 'under-way'
      when (select count(*) from ledger where ${LOST} and settled_at > $3)
        + (select count(*) from ledger where ${GAS_PAID} and state = 'sending') > $4 then 'too-many'
    end as why
    from claimed c
  )
  select id, why from judged where why is not null`;

const BARRED_WALLET = `
  select case
    when exists (select from ledger where wallet = $1 and ${LOST} and settled_at > $2) then 'failed'
    when (select count(*) from ledger where ${LOST} and settled_at > $3) >= $4 then 'too-many'
  end as why`;

/**
 * Which of the requests that this transaction has just claimed must not be sponsored, and why. At most one sponsored
 * request per wallet is in flight, across all instances. Requests that pay for themselves are never returned.
 */
export async function barGas(tx: Tx, ids: readonly string[], bounds: GasBounds): Promise<Map<string, GasBar>> {
  await tx.query(LOCK_WALLETS, [ids]);
  const { walletSince, allSince, maxLost } = bounds;
  const { rows } = await tx.query<{ id: string; why: GasBar }>(BARRED_CLAIMS, [ids, walletSince, allSince, maxLost]);
  return new Map(rows.map(({ id, why }) => [id, why]));
}

/** Why an order of this wallet, if created now, would not be sponsored; undefined if it would. */
export async function gasBarOf(sql: Sql, wallet: string, bounds: GasBounds): Promise<GasBar | undefined> {
  const { walletSince, allSince, maxLost } = bounds;
  const { rows } = await sql.query<{ why: GasBar | null }>(BARRED_WALLET, [wallet, walletSince, allSince, maxLost]);
  return rows[0]?.why ?? undefined;
}
