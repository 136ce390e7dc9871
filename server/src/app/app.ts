import type { AddressInfo } from 'node:net';
import { limitOrderAddresses } from '@slipway/programs';
import { TOKEN_PROGRAM } from '@slipway/wire';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { Counter } from 'prom-client';
import { EXPRESS_AREA, expressSettlement } from '../areas/express/index.js';
import type { ChainInfo } from '../areas/sandbox/index.js';
import { requireUriRoom, STUDIO_AREA, studioSettlement } from '../areas/studio/index.js';
import { SWAP_AREA, swapSettlement } from '../areas/swap/index.js';
import {
  createLoginTokens,
  DEPOSIT_AREA,
  depositSettlement,
  WITHDRAWAL_AREA,
  withdrawalSettlement,
} from '../areas/trigger-v2/index.js';
import { type Chain, createChain } from '../chain/index.js';
import type { Config } from '../config/index.js';
import {
  createKeyLookup,
  createMetrics,
  createServer,
  type Metrics,
  type Readiness,
  withActualPort,
} from '../http/index.js';
import { createInviteIndex } from '../indexes/invites/index.js';
import { createLimitOrderIndex } from '../indexes/limit-orders/index.js';
import { FILL_AREA, fillSettlement, RENT_AREA, rentSettlement } from '../keeper/trigger-orders/index.js';
import { createLanding } from '../landing/index.js';
import { createClock, steadyNow } from '../lib/clock.js';
import { createDisposal, type Disposal } from '../lib/disposal.js';
import { createObjects } from '../objects/index.js';
import { openPrices } from '../prices/index.js';
import { openSandbox } from '../sandbox/index.js';
import { assertIdentity } from '../store/identity.js';
import type { LedgerRow } from '../store/ledger.js';
import { createLimiter } from '../store/limiter.js';
import type { Store } from '../store/sql.js';
import { registerAreas, type Shared } from './areas.js';
import { openBackends, openObjectStore } from './backends.js';
import { openKeepers } from './keepers.js';
import { openAggregator, openRouters, poolPriceOf, type Routers } from './routers.js';

export interface App {
  /** Where the API listens. */
  url: string;
  rpcUrl: string;
  wsUrl: string | undefined;
  /** What the sandbox's chain has; undefined outside of a sandbox. */
  sandbox: ChainInfo | undefined;
  /** Resolves when a part has died that the service cannot live without. */
  died: Promise<Error>;
  /** Takes no new requests, ends those under way, and closes every part. */
  close(): Promise<void>;
}

/** Puts the parts together and starts them. This is the only place where one part is given to another. */
export async function createApp({ config, log }: { config: Config; log: Logger }): Promise<App> {
  const disposal = createDisposal();
  const onCloseError = (part: string, error: unknown) =>
    log.warn({ part, reason: (error as Error).message }, 'did not close');
  try {
    return await start(config, log, disposal, () => disposal.close(onCloseError));
  } catch (error) {
    await disposal.close(onCloseError);
    throw error;
  }
}

async function start(config: Config, log: Logger, disposal: Disposal, close: () => Promise<void>): Promise<App> {
  const parts = await openBackends(config, log, disposal);
  const { store, signer, node } = parts;
  const clock = createClock();
  const metrics = createMetrics();
  const fees = { percentile: config.fees.percentile, maxMicroLamports: BigInt(config.fees.maxMicroLamports) };
  const chainReader = createChain({ rpc: node.rpc, steadyNow, fees });
  await assertIdentity(store, { chain: await genesisHash(chainReader), signer: signer.address('gas') });
  const sandbox = config.sandbox
    ? await openSandbox({ config, log, parts, chain: chainReader, clock, disposal })
    : undefined;
  const objectStore = await openObjectStore(config, clock, () => withActualPort(config.http.publicUrl, server));
  disposal.add('object store', () => objectStore.close());
  const objects = createObjects(objectStore, config.objects);
  const landing = createLanding({
    store,
    clock,
    steadyNow,
    chain: chainReader,
    sendRpcs: node.sendRpcs,
    signer,
    settlements: {
      [EXPRESS_AREA]: expressSettlement,
      [SWAP_AREA]: swapSettlement(clock),
      [DEPOSIT_AREA]: depositSettlement,
      [WITHDRAWAL_AREA]: withdrawalSettlement,
      [FILL_AREA]: fillSettlement,
      [STUDIO_AREA]: studioSettlement,
      [RENT_AREA]: rentSettlement,
    },
    observe: settlementObserver(metrics, log),
    log,
  });
  disposal.add('landing', () => landing.close());
  // An embedded store has one process: what is under way in it was left by a run that has ended.
  await landing.resume({ all: store.kind === 'embedded' });
  const { aggregator, live } = await openAggregator(
    { config, log, parts, disposal, metrics },
    sandbox ? [sandbox.info.lookupTable] : [],
  );
  const poolUsd = poolPriceOf(aggregator, config.tokens.usdc.mint);
  const prices = await openPrices({
    ...{ settings: config.prices, clock, log },
    stored: sandbox?.stored,
    poolPrice: poolUsd,
  });
  disposal.add('price sources', () => prices.close());
  const makers = sandbox ? [await sandbox.openMaker(prices)] : [];
  const trading = { config, log, parts, disposal, aggregator, chain: chainReader, clock, prices, metrics };
  const routers = openRouters(trading, makers);
  const addresses = limitOrderAddresses(config.programs.limitOrder);
  const { registry } = metrics;
  const reader = { store, chain: chainReader, steadyNow, log, registry };
  const index = createLimitOrderIndex({ ...reader, addresses });
  disposal.add('limit order index', () => index.close());
  const limitOrders = { addresses, index };
  const invites = createInviteIndex({ ...reader, program: config.programs.invite });
  const keeper = await openKeepers({ ...trading, landing, live, poolUsd, objects, limitOrders, invites });
  if (sandbox) warmUp(routers, sandbox.info);
  const logins = createLoginTokens({ signer, clock });
  const reading = { chainReader, prices, poolUsd, routers, limitOrders, invites, objects, objectStore };
  const shared = { ...parts, ...reading, config, log, metrics, clock, landing, logins };
  const server = await openServer(shared, disposal);
  if (config.roles.has('api')) registerAreas(server, shared, sandbox, keeper);
  await server.listen({ host: config.http.host, port: config.http.port });
  if (config.roles.has('api')) requireUriRoom(objects);
  const { port } = server.server.address() as AddressInfo;
  const host = config.http.host.includes(':') ? `[${config.http.host}]` : config.http.host;
  return {
    url: `http://${host}:${port}`,
    rpcUrl: node.rpcUrl,
    wsUrl: node.wsUrl,
    sandbox: sandbox?.info,
    died: node.died,
    close,
  };
}

/** A first quote takes long, because code and connections are new: longer than the routers have for a client's. */
function warmUp({ routing }: Routers, { mints }: ChainInfo): void {
  const [input, output] = mints.map(({ mint, decimals }) => ({ mint, decimals, tokenProgram: TOKEN_PROGRAM }));
  if (!input || !output) return;
  const request = { mode: 'exact-in' as const, input, output, amount: 1_000_000n, excludeVenues: new Set<string>() };
  void routing.best(request);
}

async function genesisHash(chain: Chain): Promise<string> {
  try {
    return await chain.genesisHash();
  } catch (error) {
    throw new Error(`the chain gives no answer (${(error as Error).message}); check SLIPWAY_RPC_URL`, { cause: error });
  }
}

async function openServer(shared: Shared, disposal: Disposal): Promise<FastifyInstance> {
  const { config, log, metrics, clock, store, adminToken, chainReader, logins } = shared;
  const keys = await createKeyLookup({ store, clock, steadyNow, sandbox: config.sandbox });
  disposal.add('keys', () => keys.close());
  const server = await createServer({
    config: { ...config, adminToken },
    log,
    keys: keys.find,
    limiter: createLimiter({ store, tiers: config.tiers, steadyNow }),
    wallets: logins.walletOf,
    metrics,
    ready: readiness(store, chainReader),
  });
  disposal.add('server', () => server.close());
  return server;
}

/** Log and metric of what became of transactions, from one place. */
function settlementObserver(metrics: Metrics, log: Logger): (row: LedgerRow) => void {
  const counter = new Counter({
    name: 'slipway_transactions_total',
    help: 'Transactions that have come to their end here, by area and state (landed, failed, expired)',
    labelNames: ['area', 'state'],
    registers: [metrics.registry],
  });
  return ({ id, area, state, signature }) => {
    counter.inc({ area, state });
    log.info({ request: id, area, signature, state }, 'transaction settled');
  };
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
