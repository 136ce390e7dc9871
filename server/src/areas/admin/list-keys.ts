import { Type } from 'typebox';
import type { TypedServer } from '../../lib/typed-server.js';
import { listKeys } from '../../store/keys.js';
import { type AdminDeps, adminRoute } from './deps.js';
import { showKey } from './key-text.js';
import { Key } from './schema.js';

export function registerListKeys(app: TypedServer, { store }: AdminDeps): void {
  app.get(
    '/admin/v1/keys',
    {
      config: adminRoute,
      schema: {
        tags: ['Admin'],
        summary: 'List the API keys',
        description: 'The newest first, revoked and expired ones included.',
        response: { 200: Type.Object({ keys: Type.Array(Key) }) },
      },
    },
    async () => ({ keys: (await listKeys(store)).map(showKey) }),
  );
}
