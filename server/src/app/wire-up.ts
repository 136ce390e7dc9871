import { hostname } from 'node:os';
import { limitOrderAddresses } from '@slipway/programs';
import { TOKEN_PROGRAM } from '@slipway/wire';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Services } from '../areas/area.js';
import { createTokenList, type TokenList } from '../config/index.js';
import { createKeyLookup, type KeyLookup, listen, withActualPort } from '../http/index.js';
import { createInviteIndex } from '../indexes/invites/index.js';
import { createLimitOrderIndex } from '../indexes/limit-orders/index.js';
import { startLossReadings } from '../keeper/losses.js';
import { KeeperWallet, startWalletReadings } from '../keeper/wallet.js';
import { sealed } from '../landing/index.js';
import { allOpen } from '../lib/all-open.js';
import { createClock } from '../lib/clock.js';
import type { RecentLines } from '../lib/recent-lines.js';
import { createObjects } from '../objects/index.js';
import { openPrices, type Prices } from '../prices/index.js';
import { type ChainInfo, openSandbox, type Sandbox } from '../sandbox/index.js';
import { createLoginTokens } from '../signer/index.js';
import { type GroupedLedger, groupedLedger } from '../store/grouped.js';
import { createRevocations } from '../store/revoked-logins.js';
import { createServers, registerAreas, type ServerParts } from './api.js';
import type { App, AppOptions } from './app.js';
import { areas } from './areas.js';
import { openObjectStore } from './backends.js';
import { type Base, type BaseDeps, claimDatabase, createBase } from './base.js';
import { openKeepers } from './keepers.js';
import { openLanding } from './landing.js';
import { MetricsRecorder } from './metrics-history.js';
import { passStopsOn, registerSignerMetrics } from './remote-signer.js';
import { followRent } from './rent.js';
import { openAggregator, openRouters, poolPriceOf, poolSourceOf, type Routers } from './routers.js';
import { startSlotReadings } from './rpc-metrics.js';
import { registerPriceMetrics, registerStopMetrics, registerStoreMetrics } from './state-metrics.js';

/**
 * Wires the parts together and starts them. Parts are given to each other nowhere else. `place` is told where clients
 * reach the service, once it listens.
 */
export async function wireUp(
  deps: BaseDeps,
  place: { publicUrl: () => string },
  { recent, print }: Pick<AppOptions, 'recent' | 'print'>,
): Promise<Omit<App, 'close'>> {
  const base = createBase(deps);
  const { config, log } = base;
  let parts: ServerParts | undefined;
  // The servers are made while the database opens.
  const making = createServers(base, () => parts!, print);
  const opening = openParts(base, () => place.publicUrl(), recent);
  const [servers, opened] = await allOpen([making, opening]);
  parts = opened;
  const { server, operations } = servers;
  const { services } = parts;
  // Added last, closed first: requests under way need all other parts.
  base.disposal.add('servers', () => Promise.all([server.close(), operations?.close()]));
  registerAreas(base, servers, services);
  place.publicUrl = () => withActualPort(config.http.publicUrl, server);
  const { host, port, operationsPort = 0 } = config.http;
  const url = await open(server, host, port, log);
  const operationsUrl = operations && (await open(operations, host, operationsPort, log));
  if (operationsUrl) log.info({ url: operationsUrl }, 'metrics and the admin API listen');
  if (config.roles.has('api')) for (const area of areas) area.check?.(services);
  const { rpcUrl, wsUrl, died } = base.node;
  return {
    url,
    publicUrl: place.publicUrl(),
    hasConsole: servers.hasConsole,
    operationsUrl,
    rpcUrl,
    wsUrl,
    died,
    sandbox: services.sandbox?.info,
    sandboxKey: base.sandboxKey,
  };
}

/** Opens everything else that the API needs, and what works by itself. */
async function openParts(base: Base, publicUrl: () => string, recent: RecentLines): Promise<ServerParts> {
  await claimDatabase(base);
  const { config, log, disposal } = base;
  const { usdc, stable } = config.tokens;
  const stables = new Set([usdc.mint, stable.mint, ...config.swap.stables]);
  // Landing goes by the clock that a sandbox sets. Keys are listened to before keepers occupy the database.
  const [keys, sandbox] = await allOpen([
    openKeys(base),
    config.sandbox ? openSandbox({ ...base, stables }) : undefined,
    followRent(base),
  ]);
  const [landing, market, files] = await allOpen([
    openLanding(base),
    openMarket(base, sandbox),
    openFiles(base, publicUrl),
  ]);
  const indexes = openIndexes(base);
  const tokenList = createTokenList(config);
  watchState(base, market.prices, tokenList);
  watchSigner(base);
  const keeperWallet = openWallets(base);
  const losses = startLossReadings({ landing, registry: base.metrics.registry, log });
  disposal.add('loss readings', () => losses.close());
  const chain = base.chains.keeper;
  const keeper = await openKeepers({ ...base, chain, ...files, ...market, ...indexes, landing, keeperWallet });
  const services: Services = {
    ...base,
    ...files,
    ...market,
    ...market.routers,
    ...indexes,
    landing,
    history: openHistory(base),
    ownLog: ownLogOf(recent),
    sandbox,
    stables,
    tokenList,
    publicUrl,
    ledger: sealingLedger(base),
    logins: createLoginTokens({ ...base, revokedAt: createRevocations(base.store) }),
    keeperWallet,
    runDue: async () => keeper?.runDue(),
  };
  if (sandbox) warmUp(market.routers, sandbox.info);
  return { services, keys, losses };
}

/** Finds API keys for the servers. */
async function openKeys(base: Base): Promise<KeyLookup> {
  const keys = await createKeyLookup(base);
  base.disposal.add('keys', () => keys.close());
  return keys.find;
}

/** What a scrape shows of the parts that everything else depends on. */
function watchState(
  { store, stops, clock, log, node, metrics: { registry }, disposal }: Base,
  prices: Prices,
  tokens: TokenList,
) {
  registerStoreMetrics(store, registry);
  registerStopMetrics(stops, registry);
  registerPriceMetrics({ prices, clock }, [...tokens.values()], registry);
  const slots = startSlotReadings(node.sendRpcsFor('reads'), { registry, log });
  disposal.add('slot readings', () => slots.close());
}

/** A scrape shows how the signer is, and one of its own hears what is stopped. */
function watchSigner({ signer, remoteSigner, stops, steadyNow, log, metrics: { registry }, disposal }: Base) {
  registerSignerMetrics(signer, registry, steadyNow);
  if (remoteSigner === undefined) return;
  const passing = passStopsOn({ signer: remoteSigner, stops, steadyNow, log });
  disposal.add('stops for the signer', () => passing.close());
}

/** Names this process among the copies of the service. */
const copyName = () => `${hostname()}:${process.pid}`;

/** What this process logs, from now on. */
function ownLogOf(lines: RecentLines): Services['ownLog'] {
  const { now } = createClock();
  return { lines, copy: copyName(), startedAt: new Date(now()).toISOString(), now };
}

/** Measures for the operator's page. */
function openHistory({ config, log, metrics: { registry }, disposal }: Base): Services['history'] {
  const recorder = new MetricsRecorder({ registry, clock: createClock(), copy: copyName(), log });
  if (config.roles.has('api') && config.http.console) recorder.start();
  disposal.add('metrics history', () => recorder.close());
  return (since) => recorder.history(since);
}

/** Requests are sealed before they are stored, so that what is stored otherwise is never signed. */
function sealingLedger({ store, signer }: Base): GroupedLedger {
  const ledger = groupedLedger(store);
  return { ...ledger, remember: async (request) => ledger.remember(await sealed(signer, request)) };
}

/** Storage of what users upload. */
async function openFiles({ config, clock, disposal }: Base, publicUrl: () => string) {
  const objectStore = await openObjectStore(config, clock, publicUrl);
  disposal.add('object store', () => objectStore.close());
  return { objectStore, objects: createObjects(objectStore, config.objects) };
}

/** Pools, prices and routers, which depend on each other: pools price tokens, and market makers quote by prices. */
async function openMarket(base: Base, sandbox: Sandbox | undefined) {
  const { config, clock, log, steadyNow, disposal } = base;
  const { aggregator, live } = await openAggregator(base, sandbox ? [sandbox.info.lookupTable] : []);
  const poolUsd = poolPriceOf(aggregator, config.tokens.usdc.mint);
  const prices = await openPrices({
    settings: config.prices,
    clock,
    log,
    stored: sandbox?.stored,
    poolPrice: poolUsd,
    pools: { ...poolSourceOf(aggregator, config.tokens), steadyNow },
  });
  disposal.add('price sources', () => prices.close());
  const makers = sandbox ? [await sandbox.openMaker(prices)] : [];
  const routers = openRouters({ ...base, aggregator, prices }, makers);
  return { aggregator, live, poolUsd, prices, routers, learnPool: aggregator.learn, pools: aggregator.pools };
}

/** Watches the service's own wallets; the keeper's, which this returns, pays for what the keepers do. */
function openWallets({ config, chains, signer, steadyNow, log, metrics, disposal }: Base): KeeperWallet {
  const chain = chains.keeper;
  const wallet = new KeeperWallet({
    chain,
    get address() {
      return signer.address('keeper');
    },
    steadyNow,
    log,
  });
  const names = ['gas', 'keeper', 'tracker'] as const;
  const readings = startWalletReadings({
    chain,
    wallets: () => Object.fromEntries(names.map((name) => [name, signer.address(name)])),
    keeper: config.roles.has('keeper') ? wallet : undefined,
    registry: metrics.registry,
    log,
  });
  disposal.add('wallet readings', () => readings.close());
  return wallet;
}

/** The indexes, which read the chain's history into the store. */
function openIndexes({ config, store, chains, clock, steadyNow, log, metrics, disposal }: Base) {
  const reader = { store, chain: chains.histories, clock, steadyNow, log, registry: metrics.registry };
  const addresses = limitOrderAddresses(config.programs.limitOrder);
  const index = createLimitOrderIndex({ ...reader, addresses });
  disposal.add('limit order index', () => index.close());
  const invites = createInviteIndex({ ...reader, program: config.programs.invite });
  disposal.add('invite index', () => invites.close());
  return { limitOrders: { addresses, index }, invites };
}

async function open(server: FastifyInstance, host: string, port: number, log: Logger): Promise<string> {
  const actual = await listen(server, host, port, log);
  return `http://${host.includes(':') ? `[${host}]` : host}:${actual}`;
}

/** The first quote takes longer than routers have for a client's, because code and connections are cold. */
function warmUp({ routing }: Routers, { mints }: ChainInfo): void {
  const [input, output] = mints.map(({ mint, decimals }) => ({ mint, decimals, tokenProgram: TOKEN_PROGRAM }));
  if (!input || !output) return;
  const request = { mode: 'exact-in' as const, input, output, amount: 1_000_000n, excludeVenues: new Set<string>() };
  void routing.best(request);
}
