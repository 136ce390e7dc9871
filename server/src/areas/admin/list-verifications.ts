import type { TypedServer } from '../../lib/typed-server.js';
import { listVerifications } from '../../store/verifications.js';
import { type AdminDeps, adminRoute } from './deps.js';
import { ListVerificationsQuery, VerificationsPage } from './schema.js';
import { showVerification } from './show-verification.js';

export function registerListVerifications(app: TypedServer, { store }: AdminDeps): void {
  app.get(
    '/admin/v1/verifications',
    {
      config: adminRoute,
      schema: {
        tags: ['Admin'],
        summary: 'List the verification requests',
        description: 'The newest first. `nextCursor`, null on the last page, is the `cursor` of the next one.',
        querystring: ListVerificationsQuery,
        response: { 200: VerificationsPage },
      },
    },
    async ({ query: { state, limit, cursor } }) => {
      // Read one more, to see whether another page follows.
      const rows = await listVerifications(store, { state, limit: limit + 1, cursor });
      const page = rows.slice(0, limit);
      const nextCursor = rows.length > limit ? (page.at(-1)?.id ?? null) : null;
      return { verifications: page.map(showVerification), nextCursor };
    },
  );
}
