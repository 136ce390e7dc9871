import { WRAPPED_SOL_MINT } from '@slipway/wire';
import type { Area, Services } from '../areas/area.js';
import {
  type ConsoleOptions,
  createAdminSessions,
  createKeyLookup,
  createServer,
  hasConsole,
  type PrintRequest,
  type ServerDeps,
} from '../http/index.js';
import type { TypedServer } from '../lib/typed-server.js';
import { actRecord } from '../store/admin-acts.js';
import { createAdmins } from '../store/admins.js';
import { createLimiter } from '../store/limiter.js';
import { areas } from './areas.js';
import type { Base } from './base.js';
import { examplesOf, recordedCalls } from './examples.js';
import { fieldDescriptions } from './field-descriptions.js';
import { createReadiness } from './readiness.js';

interface Servers {
  server: TypedServer;
  /** Metrics and the operator's areas, where they have a port of their own. */
  operations: TypedServer | undefined;
  hasConsole: boolean;
}

/** The server with every area's routes, if the API is one of this process's roles. It does not listen yet. */
export async function openApi(
  base: Base,
  services: Services,
  losses: { readonly alarm: string | undefined },
  print?: PrintRequest,
): Promise<Servers> {
  const { config, log, metrics, clock, steadyNow, store, stops, adminToken, chains, disposal } = base;
  const keys = await createKeyLookup({ store, clock, steadyNow, sandboxKey: base.sandboxKey });
  disposal.add('keys', () => keys.close());
  const hasOwnPort = config.http.operationsPort !== undefined;
  const common = {
    config: { ...config, adminToken },
    log,
    keys: keys.find,
    limiter: createLimiter({ store, tiers: config.tiers, steadyNow }),
    wallets: services.logins.walletOf,
    metrics,
    stops,
    admins: createAdmins({ store, rootToken: adminToken, steadyNow }),
    recordAct: actRecord(store, clock),
    ready: createReadiness({
      config,
      store,
      // Whoever asks whether this copy is well must not wait behind its clients.
      chain: chains.landing,
      steadyNow,
      remoteSigner: base.remoteSigner,
      wallet: config.roles.has('keeper') ? services.keeperWallet : undefined,
      losses,
      stops,
    }),
    mintOf: symbolsOf(services),
    examples: examplesOf(services),
    recordedCalls,
    descriptions: fieldDescriptions,
    print,
  };
  type Own = Pick<ServerDeps, 'hasMetrics' | 'console' | 'adminSessions'>;
  const open = async (name: string, served: readonly Area[], own: Own) => {
    const tags = served.flatMap(({ tag, about = '' }) => (tag === undefined ? [] : { name: tag, description: about }));
    const server = await createServer({ ...common, ...own, tags });
    disposal.add(name, () => server.close());
    if (!config.roles.has('api')) return server;
    for (const area of served) area.register(server, { ...services, chain: chains[area.calls ?? 'quotes'] });
    return server;
  };
  const ofOperations = areas.filter(({ isOperations }) => isOperations);
  const others = areas.filter((area) => !ofOperations.includes(area));
  const shown = consoleOf(base);
  const { publicUrl } = config.http;
  const adminSessions = shown ? createAdminSessions({ ...base, adminToken, publicUrl }) : undefined;
  const forOperator = {
    hasMetrics: true,
    console: shown && { ...shown, sandbox: false, asksKey: false },
    adminSessions,
  };
  const main: Own = hasOwnPort
    ? { hasMetrics: false, console: shown?.sandbox ? { ...shown, operator: false } : undefined }
    : { hasMetrics: true, console: shown, adminSessions };
  return {
    server: await open('server', hasOwnPort ? others : areas, main),
    operations: hasOwnPort ? await open('operations server', ofOperations, forOperator) : undefined,
    hasConsole: main.console?.sandbox ?? false,
  };
}

/** The console: of a sandbox, whose wallets everybody knows, and for the operator, who logs in. */
function consoleOf({ config, node: { rpcUrl, wsUrl } }: Base): ConsoleOptions | undefined {
  if (!config.http.console || !config.roles.has('api') || !hasConsole()) return undefined;
  const { sandbox, publicSandbox: asksKey } = config;
  // Outside of a sandbox the page asks nobody but the service: the URL of its RPC may hold a key.
  const nodeUrls = sandbox && !asksKey ? [rpcUrl, ...(wsUrl === undefined ? [] : [wsUrl])] : [];
  return { sandbox, asksKey, operator: true, nodeUrls };
}

/** The mints of the tokens that the operator vouches for, and of the sandbox's, by their symbols. */
function symbolsOf({ config, sandbox }: Services): (symbol: string) => string | undefined {
  const { tokens, tokenList } = config;
  const named = [...(sandbox?.info.mints ?? []), ...Object.values(tokens), ...tokenList];
  const mints = new Map(named.map(({ symbol, mint }) => [symbol.toUpperCase(), mint]));
  mints.set('SOL', WRAPPED_SOL_MINT);
  return (symbol) => mints.get(symbol.toUpperCase());
}
