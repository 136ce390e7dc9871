import { Type } from 'typebox';
import type { TypedServer } from '../../lib/typed-server.js';
import { newestLaunches } from '../../store/operator-views.js';
import { type AdminDeps, adminRoute } from './deps.js';
import { ListedLaunch, NewestQuery } from './watch-schema.js';

export function registerListLaunches(app: TypedServer, { store }: AdminDeps): void {
  app.get(
    '/admin/v1/launches',
    {
      config: adminRoute,
      schema: {
        tags: ['Admin'],
        summary: 'List the launches',
        description: 'Tokens whose launch was crafted here, the newest first, with the state of their transactions.',
        querystring: NewestQuery,
        response: { 200: Type.Object({ launches: Type.Array(ListedLaunch, { description: 'The newest first' }) }) },
      },
    },
    async ({ query: { limit } }) => {
      const rows = await newestLaunches(store, limit);
      return {
        launches: rows.map((row) => ({
          ...row,
          createdAt: row.createdAt.toISOString(),
          migratedAt: row.migratedAt?.toISOString() ?? null,
        })),
      };
    },
  );
}
