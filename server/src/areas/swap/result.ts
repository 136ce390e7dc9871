import type { Address } from '@slipway/wire';
import type { Held, LandedTransaction } from '../../chain/index.js';
import type { SwapPayload } from './payload.js';
import type { ExecuteAnswer } from './schema.js';

export type SwapResult = Pick<
  ExecuteAnswer,
  'totalInputAmount' | 'totalOutputAmount' | 'inputAmountResult' | 'outputAmountResult' | 'swapEvents'
>;

/** What a landed swap has moved, from the balances that the chain tells; gas and rent are no part of it. */
export function resultOf(landed: LandedTransaction, payload: SwapPayload, taker: Address): SwapResult {
  const { fee } = payload;
  const feePaid = fee ? change(landed.tokens.get(fee.account)) : 0n;
  const totalIn = payload.source ? -change(landed.tokens.get(payload.source)) : -solOf(landed, payload, taker);
  const totalOut = payload.destination
    ? change(landed.tokens.get(payload.destination))
    : solOf(landed, payload, payload.receiver);
  return {
    totalInputAmount: totalIn.toString(),
    totalOutputAmount: totalOut.toString(),
    inputAmountResult: (fee?.side === 'input' ? totalIn - feePaid : totalIn).toString(),
    outputAmountResult: (fee?.side === 'output' ? totalOut + feePaid : totalOut).toString(),
    swapEvents: payload.hops.map(({ inputMint, outputMint, vaultIn, vaultOut }) => ({
      inputMint,
      inputAmount: change(landed.tokens.get(vaultIn)).toString(),
      outputMint,
      outputAmount: (-change(landed.tokens.get(vaultOut))).toString(),
    })),
  };
}

/** By how much the swap itself changed a wallet's SOL: without the network fee, the tip and rent that stayed. */
function solOf({ lamports, feeLamports }: LandedTransaction, payload: SwapPayload, wallet: Address): bigint {
  const { feePayer, rentPayer, destination, tip } = payload;
  let sol = change(lamports.get(wallet));
  if (wallet === feePayer) sol += feeLamports + BigInt(tip?.lamports ?? 0);
  const made = destination && lamports.get(destination);
  if (wallet === rentPayer && made?.before === 0n) sol += made.after;
  return sol;
}

function change(held: Held | undefined): bigint {
  return held ? held.after - held.before : 0n;
}
