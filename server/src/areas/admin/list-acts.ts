import { Type } from 'typebox';
import type { TypedServer } from '../../lib/typed-server.js';
import { actsAfter } from '../../store/admin-acts.js';
import { type AdminDeps, adminRoute } from './deps.js';
import { ActsPage } from './schema.js';

export function registerListActs(app: TypedServer, { store }: AdminDeps): void {
  app.get(
    '/admin/v1/acts',
    {
      config: adminRoute,
      schema: {
        tags: ['Admin'],
        summary: 'Read the record of what admins have asked for',
        description:
          'The oldest first. Each hash covers its entry and, by `prev`, all before it; `head` is where the record ends. `slipway audit verify` checks it.',
        querystring: Type.Object({
          after: Type.Integer({ minimum: 0, default: 0, description: 'Only entries after this number' }),
          limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100, description: 'The most entries' }),
        }),
        response: { 200: ActsPage },
      },
    },
    async ({ query: { after, limit } }) => {
      const { acts, head } = await actsAfter(store, after, limit);
      return { acts, head: head ?? null };
    },
  );
}
