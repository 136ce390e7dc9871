import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { type AdminDeps, registerAdmin } from '../areas/admin/index.js';
import { createHttpRpc } from '../chain/index.js';
import { type Config, dataFolder } from '../config/index.js';
import { dueOf } from '../crafting/payment.js';
import { createKeyLookup, createMetrics, createServer } from '../http/index.js';
import { whyNotPaid } from '../landing/index.js';
import { createClock, steadyNow } from '../lib/clock.js';
import { createDisposal, type Disposal } from '../lib/disposal.js';
import { pagesThatMayCall } from '../lib/page-origins.js';
import { keyTiers } from '../lib/tiers.js';
import { gasWallets, readPrivateFile, type SecretBox } from '../signer/index.js';
import { actRecord } from '../store/admin-acts.js';
import { followClockOffset } from '../store/clock-offset.js';
import { assertIdentity } from '../store/identity.js';
import { createLimiter } from '../store/limiter.js';
import { sealMakers } from '../store/makers.js';
import type { Store } from '../store/sql.js';
import type { AdminClient } from './admin-client.js';
import { CommandError } from './context.js';
import { openDatabase } from './open-database.js';
import { openKeys } from './open-keys.js';
import { bodyOf } from './service.js';

/** The admin API over a store that this process opens itself. Throws CommandError if another process holds it. */
export async function openAdminInProcess(
  config: Config,
  base: string,
): Promise<AdminClient & { close: () => Promise<void> }> {
  const disposal = createDisposal();
  const close = () => disposal.close(() => {});
  try {
    const store = await openDatabase(config, disposal).catch((error: Error) => {
      if (!(error instanceof CommandError)) throw error;
      const otherwise =
        'Start the service with "slipway serve", or say where it is: --url, SLIPWAY_URL or SLIPWAY_PORT';
      throw new CommandError(`no service answers at ${base}, and ${error.message}. ${otherwise}`, { cause: error });
    });
    return { request: await serveAdmin(config, store, disposal), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function serveAdmin(config: Config, store: Store, disposal: Disposal): Promise<AdminClient['request']> {
  const clock = createClock();
  if (config.sandbox) disposal.add('clock', await followClockOffset(store, clock.setOffset));
  const keys = await createKeyLookup({ store, clock, steadyNow, sandboxKey: undefined });
  disposal.add('keys', keys.close);
  const token = randomBytes(32).toString('base64url');
  const app = await createServer({
    config: { ...config, adminToken: token },
    log: pino({ level: 'silent' }),
    keys: keys.find,
    limiter: createLimiter({ store, tiers: config.tiers, steadyNow }),
    metrics: createMetrics(),
    recordAct: actRecord(store, clock),
    ready: async () => ({ ok: true, checks: {} }),
  });
  disposal.add('server', () => app.close());
  const box = lazy(() => openBox(config, store, disposal));
  registerAdmin(app, {
    store,
    rootToken: () => rootToken(config),
    box,
    clock,
    tiers: keyTiers(config.tiers),
    mayCall: pagesThatMayCall(config.http.corsOrigins),
    simulatedEvents: [],
    whyNotPaid: paymentsBy(config),
  });
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    // What is wrong with the signer's file is told here as it is, and as an internal error by the route.
    if (path.startsWith('/makers')) await box();
    const response = await app.inject({
      method: method as 'GET' | 'POST' | 'PUT' | 'DELETE',
      url: `/admin/v1${path}`,
      headers: { authorization: `Bearer ${token}` },
      ...(body !== undefined && { payload: body as object }),
    });
    return bodyOf({ status: response.statusCode, body: response.json() });
  };
}

async function rootToken(config: Config): Promise<string> {
  const file = dataFolder(config).adminToken;
  const token = config.adminToken ?? (await readPrivateFile(file))?.toString('utf8').trim();
  if (token) return token;
  throw new CommandError(`no admin token: set SLIPWAY_ADMIN_TOKEN, or run this where ${file} is`);
}

/** The embedded chain does not run here, and nothing on it can be undone. */
function paymentsBy(config: Config): AdminDeps['whyNotPaid'] {
  const { chain } = config;
  if (chain.kind === 'embedded') return async () => undefined;
  const rpcs = [chain.rpcUrl, ...chain.sendUrls].map((url) => createHttpRpc({ url }));
  return ({ signature, paymentCurrency }) =>
    whyNotPaid(rpcs, signature, dueOf(paymentCurrency, { ...config.tokens, ...config.express }));
}

/** Only what deals with market makers needs the keys: opening them takes a moment and a passphrase. */
async function openBox(config: Config, store: Store, disposal: Disposal): Promise<SecretBox> {
  const signer = await openKeys(config);
  disposal.add('signer', () => signer.close());
  await assertIdentity(store, { signer: gasWallets(signer) });
  await sealMakers(store, signer.secrets);
  return signer.secrets;
}

function lazy<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined;
  return () => {
    opened ??= open();
    return opened;
  };
}
