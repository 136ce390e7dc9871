import { type Static, Type } from 'typebox';
import type { TypedServer } from '../../lib/typed-server.js';
import type { Router } from '../../routing/router.js';
import { swapRoute, tags } from './deps.js';

export const RoutersAnswer = Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), { $id: 'Routers' });
export type RoutersAnswer = Static<typeof RoutersAnswer>;

/** `routers`: those that are in use. */
export function registerListRouters(app: TypedServer, routers: readonly Pick<Router, 'id' | 'name'>[]): void {
  const named: RoutersAnswer = routers.map(({ id, name }) => ({ id, name }));
  app.get(
    '/ultra/v1/order/routers',
    {
      config: swapRoute,
      schema: {
        tags,
        summary: 'The routers that are asked',
        description: 'Their ids can be given to `excludeRouters`.',
        response: { 200: RoutersAnswer },
      },
    },
    async () => named,
  );
}
