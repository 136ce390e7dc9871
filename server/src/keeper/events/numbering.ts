import type { Logger } from 'pino';
import type { Clock } from '../../lib/clock.js';
import { OUTBOX_CHANNEL } from '../../store/event-outbox.js';
import { numberEventOfAll, numberEvents } from '../../store/events.js';
import type { Store } from '../../store/sql.js';
import type { KeeperLoop } from '../keeper.js';
import { Loop } from '../loop.js';

/** Transactions, each with all that it tells. */
const BATCH = 200;
/** For a notification that was lost, or an instance that died with the turn. */
const INTERVAL_MS = 1_000;
/** What is told in the meantime gets its numbers in the same turn. */
const SOON_MS = 25;

interface NumberingDeps {
  store: Store;
  clock: Clock;
  log: Logger;
}

/** Gives events their numbers as soon as they are told. Instances take turns. */
export async function startEventNumbering({ store, clock, log }: NumberingDeps): Promise<KeeperLoop> {
  const loop = new Loop(
    async () => {
      for (let isMore = true; isMore && !loop.isClosed; ) {
        const now = new Date(clock.now());
        const { found, waitsForAll } = await store.single((tx) => numberEvents(tx, BATCH, now));
        isMore = found === BATCH;
        if (!waitsForAll) continue;
        const ofAll = await store.single((tx) => numberEventOfAll(tx, now));
        isMore ||= ofAll.found > 0;
      }
    },
    {
      intervalMs: INTERVAL_MS,
      soonMs: SOON_MS,
      log,
      failure: 'events could not be given their numbers; it will be tried again',
      logsFirstFailureOnly: true,
    },
  );
  const stopListening = await store.listen(OUTBOX_CHANNEL, () => loop.wake());
  loop.start();
  return {
    runDue: async () => void (await loop.tick()),
    async close() {
      await stopListening();
      await loop.close();
    },
  };
}
