import type { Tx } from './sql.js';

interface Lease {
  /** Names the work that only one instance at a time may do. */
  name: string;
  /** Identifies the instance; changes with every start. */
  holder: string;
}

const keyOf = (name: string) => `lease.${name}`;

/**
 * Takes or extends a lease until `until`; false if another holder has it at `now`. Both times are in Unix milliseconds.
 * Work in the same transaction cannot overlap with another holder's, even if this instance was suspended in between.
 */
export async function holdLease(tx: Tx, { name, holder }: Lease, now: number, until: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into settings as s (key, value) values ($1, jsonb_build_object('holder', $2::text, 'until', $3::bigint))
     on conflict (key) do update set value = excluded.value
     where s.value ->> 'holder' = $2 or (s.value ->> 'until')::bigint <= $4::bigint`,
    [keyOf(name), holder, until, now],
  );
  return rowCount === 1;
}

/** Releases a lease; a no-op if another holder has it. */
export async function releaseLease(tx: Tx, { name, holder }: Lease): Promise<void> {
  await tx.query(`delete from settings where key = $1 and value ->> 'holder' = $2`, [keyOf(name), holder]);
}
