import type { Services } from '../areas/area.js';
import type { Chain } from '../chain/index.js';
import { createKeyLookup, createServer, type Readiness } from '../http/index.js';
import type { TypedServer } from '../lib/typed-server.js';
import { createLimiter } from '../store/limiter.js';
import type { Store } from '../store/sql.js';
import { areas } from './areas.js';
import type { Base } from './base.js';

/** The server with every area's routes, if the API is one of this process's roles. It does not listen yet. */
export async function openApi(base: Base, services: Services): Promise<TypedServer> {
  const { config, log, metrics, clock, steadyNow, store, adminToken, chain, disposal } = base;
  const keys = await createKeyLookup({ store, clock, steadyNow, sandbox: config.sandbox });
  disposal.add('keys', () => keys.close());
  const server = await createServer({
    config: { ...config, adminToken },
    log,
    keys: keys.find,
    limiter: createLimiter({ store, tiers: config.tiers, steadyNow }),
    wallets: services.logins.walletOf,
    metrics,
    ready: readiness(store, chain),
    tags: areas.flatMap(({ tag }) => tag ?? []),
  });
  disposal.add('server', () => server.close());
  if (config.roles.has('api')) for (const area of areas) area.register(server, services);
  return server;
}

function readiness(store: Store, chain: Chain): Readiness {
  const probe = async (check: () => Promise<unknown>) =>
    check().then(
      () => 'ok',
      () => 'failed',
    );
  return async () => {
    const [database, rpc] = await Promise.all([
      probe(() => store.query('select 1')),
      probe(() => chain.rpc.call('getHealth', [])),
    ]);
    return { ok: database === 'ok' && rpc === 'ok', checks: { database, chain: rpc } };
  };
}
