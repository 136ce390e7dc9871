import { AppError } from '../../errors/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { type EventScore, getScore, putScores } from '../../store/scores.js';
import { type AdminDeps, operateRoute } from './deps.js';
import { EventParams, Score, ScoreBody } from './schema.js';

/** What is further away is a slip or another unit. */
const EARLIEST = Date.UTC(2020);
const MOST_AHEAD_MS = 365 * 24 * 60 * 60_000;

export function registerPutScore(app: TypedServer, { store, clock, simulatedEvents }: AdminDeps): void {
  app.put(
    '/admin/v1/scores/:eventId',
    {
      config: { ...operateRoute, errors: { 409: 'A simulated game of the sandbox, which moves by itself' } },
      schema: {
        tags: ['Admin'],
        summary: 'Set the score of an event',
        description:
          'An update that is not newer than the stored score changes nothing, but where that is more than a minute ahead. A game that has ended stays ended. Times are from 2020 to a year ahead. The answer is what is stored afterwards. The simulated games of a sandbox move by themselves and are refused.',
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
      const score = toScore(params.eventId, body, clock.now());
      return store.transaction(async (tx) => {
        await putScores(tx, [score], clock.now());
        return (await getScore(tx, params.eventId)) ?? score;
      });
    },
  );
}

function toScore(eventId: string, body: ScoreBody, now: number): EventScore {
  const { finishedTimestamp, ...fields } = body;
  const updatedAt = isoTime('updatedAt', body.updatedAt, now);
  const score = { eventId, ...fields, updatedAt };
  if (body.live && body.ended) throw invalid('live must be false when ended is true');
  if (body.ended) {
    const finished = finishedTimestamp ? isoTime('finishedTimestamp', finishedTimestamp, now) : updatedAt;
    return { ...score, finishedTimestamp: finished };
  }
  if (finishedTimestamp) throw invalid('finishedTimestamp belongs to an event that has ended');
  return score;
}

/** `date-time` also allows leap seconds (:60), which Date does not. */
function isoTime(field: string, text: string, now: number): string {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw invalid(`${field} must be a time in ISO 8601`);
  if (time < EARLIEST || time > now + MOST_AHEAD_MS) {
    const latest = new Date(now + MOST_AHEAD_MS).toISOString();
    throw invalid(`${field} must be a time from 2020 to a year ahead, ${latest}`);
  }
  return new Date(time).toISOString();
}

function invalid(message: string): AppError {
  return new AppError('INVALID_REQUEST', { message });
}
