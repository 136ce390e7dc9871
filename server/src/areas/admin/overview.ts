import { Type } from 'typebox';
import type { TypedServer } from '../../lib/typed-server.js';
import { type AdminDeps, adminRoute } from './deps.js';
import { Overview } from './watch-schema.js';

export function registerOverview(app: TypedServer, { history }: AdminDeps): void {
  if (history === undefined) return;
  app.get(
    '/admin/v1/overview',
    {
      config: adminRoute,
      schema: {
        tags: ['Admin'],
        summary: 'Show how the service does, and how it did in the last hours',
        description:
          'What this copy has measured: a sample every 15 seconds, kept for six hours, and some metrics as they are now. `/metrics` has all of them.',
        querystring: Type.Object({
          since: Type.Integer({ minimum: 0, default: 0, description: 'Only samples after this, in Unix milliseconds' }),
        }),
        response: { 200: Overview },
      },
    },
    ({ query: { since } }) => history(since),
  );
}
