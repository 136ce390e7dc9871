import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { plainError } from '../../errors/index.js';
import type { Router } from '../../routing/router.js';

export const RoutersAnswer = Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), { $id: 'Routers' });
export type RoutersAnswer = Static<typeof RoutersAnswer>;

/** `routers`: those that are in use. */
export function registerListRouters(app: FastifyInstance, routers: readonly Pick<Router, 'id' | 'name'>[]): void {
  const named: RoutersAnswer = routers.map(({ id, name }) => ({ id, name }));
  app.get(
    '/ultra/v1/order/routers',
    {
      config: { errorShape: plainError, auth: 'key' },
      schema: { tags: ['Swap'], summary: 'The routers that are asked', response: { 200: RoutersAnswer } },
    },
    async () => named,
  );
}
