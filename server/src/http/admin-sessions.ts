import { createHmac, randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { AppError, plainError } from '../errors/index.js';
import type { Clock } from '../lib/clock.js';
import { isSameText } from '../lib/same-text.js';
import { cached } from '../lib/single-flight.js';
import { endAdminSession, endedAdminSessions } from '../store/admin-sessions.js';
import type { Store } from '../store/sql.js';
import { boundSessions } from './admin-places.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The session of a page that calls an admin route; undefined for a holder of the admin token. */
    adminSession: AdminSession | undefined;
  }
}

/** The header of every call of a session that changes something. */
export const PROOF_HEADER = 'x-slipway-csrf';
const COOKIE = 'slipway_admin';
const PATH = '/admin/v1';
const SESSION_SECONDS = 2 * 3_600;
/** How long a session that another copy has ended may still work here. */
const ENDED_ELSEWHERE_MS = 2_000;
const SAFE = new Set(['GET', 'HEAD']);
/** Cookies of the name that are looked at: each takes two hashes, and a request has room for a thousand. */
const MOST_COOKIES = 20;

export interface AdminSession {
  id: string;
  /** The name of the admin who has begun it. */
  name: string;
  /** Unix seconds. */
  expiresAt: number;
  /** What a page shows that can read this service's answers, as no other site's can. */
  proof: string;
}

export interface AdminSessions {
  /** A session of its own cookie. */
  begin(name: string): { session: AdminSession; cookie: string };
  /** The session of a request; undefined without one. @throws AppError FOREIGN_CALLER if the request is not its page's. */
  of(request: FastifyRequest): Promise<AdminSession | undefined>;
  end(session: AdminSession): Promise<void>;
}

interface AdminSessionsDeps {
  adminToken: string;
  publicUrl: string;
  store: Store;
  clock: Clock;
  steadyNow: () => number;
  log: Logger;
}

/**
 * Sessions of the console, for who has shown the admin token once. What a session is stands in its cookie, under a key that
 * follows from the token: so every copy knows it without asking, another token ends them all, and only those that were
 * ended before their time are stored.
 */
export function createAdminSessions(deps: AdminSessionsDeps): AdminSessions {
  const { adminToken, publicUrl, store, clock, steadyNow, log } = deps;
  const mac = (text: string): string => createHmac('sha256', adminToken).update(`slipway ${text}`).digest('base64url');
  const session = (id: string, expiresAt: number, name: string): AdminSession => {
    return { id, name, expiresAt, proof: mac(`proof ${id}`) };
  };
  const sealed = (id: string, expiresAt: number, name: string) =>
    `${id}.${expiresAt}.${name}.${mac(`session ${id} ${expiresAt} ${name}`)}`;
  let ended = new Set<string>();
  const readEnded = cached(
    async () => {
      // A database that is away must not keep the operator from seeing that.
      ended = await endedAdminSessions(store).catch((error: Error) => {
        log.warn({ reason: error.message }, 'the ended sessions of the console cannot be read; going by the last ones');
        return ended;
      });
    },
    ENDED_ELSEWHERE_MS,
    steadyNow,
  );

  function read(text: string): AdminSession | undefined {
    const [id = '', expiry = '', name = ''] = text.split('.');
    const expiresAt = Number(expiry);
    const isGood = isSameText(text, sealed(id, expiresAt, name)) && expiresAt * 1_000 > clock.now();
    return isGood ? session(id, expiresAt, name) : undefined;
  }

  return {
    begin(name) {
      const expiresAt = Math.floor(clock.now() / 1_000) + SESSION_SECONDS;
      const made = session(randomBytes(16).toString('base64url'), expiresAt, name);
      return { session: made, cookie: sealed(made.id, expiresAt, name) };
    },
    async of(request) {
      const found = cookiesOf(request)
        .map(read)
        .find((each) => each !== undefined);
      if (found === undefined) return undefined;
      if (!ended.has(found.id)) await readEnded();
      if (ended.has(found.id)) return undefined;
      assertOwnPage(request, publicUrl);
      if (!SAFE.has(request.method) && !isSameText(String(request.headers[PROOF_HEADER] ?? ''), found.proof)) {
        throw new AppError('FOREIGN_CALLER', { message: `The header ${PROOF_HEADER} is not that of the session` });
      }
      return found;
    },
    async end({ id, expiresAt }) {
      const until = new Date(expiresAt * 1_000);
      await store.transaction((tx) => endAdminSession(tx, { id, until }));
      ended.add(id);
    },
  };
}

/** `POST` exchanges the admin token for a session, `GET` shows it to its page, `DELETE` ends it. */
export function registerAdminSession(
  app: FastifyInstance,
  sessions: AdminSessions,
  publicUrl: string,
  steadyNow: () => number,
): void {
  const config = { errorShape: plainError, auth: 'admin', role: 'read' } as const;
  const route = { config, schema: { hide: true }, onRequest: boundSessions(steadyNow) };
  const url = `${PATH}/session`;
  const show = ({ name, expiresAt, proof }: AdminSession) => ({
    name,
    expiresAt: new Date(expiresAt * 1_000).toISOString(),
    proof,
  });
  const setCookie = ({ headers }: FastifyRequest, reply: FastifyReply, value: string, seconds: number) => {
    const isSecure = /^https:/i.test(headers.origin ?? publicUrl);
    const rules = `Path=${PATH}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
    reply.headers({ 'set-cookie': `${COOKIE}=${value}; ${rules}`, 'cache-control': 'no-store' });
  };
  const ofPage = (request: FastifyRequest): AdminSession => {
    if (request.adminSession === undefined) throw new AppError('UNAUTHORIZED', { message: 'Unauthorized: no session' });
    return request.adminSession;
  };
  app.post(url, {
    ...route,
    handler: async (request, reply) => {
      // A session makes no other one, or it would never end.
      if (request.adminSession) throw new AppError('UNAUTHORIZED', { message: 'Unauthorized: give the admin token' });
      const { session, cookie } = sessions.begin(request.adminName);
      setCookie(request, reply, cookie, SESSION_SECONDS);
      return show(session);
    },
  });
  app.get(url, {
    ...route,
    handler: async (request, reply) => {
      reply.header('cache-control', 'no-store');
      return show(ofPage(request));
    },
  });
  app.delete(url, {
    ...route,
    handler: async (request, reply) => {
      await sessions.end(ofPage(request));
      setCookie(request, reply, '', 0);
      return { ended: true };
    },
  });
}

function cookiesOf({ headers }: FastifyRequest): string[] {
  const pairs = headers.cookie?.split(';').map((pair) => pair.trim()) ?? [];
  const own = pairs.filter((pair) => pair.startsWith(`${COOKIE}=`)).slice(0, MOST_COOKIES);
  return own.map((pair) => pair.slice(COOKIE.length + 1));
}

/** A cookie also comes along from pages of other ports and of subdomains; only pages of this service may use it. */
function assertOwnPage({ headers }: FastifyRequest, publicUrl: string): void {
  const { origin, host, 'sec-fetch-site': site = 'same-origin' } = headers;
  const isOwn =
    origin === undefined || origin === new URL(publicUrl).origin || origin.replace(/^https?:\/\//, '') === host;
  if (isOwn && site === 'same-origin') return;
  throw new AppError('FOREIGN_CALLER', { message: 'Only pages of this service may use a session of its console' });
}
