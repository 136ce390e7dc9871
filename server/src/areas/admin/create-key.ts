import { AppError } from '../../errors/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { createKey, KEYS_CHANNEL } from '../../store/keys.js';
import { type AdminDeps, keysRoute } from './deps.js';
import { makeKey, showKey } from './key-text.js';
import { CreateKeyBody, NewKey } from './schema.js';

export function registerCreateKey(app: TypedServer, { store, clock, tiers, mayCall }: AdminDeps): void {
  app.post(
    '/admin/v1/keys',
    {
      config: keysRoute,
      schema: {
        tags: ['Admin'],
        summary: 'Make an API key',
        description: 'The key is in this answer only: what is stored is its hash.',
        body: CreateKeyBody,
        response: { 200: NewKey },
      },
    },
    async ({ body }) => {
      if (!tiers.includes(body.tier)) {
        throw new AppError('INVALID_REQUEST', { message: `tier must be one of: ${tiers.join(', ')}` });
      }
      const foreign = body.origins.find((origin) => !mayCall(origin));
      if (foreign !== undefined) {
        const message = `origins: pages of ${foreign} may not call: SLIPWAY_CORS_ORIGINS lists those that may`;
        throw new AppError('INVALID_REQUEST', { message });
      }
      const { text, stored } = makeKey(clock, body);
      const key = await store.transaction(async (tx) => {
        const created = await createKey(tx, stored);
        await tx.notify(KEYS_CHANNEL, created.id);
        return created;
      });
      return { ...showKey(key), key: text };
    },
  );
}
