import { verify } from '@slipway/wire';
import { bytesOfOrder, type Signer } from '../signer/index.js';
import type { TriggerOrderRow } from '../store/trigger-orders.js';

/** Whether an order's facts and terms are those that the service has stored for its owner. */
export async function isAsOrdered(signer: Pick<Signer, 'publicKey'>, order: TriggerOrderRow): Promise<boolean> {
  return order.seal !== null && verify(await signer.publicKey('seal'), bytesOfOrder(order), order.seal);
}
