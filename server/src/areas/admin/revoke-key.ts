import { AppError } from '../../errors/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { findKey, KEYS_CHANNEL, revokeKey } from '../../store/keys.js';
import { type AdminDeps, keysRoute } from './deps.js';
import { showKey } from './key-text.js';
import { IdParams, Key } from './schema.js';

export function registerRevokeKey(app: TypedServer, { store, clock }: AdminDeps): void {
  app.delete(
    '/admin/v1/keys/:id',
    {
      config: { ...keysRoute, errors: { 404: 'There is no key with this id' } },
      schema: {
        tags: ['Admin'],
        summary: 'Revoke an API key',
        description: 'It stops working at once, in every copy of the service. Revoking it again changes nothing.',
        params: IdParams,
        response: { 200: Key },
      },
    },
    ({ params }) =>
      store.transaction(async (tx) => {
        await revokeKey(tx, params.id, new Date(clock.now()));
        const key = await findKey(tx, params.id);
        if (key === undefined) throw new AppError('NOT_FOUND', { message: 'There is no key with this id' });
        await tx.notify(KEYS_CHANNEL, key.id);
        return showKey(key);
      }),
  );
}
