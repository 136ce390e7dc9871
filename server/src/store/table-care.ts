import type { Sql, Store } from './sql.js';

interface Changed {
  /** Quoted as SQL wants it. */
  name: string;
  /** Whether so many of its rows are dead that they are to be cleared away. */
  isLittered: boolean;
}

/** A table has grown when it has this many times the rows that were counted last, and so many more. */
const GROWN = 1.5;
/** It is littered when so many of its rows are dead, and this share of those that live. */
const LITTERED = 0.2;
const FEW = 500;

const CHANGED = `
  select name, "isLittered" from (
    select format('%I.%I', s.schemaname, s.relname) as name,
      n_live_tup > $1::int + $2::float * greatest(reltuples, 0) as "hasGrown",
      n_dead_tup > $1::int + $3::float * n_live_tup as "isLittered"
    from pg_stat_user_tables s join pg_class c on c.oid = s.relid
    where s.schemaname = current_schema()
  ) as tables
  where "hasGrown" or ("isLittered" and $4)`;

const MY_TURN = `
  select pg_try_advisory_xact_lock(hashtextextended('slipway table care', 0)) as mine,
    set_config('default_statistics_target', '10', true)`;

/**
 * Counts the rows of tables that have grown, so that statements are planned for what is in them: those that were planned
 * for an empty table, as those of a new service all are, would else read more of it with every row. A server does this by
 * itself, but only after a minute; an embedded database never does, nor clears dead rows away, so that is done here too.
 * Seldom, since all statements are planned anew afterwards: a table that stays as large as it is, is left alone.
 */
export async function careForTables(store: Store): Promise<void> {
  if (store.kind === 'embedded') {
    for (const { name, isLittered } of await changed(store, true)) {
      await store.query(`${isLittered ? 'vacuum (analyze)' : 'analyze'} ${name}`);
    }
    return;
  }
  await store.transaction(async (tx) => {
    const { rows } = await tx.query<{ mine: boolean }>(MY_TURN);
    if (rows[0]!.mine) for (const { name } of await changed(tx, false)) await tx.query(`analyze ${name}`);
  });
}

async function changed(sql: Sql, evenIfLittered: boolean): Promise<Changed[]> {
  return (await sql.query<Changed>(CHANGED, [FEW, GROWN, LITTERED, evenIfLittered])).rows;
}
