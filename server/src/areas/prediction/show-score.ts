import type { FastifyRequest } from 'fastify';
import { AppError } from '../../errors/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { type PredictionDeps, predictionRoute, tags } from './deps.js';
import { ScoreAnswer, ScoreParams } from './schema.js';

export function registerShowScore(app: TypedServer, { scoreOf }: PredictionDeps): void {
  app.get(
    '/prediction/v1/events/:eventId/score',
    {
      config: predictionRoute,
      preValidation: refuseNoId,
      schema: {
        tags,
        summary: 'The latest score of an event',
        description: 'The answer is null if nothing is known of the event.',
        params: ScoreParams,
        response: { 200: ScoreAnswer },
      },
    },
    async ({ params }, reply) => {
      const score = await scoreOf(params.eventId);
      if (score !== undefined) return score;
      // Fastify would send null as no body at all.
      return reply
        .type('application/json; charset=utf-8')
        .serializer(String)
        .send('null' as never);
    },
  );
}

/** An empty segment in the middle of a path is a bad id, not another path. */
async function refuseNoId({ params }: FastifyRequest): Promise<void> {
  if ((params as ScoreParams).eventId !== '') return;
  const expected = 'expected not to be empty';
  throw new AppError('INVALID_REQUEST', { message: `eventId: ${expected}`, details: { eventId: expected } });
}
