import type { FastifyInstance, FastifyRequest } from 'fastify';
import { imageTypes, MAX_METADATA_BYTES } from '../../objects/index.js';
import type { KeyParams, ObjectsDeps } from './deps.js';
import { permit, take } from './put.js';
import { send } from './send.js';

export type { ObjectsDeps } from './deps.js';

/**
 * The URLs of the local store: what the presigned and the public ones lead to. No part of the API, because with a
 * bucket they lead elsewhere, and so not in its document.
 */
export function registerObjects(app: FastifyInstance, deps: ObjectsDeps): void {
  const config = { shape: 'plain', auth: 'none' } as const;
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
        ...{ config, schema, bodyLimit: Math.max(deps.maxImageBytes, MAX_METADATA_BYTES) },
        // Before the body is read: nobody without a signed URL can send one.
        onRequest: async (request) => permit(deps, request),
      },
      (request, reply) => take(deps, request, reply),
    );
    for (const method of ['GET', 'HEAD']) {
      scope.route<{ Params: KeyParams }>({
        ...{ method, url: '/objects/:folder/:name', config, schema },
        handler: (request, reply) => send(deps, request, reply),
      });
    }
  });
}
