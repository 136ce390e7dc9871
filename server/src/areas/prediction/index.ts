import type { TypedServer } from '../../lib/typed-server.js';
import { groupedScores } from '../../store/grouped.js';
import type { Area } from '../area.js';
import { type PredictionDeps, tags } from './deps.js';
import { predictionError } from './error-shape.js';
import { registerListScores } from './list-scores.js';
import { GameScore } from './schema.js';
import { registerShowScore } from './show-score.js';

export type { PredictionDeps } from './deps.js';

export const predictionArea: Area = {
  name: 'prediction',
  tag: tags[0],
  about: 'Live scores of events',
  errorShape: predictionError,
  register(server, { store }) {
    registerPrediction(server, { scoreOf: groupedScores(store) });
  },
};

export function registerPrediction(server: TypedServer, deps: PredictionDeps): void {
  server.addSchema(GameScore);
  registerShowScore(server, deps);
  registerListScores(server, deps);
}
