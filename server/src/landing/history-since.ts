import { type Rpc, RpcError } from '../chain/index.js';

/**
 * Since when a node has its history, in Unix milliseconds; undefined if from the first block on, or if it does not say.
 * @throws ChainUnavailable
 */
export async function historySince(rpc: Rpc): Promise<number | undefined> {
  try {
    const first = Number(await rpc.call<unknown>('getFirstAvailableBlock', []));
    // The first block of a chain is 0, but some nodes answer 1.
    if (!(first > 1)) return undefined;
    const seconds = Number(await rpc.call<unknown>('getBlockTime', [first]));
    return seconds > 0 ? seconds * 1_000 : undefined;
  } catch (error) {
    if (error instanceof RpcError) return undefined;
    throw error;
  }
}
