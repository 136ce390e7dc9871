import { deleteWindows } from '../store/limits.js';
import type { Store } from '../store/sql.js';
import type { Chore } from './keeper.js';

const EVERY_SECONDS = 60;
/** Longer than any window, and than the clock of a copy of an earlier version, by which it counted, is from the database's. */
const KEEP_SECONDS = 300;

/**
 * Deletes the rate windows in which nothing has been counted for minutes: most are of clients without a key. And those of a
 * database whose clock was ahead, before it was set right: until their time, all calls would count as made then.
 */
export function rateWindowsChore({ store, steadyNow }: { store: Store; steadyNow: () => number }): Chore {
  let lastSecond = Number.NEGATIVE_INFINITY;
  return async () => {
    const second = Math.floor(steadyNow() / 1000);
    if (second < lastSecond + EVERY_SECONDS) return;
    await deleteWindows(store, KEEP_SECONDS);
    lastSecond = second;
  };
}
