import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { knownKeyOf } from '../config/index.js';
import { steadyNow } from '../lib/clock.js';
import type { TypedServer } from '../lib/typed-server.js';
import { adminPlaces } from './admin-places.js';
import { registerAdminSession } from './admin-sessions.js';
import { createClientOf } from './client-address.js';
import { endConnections } from './closing.js';
import { registerConsole } from './console.js';
import { createCors } from './cors.js';
import { registerCoverage } from './coverage.js';
import { registerDocsPage } from './docs-page.js';
import { equipRoute } from './equip-route.js';
import {
  answerNotFound,
  createClientErrorHandler,
  createFailureHandler,
  outliveRefusedConnections,
} from './failures.js';
import { failGoneClients } from './gone-clients.js';
import { adminGuard } from './guards.js';
import { registerHome } from './home.js';
import { acceptJsonOnly, BODY_LIMIT } from './json-body.js';
import { collectPaths } from './known-paths.js';
import { createLargeBodies } from './large-bodies.js';
import { registerLlms } from './llms.js';
import { shareNamedSchemas } from './named-schemas.js';
import { registerOpenapi, registerOpenapiRoute, shareErrorSchema } from './openapi.js';
import { OPERATIONS, registerOperations } from './operations.js';
import { ownParameters } from './own-parameters.js';
import { AnswerInLine, beginInTurn } from './pipelines.js';
import type { Limiter, LimitState, Payer } from './ports.js';
import { readOutRefusedUploads } from './refused-uploads.js';
import { createRequestIds, REQUEST_ID_HEADER } from './request-id.js';
import { printRequests } from './request-lines.js';
import { createSchemaCompilers } from './schema-compilers.js';
import type { ServerDeps } from './server-deps.js';
import { boundUnreadAnswers } from './unread-answers.js';
import { validationError } from './validator.js';
import { createWaitingRoom } from './waiting-room.js';

const SECOND = 1000;

/**
 * The HTTP server with everything that no single area owns: request ids, keys, limits, CORS, validation, errors,
 * health, metrics, OpenAPI. Areas register their routes on it; registering a route throws unless its `config` has an
 * `errorShape` and an `auth`. Closing it lets requests under way finish, for a while. Logs are written here, with `log`, because a
 * child logger per request costs a third of the throughput.
 */
export async function createServer(deps: ServerDeps): Promise<TypedServer> {
  const { config, log, metrics } = deps;
  const nextRequestId = createRequestIds();
  const knownKey = knownKeyOf(config);
  const cors = createCors(config);
  const fail = createFailureHandler(log, deps.mintOf ?? (() => undefined));
  const unmatched = metrics.meter('unmatched');
  const compilers = createSchemaCompilers(() => app.getSchemas());

  const app: FastifyInstance = Fastify({
    logger: false,
    genReqId: nextRequestId,
    requestIdHeader: false,
    exposeHeadRoutes: false,
    bodyLimit: BODY_LIMIT,
    // After ten seconds, the default, a copy on a busy machine would end before it has started.
    pluginTimeout: 300 * SECOND,
    requestTimeout: 60 * SECOND,
    keepAliveTimeout: 72 * SECOND,
    // Of a client that does not read, or sends nothing more; the longest call of an operator takes less.
    connectionTimeout: 600 * SECOND,
    // How often Node looks for connections beyond these limits: by default twice a minute.
    http: { headersTimeout: 15 * SECOND, connectionsCheckingInterval: SECOND, ServerResponse: AnswerInLine },
    return503OnClosing: false,
    // Areas limit path parameters themselves, and answer in their own shape.
    routerOptions: { maxParamLength: 16 * 1024 },
    clientErrorHandler: createClientErrorHandler(nextRequestId),
    frameworkErrors: (error, request, reply) => {
      reply.header(REQUEST_ID_HEADER, request.id);
      fail(error, request, reply);
    },
    schemaErrorFormatter: validationError,
    // For plugins with schemas of their own: without these, Fastify makes them validators by other rules.
    schemaController: {
      compilersFactory: {
        buildValidator: () => compilers.validator as never,
        buildSerializer: () => compilers.serializer as never,
      },
    },
  });

  outliveRefusedConnections(app.server, log);
  beginInTurn(app);
  endConnections(app, log);
  const paths = collectPaths(app);
  app.decorateRequest('apiKey', undefined);
  app.decorateRequest('wallet', undefined as never);
  app.decorateRequest('loginToken', undefined as never);
  app.decorateRequest('adminName', undefined as never);
  app.decorateRequest('adminSession', undefined);
  app.decorateRequest('limitState', undefined);
  app.decorateRequest('payer', undefined);
  app.decorateRequest('charge', charger(deps.limiter));
  app.decorateRequest('leaveRooms', undefined);
  app.decorateRequest('uploader', undefined);
  app.setValidatorCompiler(compilers.validator);
  app.setSerializerCompiler(compilers.serializer);
  // In production no request waits for its schema, and a wrong one is found before the first request.
  if (!config.sandbox) app.addHook('onReady', async () => compilers.compileAll());
  acceptJsonOnly(app);
  app.setErrorHandler(fail);
  app.setNotFoundHandler((request, reply) => {
    answerNotFound(request, reply, paths);
    unmatched(request.method, 404);
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(REQUEST_ID_HEADER, request.id);
    const outcome = cors(request, reply);
    if (outcome instanceof Error) done(outcome);
    else if (!outcome) done();
  });

  ownParameters(app);
  failGoneClients(app);
  readOutRefusedUploads(app);
  if (deps.print) printRequests(app, deps.print);
  const clientOf = createClientOf(config.http.trustedProxies);
  boundUnreadAnswers(app, clientOf);

  // Before the hook below, because the page's own routes cannot set their auth.
  await registerOpenapi(app, {
    publicUrl: config.http.publicUrl,
    sandboxKey: knownKey,
    keyless: config.http.keyless,
    tags: [...(deps.tags ?? []), OPERATIONS],
    examples: deps.examples ?? (() => ({})),
    recorded: deps.recordedCalls ?? (() => ({})),
    descriptions: deps.descriptions ?? {},
  });
  await registerDocsPage(app, config.http.publicUrl, knownKey);
  const { adminSessions: sessions } = deps;
  const { adminToken } = config;
  const admin = adminGuard({
    adminToken,
    admins: deps.admins,
    clientOf,
    sessions,
    steadyNow: deps.steadyNow ?? steadyNow,
  });
  const waitingRoom = createWaitingRoom();
  const places = adminPlaces();
  const largeBodies = createLargeBodies({ clientOf, largest: config.objects.maxImageBytes });
  app.addHook('onRoute', (route) => {
    shareNamedSchemas(app, route);
    shareErrorSchema(app, route);
    equipRoute(app, route, { ...deps, clientOf, admin, adminPlaces: places, waitingRoom, largeBodies });
  });
  registerOpenapiRoute(app);
  registerLlms(app, config.http.publicUrl);
  registerCoverage(app, paths);
  const { publicUrl } = config.http;
  registerHome(app, publicUrl, deps.console && registerConsole(app, publicUrl, deps.console));
  if (sessions) registerAdminSession(app, sessions, publicUrl, deps.steadyNow ?? steadyNow);
  registerOperations(app, deps);
  return app.withTypeProvider<TypeBoxTypeProvider>();
}

/** Makes the method of a request that counts what it costs besides itself. */
function charger(limiter: Limiter): FastifyRequest['charge'] {
  return async function (this: FastifyRequest, weight, bucket) {
    if (!this.payer || weight <= 0) return undefined;
    let first: LimitState | undefined;
    for (let payer: Payer | undefined = this.payer; payer; payer = payer.within) {
      const state = await limiter.take(payer.id, bucket ?? payer.bucket, payer.tier, weight);
      // What is left of another one says nothing of the calls that answers tell about.
      const isOwn = bucket === undefined || bucket === payer.bucket;
      if (isOwn && (!first || !state.allowed)) this.limitState = state;
      if (!state.allowed) return state;
      first ??= state;
    }
    return first;
  };
}
