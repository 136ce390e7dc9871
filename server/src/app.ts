import type { AddressInfo } from 'node:net';
import { type LimitOrderAddresses, limitOrderAddresses } from '@slipway/programs';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { Counter } from 'prom-client';
import { registerAdmin } from './areas/admin/index.js';
import { EXPRESS_AREA, expressHooks, registerExpress } from './areas/express/index.js';
import { registerPrediction } from './areas/prediction/index.js';
import { type ChainInfo, registerSandbox } from './areas/sandbox/index.js';
import { registerSubmit } from './areas/submit/index.js';
import { createTokenList, registerSwap, registerSwapReads } from './areas/swap/index.js';
import { registerTriggerV1 } from './areas/trigger-v1/index.js';
import { type Chain, createChain, createUnitMeter } from './chain/index.js';
import type { Config } from './config/index.js';
import {
  createKeyLookup,
  createMetrics,
  createServer,
  type Metrics,
  type Readiness,
  SANDBOX_KEY,
} from './http/index.js';
import { type Keeper, startKeeper } from './keeper/index.js';
import { createLanding, type Landing } from './landing/index.js';
import { type AdjustableClock, createClock, steadyNow } from './lib/clock.js';
import { createDisposal, type Disposal } from './lib/disposal.js';
import { createLimitOrderIndex, type LimitOrderIndex } from './limit-orders/index.js';
import { openParts, type Parts } from './parts.js';
import { openPrices, type Prices } from './prices/index.js';
import { openAggregator, openRouters, poolPriceOf, type Routers } from './routers.js';
import { openSandbox, type Sandbox } from './sandbox.js';
import { openScores } from './score-feeds.js';
import { simulatedEvents } from './scores/index.js';
import {
  assertIdentity,
  createLimiter,
  type EventScore,
  findRequests,
  getScores,
  groupCalls,
  insertCrafted,
  kindsOf,
  type LedgerRow,
  type NewRequest,
  type Store,
  type VerificationKind,
} from './store/index.js';

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

/** Everything that the areas may be given. */
interface Shared extends Parts {
  config: Config;
  log: Logger;
  metrics: Metrics;
  clock: AdjustableClock;
  chainReader: Chain;
  landing: Landing;
  prices: Prices;
  routers: Routers;
  limitOrders: { addresses: LimitOrderAddresses; index: LimitOrderIndex };
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
  const parts = await openParts(config, log, disposal);
  const { store, signer, chain } = parts;
  const clock = createClock();
  const metrics = createMetrics();
  const fees = { percentile: config.fees.percentile, maxMicroLamports: BigInt(config.fees.maxMicroLamports) };
  const chainReader = createChain({ rpc: chain.rpc, steadyNow, fees });
  await assertIdentity(store, { chain: await genesisHash(chainReader), signer: signer.address('gas') });
  const sandbox = config.sandbox
    ? await openSandbox({ config, log, parts, chain: chainReader, clock, disposal })
    : undefined;
  const landing = createLanding({
    store,
    clock,
    steadyNow,
    chain: chainReader,
    ways: chain.ways,
    signer,
    hooks: { [EXPRESS_AREA]: expressHooks },
    observe: settlementObserver(metrics, log),
    log,
  });
  disposal.add('landing', () => landing.close());
  // An embedded store has one process: what is under way in it was left by a run that has ended.
  await landing.resume({ all: store.kind === 'embedded' });
  const addresses = limitOrderAddresses(config.programs.limitOrder);
  const index = createLimitOrderIndex({ store, chain: chainReader, addresses, log });
  const keeper = config.roles.has('keeper')
    ? startKeeper({
        ...{ store, landing, clock, log },
        chores: [await openScores({ config, store, clock, log, disposal }), index.sync],
      })
    : undefined;
  if (keeper) disposal.add('keeper', () => keeper.close());

  const metis = await openAggregator({ config, log, parts, disposal }, sandbox ? [sandbox.info.lookupTable] : []);
  const prices = await openPrices({
    ...{ settings: config.prices, clock, log },
    stored: sandbox?.stored,
    poolPrice: poolPriceOf(metis, config.tokens.usdc.mint),
  });
  disposal.add('price sources', () => prices.close());
  const makers = sandbox ? [await sandbox.openMaker(prices)] : [];
  const trading = { config, log, parts, disposal, metis, chain: chainReader, clock, prices, metrics };
  const routers = openRouters(trading, makers);
  const shared = {
    ...parts,
    config,
    log,
    metrics,
    clock,
    chainReader,
    landing,
    prices,
    routers,
    limitOrders: { addresses, index },
  };
  const server = await openServer(shared, disposal);
  if (config.roles.has('api')) registerAreas(server, shared, sandbox, keeper);
  await server.listen({ host: config.http.host, port: config.http.port });
  const { port } = server.server.address() as AddressInfo;
  const host = config.http.host.includes(':') ? `[${config.http.host}]` : config.http.host;
  return {
    url: `http://${host}:${port}`,
    rpcUrl: chain.rpcUrl,
    wsUrl: chain.wsUrl,
    sandbox: sandbox?.info,
    died: chain.died,
    close,
  };
}

async function genesisHash(chain: Chain): Promise<string> {
  try {
    return await chain.genesisHash();
  } catch (error) {
    throw new Error(`the chain gives no answer (${(error as Error).message}); check SLIPWAY_RPC_URL`, { cause: error });
  }
}

async function openServer(shared: Shared, disposal: Disposal): Promise<FastifyInstance> {
  const { config, log, metrics, clock, store, adminToken, chainReader } = shared;
  const keys = await createKeyLookup({ store, clock, steadyNow, sandbox: config.sandbox });
  disposal.add('keys', () => keys.close());
  const server = await createServer({
    config: { ...config, adminToken },
    log,
    keys: keys.find,
    limiter: createLimiter({ store, tiers: config.tiers, steadyNow }),
    metrics,
    ready: readiness(store, chainReader),
  });
  disposal.add('server', () => server.close());
  return server;
}

function registerAreas(
  server: FastifyInstance,
  shared: Shared,
  sandbox: Sandbox | undefined,
  keeper: Keeper | undefined,
): void {
  const { config, store, clock, chain: access, chainReader: chain, landing, prices, signer } = shared;
  const ledger = groupedLedger(store);
  const unitsOf = createUnitMeter({ chain, steadyNow });
  const { platform, stable } = config.tokens;
  registerExpress(server, {
    ...{ store, clock, chain, unitsOf, prices, landing, ...config.tokens, ...ledger, ...config.express },
    gasWallet: signer.address('gas'),
    routing: shared.routers.routing,
    programs: config.programs,
  });
  registerSwapArea(server, shared, ledger);
  registerTriggerV1Area(server, shared, ledger);
  registerSubmit(server, { store, chain, landing, ...config.submit });
  registerPrediction(server, { scoreOf: groupedScores(store) });
  registerAdmin(server, {
    ...{ store, clock, tiers: ['unlimited', ...Object.keys(config.tiers)] },
    simulatedEvents: config.sandbox ? simulatedEvents : [],
  });
  if (!sandbox) return;
  registerSandbox(server, {
    ...{ chain, store, clock, prices },
    stored: sandbox.stored,
    movePrice: sandbox.movePrice,
    rpcUrl: access.rpcUrl,
    wsUrl: access.wsUrl ?? '',
    apiKey: SANDBOX_KEY,
    platformToken: platform.mint,
    platformStable: stable.mint,
    gameEventIds: simulatedEvents,
    runDue: async () => keeper?.runDue(),
  });
}

function registerSwapArea(
  server: FastifyInstance,
  shared: Shared,
  { remember, findRequest }: Pick<ReturnType<typeof groupedLedger>, 'remember' | 'findRequest'>,
): void {
  const { config, log, clock, chainReader: chain, landing, prices, signer, routers } = shared;
  const { routing, jupiterz } = routers;
  const { platform, stable, usdc } = config.tokens;
  const { swap, programs } = config;
  const gasWallet = signer.address('gas');
  registerSwap(server, {
    ...{ clock, steadyNow, log, chain, prices, landing, routing, remember, findRequest, programs, gasWallet },
    deliver: jupiterz.deliver,
    fees: {
      table: swap.feeBps,
      receiver: swap.feeReceiver ?? gasWallet,
      platform: platform.mint,
      stables: new Set([usdc.mint, stable.mint, ...swap.stables]),
      lsts: new Set(swap.lsts),
      blueChips: new Set(swap.blueChips),
    },
    gasless: swap.gasless,
    tipAccounts: config.submit.tipAccounts,
  });
  registerSwapReads(server, { chain, prices, tokenList: createTokenList(config), routers: routing.routers });
}

function registerTriggerV1Area(
  server: FastifyInstance,
  shared: Shared,
  { remember, findRequest }: Pick<ReturnType<typeof groupedLedger>, 'remember' | 'findRequest'>,
): void {
  const { config, store, log, clock, chainReader: chain, landing, prices, signer } = shared;
  const { stable, usdc } = config.tokens;
  registerTriggerV1(server, {
    ...{ store, clock, log, chain, prices, landing, remember, findRequest, ...shared.limitOrders },
    stables: new Set([usdc.mint, stable.mint, ...config.swap.stables]),
    gasWallet: signer.address('gas'),
  });
}

/** One statement for many requests at a time: alone, each of these would take a round trip to the database. */
function groupedLedger(store: Store) {
  return {
    remember: groupCalls<NewRequest, void>({
      run: async (rows) => {
        await store.single((tx) => insertCrafted(tx, rows));
        return rows.map(() => undefined);
      },
      maxGroup: 500,
    }),
    findRequest: groupCalls<string, LedgerRow | undefined>({
      run: async (ids) => {
        const rows = new Map((await findRequests(store, ids)).map((row) => [row.id, row]));
        return ids.map((id) => rows.get(id));
      },
      maxGroup: 500,
    }),
    kindsOf: groupCalls<string, VerificationKind[]>({
      run: async (ids) => {
        const kinds = await kindsOf(store, ids);
        return ids.map((id) => kinds.get(id) ?? []);
      },
      maxGroup: 500,
    }),
  };
}

function groupedScores(store: Store): (eventId: string) => Promise<EventScore | undefined> {
  return groupCalls({
    run: async (ids) => {
      const scores = new Map((await getScores(store, ids)).map((score) => [score.eventId, score]));
      return ids.map((id) => scores.get(id));
    },
    maxGroup: 500,
  });
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
