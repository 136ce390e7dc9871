import type { FastifyInstance, FastifyRequest } from 'fastify';
import { plainError } from '../../errors/index.js';
import { imageTypes, MAX_METADATA_BYTES } from '../../objects/index.js';
import type { Area } from '../area.js';
import type { KeyParams, ObjectsDeps } from './deps.js';
import { permit, take } from './put.js';
import { send } from './send.js';

export type { ObjectsDeps } from './deps.js';

export const objectsArea: Area = {
  name: 'objects',
  errorShape: plainError,
  register(server, { objectStore, objects }) {
    // A bucket serves its own URLs.
    if (objectStore.kind !== 'local') return;
    registerObjects(server, { store: objectStore, maxImageBytes: objects.maxImageBytes });
  },
};

/**
 * Serves the presigned and the public URLs of the local store. They are not part of the API or its document, because
 * with a bucket they lead elsewhere.
 */
export function registerObjects(app: FastifyInstance, deps: ObjectsDeps): void {
  const config = { errorShape: plainError, auth: 'none' } as const;
  const schema = { hide: true };
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      [...imageTypes, 'application/json'],
      { parseAs: 'buffer' },
      (_request: FastifyRequest, body: Buffer, done: (error: null, body: Buffer) => void) => done(null, body),
    );
    scope.put<{ Params: KeyParams; Body?: Buffer }>(
      '/objects/incoming/:folder/:name',
      {
        config: { ...config, paysForBody: 'upload' },
        schema,
        bodyLimit: Math.max(deps.maxImageBytes, MAX_METADATA_BYTES),
        // Before the body is read: nobody without a signed URL can send one.
        onRequest: async (request) => permit(deps, request),
      },
      (request, reply) => take(deps, request, reply),
    );
    for (const method of ['GET', 'HEAD']) {
      scope.route<{ Params: KeyParams }>({
        method,
        url: '/objects/:folder/:name',
        config: { ...config, anyOrigin: true },
        schema,
        handler: (request, reply) => send(deps, request, reply),
      });
    }
  });
}
