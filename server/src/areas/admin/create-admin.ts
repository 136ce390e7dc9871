import { randomBytes } from 'node:crypto';
import { base58Encode } from '@slipway/wire';
import { AppError } from '../../errors/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { createAdmin, tokenHash } from '../../store/admins.js';
import { type AdminDeps, allRoute } from './deps.js';
import { CreateAdminBody, NewAdmin } from './schema.js';

/** Of whoever has the configured token. */
const ROOT = 'root';

export function registerCreateAdmin(app: TypedServer, { store, clock, rootToken }: AdminDeps): void {
  app.post(
    '/admin/v1/admins',
    {
      config: { ...allRoute, errors: { 409: 'There is, or was, an admin of this name' } },
      schema: {
        tags: ['Admin'],
        summary: 'Make an admin, with a token and roles',
        description:
          'The token is in this answer only: what is stored is its hash. `read` looks, `operate` stops, decides and sets, `keys` makes API keys, and `all` does everything, admins included; whoever has a role may look.',
        body: CreateAdminBody,
        response: { 200: NewAdmin },
      },
    },
    async ({ body: { name, roles } }) => {
      const token = `slip_adm_${base58Encode(randomBytes(24))}`;
      const createdAt = new Date(clock.now());
      const facts = { name, roles: [...new Set(roles)], hash: tokenHash(token), createdAt };
      const root = await rootToken();
      const isNew = name !== ROOT && (await store.transaction((tx) => createAdmin(tx, facts, root)));
      if (!isNew)
        throw new AppError('CONFLICT', { message: `There is, or was, an admin ${name}: choose another name` });
      return { name, roles: facts.roles, createdAt: createdAt.toISOString(), revokedAt: null, token };
    },
  );
}
