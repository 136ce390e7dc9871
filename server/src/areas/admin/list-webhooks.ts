import { Type } from 'typebox';
import type { TypedServer } from '../../lib/typed-server.js';
import { latestAttempts } from '../../store/webhook-deliveries.js';
import { listAllWebhooks } from '../../store/webhooks.js';
import { type AdminDeps, adminRoute } from './deps.js';
import { withoutSecrets } from './maker-text.js';
import { ListedWebhook, NewestQuery } from './watch-schema.js';

/** Of each webhook. */
const ATTEMPTS = 10;

export function registerListWebhooks(app: TypedServer, { store, box }: AdminDeps): void {
  app.get(
    '/admin/v1/webhooks',
    {
      config: adminRoute,
      schema: {
        tags: ['Admin'],
        summary: 'List the webhooks',
        description: 'Those of all keys and wallets, the newest first, each with its last attempts.',
        querystring: NewestQuery,
        response: { 200: Type.Object({ webhooks: Type.Array(ListedWebhook, { description: 'The newest first' }) }) },
      },
    },
    async ({ query: { limit } }) => {
      const rows = await listAllWebhooks(store, await box(), limit);
      const attempts = await latestAttempts(
        store,
        rows.map(({ id }) => id),
        ATTEMPTS,
      );
      const webhooks = rows.map(({ id, account, url, createdAt, failures, restUntil }) => ({
        id,
        account,
        url: withoutSecrets(url),
        createdAt: createdAt.toISOString(),
        failures,
        restUntil: restUntil?.toISOString() ?? null,
        attempts: attempts
          .filter(({ webhookId }) => webhookId === id)
          .map(({ webhookId: _, at, number, ...outcome }) => ({
            ...outcome,
            number: `${number}`,
            at: at.toISOString(),
          })),
      }));
      return { webhooks };
    },
  );
}
