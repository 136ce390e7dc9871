import type { Store } from './sql.js';

/** In milliseconds. What copies write down for each other, such as the ends of orders and logins, goes by their clocks. */
const MOST_SKEW = 60_000;

/**
 * Compares this machine's clock with the one that all copies share. One that is an hour ahead would expire orders too early, and
 * delete what is still to be kept.
 * @throws Error with a one-line message if they differ by more than a minute
 */
export async function assertClock(store: Pick<Store, 'kind' | 'query'>, now: () => number): Promise<void> {
  // The embedded database is on this machine.
  if (store.kind === 'embedded') return;
  const asked = now();
  const { rows } = await store.query<{ time: string }>('select extract(epoch from clock_timestamp())::text as time');
  const time = Number(rows[0]!.time) * 1_000;
  const skew = asked > time ? asked - time : Math.max(0, time - now());
  if (skew <= MOST_SKEW) return;
  const [seconds, side] = [Math.round(skew / 1_000), asked > time ? 'ahead of' : 'behind'];
  throw new Error(
    `the clock of this machine is ${seconds} seconds ${side} that of the database: set both by NTP; a copy does not start before`,
  );
}
