import { Outage } from '../errors/index.js';
import { cached } from '../lib/single-flight.js';
import type { Sql, Tx } from './sql.js';

/** What an operator can stop: what the keepers send, what is crafted for clients, or all that is signed or sent. */
export const STOPPABLE = ['fills', 'crafts', 'all'] as const;
export type Stoppable = (typeof STOPPABLE)[number];

export interface Stop {
  what: Stoppable;
  why: string;
  /** The name of the admin. */
  stoppedBy: string;
  stoppedAt: Date;
}

/** What a stop keeps from being done; `posts`, that is, landing what a client has signed, is stopped with `all` only. */
export type Stopping = Exclude<Stoppable, 'all'> | 'posts';

/** The operator has stopped this. Nothing was signed and nothing was sent. */
export class Stopped extends Outage {
  override readonly name = 'Stopped';
  constructor({ what, why }: Stop) {
    const told = `Stopped by the operator (${what}): ${why}`;
    super('STOPPED', told, { told });
  }
}

export interface Stops {
  /** What is stopped, as of a moment ago. @throws StoreUnavailable: nobody knows, so nothing may be done */
  list(): Promise<readonly Stop[]>;
  /** @throws Stopped, StoreUnavailable */
  require(deed: Stopping): Promise<void>;
}

/** How old what is known of the stops may be: every copy obeys within this and the time of a statement. */
const KEPT_MS = 250;

export function createStops({ store, steadyNow }: { store: Sql; steadyNow: () => number }): Stops {
  const list = cached(() => listStops(store), KEPT_MS, steadyNow);
  return {
    list,
    async require(deed) {
      const stop = (await list()).find(({ what }) => what === deed || what === 'all');
      if (stop) throw new Stopped(stop);
    },
  };
}

/** What is stopped, the latest first. */
export async function listStops(sql: Sql): Promise<Stop[]> {
  const { rows } = await sql.query<Stop>(
    `select what, why, stopped_by as "stoppedBy", stopped_at as "stoppedAt" from stops order by stopped_at desc, what`,
  );
  return rows;
}

/** Stops it; if it is stopped already, for another reason. */
export async function putStop(tx: Tx, { what, why, stoppedBy, stoppedAt }: Stop): Promise<void> {
  await tx.query(
    `insert into stops (what, why, stopped_by, stopped_at) values ($1, $2, $3, $4)
     on conflict (what) do update
     set why = excluded.why, stopped_by = excluded.stopped_by, stopped_at = excluded.stopped_at`,
    [what, why, stoppedBy, stoppedAt],
  );
}

/** Ends a stop, or only the one that began at a time. False if there is none. */
export async function endStop(tx: Tx, what: Stoppable, stoppedAt?: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    'delete from stops where what = $1 and ($2::timestamptz is null or stopped_at = $2)',
    [what, stoppedAt ?? null],
  );
  return rowCount === 1;
}
