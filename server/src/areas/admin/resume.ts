import { AppError } from '../../errors/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { endStop, listStops } from '../../store/stops.js';
import { type AdminDeps, operateRoute } from './deps.js';
import { ResumeQuery, StopParams } from './schema.js';

export function registerResume(app: TypedServer, { store }: AdminDeps): void {
  app.delete(
    '/admin/v1/stops/:what',
    {
      config: {
        ...operateRoute,
        errors: { 404: 'It is not stopped by this name', 409: 'It has been stopped anew since' },
      },
      schema: {
        tags: ['Admin'],
        summary: 'End a stop',
        description: 'Every copy goes on within a second, unless something else is stopped that includes it.',
        params: StopParams,
        querystring: ResumeQuery,
        response: { 200: StopParams },
      },
    },
    ({ params: { what }, query: { stoppedAt } }) =>
      store.transaction(async (tx) => {
        if (await endStop(tx, what, stoppedAt === undefined ? undefined : new Date(stoppedAt))) return { what };
        const another = (await listStops(tx)).find((stop) => stop.what === what);
        if (!another) throw new AppError('NOT_FOUND', { message: `There is no stop of ${what}` });
        const { stoppedBy, why } = another;
        throw new AppError('CONFLICT', {
          message: `${what} was stopped anew since, by ${stoppedBy}: ${why}. It stays stopped: look at the stops again`,
        });
      }),
  );
}
