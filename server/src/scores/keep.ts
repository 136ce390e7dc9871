import type { Logger } from 'pino';
import { type Clock, steadyNow } from '../lib/clock.js';
import { uuidv7 } from '../lib/ids.js';
import { holdLease, releaseLease } from '../store/leases.js';
import { type EventScore, putScores } from '../store/scores.js';
import type { Store, Tx } from '../store/sql.js';
import type { ScoreFeed } from './feed.js';

export interface ScoresDeps {
  store: Store;
  clock: Clock;
  feeds: readonly ScoreFeed[];
  log: Logger;
}

export interface Scores {
  /** Opens the feeds that this instance may read, and resolves when everything received from them is stored. */
  runDue(): Promise<void>;
  close(): Promise<void>;
}

/** How long another instance waits before it takes over an exclusive feed; `runDue` must come more often. */
const LEASE_MS = 10_000;
/** Between two writes: each stored score is an event for all, of which not many get a number in a second. */
const WRITE_MS = 1_000;

/** Writes what the feeds say into the store. Any number of instances may do so side by side. */
export function createScores({ store, clock, feeds, log }: ScoresDeps): Scores {
  const holder = uuidv7(clock);
  const kept = feeds.map((feed) => keepFeed(feed, holder, { store, clock, log }));
  return {
    async runDue() {
      await Promise.all(kept.map((each) => each.runDue()));
    },
    async close() {
      await Promise.all(kept.map((each) => each.close()));
    },
  };
}

function keepFeed(feed: ScoreFeed, holder: string, { store, clock, log }: Omit<ScoresDeps, 'feeds'>): Scores {
  const lease = { name: `scores.${feed.name}`, holder };
  /** The newest update of each event that is not stored yet. */
  const waiting = new Map<string, EventScore>();
  let writing: Promise<void> = Promise.resolve();
  let writtenAt = Number.NEGATIVE_INFINITY;
  let next: NodeJS.Timeout | undefined;
  let closed = false;

  function publish(score: EventScore): void {
    waiting.set(score.eventId, newest(waiting.get(score.eventId), score));
    next ??= setTimeout(writeNext, Math.max(0, writtenAt + WRITE_MS - steadyNow()));
  }

  function writeNext(): void {
    next = undefined;
    write().catch((error: Error) => {
      log.warn({ feed: feed.name, reason: error.message }, 'could not store a score; retrying');
    });
  }

  function write(): Promise<void> {
    writing = writing.catch(() => {}).then(writeAll);
    return writing;
  }

  async function writeAll(): Promise<void> {
    if (waiting.size === 0) return;
    const batch = [...waiting.values()];
    waiting.clear();
    writtenAt = steadyNow();
    try {
      await store.transaction(async (tx) => {
        const ours = await isOurs(tx);
        if (!ours) feed.close();
        // Another copy may not have heard the end of a game, which is told once, and counts whenever it is stored.
        await putScores(tx, ours ? batch : batch.filter(({ ended }) => ended), clock.now());
      });
    } catch (error) {
      for (const score of batch) {
        const later = waiting.get(score.eventId);
        waiting.set(score.eventId, later ? newest(score, later) : score);
      }
      throw error;
    }
  }

  async function isOurs(tx: Tx): Promise<boolean> {
    return !feed.exclusive || holdLease(tx, lease, LEASE_MS);
  }

  return {
    async runDue() {
      const ours = !feed.exclusive || (await store.transaction(isOurs));
      if (closed) return;
      if (ours) feed.open(publish);
      else feed.close();
      feed.due();
      await write();
    },
    async close() {
      closed = true;
      clearTimeout(next);
      feed.close();
      await write().catch(() => {});
      if (feed.exclusive) await store.transaction((tx) => releaseLease(tx, lease));
    },
  };
}

/**
 * Which of two updates of one event to store: that of the later state, or of two with the same time the one that came
 * later. A game that has ended stays ended.
 */
function newest(before: EventScore | undefined, after: EventScore): EventScore {
  if (before === undefined) return after;
  if (before.ended !== after.ended) return before.ended ? before : after;
  return before.updatedAt > after.updatedAt ? before : after;
}
