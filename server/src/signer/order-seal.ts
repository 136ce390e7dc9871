/** What the seal of a trigger order covers: its facts and terms, not what keepers write. */
export interface SealedOrder {
  id: string;
  wallet: string;
  depositRequestId: string;
  vault: string;
  inputMint: string;
  outputMint: string;
  triggerMint: string;
  inputAccount: string;
  outputAccount: string | null;
  progress: { type: string; entry: { initial: bigint } };
  triggerCondition: string | null;
  triggerPriceUsd: number | null;
  trailingBps: number | null;
  tpPriceUsd: number | null;
  slPriceUsd: number | null;
  slippageBps: number | null;
  tpSlippageBps: number | null;
  slSlippageBps: number | null;
  expiresAt: Date;
}

/** The seal of a ledger row begins differently, and no transaction message begins like either. */
const PURPOSE = 'slipway trigger order 1\n';

/** What an order is, which no edit changes. */
export function factsOfOrder({ progress: { type, entry }, ...order }: SealedOrder): (string | null)[] {
  return [
    order.id,
    order.wallet,
    order.depositRequestId,
    order.vault,
    order.inputMint,
    order.outputMint,
    order.triggerMint,
    order.inputAccount,
    order.outputAccount,
    type,
    entry.initial.toString(),
  ];
}

/** Everything but the progress and the marks of a trailing order, which keepers write. */
export function bytesOfOrder(order: SealedOrder): Uint8Array {
  const terms = [
    order.triggerCondition,
    order.triggerPriceUsd,
    order.trailingBps,
    order.tpPriceUsd,
    order.slPriceUsd,
    order.slippageBps,
    order.tpSlippageBps,
    order.slSlippageBps,
    order.expiresAt.getTime(),
  ];
  return Buffer.from(PURPOSE + JSON.stringify([factsOfOrder(order), terms]));
}
