import { AppError } from '../../errors/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { endStop } from '../../store/stops.js';
import { type AdminDeps, operateRoute } from './deps.js';
import { StopParams } from './schema.js';

export function registerResume(app: TypedServer, { store }: AdminDeps): void {
  app.delete(
    '/admin/v1/stops/:what',
    {
      config: { ...operateRoute, errors: { 404: 'It is not stopped by this name' } },
      schema: {
        tags: ['Admin'],
        summary: 'End a stop',
        description: 'Every copy goes on within a second, unless something else is stopped that includes it.',
        params: StopParams,
        response: { 200: StopParams },
      },
    },
    async ({ params: { what } }) => {
      const isEnded = await store.transaction((tx) => endStop(tx, what));
      if (!isEnded) throw new AppError('NOT_FOUND', { message: `There is no stop of ${what}` });
      return { what };
    },
  );
}
