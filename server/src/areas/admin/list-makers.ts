import { Type } from 'typebox';
import { listMakers } from '../../store/makers.js';
import { type AdminDeps, type AdminServer, adminRoute } from './deps.js';
import { Maker } from './schema.js';

export function registerListMakers(app: AdminServer, { store }: AdminDeps): void {
  app.get(
    '/admin/v1/makers',
    {
      config: adminRoute,
      schema: {
        tags: ['Admin'],
        summary: 'List the market makers',
        description: 'In the order they were registered.',
        response: { 200: Type.Object({ makers: Type.Array(Maker) }) },
      },
    },
    async () => {
      const makers = await listMakers(store);
      return { makers: makers.map((maker) => ({ ...maker, createdAt: maker.createdAt.toISOString() })) };
    },
  );
}
