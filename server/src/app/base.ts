import type { Logger } from 'pino';
import { Counter } from 'prom-client';
import { type Chain, createChains, type Purpose } from '../chain/index.js';
import type { Config } from '../config/index.js';
import { createMetrics, type Metrics } from '../http/index.js';
import { type AdjustableClock, createClock, steadyNow } from '../lib/clock.js';
import type { Disposal } from '../lib/disposal.js';
import { createFailureLog } from '../lib/failure-log.js';
import { gasWallets, type SignerRefused } from '../signer/index.js';
import { assertIdentity } from '../store/identity.js';
import { sealMakers } from '../store/makers.js';
import { createStops, type Stops } from '../store/stops.js';
import { type Backends, openBackends } from './backends.js';
import { createRpcMeter, registerRpcMetrics } from './rpc-metrics.js';

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

/** Opens the backends, and refuses a database that belongs to another chain, to other keys or to the other mode. */
export async function openBase(
  config: Config,
  log: Logger,
  disposal: Disposal,
  publicUrl: () => string,
): Promise<Base> {
  const metrics = createMetrics();
  const metered = createRpcMeter(metrics.registry);
  const clock = createClock();
  const refused = refusalObserver(metrics, log);
  const backends = await openBackends({ config, log, disposal, metered, clock, publicUrl, refused });
  const { store, signer, secrets, node } = backends;
  const fees = { percentile: config.fees.percentile, maxMicroLamports: BigInt(config.fees.maxMicroLamports) };
  const chains = createChains(node.rpcFor, { steadyNow, fees });
  await assertIdentity(store, {
    chain: await genesisHash(chains.landing),
    signer: gasWallets(signer),
    mode: config.sandbox ? 'sandbox' : 'production',
  });
  const sealed = await sealMakers(store, secrets);
  if (sealed > 0) log.info({ makers: sealed }, 'encrypted the URLs of the market makers');
  registerRpcMetrics(node.budgets, metrics.registry);
  const chain = chains.reads;
  const stops = createStops({ store, steadyNow });
  return { ...backends, config, log, disposal, clock, steadyNow, metrics, stops, chains, chain };
}

/** Counts and logs what no policy of the signer allows: the service never asks for it, so somebody else does. */
function refusalObserver(metrics: Metrics, log: Logger): (refusal: SignerRefused) => void {
  const counter = new Counter({
    name: 'slipway_signer_refusals_total',
    help: 'What the signer has not signed, because no policy allows it, by kind of key',
    labelNames: ['key'],
    registers: [metrics.registry],
  });
  for (const key of ['gas', 'keeper', 'vault', 'tracker', 'mint', 'launch', 'login', 'seal']) counter.inc({ key }, 0);
  const failures = createFailureLog(
    (line, message) => log.error(line, message),
    'the signer does not sign what no policy allows',
  );
  return ({ key, reason }) => {
    const kind = key.split(/[:,]/)[0]!;
    counter.inc({ key: kind });
    // Whoever has the copy ask may do so as often as he likes.
    failures.report(kind, () => ({ key, reason }));
  };
}

async function genesisHash(chain: Chain): Promise<string> {
  try {
    return await chain.genesisHash();
  } catch (error) {
    throw new Error(`the chain gives no answer (${(error as Error).message}); check SLIPWAY_RPC_URL`, { cause: error });
  }
}
