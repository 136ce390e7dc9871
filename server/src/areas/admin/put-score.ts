import { AppError } from '../../errors/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { type EventScore, getScore, putScores } from '../../store/scores.js';
import { type AdminDeps, operateRoute } from './deps.js';
import { EventParams, Score, ScoreBody } from './schema.js';

export function registerPutScore(app: TypedServer, { store, simulatedEvents }: AdminDeps): void {
  app.put(
    '/admin/v1/scores/:eventId',
    {
      config: { ...operateRoute, errors: { 409: 'A simulated game of the sandbox, which moves by itself' } },
      schema: {
        tags: ['Admin'],
        summary: 'Set the score of an event',
        description:
          'An update that is not newer than the stored score changes nothing, and a game that has ended stays ended. The answer is what is stored afterwards. The simulated games of a sandbox move by themselves and are refused.',
        params: EventParams,
        body: ScoreBody,
        response: { 200: Score },
      },
    },
    ({ params, body }) => {
      if (simulatedEvents.includes(params.eventId)) {
        throw new AppError('CONFLICT', {
          message: 'eventId: this is a simulated game, which moves by itself; use the id of another event',
        });
      }
      const score = toScore(params.eventId, body);
      return store.transaction(async (tx) => {
        await putScores(tx, [score]);
        return (await getScore(tx, params.eventId)) ?? score;
      });
    },
  );
}

function toScore(eventId: string, body: ScoreBody): EventScore {
  const { finishedTimestamp, ...fields } = body;
  const updatedAt = isoTime('updatedAt', body.updatedAt);
  const score = { eventId, ...fields, updatedAt };
  if (body.live && body.ended) throw invalid('live must be false when ended is true');
  if (body.ended) {
    const finished = finishedTimestamp ? isoTime('finishedTimestamp', finishedTimestamp) : updatedAt;
    return { ...score, finishedTimestamp: finished };
  }
  if (finishedTimestamp) throw invalid('finishedTimestamp belongs to an event that has ended');
  return score;
}

/** `date-time` also allows leap seconds (:60), which Date does not. */
function isoTime(field: string, text: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw invalid(`${field} must be a time in ISO 8601`);
  return time.toISOString();
}

function invalid(message: string): AppError {
  return new AppError('INVALID_REQUEST', { message });
}
