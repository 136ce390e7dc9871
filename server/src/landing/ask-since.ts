import { setTimeout as sleep } from 'node:timers/promises';
import { type Chain, ChainUnavailable, type SignatureStatus } from '../chain/index.js';

/** The nodes behind one address are a slot or two apart, and the next one to answer may be another. */
const MOST_ASKED = 4;
/** About a slot. */
const REST_MS = 400;

/**
 * Asks until the answer is from `least` on. `slotOf` tells its slot; undefined for an answer that counts whatever the slot, as a node
 * that is behind knows nothing of what came after, but is right in what it has.
 * @throws ChainUnavailable where the nodes that answer are behind
 */
export async function askSince<T>(
  least: () => Promise<bigint>,
  ask: () => Promise<T>,
  slotOf: (answer: T) => bigint | undefined,
): Promise<T> {
  // At once: asked after the answer, a slot has often passed meanwhile, and the only node there is would count as behind itself.
  const needed = least();
  // An answer that counts in any case needs none.
  needed.catch(() => {});
  for (let times = 1; ; times++) {
    const answer = await ask();
    const slot = slotOf(answer);
    if (slot === undefined || slot >= (await needed)) return answer;
    if (times === MOST_ASKED) throw new ChainUnavailable(`a node that is behind, at slot ${slot}, cannot tell`);
    await sleep(REST_MS);
  }
}

/**
 * The status of a transaction; undefined if it has not landed by the slot `least`.
 * @throws ChainUnavailable where the nodes that answer have not reached it
 */
export async function statusSince(
  chain: Pick<Chain, 'statuses'>,
  signature: string,
  least: () => Promise<bigint>,
): Promise<SignatureStatus | undefined> {
  const ask = () => chain.statuses([signature], { history: true });
  const { found } = await askSince(least, ask, (told) => (told.found[0] ? undefined : told.slot));
  return found[0];
}
