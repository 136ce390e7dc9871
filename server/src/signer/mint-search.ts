import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { KeyNode } from './slip10.js';

/** How many keys have the same first number in their path. */
export const KEYS_A_BRANCH = 2 ** 31;
/** Number of branches: key numbers stay exact in a double. */
export const BRANCHES = 2 ** 22;

/** The path of a numbered key below its family's root. */
export function numberedPath(number: number): number[] {
  if (!Number.isSafeInteger(number)) throw new RangeError('the number of a key is a whole one');
  return [Math.floor(number / KEYS_A_BRANCH), number % KEYS_A_BRANCH];
}

/** A random number; no other launch is likely to have it. */
export function randomMintNumber(): number {
  return randomInt(BRANCHES) * KEYS_A_BRANCH + randomInt(KEYS_A_BRANCH);
}

/** What the thread that searches is given. */
export interface Search {
  root: KeyNode;
  suffix: string;
}

/** The number of a key below `root` whose address ends in `suffix`; see `MintFinder`. */
export async function searchMint(root: KeyNode, suffix: string, signal: AbortSignal): Promise<number> {
  signal.throwIfAborted();
  // The key stays within this process: the thread gets a copy of its memory.
  const worker = new Worker(new URL('./mint-worker.js', import.meta.url), {
    workerData: { root, suffix } satisfies Search,
  });
  try {
    const [number] = (await once(worker, 'message', { signal })) as [number];
    return number;
  } finally {
    await worker.terminate();
  }
}
