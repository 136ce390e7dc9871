import { type Address, associatedTokenRent } from '@slipway/wire/formats';
import type { Swap } from './swap-terms.js';
import { type Budget, feeOf } from './transaction.js';

/**
 * What a program of another company may at most take of the taker's SOL beside the terms. Below it, whoever pays another
 * network fee in the meantime would have his trade fail.
 */
const SPARE_LAMPORTS = 10_000_000n;

/** The least change of a wallet's balance in lamports; negative if the wallet pays. */
export function leastChange({ input, output, tip, ...who }: Swap, feeLamports: bigint, wallet: Address): bigint {
  let least = 0n;
  if (wallet === who.taker && input.place.kind !== 'token') least -= input.amount;
  if (wallet === who.feePayer) least -= feeLamports + (tip?.lamports ?? 0n);
  if (wallet === who.rentPayer && output.create) least -= associatedTokenRent(output.tokenProgram);
  if (wallet === who.receiver && output.place.kind !== 'token') least += output.least;
  return least;
}

/**
 * What the taker's wallet must hold after a trade by another company's program, which has his signature. At least a
 * lamport of what the terms leave him: its transfer also fails where the program has made the wallet its own. Undefined
 * where they may take all of it, and for other trades.
 */
export function keptLamports(swap: Swap, budget: Budget): bigint | undefined {
  const { taker, feePayer, trade } = swap;
  if (!trade.foreign) return undefined;
  const signers = new Set([taker, feePayer, ...trade.extraSigners]).size;
  const left = trade.foreign.takerLamports + leastChange(swap, feeOf(signers, budget), taker);
  if (left <= 0n) return undefined;
  return left > SPARE_LAMPORTS ? left - SPARE_LAMPORTS : 1n;
}
