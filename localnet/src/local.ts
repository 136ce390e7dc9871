import { Chain } from './chain.js';
import { createUpstream } from './fork.js';
import { type Call, createCall } from './rpc/call.js';
import { Subscriptions } from './rpc/subscriptions.js';
import { startServer } from './server.js';
import type { ChainOptions, GenesisOptions, Upstream } from './types.js';

/** What can be passed between threads; the defaults are those of `LocalnetOptions`. */
export interface LocalOptions {
  host: string;
  rpcPort: number;
  wsPort?: number;
  hosts?: readonly string[];
  dataDir?: string;
  programsDir?: string;
  forkUrl?: string;
  genesis?: GenesisOptions;
}

export interface Local {
  rpcUrl: string;
  wsUrl: string;
  call: Call;
  close: () => Promise<void>;
}

/** Opens the chain and serves it, in this thread. Rejects, with everything closed again, when it cannot. */
export async function openLocal(options: LocalOptions, log: (line: string) => void): Promise<Local> {
  const upstream = options.forkUrl === undefined ? undefined : createUpstream({ url: options.forkUrl, log });
  const chain = await Chain.open(chainOptions(options, upstream, log));
  const call = createCall(chain, upstream?.host ?? null, log);
  const subscriptions = new Subscriptions(chain, log);
  const closeChain = async () => {
    subscriptions.close();
    await chain.close();
  };
  try {
    const { host, rpcPort, wsPort, hosts = [] } = options;
    const ports = wsPort === undefined ? { rpcPort } : { rpcPort, wsPort };
    const server = await startServer({ host, hosts, ...ports, call, subscriptions });
    const close = async () => {
      await server.close();
      await closeChain();
    };
    return { rpcUrl: server.rpcUrl, wsUrl: server.wsUrl, call, close };
  } catch (error) {
    await closeChain();
    throw error;
  }
}

function chainOptions(
  { dataDir, programsDir, genesis }: LocalOptions,
  upstream: Upstream | undefined,
  log: (line: string) => void,
): ChainOptions {
  return {
    log,
    ...(dataDir === undefined ? {} : { dataDir }),
    ...(programsDir === undefined ? {} : { programsDir }),
    ...(upstream === undefined ? {} : { upstream }),
    ...(genesis === undefined ? {} : { genesis }),
  };
}
