import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { Config } from '../config/index.js';
import type { PrintRequest } from '../http/index.js';
import { allOpen } from '../lib/all-open.js';
import { createClock } from '../lib/clock.js';
import { createDisposal } from '../lib/disposal.js';
import type { RecentLines } from '../lib/recent-lines.js';
import type { ChainInfo } from '../sandbox/index.js';
import { openBackends } from './backends.js';
import type { Beginning } from './begin.js';
import { refusalObserver } from './refusals.js';
import { createRpcMeter } from './rpc-metrics.js';

export interface App {
  /** Where the API listens. */
  url: string;
  /** Where clients reach it. */
  publicUrl: string;
  /** Whether the address of the API shows the console. */
  hasConsole: boolean;
  /** Where metrics and the admin API listen, if not there. */
  operationsUrl: string | undefined;
  rpcUrl: string;
  wsUrl: string | undefined;
  /** What the sandbox's chain has; undefined outside of a sandbox. */
  sandbox: ChainInfo | undefined;
  /** The API key of the sandbox. */
  sandboxKey: string | undefined;
  /** Resolves when a part that the service cannot live without has died. */
  died: Promise<Error>;
  /** Stops taking requests, finishes those under way, and closes every part. */
  close(): Promise<void>;
}

export interface AppOptions {
  config: Config;
  begun: Beginning;
  log: Logger;
  /** The last lines that were written with it. */
  recent: RecentLines;
  /** Takes a line for each request; without it there are none. */
  print?: PrintRequest | undefined;
}

/** Opens the backends and, while their threads start, loads the parts; then wires these together. */
export async function createApp({ config, begun, log, recent, print }: AppOptions): Promise<App> {
  const disposal = createDisposal();
  disposal.add('data folder', begun.unlock);
  const close = () =>
    disposal.close((part, error) => log.warn({ part, reason: (error as Error).message }, 'did not close'));
  const [clock, registry] = [createClock(), new Registry()];
  // The port of clients' addresses is known when the service listens.
  const place = { publicUrl: () => config.http.publicUrl };
  try {
    const opening = openBackends({
      ...begun,
      config,
      log,
      disposal,
      clock,
      metered: createRpcMeter(registry),
      publicUrl: () => place.publicUrl(),
      refused: refusalObserver(registry, log),
    });
    const loading = import('./wire-up.js');
    void loading.then(loadFetch, () => {});
    const [{ wireUp }, backends] = await allOpen([loading, opening]);
    return { ...(await wireUp({ backends, config, log, disposal, clock, registry }, place, { recent, print })), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Node loads what `fetch` needs when it is first named. That takes a while, and the database is still opening. */
function loadFetch(): unknown {
  return globalThis.Headers;
}
