import type { Address } from '@slipway/wire';
import type { Swap } from '../../crafting/swap.js';
import type { MakerQuote, Quote, RouterId } from '../../routing/router.js';

/** What `execute` needs of an order when it comes back; stands in the ledger. */
export interface SwapPayload {
  router: RouterId;
  inputMint: Address;
  outputMint: Address;
  receiver: Address;
  feePayer: Address;
  rentPayer: Address;
  /** Token accounts; left out for SOL. */
  source?: Address;
  destination?: Address;
  fee?: { account: Address; side: 'input' | 'output' };
  tip?: { account: Address; lamports: string };
  hops: { inputMint: Address; outputMint: Address; vaultIn?: Address; vaultOut?: Address }[];
  maker?: MakerQuote;
}

export function payloadOf({ router, hops, maker }: Quote, swap: Swap): SwapPayload {
  const { input, output, fee, tip } = swap;
  return {
    router,
    inputMint: input.mint,
    outputMint: output.mint,
    receiver: swap.receiver,
    feePayer: swap.feePayer,
    rentPayer: swap.rentPayer,
    ...(input.place.kind === 'token' && { source: input.place.account }),
    ...(output.place.kind === 'token' && { destination: output.place.account }),
    ...(fee && { fee: { account: fee.account, side: fee.side } }),
    ...(tip && { tip: { account: tip.account, lamports: tip.lamports.toString() } }),
    hops: hops.map(({ inputMint, outputMint, vaultIn, vaultOut }) => ({
      ...{ inputMint, outputMint },
      ...(vaultIn && vaultOut && { vaultIn, vaultOut }),
    })),
    ...(maker && { maker }),
  };
}
