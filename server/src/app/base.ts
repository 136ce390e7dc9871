import { ROUTER_PROGRAM } from '@slipway/programs';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { type Chain, createChains, type Purpose } from '../chain/index.js';
import type { Config } from '../config/index.js';
import { createMetrics, type Metrics } from '../http/index.js';
import { allOpen } from '../lib/all-open.js';
import { type AdjustableClock, createClock, steadyNow } from '../lib/clock.js';
import type { Disposal } from '../lib/disposal.js';
import { isOurChain } from '../sandbox/index.js';
import { assertClock } from '../store/clock-skew.js';
import { sealMakers } from '../store/makers.js';
import { createStops, type Stops } from '../store/stops.js';
import type { Backends } from './backends.js';
import { keepIdentity } from './identity.js';
import { registerRpcMetrics } from './rpc-metrics.js';

/** What every other part of the service is built from. */
export interface Base extends Backends {
  config: Config;
  log: Logger;
  /** Closes what has been opened, in reverse order. */
  disposal: Disposal;
  clock: AdjustableClock;
  steadyNow: () => number;
  metrics: Metrics;
  /** What the operator has stopped, in all copies. */
  stops: Stops;
  chains: Readonly<Record<Purpose, Chain>>;
  /** For what nobody waits for. */
  chain: Chain;
}

export interface BaseDeps extends Pick<Base, 'config' | 'log' | 'disposal' | 'clock'> {
  backends: Backends;
  registry: Registry;
}

export function createBase({ backends, registry, ...given }: BaseDeps): Base {
  const { config } = given;
  const metrics = createMetrics(registry);
  const { store, node } = backends;
  const fees = { percentile: config.fees.percentile, maxMicroLamports: BigInt(config.fees.maxMicroLamports) };
  const chains = createChains(node.rpcFor, { steadyNow, fees });
  registerRpcMetrics(node.budgets, metrics.registry);
  const chain = chains.reads;
  const stops = createStops({ store, steadyNow });
  return { ...backends, ...given, steadyNow, metrics, stops, chains, chain };
}

/**
 * Waits for the database, and refuses one that belongs to another chain, to other keys or to the other mode, or whose clock is
 * another one. Refuses the sandboxes' router on a chain that is not of our software.
 */
export async function claimDatabase(base: Base): Promise<void> {
  const { config, log, disposal, store, storeOpened, signer, secrets, chains } = base;
  const [chain] = await allOpen([genesisHash(chains.landing), storeOpened]);
  await assertClock(store, createClock().now);
  if (!config.sandbox) await assertOwnRouter(config, chains.landing);
  await keepIdentity({ store, signer, log, disposal }, { chain, mode: config.sandbox ? 'sandbox' : 'production' });
  const sealed = await sealMakers(store, secrets);
  if (sealed > 0) log.info({ makers: sealed }, 'encrypted the URLs of the market makers');
}

async function assertOwnRouter({ programs }: Config, { rpc }: Chain): Promise<void> {
  if (programs.router !== ROUTER_PROGRAM || (await isOurChain(rpc))) return;
  throw new Error(
    `programs.router is ${ROUTER_PROGRAM}, the router of sandboxes, whose secret key anybody can derive; deploy the router at an address of your own (programs/README.md), or leave the setting out`,
  );
}

async function genesisHash(chain: Chain): Promise<string> {
  try {
    return await chain.genesisHash();
  } catch (error) {
    throw new Error(`the chain gives no answer (${(error as Error).message}); check SLIPWAY_RPC_URL`, { cause: error });
  }
}
