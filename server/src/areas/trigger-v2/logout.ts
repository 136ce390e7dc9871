import type { TypedServer } from '../../lib/typed-server.js';
import { revokeLogins } from '../../store/revoked-logins.js';
import { type TriggerV2Deps, tags, walletRoute } from './deps.js';
import { LogoutAnswer } from './schema.js';

export function registerLogout(app: TypedServer, { store, logins }: TriggerV2Deps): void {
  app.post(
    '/trigger/v2/auth/logout',
    {
      config: walletRoute,
      schema: {
        tags,
        summary: 'End all logins of the wallet',
        description:
          'Every token of the wallet, this one and those of other devices, is refused in every copy of the service within a second, and its event streams end.',
        response: { 200: LogoutAnswer },
      },
    },
    async ({ wallet, loginToken }) => {
      const end = await logins.endOf(loginToken);
      await store.transaction((tx) => revokeLogins(tx, wallet, end));
      return { loggedOut: true } as const;
    },
  );
}
