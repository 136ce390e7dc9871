import { Type } from 'typebox';
import type { TypedServer } from '../../lib/typed-server.js';
import { listAdmins } from '../../store/admins.js';
import { type AdminDeps, allRoute } from './deps.js';
import { Admin } from './schema.js';

export function registerListAdmins(app: TypedServer, { store }: AdminDeps): void {
  app.get(
    '/admin/v1/admins',
    {
      config: allRoute,
      schema: {
        tags: ['Admin'],
        summary: 'List the admins',
        description: 'The oldest first, those who were revoked included; without `root`, who has the configured token.',
        response: { 200: Type.Object({ admins: Type.Array(Admin, { description: 'Without root' }) }) },
      },
    },
    async () => {
      const admins = await listAdmins(store);
      return {
        admins: admins.map(({ name, roles, createdAt, revokedAt }) => {
          return { name, roles, createdAt: createdAt.toISOString(), revokedAt: revokedAt?.toISOString() ?? null };
        }),
      };
    },
  );
}
