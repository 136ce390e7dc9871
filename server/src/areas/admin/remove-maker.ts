import { Type } from 'typebox';
import { AppError } from '../../errors/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { deleteMaker } from '../../store/makers.js';
import { type AdminDeps, operateRoute } from './deps.js';
import { IdParams } from './schema.js';

export function registerRemoveMaker(app: TypedServer, { store }: AdminDeps): void {
  app.delete(
    '/admin/v1/makers/:id',
    {
      config: { ...operateRoute, errors: { 404: 'There is no maker with this id' } },
      schema: {
        tags: ['Admin'],
        summary: 'Remove a market maker',
        description: 'It is not asked again. Orders that it has quoted can still be executed.',
        params: IdParams,
        response: { 200: Type.Object({ id: Type.String() }) },
      },
    },
    async ({ params }) => {
      const removed = await store.transaction((tx) => deleteMaker(tx, params.id));
      if (!removed) throw new AppError('NOT_FOUND', { message: 'There is no maker with this id' });
      return { id: params.id };
    },
  );
}
