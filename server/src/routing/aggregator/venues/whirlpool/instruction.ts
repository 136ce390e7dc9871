import { instructionTag } from '@slipway/checks';
import {
  type Address,
  type Instruction,
  MEMO_PROGRAM,
  readonlyAccount,
  readonlySigner,
  writableAccount,
} from '@slipway/wire';
import type { PoolToken, Side, SwapAccounts } from '../../venue.js';
import { anchorInstruction } from '../anchor.js';

const SWAP = instructionTag('swap_v2');

interface WhirlpoolSwap {
  program: Address;
  pool: Address;
  tokens: readonly [PoolToken, PoolToken];
  /** The tick arrays that the trade goes through, in any order, at most three. */
  tickArrays: readonly Address[];
  oracle: Address;
}

/** `swap_v2`: exactly `amountIn` for at least `minOut`, at any price. */
export function whirlpoolSwap(swap: WhirlpoolSwap, from: Side, accounts: SwapAccounts): Instruction {
  const { program, pool, tokens, tickArrays, oracle } = swap;
  const { owner, source, destination, amountIn, minOut } = accounts;
  const [ownA, ownB] = from === 0 ? [source, destination] : [destination, source];
  // The program requires three, and accepts repeated ones.
  const arrays = Array.from({ length: 3 }, (_, i) => tickArrays[Math.min(i, tickArrays.length - 1)]!);
  const metas = [
    readonlyAccount(tokens[0].tokenProgram),
    readonlyAccount(tokens[1].tokenProgram),
    readonlyAccount(MEMO_PROGRAM),
    readonlySigner(owner),
    writableAccount(pool),
    readonlyAccount(tokens[0].mint),
    readonlyAccount(tokens[1].mint),
    ...[ownA, tokens[0].vault, ownB, tokens[1].vault, ...arrays, oracle].map(writableAccount),
  ];
  // No price limit (u128); the amount is the input; the direction; no further accounts.
  const rest = [1, from === 0 ? 1 : 0, 0];
  return anchorInstruction(program, metas, { tag: SWAP, numbers: [amountIn, minOut, 0n, 0n], rest });
}
