import type { Address } from '@slipway/wire';
import type { Held, LandedTransaction } from '../../chain/index.js';
import type { SwapPayload } from './payload.js';
import type { ExecuteAnswer } from './schema.js';

export type SwapResult = Pick<
  ExecuteAnswer,
  'totalInputAmount' | 'totalOutputAmount' | 'inputAmountResult' | 'outputAmountResult' | 'swapEvents'
>;

/** The amounts that a landed swap moved, from the chain's balances, without gas and rent. */
export function resultOf(landed: LandedTransaction, payload: SwapPayload, taker: Address): SwapResult {
  const { fee } = payload;
  const feePaid = fee ? change(landed.tokens.get(fee.account)) : 0n;
  const totalIn = payload.source ? -change(landed.tokens.get(payload.source)) : -solOf(landed, payload, taker);
  const totalOut = payload.destination
    ? change(landed.tokens.get(payload.destination))
    : solOf(landed, payload, payload.receiver);
  const swapped = {
    in: fee?.side === 'input' ? totalIn - feePaid : totalIn,
    out: fee?.side === 'output' ? totalOut + feePaid : totalOut,
  };
  return {
    totalInputAmount: totalIn.toString(),
    totalOutputAmount: totalOut.toString(),
    inputAmountResult: swapped.in.toString(),
    outputAmountResult: swapped.out.toString(),
    swapEvents: payload.hops.map(({ inputMint, outputMint, vaultIn, vaultOut }) => ({
      inputMint,
      inputAmount: (vaultIn ? change(landed.tokens.get(vaultIn)) : swapped.in).toString(),
      outputMint,
      outputAmount: (vaultOut ? -change(landed.tokens.get(vaultOut)) : swapped.out).toString(),
    })),
  };
}

/** The swap's own change to a wallet's SOL, without the network fee, the tip, and rent that stays in accounts. */
function solOf({ lamports, feeLamports }: LandedTransaction, payload: SwapPayload, wallet: Address): bigint {
  const { feePayer, rentPayer, destination, tip } = payload;
  let sol = change(lamports.get(wallet));
  if (wallet === feePayer) sol += feeLamports + BigInt(tip?.lamports ?? 0);
  // No more than was missing: somebody else may have sent SOL to the address before.
  if (wallet === rentPayer && destination) sol += change(lamports.get(destination));
  return sol;
}

function change(held: Held | undefined): bigint {
  return held ? held.after - held.before : 0n;
}
