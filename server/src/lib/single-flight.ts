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
 * Work of which one run at a time is enough, and a call must see what was so when it was made: who calls while one is
 * running waits for the next one, together with all others who do.
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
