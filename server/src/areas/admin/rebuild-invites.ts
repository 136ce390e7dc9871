import type { TypedServer } from '../../lib/typed-server.js';
import { clearInviteIndex } from '../../store/invites.js';
import { type AdminDeps, allowNoBody, operateRoute } from './deps.js';
import { RebuildInvitesBody, RebuiltInvites } from './schema.js';

export function registerRebuildInvites(app: TypedServer, { store, rebuildInvites }: AdminDeps): void {
  app.post(
    '/admin/v1/invites/rebuild',
    {
      config: operateRoute,
      preValidation: allowNoBody,
      schema: {
        tags: ['Admin'],
        summary: 'Read all invites from the chain again',
        description: 'Answered when that is done, or after 20 seconds: then it goes on.',
        body: RebuildInvitesBody,
        response: { 200: RebuiltInvites },
      },
    },
    async () => {
      if (rebuildInvites) return rebuildInvites();
      await store.transaction((tx) => clearInviteIndex(tx));
      return { done: false, transactions: 0, unread: 0, invites: 0, open: 0 };
    },
  );
}
