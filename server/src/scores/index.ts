export type { ScoreFeed } from './feed.js';
export { createScores, type Scores, type ScoresDeps } from './keep.js';
export { openScores } from './open.js';
export { createPolymarketFeed, type FeedTiming, type PolymarketDeps } from './polymarket.js';
export { createSimulatedFeed, simulatedEvents } from './simulated.js';
