import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { base58Decode, keypairFromSeed } from '@slipway/wire';
import { deriveNode, type KeyNode, wipe } from './slip10.js';

/** How many keys have the same first number in their path. */
const KEYS_A_BRANCH = 2 ** 31;
/** Number of branches: key numbers stay exact in a double. */
const BRANCHES = 2 ** 22;

/** The path of a numbered key below its family's root. */
export function numberedPath(number: number): number[] {
  if (!Number.isSafeInteger(number)) throw new RangeError('the number of a key is a whole one');
  return [Math.floor(number / KEYS_A_BRANCH), number % KEYS_A_BRANCH];
}

/** A random number; no other launch is likely to have it. */
export function randomMintNumber(): number {
  return randomInt(BRANCHES) * KEYS_A_BRANCH + randomInt(KEYS_A_BRANCH);
}

interface Search {
  root: KeyNode;
  suffix: string;
}

/** The number of a key below `root` whose address ends in `suffix`; see `MintFinder`. */
export async function searchMint(root: KeyNode, suffix: string, signal: AbortSignal): Promise<number> {
  signal.throwIfAborted();
  // The key stays within this process: the thread gets a copy of its memory.
  const worker = new Worker(new URL(import.meta.url), { workerData: { root, suffix } satisfies Search });
  try {
    const [number] = (await once(worker, 'message', { signal })) as [number];
    return number;
  } finally {
    await worker.terminate();
  }
}

/** Whether an address of these bytes ends in the suffix, whose value and weight (58 to its length) are given. */
function endsIn(bytes: Uint8Array, value: number, weight: number): boolean {
  let rest = 0;
  for (const byte of bytes) rest = (rest * 256 + byte) % weight;
  return rest === value;
}

/** The value of a suffix as the last digits of a base58 number. */
function suffixValue(suffix: string): { value: number; weight: number } {
  // After a nonzero digit, no leading zero bytes are lost.
  const bytes = base58Decode(`z${suffix}`);
  if (!bytes) throw new RangeError('the suffix is not base58');
  const weight = 58 ** suffix.length;
  return { value: Number(BigInt(`0x${Buffer.from(bytes).toString('hex')}`) % BigInt(weight)), weight };
}

function run({ root, suffix }: Search): number {
  const { value, weight } = suffixValue(suffix);
  const branchNumber = randomInt(BRANCHES);
  const branch = deriveNode(root, [branchNumber]);
  for (let key = randomInt(KEYS_A_BRANCH / 2); ; key++) {
    const node = deriveNode(branch, [key]);
    const { secretKey } = keypairFromSeed(node.key);
    wipe(node);
    if (endsIn(secretKey.subarray(32), value, weight)) return branchNumber * KEYS_A_BRANCH + key;
  }
}

if (!isMainThread && parentPort && (workerData as Partial<Search> | null)?.suffix !== undefined) {
  parentPort.postMessage(run(workerData as Search));
}
