import type {
  FastifyInstance,
  onRequestAsyncHookHandler,
  onRequestHookHandler,
  onResponseHookHandler,
  preHandlerAsyncHookHandler,
  RouteOptions,
} from 'fastify';
import { knownKeyOf } from '../config/index.js';
import type { ClientOf } from './client-address.js';
import { isLimited, keyGuard, limitHeaders, walletGuard } from './guards.js';
import { isOpenedHere } from './home.js';
import { BODY_LIMIT } from './json-body.js';
import { ifLate, stillKey } from './late-bodies.js';
import type { RecordAct } from './ports.js';
import type { ServerDeps } from './server-deps.js';
import { stopGuard, stoppedAnswers } from './stop-guards.js';
import { unknownFieldsHook } from './unknown-fields.js';
import { type createWaitingRoom, leaveRooms } from './waiting-room.js';

interface RouteDeps extends ServerDeps {
  clientOf: ClientOf;
  admin: onRequestHookHandler;
  adminPlaces: onRequestHookHandler;
  waitingRoom: ReturnType<typeof createWaitingRoom>;
  largeBodies: onRequestAsyncHookHandler;
}

/** Gives a route the hooks that its `config` asks for, with everything worked out that no request changes. */
export function equipRoute(app: FastifyInstance, route: RouteOptions, deps: RouteDeps): void {
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
    guards.push(deps.admin, deps.adminPlaces);
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

function observe(route: string, { metrics, log }: RouteDeps): onResponseHookHandler {
  const meter = metrics.meter(route);
  return (request, reply, done) => {
    meter(request.method, reply.statusCode, reply.elapsedTime);
    const { payer, limitState } = request;
    if (payer && limitState) {
      metrics.called(request.apiKey?.id ?? 'keyless', isLimited(request, reply) ? 'limited' : 'served');
    }
    if (log.isLevelEnabled('debug') && !request.routeOptions.config.isWatched) {
      const line = { requestId: request.id, method: request.method, route, status: reply.statusCode };
      log.debug({ ...line, keyId: request.apiKey?.id, milliseconds: reply.elapsedTime }, 'request answered');
    }
    done();
  };
}
