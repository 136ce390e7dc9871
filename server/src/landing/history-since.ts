import { type Rpc, RpcError } from '../chain/index.js';

/** How far a validator's clock may be from ours. */
const CLOCK_SKEW_MS = 60_000;
/** What was sent longer ago, a node without a history may not know: a blockhash lives half as long. */
export const OLD_MS = 3 * 60_000;
/** How the log says that nothing can be said of a transaction, and why. */
export const UNCERTAIN = 'cannot tell whether a transaction has landed';
export const FORGOTTEN = 'the node has forgotten the time when it was sent: name one with a longer history';

/** The nodes behind one address keep as much as each likes, and the one that is asked may not be the one that has listed. */
const TIMES_ASKED = 4;

/**
 * Since when a node has its history, in Unix milliseconds; undefined if from the first block on, or if it does not say. Of several nodes
 * behind one address that of the one with the shortest, as far as they answer.
 * @throws ChainUnavailable
 */
export async function historySince(rpc: Rpc): Promise<number | undefined> {
  const told: (number | undefined)[] = [];
  for (let times = 0; times < TIMES_ASKED; times++) told.push(await sinceOf(rpc));
  return told.reduce((latest, since) => (since === undefined || since < (latest ?? 0) ? latest : since));
}

async function sinceOf(rpc: Rpc): Promise<number | undefined> {
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

/** Whether a node with its history since then could not know what has become of something that was sent at `sentAt`. */
export function isForgotten(sentAt: number, since: number | undefined): boolean {
  return since !== undefined && since > sentAt - CLOCK_SKEW_MS;
}
