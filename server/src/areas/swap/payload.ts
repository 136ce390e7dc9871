import { type Static, Type } from 'typebox';
import type { Swap } from '../../crafting/swap.js';
import { addressText, digits, payloadReader } from '../../landing/index.js';
import type { Quote, RouterId } from '../../routing/router.js';

/** What `execute` needs to know of an order; stored in the ledger. */
const SwapPayload = Type.Object({
  router: Type.Unsafe<RouterId>(Type.String()),
  inputMint: addressText,
  outputMint: addressText,
  receiver: addressText,
  feePayer: addressText,
  rentPayer: addressText,
  /** Token accounts; absent for SOL. */
  source: Type.Optional(addressText),
  destination: Type.Optional(addressText),
  fee: Type.Optional(
    Type.Object({ account: addressText, side: Type.Union([Type.Literal('input'), Type.Literal('output')]) }),
  ),
  tip: Type.Optional(Type.Object({ account: addressText, lamports: digits })),
  hops: Type.Array(
    Type.Object({
      inputMint: addressText,
      outputMint: addressText,
      vaultIn: Type.Optional(addressText),
      vaultOut: Type.Optional(addressText),
    }),
  ),
  maker: Type.Optional(
    Type.Object({
      /** The id under which the maker is registered. */
      id: Type.String(),
      address: addressText,
      requestId: Type.String(),
      quoteId: Type.String(),
      /** Unix seconds. */
      expireAt: Type.Number(),
    }),
  ),
});
export type SwapPayload = Static<typeof SwapPayload>;

/** @throws PayloadMismatch */
export const readPayload = payloadReader(SwapPayload);

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
      inputMint,
      outputMint,
      ...(vaultIn && vaultOut && { vaultIn, vaultOut }),
    })),
    ...(maker && { maker }),
  };
}
