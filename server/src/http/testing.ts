import { tmpdir } from 'node:os';
import { Writable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { type Logger, pino } from 'pino';
import { loadConfig } from '../config/index.js';
import type { TypedServer } from '../lib/typed-server.js';
import { createMetrics } from './metrics.js';
import type { ApiKey, Limiter, LimitState } from './ports.js';
import { createServer } from './server.js';
import type { ServerDeps } from './server-deps.js';

/** Keys by their text, for the tests of this folder. */
export const testKeys: Record<string, ApiKey> = {
  'good-key': { id: 'key-1', tier: 'free', prefixes: [], origins: [] },
  'submit-only': { id: 'key-2', tier: 'free', prefixes: ['/tx/v1'], origins: [] },
  'in-pages': { id: 'key-3', tier: 'free', prefixes: [], origins: ['http://localhost:3000'] },
};

export const plentyLeft: LimitState = {
  allowed: true,
  remaining: 59,
  current: 1,
  resetUnixSeconds: 1_800_000_000,
  retrySeconds: 12,
  limit: 60,
  windowSeconds: 60,
};

const unlimited: Limiter = { take: () => plentyLeft };

export interface TestServer {
  readonly app: FastifyInstance;
  /** Everything logged so far, one JSON line after the other. */
  logged(): string;
}

/** A server of the sandbox with the test keys, and with `routes` on it. Its log is kept, at the level trace. */
export async function startTestServer(
  routes: (app: TypedServer) => void = () => {},
  overrides: Partial<ServerDeps> & { env?: Record<string, string> } = {},
): Promise<TestServer> {
  let text = '';
  const sink = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  const log: Logger = pino({ level: 'trace' }, sink);
  const { env, ...deps } = overrides;
  const app = await createServer({
    config: loadConfig({ SLIPWAY_ADMIN_TOKEN: 'admin-secret-token', ...env }, { cwd: tmpdir() }),
    log,
    keys: (key) => (Object.hasOwn(testKeys, key) ? testKeys[key] : undefined),
    limiter: unlimited,
    stops: { require: async () => {} },
    metrics: createMetrics(),
    ready: async () => ({ ok: true, checks: { store: 'ok' } }),
    ...deps,
  });
  routes(app);
  await app.ready();
  return { app, logged: () => text };
}
