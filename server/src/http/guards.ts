import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction, onRequestHookHandler } from 'fastify';
import { AppError } from '../errors/index.js';
import { GrowingCache } from '../lib/growing-cache.js';
import { KEYLESS_TIER } from '../lib/tiers.js';
import type { AdminSessions } from './admin-sessions.js';
import type { ClientOf } from './client-address.js';
import {
  type Admin,
  type AdminLookup,
  type ApiKey,
  type Bucket,
  type KeyLookup,
  type Limiter,
  type LimitState,
  type Payer,
  ROOT,
  type WalletLookup,
} from './ports.js';

declare module 'fastify' {
  interface FastifyRequest {
    limitState: LimitState | undefined;
  }
}

const isPromise = <T>(value: T | Promise<T>): value is Promise<T> => value instanceof Promise;

/** True when a key that is limited to `prefixes` may use `path`. A prefix ends at a slash: `/a/v1` is not `/a/v10`. */
export function mayUse(prefixes: readonly string[], path: string): boolean {
  if (prefixes.length === 0) return true;
  return prefixes.some((prefix) => {
    const base = prefix.endsWith('/') ? prefix.slice(0, -1) : prefix;
    return path === base || path.startsWith(`${base}/`);
  });
}

interface KeyGuardDeps {
  readonly keys: KeyLookup;
  readonly limiter: Limiter;
  readonly clientOf: ClientOf;
  /** Whether a call without a key is served. */
  readonly keyless: boolean;
  /** Whether a publishable key suffices: always, with the token of a login, or never. */
  readonly forPages: 'yes' | 'with-login' | 'no';
  /** The refusal of one who has too many calls under way. */
  readonly share: (request: FastifyRequest, payer: Payer) => AppError | undefined;
}

/**
 * Lets a call through if its key is known (else UNAUTHORIZED), may use the route (else KEY_HAS_NO_ACCESS) and is within
 * its limit (else RATE_LIMITED). A call without a key is UNAUTHORIZED or counted for its client; one with a key that
 * stands in pages is counted for its client and, if that has calls left, for the key. Runs before the body is read, and
 * synchronously if its parts answer at once. Prefixes are compared with the route's pattern, so an encoded path does not
 * bypass them.
 */
export function keyGuard(deps: KeyGuardDeps, path: string, bucket: Bucket): onRequestHookHandler {
  const count = (request: FastifyRequest, { id, tier, within }: Payer, done: HookHandlerDoneFunction): void => {
    const judge = (state: LimitState): void => {
      // Who has calls left reads his own, and whoever is refused the limit that refuses him.
      if (!request.limitState || !state.allowed) request.limitState = state;
      if (!state.allowed) done(rateLimited(state, bucket));
      else if (within) count(request, within, done);
      else done();
    };
    const state = deps.limiter.take(id, bucket, tier);
    if (isPromise(state)) state.then(judge, done);
    else judge(state);
  };
  const countFor = (request: FastifyRequest, payer: Payer, done: HookHandlerDoneFunction): void => {
    request.payer = payer;
    const refusal = deps.share(request, payer);
    if (refusal) done(refusal);
    else count(request, payer, done);
  };
  const admit = (request: FastifyRequest, key: ApiKey | undefined, done: HookHandlerDoneFunction): void => {
    if (key === undefined) {
      done(unknownKey());
      return;
    }
    if (!mayUse(key.prefixes, path)) {
      done(new AppError('KEY_HAS_NO_ACCESS'));
      return;
    }
    const all: Payer = { id: key.id, tier: key.tier, bucket };
    if (key.origins.length > 0) {
      const refusal = whyNotFromPage(request, key, deps.forPages);
      if (refusal) {
        done(refusal);
        return;
      }
    }
    request.apiKey = key;
    const client = () => ({
      id: `${key.id} ${deps.clientOf(request)}`,
      tier: KEYLESS_TIER,
      bucket,
      within: all,
      together: key.id,
    });
    countFor(request, key.origins.length > 0 ? client() : all, done);
  };

  return (request, _reply, done) => {
    const text = request.headers['x-api-key'];
    if (typeof text !== 'string' || text === '') {
      if (deps.keyless) {
        const id = `${KEYLESS_TIER} ${deps.clientOf(request)}`;
        countFor(request, { id, tier: KEYLESS_TIER, bucket, together: KEYLESS_TIER }, done);
      } else {
        const message = `Unauthorized: the header x-api-key is missing${elsewhere(request)}`;
        done(new AppError('UNAUTHORIZED', { message }));
      }
      return;
    }
    const key = deps.keys(text);
    if (isPromise(key)) key.then((found) => admit(request, found, done), done);
    else admit(request, key, done);
  };
}

export const unknownKey = (): AppError =>
  new AppError('UNAUTHORIZED', { message: 'Unauthorized: the API key is not known' });

/** A key that everybody can read says nothing about who calls: not whose events may be read. */
function whyNotFromPage(
  { headers }: FastifyRequest,
  { origins }: ApiKey,
  forPages: KeyGuardDeps['forPages'],
): AppError | undefined {
  if (headers.origin === undefined || !origins.includes(headers.origin)) {
    const message = `This API key is for pages of ${origins.join(', ')}; use one that is kept secret elsewhere`;
    return new AppError('KEY_HAS_NO_ACCESS', { message });
  }
  if (forPages === 'yes' || (forPages === 'with-login' && headers.authorization !== undefined)) return undefined;
  const instead = forPages === 'with-login' ? 'log in with a wallet, or use a secret key' : 'use a secret key';
  const message = `This API key is for pages, and everybody can read it: ${instead}`;
  return new AppError('KEY_HAS_NO_ACCESS', { message });
}

/** What to do for who has sent another header in its place, which nobody looks into; a login's token belongs there. */
function elsewhere({ headers, routeOptions }: FastifyRequest): string {
  const { auth } = routeOptions.config;
  const isLogin = auth === 'wallet' || auth === 'key-or-wallet';
  return headers.authorization === undefined || isLogin
    ? ''
    : '; send the key as "x-api-key: <key>", not as Authorization';
}

/** Says which limit was hit, and when the next call can pass. */
export function rateLimited({ limit, windowSeconds, retrySeconds }: LimitState, bucket: Bucket): AppError {
  const details = { limit: { bucket, requests: limit, windowSeconds, retryAfterSeconds: retrySeconds } };
  return new AppError('RATE_LIMITED', { details });
}

/** Sets the rate limit headers, which belong to answers with 200 and 429 only. */
export function limitHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  _payload: unknown,
  done: HookHandlerDoneFunction,
): void {
  const state = request.limitState;
  if (state !== undefined && (reply.statusCode === 200 || reply.statusCode === 429)) {
    reply.header('x-ratelimit-remaining', state.remaining);
    reply.header('x-ratelimit-current', state.current);
    reply.header('x-ratelimit-reset', state.resetUnixSeconds);
    if (isLimited(request, reply)) reply.header('retry-after', state.retrySeconds);
  }
  done();
}

/** Whether a call was refused for its rate limit. One that is served may have been refused something that costs more. */
export function isLimited({ limitState }: FastifyRequest, { statusCode }: FastifyReply): boolean {
  return limitState?.allowed === false && statusCode === 429;
}

const bearerToken = (request: FastifyRequest): string | undefined =>
  /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];

/** Lets a call through if it carries the token of a login that has not expired, and sets `wallet`. */
export function walletGuard(wallets: WalletLookup): onRequestHookHandler {
  const refusal = () => {
    const authorization =
      'expected "Bearer" and a token that is not expired: POST /trigger/v2/auth/challenge to log in';
    return new AppError('UNAUTHORIZED', { details: { authorization } });
  };
  return (request, _reply, done) => {
    const token = bearerToken(request);
    if (token === undefined) {
      done(refusal());
      return;
    }
    wallets(token).then((wallet) => {
      if (wallet === undefined) {
        done(refusal());
        return;
      }
      request.wallet = wallet;
      request.loginToken = token;
      done();
    }, done);
  };
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** How many wrong admin tokens a client may send within `WRONG_TOKENS_MS`. */
export const MOST_WRONG_TOKENS = 30;
const WRONG_TOKENS_MS = 60_000;
/** What is dropped begins to count anew. */
const MOST_GUESSERS = 10_000;

interface AdminGuardDeps {
  readonly adminToken: string | undefined;
  readonly admins: AdminLookup | undefined;
  readonly clientOf: ClientOf;
  readonly steadyNow: () => number;
  /** Of the console, where it has a part for the operator. */
  readonly sessions: AdminSessions | undefined;
}

/**
 * Returns the guard of every admin route: it lets a call through if it carries the configured token or that of another
 * admin as a Bearer token, or comes from a page of the console with a session, and if the admin has the role of the
 * route (else FORBIDDEN). If no token is set, nobody passes. A client that has sent too many wrong ones is RATE_LIMITED
 * until a minute after the first of them; the right one passes all the same, or whoever shares the operator's address
 * could lock him out.
 */
export function adminGuard({
  adminToken,
  admins,
  clientOf,
  steadyNow,
  sessions,
}: AdminGuardDeps): onRequestHookHandler {
  const expected = adminToken === undefined ? undefined : digest(adminToken);
  const guessers = new GrowingCache<string, { wrong: number; until: number }>(MOST_GUESSERS);
  const refuse = (request: FastifyRequest, reply: FastifyReply): AppError => {
    const client = clientOf(request);
    const known = guessers.get(client);
    const guesser = known && known.until > steadyNow() ? known : { wrong: 0, until: steadyNow() + WRONG_TOKENS_MS };
    if (guesser.wrong >= MOST_WRONG_TOKENS) {
      reply.header('retry-after', Math.ceil((guesser.until - steadyNow()) / 1_000));
      return new AppError('RATE_LIMITED', { message: 'Too many wrong admin tokens came from your address' });
    }
    if (bearerToken(request) !== undefined) guessers.set(client, { ...guesser, wrong: guesser.wrong + 1 });
    return new AppError('UNAUTHORIZED', { message: 'Unauthorized: the admin token is missing or wrong' });
  };
  const adminOf = async (request: FastifyRequest): Promise<Admin | undefined> => {
    const token = bearerToken(request);
    if (token === undefined) {
      const session = await sessions?.of(request);
      request.adminSession = session;
      return session?.name === ROOT.name ? ROOT : session && admins?.byName(session.name);
    }
    // Digests have one length, so the comparison tells nothing about the token's.
    if (expected !== undefined && timingSafeEqual(digest(token), expected)) return ROOT;
    return expected && admins?.byToken(token);
  };
  return (request, reply, done) => {
    adminOf(request).then((admin) => {
      if (admin === undefined) {
        done(refuse(request, reply));
        return;
      }
      request.adminName = admin.name;
      done(whyNotAdmin(admin, request));
    }, done);
  };
}

function whyNotAdmin({ name, roles }: Admin, request: FastifyRequest): AppError | undefined {
  const { role = request.method === 'GET' ? 'read' : 'all' } = request.routeOptions.config;
  // Whoever may do something may also look.
  if (role === 'read' || roles.includes(role) || roles.includes('all')) return undefined;
  const message = `The admin ${name} has the roles ${roles.join(', ')}, and this needs ${role}`;
  return new AppError('FORBIDDEN', { message });
}
