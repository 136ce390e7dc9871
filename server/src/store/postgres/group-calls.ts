import { StoreUnavailable } from '../sql.js';

/**
 * Groups calls: items that arrive in one turn of the event loop, or while a call is in flight, go into the next call
 * together, at most `maxGroup` at a time. `run` returns one result per item, in order. If it fails for a group, its
 * items are retried one by one, so that only a bad one fails; but if the store is unavailable, all of them fail.
 */
export function groupCalls<T, R>(deps: {
  run: (items: T[]) => Promise<R[]>;
  maxGroup: number;
}): (item: T) => Promise<R> {
  interface Waiting {
    item: T;
    resolve: (result: R) => void;
    reject: (error: unknown) => void;
  }
  const queue: Waiting[] = [];
  let running = false;

  async function runGroup(group: Waiting[]): Promise<void> {
    try {
      const results = await deps.run(group.map((waiting) => waiting.item));
      if (results.length !== group.length) throw new Error('a grouped call must answer with one result per item');
      group.forEach((waiting, index) => {
        waiting.resolve(results[index]!);
      });
    } catch (error) {
      if (group.length === 1 || error instanceof StoreUnavailable) for (const waiting of group) waiting.reject(error);
      else for (const waiting of group) await runGroup([waiting]);
    }
  }

  async function runAll(): Promise<void> {
    running = true;
    while (queue.length > 0) {
      // Wait for other items of this turn of the event loop.
      await nextTurn();
      await runGroup(queue.splice(0, deps.maxGroup));
    }
    running = false;
  }

  return (item) =>
    new Promise<R>((resolve, reject) => {
      queue.push({ item, resolve, reject });
      if (!running) void runAll();
    });
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
