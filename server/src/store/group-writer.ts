import { assertOutsideTransaction, StoreUnavailable } from './sql.js';

/**
 * Puts single items into groups without waiting for them: items that arrive while a write is under way go together in
 * the next one, at most `maxGroup` at a time. `write` answers with one result per item, in order. When it fails for a
 * group, its items are written again one by one, so that a bad one fails alone; not when the store is away, which
 * fails them all.
 */
export function createGroupWriter<T, R>(deps: {
  write: (items: T[]) => Promise<R[]>;
  maxGroup: number;
}): (item: T) => Promise<R> {
  interface Waiting {
    item: T;
    resolve: (result: R) => void;
    reject: (error: unknown) => void;
  }
  const queue: Waiting[] = [];
  let writing = false;

  async function writeGroup(group: Waiting[]): Promise<void> {
    try {
      const results = await deps.write(group.map((waiting) => waiting.item));
      if (results.length !== group.length) throw new Error('a group write must answer with one result per item');
      group.forEach((waiting, index) => {
        waiting.resolve(results[index]!);
      });
    } catch (error) {
      if (group.length === 1 || error instanceof StoreUnavailable) for (const waiting of group) waiting.reject(error);
      else for (const waiting of group) await writeGroup([waiting]);
    }
  }

  async function writeAll(): Promise<void> {
    writing = true;
    while (queue.length > 0) {
      await writeGroup(queue.splice(0, deps.maxGroup));
    }
    writing = false;
  }

  return (item) =>
    new Promise<R>((resolve, reject) => {
      assertOutsideTransaction('a group writer');
      queue.push({ item, resolve, reject });
      if (!writing) void writeAll();
    });
}
