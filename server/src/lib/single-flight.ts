/**
 * A value that is fetched at most once at a time and reused for `ttlMs` after it arrived. A failed fetch is not kept;
 * everybody who waited for it gets its error.
 */
export function cached<T>(fetch: () => Promise<T>, ttlMs: number, now: () => number): () => Promise<T> {
  let value: T | undefined;
  let freshUntil = Number.NEGATIVE_INFINITY;
  let flight: Promise<T> | undefined;
  return () => {
    if (now() < freshUntil) return Promise.resolve(value as T);
    flight ??= fetch()
      .then((fetched) => {
        value = fetched;
        freshUntil = now() + ttlMs;
        return fetched;
      })
      .finally(() => {
        flight = undefined;
      });
    return flight;
  };
}
