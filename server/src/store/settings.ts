import type { Sql, Tx } from './sql.js';

/** The JSON value of a setting; undefined when it was never set. */
export async function getSetting(sql: Sql, key: string): Promise<unknown> {
  return (await sql.query<{ value: unknown }>('select value from settings where key = $1', [key])).rows[0]?.value;
}

/** Sets a setting to a JSON value. */
export async function setSetting(tx: Tx, key: string, value: unknown): Promise<void> {
  await tx.query(
    'insert into settings (key, value) values ($1, $2) on conflict (key) do update set value = excluded.value',
    [key, JSON.stringify(value)],
  );
}

/** Sets a setting that was never set; answers what it is then. */
export async function initialSetting(tx: Tx, key: string, value: unknown): Promise<unknown> {
  const { rows } = await tx.query<{ value: unknown }>(
    `insert into settings as s (key, value) values ($1, $2)
     on conflict (key) do update set value = s.value returning value`,
    [key, JSON.stringify(value)],
  );
  return rows[0]?.value;
}
