import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, {
  type FastifyInstance,
  type onRequestHookHandler,
  type onResponseHookHandler,
  type RouteOptions,
} from 'fastify';
import type { Logger } from 'pino';
import { type Config, SANDBOX_KEY } from '../config/index.js';
import type { TypedServer } from '../lib/typed-server.js';
import { checkText } from './body-text.js';
import { createCors } from './cors.js';
import { answerNotFound, createClientErrorHandler, createFailureHandler } from './failures.js';
import { adminGuard, keyGuard, limitHeaders, walletGuard } from './guards.js';
import type { Metrics } from './metrics.js';
import { shareNamedSchemas } from './named-schemas.js';
import { registerOpenapi, registerOpenapiRoute, shareErrorSchema } from './openapi.js';
import { registerOperations } from './operations.js';
import type { KeyLookup, Limiter, Readiness, WalletLookup } from './ports.js';
import { createRequestIds, REQUEST_ID_HEADER } from './request-id.js';
import { createValidatorCompiler, validationError } from './validator.js';

export interface ServerDeps {
  readonly config: Config;
  readonly log: Logger;
  readonly keys: KeyLookup;
  readonly limiter: Limiter;
  /** Needed where a route has `auth: 'wallet'`. */
  readonly wallets?: WalletLookup;
  readonly metrics: Metrics;
  readonly ready: Readiness;
  /** The tags of the API document, in its order; 'Operations' comes last. */
  readonly tags?: readonly string[];
}

const SECOND = 1000;

/**
 * The HTTP server with everything that no single area owns: request ids, keys, limits, CORS, validation, errors,
 * health, metrics, OpenAPI. Areas register their routes on it; registering a route throws unless its `config` has an
 * `errorShape` and an `auth`. Closing it lets requests under way finish. Logs are written here, with `log`, because a
 * child logger per request costs a third of the throughput.
 */
export async function createServer(deps: ServerDeps): Promise<TypedServer> {
  const { config, log, metrics } = deps;
  const nextRequestId = createRequestIds();
  const cors = createCors(config.http.corsOrigins);
  const fail = createFailureHandler(log);
  const unmatched = metrics.meter('unmatched');

  const app: FastifyInstance = Fastify({
    logger: false,
    genReqId: nextRequestId,
    requestIdHeader: false,
    exposeHeadRoutes: false,
    bodyLimit: config.http.bodyLimit,
    requestTimeout: 60 * SECOND,
    keepAliveTimeout: 72 * SECOND,
    http: { headersTimeout: 15 * SECOND },
    return503OnClosing: false,
    // Areas limit path parameters themselves, and answer in their own shape.
    routerOptions: { maxParamLength: 16 * 1024 },
    clientErrorHandler: createClientErrorHandler(nextRequestId),
    frameworkErrors: (error, request, reply) => {
      reply.header(REQUEST_ID_HEADER, request.id);
      fail(error, request, reply);
    },
    schemaErrorFormatter: validationError,
  });

  app.decorateRequest('apiKey', undefined);
  app.decorateRequest('wallet', undefined as never);
  app.decorateRequest('limitState', undefined);
  app.setValidatorCompiler(createValidatorCompiler(() => app.getSchemas()));
  acceptJsonOnly(app);
  app.setErrorHandler(fail);
  app.setNotFoundHandler((request, reply) => {
    answerNotFound(request, reply);
    unmatched(request.method, 404);
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(REQUEST_ID_HEADER, request.id);
    if (!cors(request, reply)) done();
  });

  // Before the hook below, because the page's own routes cannot set their auth.
  await registerOpenapi(app, {
    publicUrl: config.http.publicUrl,
    sandboxKey: config.sandbox ? SANDBOX_KEY : undefined,
    tags: [...(deps.tags ?? []), 'Operations'],
  });
  app.addHook('onRoute', (route) => {
    shareNamedSchemas(app, route);
    shareErrorSchema(app, route);
    equipRoute(route, deps);
  });
  registerOpenapiRoute(app);
  registerOperations(app, deps);
  return app.withTypeProvider<TypeBoxTypeProvider>();
}

/** Gives a route the hooks that its `config` asks for, with everything worked out that no request changes. */
function equipRoute(route: RouteOptions, deps: ServerDeps): void {
  const { auth, errorShape, bucket = 'main' } = route.config ?? {};
  if (auth === undefined || errorShape === undefined) {
    throw new Error(`The route ${route.method} ${route.url} does not say its auth and its errorShape`);
  }
  const guards: onRequestHookHandler[] = [];
  if (auth === 'key' || auth === 'wallet') {
    guards.push(keyGuard(deps, route.url, bucket));
    route.onSend = [limitHeaders, route.onSend ?? []].flat();
  }
  if (auth === 'wallet') {
    if (!deps.wallets) throw new Error(`The route ${route.method} ${route.url} needs to know the logged-in wallets`);
    guards.push(walletGuard(deps.wallets));
  }
  if (auth === 'admin') guards.push(adminGuard(deps.config.adminToken));
  route.onRequest = [...guards, route.onRequest ?? []].flat();

  route.onResponse = [observe(route.url, deps), route.onResponse ?? []].flat();
}

function observe(route: string, { metrics, log }: ServerDeps): onResponseHookHandler {
  const meter = metrics.meter(route);
  return (request, reply, done) => {
    meter(request.method, reply.statusCode, reply.elapsedTime);
    if (log.isLevelEnabled('debug')) {
      const line = { requestId: request.id, method: request.method, route, status: reply.statusCode };
      log.debug({ ...line, keyId: request.apiKey?.id, milliseconds: reply.elapsedTime }, 'request answered');
    }
    done();
  };
}

function acceptJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    // Some clients always send the header, even with the empty body of a route that takes none.
    if (text === '') done(null, undefined);
    else parse(request, text as string, checkText(text as string, done));
  });
}
