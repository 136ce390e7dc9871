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

/**
 * Coalesces runs of `work`: at most one run at a time, and each call is served by a run that begins after the call.
 * Calls made during a run share the next one.
 */
export function coalesced(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let following: Promise<void> | undefined;
  function run(): Promise<void> {
    if (!running) {
      running = work().finally(() => {
        running = undefined;
      });
      return running;
    }
    following ??= running
      .catch(() => {})
      .then(() => {
        following = undefined;
        return run();
      });
    return following;
  }
  return run;
}
