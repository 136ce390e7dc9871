// The thread that searches a mint's key: it tries one key after another until an address ends as it should.
import { randomInt } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { base58Decode, keypairFromSeed } from '@slipway/wire';
import { BRANCHES, KEYS_A_BRANCH, type Search } from './mint-search.js';
import { deriveNode, wipe } from './slip10.js';

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

function search({ root, suffix }: Search): number {
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

parentPort!.postMessage(search(workerData as Search));
