import { verify } from '@slipway/wire';
import type { Signer } from '../signer/index.js';
import type { TriggerOrderRow } from '../store/trigger-orders.js';

/** The seal of a ledger row begins differently. */
const PURPOSE = 'slipway trigger order 1\n';

/** The seal of a trigger order: made when it is created, and whenever its owner changes its terms. */
export function sealOfOrder(signer: Pick<Signer, 'sign'>, order: Omit<TriggerOrderRow, 'seal'>): Promise<Uint8Array> {
  return signer.sign('seal', bytesOf(order));
}

/** Whether an order's facts and terms are those that the service has stored for its owner. */
export async function isAsOrdered(signer: Pick<Signer, 'publicKey'>, order: TriggerOrderRow): Promise<boolean> {
  return order.seal !== null && verify(await signer.publicKey('seal'), bytesOf(order), order.seal);
}

/** Everything but the progress and the marks of a trailing order, which keepers write. */
function bytesOf({ progress: { type, entry }, ...order }: Omit<TriggerOrderRow, 'seal'>): Uint8Array {
  const facts = [
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
  return Buffer.from(PURPOSE + JSON.stringify([facts, terms]));
}
