import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../errors/index.js';
import { groupedScores } from '../../store/grouped.js';
import type { Area } from '../area.js';
import type { PredictionDeps } from './deps.js';
import { predictionError } from './error-shape.js';
import { listScores } from './list-scores.js';
import { GameScore, ScoreAnswer, ScoreParams, ScoresAnswer, ScoresQuery } from './schema.js';

export type { PredictionDeps } from './deps.js';

export const predictionArea: Area = {
  name: 'prediction',
  tag: 'Prediction',
  errorShape: predictionError,
  register(server, { store }) {
    registerPrediction(server, { scoreOf: groupedScores(store) });
  },
};

export function registerPrediction(app: FastifyInstance, deps: PredictionDeps): void {
  const config = { errorShape: predictionError, auth: 'key' } as const;
  const tags = ['Prediction'];
  app.addSchema(GameScore);
  app.get<{ Params: ScoreParams }>(
    '/prediction/v1/events/:eventId/score',
    {
      config,
      preValidation: refuseNoId,
      schema: { tags, summary: 'The latest score of an event', params: ScoreParams, response: { 200: ScoreAnswer } },
    },
    async ({ params }, reply) => {
      const score = await deps.scoreOf(params.eventId);
      if (score !== undefined) return score;
      // Left to Fastify, null is no body at all.
      return reply.type('application/json; charset=utf-8').serializer(String).send('null');
    },
  );
  app.get<{ Querystring: ScoresQuery }>(
    '/prediction/v1/events/scores',
    {
      config,
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

/** In the middle of a path an empty step is a bad id, not another path. */
async function refuseNoId({ params }: FastifyRequest): Promise<void> {
  if ((params as ScoreParams).eventId !== '') return;
  const expected = 'expected not to be empty';
  throw new AppError('INVALID_REQUEST', { message: `eventId: ${expected}`, details: { eventId: expected } });
}
