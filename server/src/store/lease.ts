import type { Store } from './sql.js';

/** A right that one copy of the service has at a time, until it gives it back or, having died, for a while. */
export interface Lease {
  name: string;
  holder: string;
}

/**
 * Takes the lease until `until`, unless another holder has it at `now`; answers whether it did. Both are unix
 * milliseconds of a clock that no sandbox moves.
 */
export async function takeLease(store: Store, lease: Lease & { now: number; until: number }): Promise<boolean> {
  const value = JSON.stringify({ holder: lease.holder, until: lease.until });
  const { rowCount } = await store.single((tx) =>
    tx.query(
      `insert into settings as s (key, value) values ($1, $2)
       on conflict (key) do update set value = excluded.value where (s.value->>'until')::numeric <= $3::numeric`,
      [keyOf(lease), value, lease.now],
    ),
  );
  return rowCount === 1;
}

/** Gives the lease back, where this holder still has it. */
export async function releaseLease(store: Store, lease: Lease): Promise<void> {
  await store.single((tx) =>
    tx.query(`delete from settings where key = $1 and value->>'holder' = $2`, [keyOf(lease), lease.holder]),
  );
}

function keyOf({ name }: Lease): string {
  return `lease ${name}`;
}
