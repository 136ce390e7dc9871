import { AppError } from '../../errors/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { revokeAdmin } from '../../store/admins.js';
import { type AdminDeps, allRoute } from './deps.js';
import { AdminParams } from './schema.js';

export function registerRevokeAdmin(app: TypedServer, { store, clock }: AdminDeps): void {
  app.delete(
    '/admin/v1/admins/:name',
    {
      config: { ...allRoute, errors: { 404: 'There is no admin of this name, or not any more' } },
      schema: {
        tags: ['Admin'],
        summary: 'Revoke an admin',
        description: 'The token and the sessions are refused in every copy of the service within a second.',
        params: AdminParams,
        response: { 200: AdminParams },
      },
    },
    async ({ params: { name } }) => {
      if (!(await store.transaction((tx) => revokeAdmin(tx, name, new Date(clock.now()))))) {
        throw new AppError('NOT_FOUND', { message: `There is no admin ${name}` });
      }
      return { name };
    },
  );
}
