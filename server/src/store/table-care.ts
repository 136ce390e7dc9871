import type { Store } from './sql.js';

interface Changed {
  /** Quoted as SQL wants it. */
  name: string;
  /** Whether so many of its rows are dead that they are to be cleared away. */
  isLittered: boolean;
}

/** A table is looked after when this many rows have changed, and a fifth of those that it has. */
const FEW = 500;
const SHARE = 0.2;

const CHANGED = `
  select format('%I.%I', schemaname, relname) as name, n_dead_tup > much as "isLittered"
  from pg_stat_user_tables, lateral (select $1::float + $2::float * n_live_tup as much) as bound
  where schemaname = current_schema() and (n_mod_since_analyze > much or n_dead_tup > much)`;

/**
 * Counts the rows of tables that have changed much, so that statements are planned for what is in them. Those that were
 * planned for an empty table, as those of a new service all are, would else read more of it with every row. A server does
 * this by itself, but only after a minute; an embedded database never does, nor clears away dead rows, so that is done
 * here as well.
 */
export async function careForTables(store: Store): Promise<void> {
  const { rows } = await store.query<Changed>(CHANGED, [FEW, SHARE]);
  for (const { name, isLittered } of rows) {
    // Another copy may be at it.
    const options = store.kind === 'embedded' && isLittered ? 'vacuum (analyze)' : 'analyze (skip_locked)';
    await store.query(`${options} ${name}`);
  }
}
