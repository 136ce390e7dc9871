import type { Address } from '@slipway/wire';
import { AppError } from '../../errors/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { triggerOrderEvents } from '../../store/trigger-order-events.js';
import { findTriggerOrder } from '../../store/trigger-orders.js';
import { explainOrder } from '../../trigger-orders/explain-order.js';
import { type TriggerV2Deps, tags, walletRoute } from './deps.js';
import { OrderExplained, OrderParams } from './schema.js';

export function registerExplainOrder(app: TypedServer, deps: TriggerV2Deps): void {
  app.get(
    '/trigger/v2/orders/history/:orderId/explanation',
    {
      config: { ...walletRoute, errors: { 404: 'Order not found' } },
      schema: {
        tags,
        summary: 'Say why an order of the wallet has fired or not',
        description: 'Its triggers, the price that the service sees now, and what the order waits for.',
        params: OrderParams,
        response: { 200: OrderExplained },
      },
    },
    ({ wallet, params }) => explainOwnOrder(deps, wallet, params.orderId),
  );
}

/** @throws AppError: 404 if the order does not exist, 403 if it is another wallet's. */
async function explainOwnOrder(
  { store, clock, landing, tick, whyNothingFills }: TriggerV2Deps,
  wallet: Address,
  id: string,
): Promise<OrderExplained> {
  const order = await findTriggerOrder(store, id);
  if (!order) throw new AppError('NOT_FOUND', { message: 'Order not found' });
  if (order.wallet !== wallet) throw new AppError('FORBIDDEN', { message: 'Forbidden: this order is not yours' });
  const [events, isOurs, shortage] = await Promise.all([
    triggerOrderEvents(store, wallet, [id]),
    landing.vouchesForOrder(order),
    whyNothingFills(),
  ]);
  const now = { price: tick(order.triggerMint as Address), isOurs, shortage, at: clock.now() };
  const reasons = explainOrder({ ...order, ...order.progress }, events, now);
  return { id, rawState: order.progress.state, reasons };
}
