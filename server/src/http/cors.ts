import type { IncomingHttpHeaders } from 'node:http';
import { createCallers } from '@slipway/localnet';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Config, knownKeyOf } from '../config/index.js';
import { AppError } from '../errors/index.js';
import { pagesThatMayCall } from '../lib/page-origins.js';
import { REQUEST_ID_HEADER } from './request-id.js';
import { WARNING_HEADER } from './unknown-fields.js';

const LIMIT_HEADERS = 'x-ratelimit-remaining, x-ratelimit-current, x-ratelimit-reset, retry-after';
const EXPOSED = `${REQUEST_ID_HEADER}, ${LIMIT_HEADERS}, ${WARNING_HEADER}`;
const METHODS = 'GET, POST, PUT, PATCH, DELETE';
const DEFAULT_HEADERS = 'x-api-key, authorization, content-type';

/**
 * Returns a function that refuses requests of foreign pages, and sets the CORS headers of a request from a permitted
 * origin. It returns the refusal (FOREIGN_CALLER), or true if the request was a preflight, which it has then answered.
 * Not a plugin, because this way requests without an Origin, nearly all of them, cost nothing.
 *
 * A browser sends some requests of a page without asking first, and hides only the answer from it. Under a name that its
 * owner has pointed here, the page's own origin is this service's: a sandbox whose key every page knows looks at the name
 * as well.
 */
export function createCors(config: Config): (request: FastifyRequest, reply: FastifyReply) => boolean | AppError {
  const { corsOrigins: origins, hosts, host, publicUrl } = config.http;
  const callers = createCallers([...hosts, host.toLowerCase(), new URL(publicUrl).hostname]);
  const checksHost = knownKeyOf(config) !== undefined || hosts.length > 0;
  const permitted = pagesThatMayCall(origins);
  const isOwn = (origin: string, name: string | undefined): boolean =>
    origin.replace(/^https?:\/\//, '') === name || origin === new URL(publicUrl).origin;

  return (request, reply) => {
    const { origin, host: name } = request.headers;
    if (checksHost && !callers.isHere(name)) {
      const message = `The host ${JSON.stringify(name)} is not known here; SLIPWAY_HOSTS names further ones`;
      return new AppError('FOREIGN_CALLER', { message });
    }
    if (origin === undefined) return false;
    reply.header('vary', 'origin');
    if (!permitted(origin)) {
      if (isOwn(origin, name) || request.routeOptions.config?.anyOrigin) return false;
      return new AppError('FOREIGN_CALLER', { message: `Pages of ${origin.slice(0, 100)} may not call` });
    }
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
