import { Type } from 'typebox';
import type { TypedServer } from '../../lib/typed-server.js';
import { countInvites } from '../../store/invite-lists.js';
import { newestInvites } from '../../store/operator-views.js';
import { type AdminDeps, adminRoute } from './deps.js';
import { ListedInvite, NewestQuery } from './watch-schema.js';

export function registerListInvites(app: TypedServer, { store }: AdminDeps): void {
  app.get(
    '/admin/v1/invites',
    {
      config: adminRoute,
      schema: {
        tags: ['Admin'],
        summary: 'List the invites',
        description: 'As they were read from the chain, the newest first; and how many there are.',
        querystring: NewestQuery,
        response: {
          200: Type.Object({
            all: Type.Integer({ description: 'How many are known' }),
            open: Type.Integer(),
            invites: Type.Array(ListedInvite),
          }),
        },
      },
    },
    async ({ query: { limit } }) => {
      const rows = await newestInvites(store, limit);
      const invites = rows.map(({ invitePda, creationTime, deletionTime, action, ...row }) => ({
        ...row,
        account: invitePda,
        state: action ?? 'unknown',
        createdAt: creationTime.toISOString(),
        endedAt: deletionTime?.toISOString() ?? null,
      }));
      return { ...(await countInvites(store)), invites };
    },
  );
}
