import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config/index.js';
import { REQUEST_ID_HEADER } from './request-id.js';
import { WARNING_HEADER } from './unknown-fields.js';

const LOCAL_ORIGIN = /^https?:\/\/(?:localhost|[a-z0-9-]+\.localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?$/;
const LIMIT_HEADERS = 'x-ratelimit-remaining, x-ratelimit-current, x-ratelimit-reset, retry-after';
const EXPOSED = `${REQUEST_ID_HEADER}, ${LIMIT_HEADERS}, ${WARNING_HEADER}`;
const METHODS = 'GET, POST, PUT, PATCH, DELETE';
const DEFAULT_HEADERS = 'x-api-key, authorization, content-type';

/**
 * Returns a function that sets the CORS headers of a request from a permitted origin. It returns true if the request
 * was a preflight, which it has then answered. Not a plugin, because this way requests without an Origin, nearly all of
 * them, cost nothing.
 */
export function createCors(
  origins: Config['http']['corsOrigins'],
): (request: FastifyRequest, reply: FastifyReply) => boolean {
  const listed = origins === 'localhost' ? undefined : new Set(origins);
  const permitted = (origin: string): boolean =>
    listed === undefined ? LOCAL_ORIGIN.test(origin) : listed.has(origin);

  return (request, reply) => {
    const { origin } = request.headers;
    if (origin === undefined) return false;
    reply.header('vary', 'origin');
    if (!permitted(origin)) return false;
    reply.header('access-control-allow-origin', origin);
    reply.header('access-control-expose-headers', EXPOSED);
    if (request.method !== 'OPTIONS' || !isPreflight(request.headers)) return false;
    reply.header('access-control-allow-methods', METHODS);
    reply.header('access-control-allow-headers', request.headers['access-control-request-headers'] ?? DEFAULT_HEADERS);
    reply.header('access-control-max-age', '600');
    reply.code(204).send();
    return true;
  };
}

function isPreflight(headers: IncomingHttpHeaders): boolean {
  return headers['access-control-request-method'] !== undefined;
}
