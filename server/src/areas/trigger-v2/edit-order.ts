import type { Address } from '@slipway/wire';
import { AppError } from '../../errors/index.js';
import { sealOfOrder } from '../../landing/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { lockTriggerOrders, editTriggerOrder as writeTerms } from '../../store/trigger-orders.js';
import { type TriggerV2Deps, tags, walletRoute } from './deps.js';

import { editTerms } from './order-terms.js';
import { EditAnswer, EditBody, OrderParams } from './schema.js';

export function registerEditOrder(app: TypedServer, deps: TriggerV2Deps): void {
  app.patch(
    '/trigger/v2/orders/price/:orderId',
    {
      config: { ...walletRoute, errors: { 404: 'Order not found' } },
      schema: {
        tags,
        summary: 'Change the terms of an open order',
        description: 'Only while the order is `open`. Fields that are left out stay as they are.',
        params: OrderParams,
        body: EditBody,
        response: { 200: EditAnswer },
      },
    },
    ({ wallet, params, body }) => editOrder(deps, wallet, params.orderId, body),
  );
}

type EditDeps = Pick<TriggerV2Deps, 'store' | 'clock' | 'prices' | 'signer'> & {
  landing: Pick<TriggerV2Deps['landing'], 'vouchesForOrder'>;
};

/**
 * Changes the terms of an open order. They are read under the order's lock, because a keeper moves the mark of a
 * trailing order at any time, and another edit may be under way.
 * @throws AppError: 404 unless the order is the wallet's own, 400 if it is not open.
 */
export async function editOrder(
  { store, clock, prices, signer, landing }: EditDeps,
  wallet: Address,
  id: string,
  body: EditBody,
): Promise<EditAnswer> {
  return store.transaction(async (tx) => {
    const [order] = await lockTriggerOrders(tx, [id], { skip: false });
    if (order?.wallet !== wallet) throw new AppError('NOT_FOUND', { message: 'Order not found' });
    if (order.progress.state !== 'open') {
      throw new AppError('INVALID_REQUEST', { message: 'Only open orders can be updated' });
    }
    // A new seal would make good what somebody else has written into the row.
    if (!(await landing.vouchesForOrder(order))) {
      throw new AppError('INVALID_REQUEST', { message: 'This order cannot be changed: cancel it, and make another' });
    }
    const { type, stage } = order.progress;
    const now = clock.now();
    const price = prices.forOrders(order.triggerMint as Address);
    const terms = editTerms({ ...order, type, stage }, body, now, 'none' in price ? undefined : price.usd);
    const seal = await sealOfOrder(signer, { ...order, ...terms });
    await writeTerms(tx, { wallet, id }, { ...terms, seal }, new Date(now));
    return { id };
  });
}
