import { WRAPPED_SOL_MINT } from '@slipway/wire';
import type { Area, Services } from '../areas/area.js';
import {
  type ConsoleOptions,
  createAdminSessions,
  createServer,
  hasConsole,
  type KeyLookup,
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

/** What a server asks once it listens. */
export interface ServerParts {
  services: Services;
  keys: KeyLookup;
  losses: { readonly alarm: string | undefined };
}

/** The servers, with what no area owns. They do not listen yet; `parts` is called when they do. */
export async function createServers(base: Base, parts: () => ServerParts, print?: PrintRequest): Promise<Servers> {
  const { config, log, metrics, clock, steadyNow, store, stops, adminToken, chains } = base;
  const hasOwnPort = config.http.operationsPort !== undefined;
  const common = {
    config: { ...config, adminToken },
    log,
    keys: (key: string) => parts().keys(key),
    limiter: createLimiter({ store, tiers: config.tiers, steadyNow }),
    wallets: (token: string) => parts().services.logins.walletOf(token),
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
      spending: () => {
        const { services, losses } = parts();
        return { wallet: config.roles.has('keeper') ? services.keeperWallet : undefined, losses };
      },
      stops,
    }),
    mintOf: symbolsOf(() => parts().services),
    examples: () => examplesOf(parts().services),
    recordedCalls,
    descriptions: fieldDescriptions,
    print,
  };
  type Own = Pick<ServerDeps, 'hasMetrics' | 'console' | 'adminSessions'>;
  const create = (served: readonly Area[], own: Own) => {
    const tags = served.flatMap(({ tag, about = '' }) => (tag === undefined ? [] : { name: tag, description: about }));
    return createServer({ ...common, ...own, tags });
  };
  const ofOperations = areas.filter(isOfOperations);
  const others = areas.filter((area) => !isOfOperations(area));
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
    server: await create(hasOwnPort ? others : areas, main),
    operations: hasOwnPort ? await create(ofOperations, forOperator) : undefined,
    hasConsole: main.console?.sandbox ?? false,
  };
}

/** Gives the servers the routes of every area, if the API is one of this process's roles. */
export function registerAreas({ config, chains }: Base, { server, operations = server }: Servers, services: Services) {
  if (!config.roles.has('api')) return;
  for (const area of areas) {
    area.register(isOfOperations(area) ? operations : server, { ...services, chain: chains[area.calls ?? 'quotes'] });
  }
}

const isOfOperations = ({ isOperations }: Area): boolean => isOperations === true;

/** The console: of a sandbox, whose wallets everybody knows, and for the operator, who logs in. */
function consoleOf({ config, node: { rpcUrl, wsUrl } }: Base): ConsoleOptions | undefined {
  if (!config.http.console || !config.roles.has('api') || !hasConsole()) return undefined;
  const { sandbox, publicSandbox: asksKey } = config;
  // Outside of a sandbox the page asks nobody but the service: the URL of its RPC may hold a key.
  const nodeUrls = sandbox && !asksKey ? [rpcUrl, ...(wsUrl === undefined ? [] : [wsUrl])] : [];
  return { sandbox, asksKey, operator: true, nodeUrls };
}

/** The mints of the tokens that the operator vouches for, and of the sandbox's, by their symbols. */
function symbolsOf(services: () => Services): (symbol: string) => string | undefined {
  let mints: ReadonlyMap<string, string> | undefined;
  return (symbol) => {
    mints ??= mintsBySymbol(services());
    return mints.get(symbol.toUpperCase());
  };
}

function mintsBySymbol({ config, sandbox }: Services): ReadonlyMap<string, string> {
  const { tokens, tokenList } = config;
  const named = [...(sandbox?.info.mints ?? []), ...Object.values(tokens), ...tokenList];
  return new Map(named.map(({ symbol, mint }) => [symbol.toUpperCase(), mint])).set('SOL', WRAPPED_SOL_MINT);
}
