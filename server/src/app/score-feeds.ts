import type { Logger } from 'pino';
import type { Config } from '../config/index.js';
import type { Clock } from '../lib/clock.js';
import type { Disposal } from '../lib/disposal.js';
import { createPolymarketFeed, createScores, createSimulatedFeed, type Scores } from '../scores/index.js';
import { initialSetting } from '../store/settings.js';
import type { Store } from '../store/sql.js';

/** Answers what brings the scores up to date; it has been done once. */
export async function openScores(deps: {
  config: Config;
  store: Store;
  clock: Clock;
  log: Logger;
  disposal: Disposal;
}): Promise<Scores['runDue']> {
  const { config, store, clock, log, disposal } = deps;
  const { url, games } = config.scores;
  const feeds = Object.keys(games).length > 0 ? [createPolymarketFeed({ url, games, clock, log })] : [];
  if (config.sandbox) {
    const since = await store.transaction((tx) => initialSetting(tx, 'simulatedGames.since', clock.now()));
    feeds.push(createSimulatedFeed({ since: since as number, clock }));
  }
  const scores = createScores({ store, clock, feeds, log });
  disposal.add('scores', () => scores.close());
  await scores.runDue();
  return scores.runDue;
}
