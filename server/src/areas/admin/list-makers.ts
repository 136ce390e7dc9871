import { Type } from 'typebox';
import type { TypedServer } from '../../lib/typed-server.js';
import { listMakers } from '../../store/makers.js';
import { type AdminDeps, adminRoute } from './deps.js';
import { showMaker } from './maker-text.js';
import { ListedMaker } from './schema.js';

export function registerListMakers(app: TypedServer, { store, box, lastAnswer }: AdminDeps): void {
  app.get(
    '/admin/v1/makers',
    {
      config: adminRoute,
      schema: {
        tags: ['Admin'],
        summary: 'List the market makers',
        description: 'In the order they were registered; of a key in a URL only *** is shown.',
        response: { 200: Type.Object({ makers: Type.Array(ListedMaker) }) },
      },
    },
    async () => {
      const makers = await listMakers(store, await box());
      return {
        makers: makers.map((maker) => {
          const last = lastAnswer?.(maker.id);
          return {
            ...showMaker(maker),
            ...(last && { lastAnswer: { ...last, at: new Date(last.at).toISOString() } }),
          };
        }),
      };
    },
  );
}
