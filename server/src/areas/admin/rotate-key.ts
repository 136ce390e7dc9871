import { AppError } from '../../errors/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { findKey, KEYS_CHANNEL, rotateKey } from '../../store/keys.js';
import { type AdminDeps, allowNoBody, keysRoute } from './deps.js';
import { makeKey, showKey } from './key-text.js';
import { IdParams, NewKey, RotateKeyBody } from './schema.js';

export function registerRotateKey(app: TypedServer, { store, clock }: AdminDeps): void {
  app.post(
    '/admin/v1/keys/:id/rotate',
    {
      config: { ...keysRoute, errors: { 404: 'There is no key with this id', 409: 'The key is revoked or expired' } },
      preValidation: allowNoBody,
      schema: {
        tags: ['Admin'],
        summary: 'Replace an API key',
        description:
          'Makes a new key with the name, tier, paths and origins of the old one, which goes on working for `overlapSeconds`.',
        params: IdParams,
        body: RotateKeyBody,
        response: { 200: NewKey },
      },
    },
    ({ params, body }) =>
      store.transaction(async (tx) => {
        const old = await findKey(tx, params.id);
        if (old === undefined) throw new AppError('NOT_FOUND', { message: 'There is no key with this id' });
        const { text, stored } = makeKey(clock, old);
        const oldExpiresAt = new Date(clock.now() + body.overlapSeconds * 1000);
        const key = await rotateKey(tx, old.id, stored, oldExpiresAt);
        if (key === undefined) throw new AppError('CONFLICT', { message: 'The key is revoked or expired' });
        await tx.notify(KEYS_CHANNEL, old.id);
        return { ...showKey(key), key: text };
      }),
  );
}
