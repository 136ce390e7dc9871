import type { Chain } from '../../chain.js';
import { integer } from '../json.js';

/**
 * A JSON-RPC method: answers a plain value, or throws an RpcError or ChainError. `forkHost` is the host of the cluster
 * that the chain is a fork of.
 */
export type Method = (chain: Chain, params: unknown[], forkHost: string | null) => unknown;

export type Methods = Record<string, Method>;

/** The version of validator whose interface this is. */
export const API_VERSION = '3.0.0';

/** A value with the slot that it was read at, the form of most answers. */
export function withContext(chain: Chain, value: unknown): { context: unknown; value: unknown } {
  return { context: { slot: integer(chain.slot), apiVersion: API_VERSION }, value };
}
