import type { Address, Instruction } from '@slipway/wire/formats';
import { TOKEN_SWAP_PROGRAM } from './pool.js';

const SWAP_TAG = 1;
const SWAP_SIZE = 17;
/** Without a host's account; with one there is one more. */
const SWAP_ACCOUNTS = 14;

/** What a swap instruction moves, whoever made it. */
export interface ParsedPoolSwap {
  pool: Address;
  authority: Address;
  source: Address;
  destination: Address;
  vaultIn: Address;
  vaultOut: Address;
  amountIn: bigint;
  minimumAmountOut: bigint;
}

/** The trade of a swap instruction of a pool; undefined when it is another instruction. */
export function parsePoolSwap(
  { program, accounts, data }: Instruction,
  expected: Address = TOKEN_SWAP_PROGRAM,
): ParsedPoolSwap | undefined {
  if (program !== expected || data.length !== SWAP_SIZE || data[0] !== SWAP_TAG) return undefined;
  if (accounts.length !== SWAP_ACCOUNTS && accounts.length !== SWAP_ACCOUNTS + 1) return undefined;
  const [pool, , authority, source, vaultIn, vaultOut, destination] = accounts.map(({ address }) => address);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return {
    pool: pool!,
    authority: authority!,
    source: source!,
    destination: destination!,
    vaultIn: vaultIn!,
    vaultOut: vaultOut!,
    amountIn: view.getBigUint64(1, true),
    minimumAmountOut: view.getBigUint64(9, true),
  };
}
