import type { Chain } from '../chain.js';
import { methodNotFound, RPC_CODE, RpcError, rpcErrorOf } from './errors.js';
import { accountMethods } from './methods/accounts.js';
import { clusterMethods } from './methods/cluster.js';
import { feeMethods } from './methods/fees.js';
import { historyMethods } from './methods/history.js';
import { localnetMethods } from './methods/localnet.js';
import type { Method } from './methods/method.js';
import { tokenMethods } from './methods/tokens.js';
import { transactionMethods } from './methods/transactions.js';
import { readParams } from './params.js';
import { renderSimulation } from './render-simulation.js';

/** Answers one call with a plain value; rejects with RpcError only. */
export type Call = (method: string, params: unknown) => Promise<unknown>;

/** The methods over HTTP. Takes a line for every error that is a bug of ours. */
export function createCall(chain: Chain, forkHost: string | null, log: (line: string) => void): Call {
  const methods = new Map<string, Method>(
    [
      accountMethods,
      tokenMethods,
      clusterMethods,
      feeMethods,
      historyMethods,
      transactionMethods,
      localnetMethods,
    ].flatMap((group) => Object.entries(group)),
  );
  return guarded(chain, log, (name, params) => {
    const method = methods.get(name);
    if (!method) throw methodNotFound();
    return method(chain, readParams(params), forkHost);
  });
}

/** Turns whatever `run` throws into the RpcError that a validator gives; an unknown error tells the caller nothing. */
export function guarded(
  chain: Chain,
  log: (line: string) => void,
  run: (method: string, params: unknown) => unknown,
): Call {
  return async (method, params) => {
    try {
      return await run(method, params);
    } catch (error) {
      const known = rpcErrorOf(error, chain.slot, renderSimulation);
      if (known) throw known;
      log(`${method} failed: ${error instanceof Error ? error.stack : error}`);
      throw new RpcError(RPC_CODE.internal, 'Internal error');
    }
  };
}
