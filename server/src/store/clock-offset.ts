import type { Store, Tx } from './sql.js';

const KEY = 'clockOffsetMs';
const CHANNEL = 'clock';

/** Advances the sandbox's clock for all instances; returns how many milliseconds it is now ahead of the wall clock. */
export async function advanceClockOffset(tx: Tx, milliseconds: number): Promise<number> {
  const { rows } = await tx.query<{ value: number }>(
    `insert into settings as s (key, value) values ($1, to_jsonb($2::bigint))
     on conflict (key) do update set value = to_jsonb(s.value::bigint + $2::bigint) returning value`,
    [KEY, milliseconds],
  );
  const offset = Number(rows[0]?.value);
  await tx.notify(CHANNEL, String(offset));
  return offset;
}

/** Calls `apply` with the offset now and whenever any instance moves it; resolves with a function that stops that. */
export async function followClockOffset(
  store: Store,
  apply: (milliseconds: number) => void,
): Promise<() => Promise<void>> {
  const unlisten = await store.listen(CHANNEL, (offset) => apply(Number(offset)));
  const { rows } = await store.query<{ value: number }>('select value from settings where key = $1', [KEY]);
  if (rows[0]) apply(rows[0].value);
  return unlisten;
}
