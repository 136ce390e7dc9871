import type { Logger } from 'pino';
import type { Config } from '../config/index.js';
import type { Clock } from '../lib/clock.js';
import { initialSetting } from '../store/settings.js';
import type { Store } from '../store/sql.js';
import { createScores, type Scores } from './keep.js';
import { createPolymarketFeed } from './polymarket.js';
import { createSimulatedFeed } from './simulated.js';

/** The scores of the feeds that the settings choose; in a sandbox also of simulated games. */
export async function openScores(deps: {
  settings: Config['scores'];
  sandbox: boolean;
  store: Store;
  clock: Clock;
  log: Logger;
}): Promise<Scores> {
  const { settings, sandbox, store, clock, log } = deps;
  const { url, games } = settings;
  const feeds = Object.keys(games).length > 0 ? [createPolymarketFeed({ url, games, clock, log })] : [];
  if (sandbox) {
    const since = await store.transaction((tx) => initialSetting(tx, 'simulatedGames.since', clock.now()));
    feeds.push(createSimulatedFeed({ since: since as number, clock }));
  }
  return createScores({ store, clock, feeds, log });
}
