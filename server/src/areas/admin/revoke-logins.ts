import { requireAddress } from '../../errors/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { revokeLogins } from '../../store/revoked-logins.js';
import { type AdminDeps, operateRoute } from './deps.js';
import { LoginParams, RevokedLogins } from './schema.js';

export function registerRevokeLogins(app: TypedServer, { store, clock }: AdminDeps): void {
  app.delete(
    '/admin/v1/logins/:wallet',
    {
      config: operateRoute,
      schema: {
        tags: ['Admin'],
        summary: 'End all logins of a wallet',
        description:
          'Its tokens are refused in every copy of the service within a second, and its event streams end. Its orders stay as they are, and it can log in again.',
        params: LoginParams,
        response: { 200: RevokedLogins },
      },
    },
    async ({ params }) => {
      const wallet = requireAddress('wallet', params.wallet);
      const revokedAt = new Date(clock.now());
      await store.transaction((tx) => revokeLogins(tx, wallet, revokedAt));
      return { wallet, revokedAt: revokedAt.toISOString() };
    },
  );
}
