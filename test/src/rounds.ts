import { setTimeout as sleep } from 'node:timers/promises';

/** Numbers from 0 to 1 that follow from the seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A seed for one run: TEST_SEED where it is set, to run a failure again. */
export function newSeed(): number {
  return Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 32));
}

/** Asks until `check` answers something else than undefined. Throws when it never does. */
export async function eventually<T>(
  what: string,
  check: () => Promise<T | undefined>,
  seconds = 120,
  everyMs = 50,
): Promise<T> {
  const end = performance.now() + seconds * 1_000;
  for (;;) {
    const found = await check();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error(`after ${seconds} s still not: ${what}`);
    await sleep(everyMs);
  }
}

/** Tries again what failed and took longer than a window of the limits: on a busy machine calls have left it meanwhile. */
export async function inOneWindow(seconds: number, work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    const start = performance.now();
    try {
      return await work();
    } catch (error) {
      // A call leaves with the whole second in which it was made.
      if (performance.now() - start < (seconds - 1) * 1_000 || tries === 5) throw error;
    }
  }
}
