import type { Tx } from './sql.js';

interface Lease {
  /** Names the work that only one instance at a time may do. */
  name: string;
  /** Identifies the instance; changes with every start. */
  holder: string;
}

/**
 * Copies of earlier versions wrote leases by their own clocks, which may be ahead of the database's by so much. In milliseconds, as all
 * times here.
 */
const SKEW = 60_000;

const keyOf = (name: string) => `lease.${name}`;
const later = (ms: number) => `statement_timestamp() + ${ms} * interval '1 millisecond'`;

/**
 * SQL for when a lease ends that is taken now. Leases go by the database's clock, which all instances share: by its own, one that is
 * ahead would take what others hold, and keep what it holds from them until their clocks are where its own was.
 */
export function leaseEnd(length: number): string {
  return `date_trunc('milliseconds', ${later(length)})`;
}

/** The same as a time. */
export async function nextLeaseEnd(tx: Tx, length: number): Promise<Date> {
  return (await tx.query<{ end: Date }>(`select ${leaseEnd(length)} as "end"`)).rows[0]!.end;
}

/**
 * SQL for whether a lease is over, of those that are never longer than `longest`: also one that ends later than any that is taken
 * now, which was written while a clock was wrong. Null where there is none.
 */
export function isLeaseOver(column: string, longest: number): string {
  return `(${column} <= statement_timestamp() or ${column} > ${later(longest + SKEW)})`;
}

/**
 * Takes or extends a lease for so long; false if another holder has it. Work in the same transaction cannot overlap with another
 * holder's, even if this instance was suspended in between.
 */
export async function holdLease(tx: Tx, { name, holder }: Lease, length: number): Promise<boolean> {
  const until = `to_timestamp((s.value ->> 'until')::bigint / 1000.0)`;
  const { rowCount } = await tx.query(
    `insert into settings as s (key, value)
     values ($1, jsonb_build_object('holder', $2::text, 'until', round(extract(epoch from ${leaseEnd(length)}) * 1000)::bigint))
     on conflict (key) do update set value = excluded.value
     where s.value ->> 'holder' = $2 or ${isLeaseOver(until, length)}`,
    [keyOf(name), holder],
  );
  return rowCount === 1;
}

/** Releases a lease; a no-op if another holder has it. */
export async function releaseLease(tx: Tx, { name, holder }: Lease): Promise<void> {
  await tx.query(`delete from settings where key = $1 and value ->> 'holder' = $2`, [keyOf(name), holder]);
}
