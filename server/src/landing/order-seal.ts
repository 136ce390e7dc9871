import { verify } from '@slipway/wire';
import { bytesOfOrder, type SealedOrder, type Signer } from '../signer/index.js';
import type { TriggerOrderRow } from '../store/trigger-orders.js';

/** The seal of a trigger order: made when it is created, and whenever its owner changes its terms. */
export function sealOfOrder(signer: Pick<Signer, 'sign'>, order: SealedOrder): Promise<Uint8Array> {
  return signer.sign('seal', bytesOfOrder(order));
}

/** Whether an order's facts and terms are those that the service has stored for its owner. */
export async function isAsOrdered(signer: Pick<Signer, 'publicKey'>, order: TriggerOrderRow): Promise<boolean> {
  return order.seal !== null && verify(await signer.publicKey('seal'), bytesOfOrder(order), order.seal);
}
