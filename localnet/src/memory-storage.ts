import { FrameMemory } from './frame-file.js';
import { History } from './history.js';
import type { Storage } from './storage.js';

/** Transactions that are kept where there is no folder to keep them in. */
const MEMORY_HISTORY_LIMIT = 50_000;

/** Keeps the transactions of a chain without a data folder. */
export function createMemoryStorage(): Storage {
  const frames = new FrameMemory();
  const history = new History(MEMORY_HISTORY_LIMIT, (offset) => frames.drop(offset));
  history.frames = frames;
  return {
    history,
    isLong: false,
    commit(_slot, _changes, execution) {
      if (!execution) return;
      const { record, offset } = history.store(execution.transaction, execution.accounts, execution.memo);
      history.index(record, offset);
    },
    saveState() {},
    assertWritable() {},
    compact() {},
    close() {},
  };
}
