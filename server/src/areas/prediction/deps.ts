import type { EventScore } from '../../store/scores.js';
import { predictionError } from './error-shape.js';

export interface PredictionDeps {
  scoreOf: (eventId: string) => Promise<EventScore | undefined>;
}

/** Config of every route in this area. */
export const predictionRoute = { errorShape: predictionError, auth: 'key' } as const;
export const tags = ['Prediction'];
