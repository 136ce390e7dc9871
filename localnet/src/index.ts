import { loadLocal } from './load.js';
import { RPC_CODE, RpcError } from './rpc/errors.js';
import type { GenesisOptions } from './types.js';
import { openInWorker } from './worker-client.js';

export { followParent } from './follow-parent.js';
export { type AccountSource, openAccountSource, type Snapshot } from './fork.js';
export { type Callers, createCallers } from './hosts.js';
export { lockFolder } from './lock.js';
export {
  type PulledAccount,
  type PulledFile,
  type PulledProgram,
  pulledPath,
  writePulled,
} from './pulled.js';
export { RpcError } from './rpc/errors.js';
export type { Account, GenesisOptions, GenesisToken } from './types.js';

export const DEFAULT_RPC_PORT = 8899;

export interface LocalnetOptions {
  /** Default 127.0.0.1. */
  host?: string;
  /** HTTP port; default 8899, 0 for any free one whose next is free too. */
  rpcPort?: number;
  /** WebSocket port; default the one after `rpcPort`, where web3.js 1 looks. */
  wsPort?: number;
  /** Further names of this machine, in lower case, by which clients and pages may reach it. */
  hosts?: readonly string[];
  /** Folder of the chain's state, which it keeps over restarts; without it everything is in memory. */
  dataDir?: string;
  /** Folder of `<programId>.so` files to load, and of accounts that were pulled with them. */
  programsDir?: string;
  /** RPC of a cluster to fork lazily. */
  forkUrl?: string;
  genesis?: GenesisOptions;
  /** Whether the chain runs in a worker thread; default true. */
  inWorker?: boolean;
  /** Takes the chain's log, a line at a time; default none. */
  log?: (line: string) => void;
}

export interface Localnet {
  rpcUrl: string;
  wsUrl: string;
  /**
   * A JSON-RPC call that skips the socket: same results, integers as `number` where that is exact and else as `bigint`.
   * Rejects with RpcError.
   */
  call(method: string, params?: unknown[]): Promise<unknown>;
  /** Stops listening, writes what is not written yet, and ends the worker. */
  close(): Promise<void>;
  /** Resolves when the chain has ended: with the error that ended it, or undefined after `close`. */
  closed: Promise<Error | undefined>;
}

/**
 * Starts the chain behind its JSON-RPC and WebSocket servers and resolves when they listen. Rejects with a one-line
 * error for a port that is taken, a data folder that is in use or of another version, a program that does not load, and
 * a virtual machine that is not installed for this platform.
 */
export async function startLocalnet(options: LocalnetOptions = {}): Promise<Localnet> {
  const { inWorker = true, log = () => {}, host = '127.0.0.1', rpcPort = DEFAULT_RPC_PORT, ...rest } = options;
  const localOptions = { host, rpcPort, ...rest };
  if (inWorker) return openInWorker(localOptions, log);
  const local = await loadLocal(localOptions, log);
  let end: () => void;
  const closed = new Promise<undefined>((resolve) => {
    end = () => resolve(undefined);
  });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= local.close().then(end);
    return closing;
  };
  const call = async (method: string, params?: unknown[]) => {
    if (closing) throw new RpcError(RPC_CODE.internal, 'the chain is closed');
    return local.call(method, params);
  };
  return { rpcUrl: local.rpcUrl, wsUrl: local.wsUrl, call, close, closed };
}
