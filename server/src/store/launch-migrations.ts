import type { Address } from '@slipway/wire';
import { tell } from './event-outbox.js';
import type { Sql, Tx } from './sql.js';

/** The ledger area of the transactions that move launches from their curves. */
export const LAUNCH_MIGRATION_AREA = 'launch-migrations';

/** What was sent before may never be told to have ended, where the node has forgotten that time. */
const LONGEST_UNDER_WAY_MS = 10 * 60_000;

/** A landed launch whose pool was not seen to have left its curve. */
export interface LaunchOnCurve {
  mint: Address;
  pool: Address;
}

/** Launches on their curves, by their mints: those after `after`. */
export async function launchesOnCurve(sql: Sql, after: string, most: number): Promise<LaunchOnCurve[]> {
  const { rows } = await sql.query<LaunchOnCurve>(
    `select mint, pool from launches join ledger on ledger.id = request_id
     where migrated_at is null and not never_landed and ledger.state = 'landed' and mint > $1 order by mint limit $2`,
    [after, most],
  );
  return rows;
}

/** A pool that has left its curve; the signature where it was moved from here. */
export interface SeenMigration {
  mint: string;
  migratedPool: string;
  signature?: string;
}

/**
 * Records and tells that a launch has left its curve; a no-op if that is known. Without a signature also a no-op while a
 * transaction of ours is under way that may have moved it: its end tells, with the signature.
 */
export async function recordMigration(tx: Tx, seen: SeenMigration, at: Date): Promise<void> {
  const { mint, migratedPool, signature } = seen;
  const { rows } = await tx.query<{ creator: string; pool: string; requestId: string }>(
    `update launches set migrated_at = $2 where mint = $1 and migrated_at is null and ($3 or not exists (
       select from ledger
       where area = '${LAUNCH_MIGRATION_AREA}' and state = 'sending' and sent_at > $4 and payload->>'mint' = launches.mint))
     returning creator, pool, request_id as "requestId"`,
    [mint, at, signature !== undefined, new Date(at.getTime() - LONGEST_UNDER_WAY_MS)],
  );
  const [launch] = rows;
  if (!launch) return;
  const { creator, pool, requestId } = launch;
  const data = { requestId, mint, pool, migratedPool, ...(signature !== undefined && { signature }) };
  await tell(tx, [{ kind: 'launch.migrated', at, wallets: [creator], begunBy: { requestId }, data }]);
}

/** Lamports that migrations have cost since then or will, all instances together. */
export async function migrationSpending(sql: Sql, since: Date): Promise<bigint> {
  const { rows } = await sql.query<{ lamports: string }>(
    `select coalesce(sum((payload->>'lamports')::numeric), 0)::text as lamports from ledger
     where area = '${LAUNCH_MIGRATION_AREA}' and created_at >= $1 and state in ('sending', 'landed', 'failed')`,
    [since],
  );
  return BigInt(rows[0]!.lamports);
}
