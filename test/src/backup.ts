import type { Store } from './postgres.js';

interface Sequence {
  name: string;
  last: bigint | null;
}

/** Copies every table of the database, as a backup has it; the result puts that back over what is there by then. */
export async function backUp(store: Store): Promise<() => Promise<void>> {
  const schema = 'old_backup';
  const { rows: tables } = await store.query<{ name: string }>(
    `select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`,
  );
  const { rows: sequences } = await store.query<Sequence>(
    `select 'public.' || quote_ident(sequencename) as name, last_value as last from pg_sequences where schemaname = 'public'`,
  );
  await store.transaction(async (tx) => {
    await tx.query(`drop schema if exists ${schema} cascade`);
    await tx.query(`create schema ${schema}`);
    for (const { name } of tables) await tx.query(`create table ${schema}.${name} as table public.${name}`);
  });
  return () =>
    store.transaction(async (tx) => {
      // As pg_restore does it: no trigger of a table speaks.
      await tx.query('set local session_replication_role = replica');
      await tx.query(`truncate ${tables.map(({ name }) => `public.${name}`).join(', ')}`);
      for (const { name } of tables)
        await tx.query(`insert into public.${name} overriding system value table ${schema}.${name}`);
      for (const { name, last } of sequences)
        await tx.query('select setval($1::regclass, coalesce($2::bigint, 1), $2::bigint is not null)', [name, last]);
    });
}
