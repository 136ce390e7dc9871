import { AppError } from '../../errors/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import type { PredictionDeps } from './deps.js';
import { predictionRoute, tags } from './deps.js';
import { type GameScore, ScoresAnswer, ScoresQuery } from './schema.js';

const MAX_IDS = 100;
const MAX_ID_LENGTH = 200;

export function registerListScores(app: TypedServer, deps: PredictionDeps): void {
  app.get(
    '/prediction/v1/events/scores',
    {
      config: predictionRoute,
      schema: {
        tags,
        summary: 'The latest scores of up to 100 events',
        description: 'In the order of the question. Events of which nothing is known are left out.',
        querystring: ScoresQuery,
        response: { 200: ScoresAnswer },
      },
    },
    ({ query }) => listScores(deps, query),
  );
}

/** The scores of several events, in the order of the request, without unknown events. */
export async function listScores(
  { scoreOf }: PredictionDeps,
  { eventIds }: ScoresQuery,
): Promise<{ data: GameScore[] }> {
  // Limited, so that a list that is far too long is refused without building all of it.
  const ids = eventIds.split(',', MAX_IDS + 1);
  if (ids.length > MAX_IDS) throw invalid(`expected at most ${MAX_IDS} event ids`);
  if (!ids.every(isEventId)) {
    throw invalid(`expected event ids of 1 to ${MAX_ID_LENGTH} characters without NUL characters, separated by commas`);
  }
  const scores = await Promise.all([...new Set(ids)].map(scoreOf));
  return { data: scores.filter((score) => score !== undefined) };
}

/** PostgreSQL stores neither NUL nor half a surrogate pair. */
function isEventId(id: string): boolean {
  return id !== '' && id.length <= MAX_ID_LENGTH && !id.includes('\0') && !/\p{Cs}/u.test(id);
}

function invalid(expected: string): AppError {
  return new AppError('INVALID_REQUEST', { message: `eventIds: ${expected}`, details: { eventIds: expected } });
}
