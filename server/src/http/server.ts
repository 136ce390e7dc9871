import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, {
  type FastifyInstance,
  type FastifyRequest,
  type onRequestAsyncHookHandler,
  type onRequestHookHandler,
  type onResponseHookHandler,
  type preHandlerAsyncHookHandler,
  type RouteOptions,
} from 'fastify';
import type { Logger } from 'pino';
import { type Config, knownKeyOf } from '../config/index.js';
import { steadyNow } from '../lib/clock.js';
import type { TypedServer } from '../lib/typed-server.js';
import { type AdminSessions, registerAdminSession } from './admin-sessions.js';
import { type ClientOf, createClientOf } from './client-address.js';
import { type ConsoleOptions, registerConsole } from './console.js';
import { createCors } from './cors.js';
import { registerCoverage } from './coverage.js';
import type { Descriptions } from './descriptions.js';
import { registerDocsPage } from './docs-page.js';
import type { Examples, RecordedCalls } from './examples.js';
import {
  answerNotFound,
  createClientErrorHandler,
  createFailureHandler,
  outliveRefusedConnections,
} from './failures.js';
import { adminGuard, keyGuard, limitHeaders, walletGuard } from './guards.js';
import { isOpenedHere, registerHome } from './home.js';
import { acceptJsonOnly, BODY_LIMIT } from './json-body.js';
import { collectPaths } from './known-paths.js';
import { createLargeBodies } from './large-bodies.js';
import { ifLate, stillKey } from './late-bodies.js';
import { registerLlms } from './llms.js';
import type { Metrics } from './metrics.js';
import { shareNamedSchemas } from './named-schemas.js';
import { registerOpenapi, registerOpenapiRoute, shareErrorSchema, type Tag } from './openapi.js';
import { OPERATIONS, registerOperations } from './operations.js';
import { ownParameters } from './own-parameters.js';
import { AnswerInLine, beginInTurn } from './pipelines.js';
import type {
  AdminLookup,
  KeyLookup,
  Limiter,
  LimitState,
  Payer,
  Readiness,
  RecordAct,
  StopCheck,
  WalletLookup,
} from './ports.js';
import { readOutRefusedUploads } from './refused-uploads.js';
import { createRequestIds, REQUEST_ID_HEADER } from './request-id.js';
import { type PrintRequest, printRequests } from './request-lines.js';
import { createSchemaCompilers } from './schema-compilers.js';
import { stopGuard, stoppedAnswers } from './stop-guards.js';
import type { MintOf } from './symbols.js';
import { unknownFieldsHook } from './unknown-fields.js';
import { boundUnreadAnswers } from './unread-answers.js';
import { validationError } from './validator.js';
import { createWaitingRoom, leaveRooms } from './waiting-room.js';

export interface ServerDeps {
  readonly config: Config;
  readonly log: Logger;
  readonly keys: KeyLookup;
  readonly limiter: Limiter;
  /** Needed where a route has `auth: 'wallet'`. */
  readonly wallets?: WalletLookup;
  /** Needed where a route has `crafts`. */
  readonly stops?: StopCheck;
  readonly metrics: Metrics;
  readonly ready: Readiness;
  /** Whether it serves `/metrics`; true if left out. */
  readonly hasMetrics?: boolean;
  /** Milliseconds that never step back; the process's own if left out. */
  readonly steadyNow?: () => number;
  /** Takes a line for each request, for a terminal. */
  readonly print?: PrintRequest | undefined;
  /** Values for the API document. */
  readonly examples?: () => Examples;
  /** What calls were recorded for the API document. */
  readonly recordedCalls?: () => RecordedCalls;
  /** Words for the API document. */
  readonly descriptions?: Descriptions;
  /** For whoever sends a symbol in place of a mint. */
  readonly mintOf?: MintOf;
  /** Serves the console, if set. */
  readonly console?: ConsoleOptions | undefined;
  /** Who may call admin routes besides the holder of the configured token. */
  readonly admins?: AdminLookup | undefined;
  /** Called before an admin's act is done; if it throws, it is not done. */
  readonly recordAct?: RecordAct | undefined;
  /** The sessions of the console's part for the operator, if it has one. */
  readonly adminSessions?: AdminSessions | undefined;
  /** The tags of the API document, in its order; 'Operations' comes last. */
  readonly tags?: readonly Tag[];
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
  const largeBodies = createLargeBodies({ clientOf, largest: config.objects.maxImageBytes });
  app.addHook('onRoute', (route) => {
    shareNamedSchemas(app, route);
    shareErrorSchema(app, route);
    equipRoute(app, route, { ...deps, clientOf, admin, waitingRoom, largeBodies });
  });
  registerOpenapiRoute(app);
  registerLlms(app, config.http.publicUrl);
  registerCoverage(app, paths);
  const { publicUrl } = config.http;
  registerHome(app, publicUrl, deps.console && registerConsole(app, publicUrl, deps.console));
  if (sessions) registerAdminSession(app, sessions, publicUrl);
  registerOperations(app, deps);
  return app.withTypeProvider<TypeBoxTypeProvider>();
}

/** Makes the method of a request that counts what it costs besides itself. */
function charger(limiter: Limiter): FastifyRequest['charge'] {
  return async function (this: FastifyRequest, weight) {
    if (!this.payer || weight <= 0) return undefined;
    let first: LimitState | undefined;
    for (let payer: Payer | undefined = this.payer; payer; payer = payer.within) {
      const state = await limiter.take(payer.id, payer.bucket, payer.tier, weight);
      if (!first || !state.allowed) this.limitState = state;
      if (!state.allowed) return state;
      first ??= state;
    }
    return first;
  };
}

/** Gives a route the hooks that its `config` asks for, with everything worked out that no request changes. */
function equipRoute(
  app: FastifyInstance,
  route: RouteOptions,
  deps: ServerDeps & {
    clientOf: ClientOf;
    admin: onRequestHookHandler;
    waitingRoom: ReturnType<typeof createWaitingRoom>;
    largeBodies: onRequestAsyncHookHandler;
  },
): void {
  const { auth, errorShape, bucket = 'main', keyless = true, opensHere, crafts } = route.config ?? {};
  if (auth === undefined || errorShape === undefined) {
    throw new Error(`The route ${route.method} ${route.url} does not say its auth and its errorShape`);
  }
  const guards: onRequestHookHandler[] = [];
  const again: onRequestHookHandler[] = [];
  if (auth === 'key' || auth === 'key-or-wallet' || auth === 'wallet') {
    const { enter, share } = deps.waitingRoom(bucket);
    // Of a login that is not asked for, nobody looks whether it is good.
    const forPages = keyless || auth === 'wallet' ? 'yes' : auth === 'key-or-wallet' ? 'with-login' : 'no';
    const owned = { keyless: keyless && deps.config.http.keyless, forPages, share } as const;
    const guard = keyGuard({ ...deps, ...owned }, route.url, bucket);
    guards.push(enter, opensHere && knownKeyOf(deps.config) ? unlessOpenedHere(guard) : guard);
    again.push(stillKey(deps.keys));
  }
  if (auth === 'wallet' || auth === 'key-or-wallet') {
    if (!deps.wallets) throw new Error(`The route ${route.method} ${route.url} needs to know the logged-in wallets`);
    const guard = auth === 'wallet' ? walletGuard(deps.wallets) : whereGiven(walletGuard(deps.wallets));
    guards.push(guard);
    again.push(guard);
  }
  if (auth === 'admin') {
    guards.push(deps.admin);
    again.push(deps.admin);
    if (deps.recordAct && route.method !== 'GET') {
      route.preHandler = [actRecorder(deps.recordAct, route.url), route.preHandler ?? []].flat();
    }
  }
  if (crafts) {
    if (!deps.stops) throw new Error(`The route ${route.method} ${route.url} needs to know what is stopped`);
    guards.push(stopGuard(deps.stops));
    route.preSerialization = [stoppedAnswers(deps.stops), route.preSerialization ?? []].flat();
  }
  if (route.method !== 'GET') route.preHandler = [...ifLate(again), route.preHandler ?? []].flat();
  // After its own hooks, which may refuse what has no signed URL.
  const last = (route.bodyLimit ?? 0) > BODY_LIMIT ? deps.largeBodies : [];
  route.onRequest = [...guards, route.onRequest ?? [], last].flat();
  route.onSend = [leaveRooms, limitHeaders, route.onSend ?? []].flat();
  const noticed = unknownFieldsHook(app, route, deps.config.http.strict);
  route.preValidation = [noticed ?? [], route.preValidation ?? []].flat();

  route.onResponse = [observe(route.url, deps), route.onResponse ?? []].flat();
}

/** Also what then fails is written down: it was asked for. The path as the route has it, of which a URL has many forms. */
function actRecorder(recordAct: RecordAct, route: string): preHandlerAsyncHookHandler {
  return async ({ adminName: who, method, params, id: requestId, body }) => {
    const path = route.replace(/:(\w+)/g, (_, name: string) =>
      encodeURIComponent((params as Record<string, string>)[name] ?? ''),
    );
    await recordAct({ who, what: `${method} ${path}`, requestId, body });
  };
}

/** People open links of a sandbox's terminal, where no header can be given. */
function unlessOpenedHere(guard: onRequestHookHandler): onRequestHookHandler {
  return function (request, reply, done) {
    if (request.headers['x-api-key'] === undefined && isOpenedHere(request)) done();
    else guard.call(this, request, reply, done);
  };
}

/** A login that is not asked for, but must be good if it is there. */
function whereGiven(guard: onRequestHookHandler): onRequestHookHandler {
  return function (request, reply, done) {
    if (request.headers.authorization === undefined) done();
    else guard.call(this, request, reply, done);
  };
}

function observe(route: string, { metrics, log }: ServerDeps): onResponseHookHandler {
  const meter = metrics.meter(route);
  return (request, reply, done) => {
    meter(request.method, reply.statusCode, reply.elapsedTime);
    const { payer, limitState } = request;
    if (payer && limitState) {
      metrics.called(request.apiKey?.id ?? 'keyless', limitState.allowed ? 'served' : 'limited');
    }
    if (log.isLevelEnabled('debug') && !request.routeOptions.config.isWatched) {
      const line = { requestId: request.id, method: request.method, route, status: reply.statusCode };
      log.debug({ ...line, keyId: request.apiKey?.id, milliseconds: reply.elapsedTime }, 'request answered');
    }
    done();
  };
}
