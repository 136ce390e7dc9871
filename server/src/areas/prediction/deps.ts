import type { EventScore } from '../../store/scores.js';

export interface PredictionDeps {
  scoreOf: (eventId: string) => Promise<EventScore | undefined>;
}
