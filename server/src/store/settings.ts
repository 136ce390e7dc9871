import type { Tx } from './sql.js';

/** Sets a setting unless it is set already; answers its value after that. */
export async function initialSetting(tx: Tx, key: string, value: unknown): Promise<unknown> {
  const { rows } = await tx.query<{ value: unknown }>(
    `insert into settings as s (key, value) values ($1, $2)
     on conflict (key) do update set value = s.value returning value`,
    [key, JSON.stringify(value)],
  );
  return rows[0]?.value;
}
