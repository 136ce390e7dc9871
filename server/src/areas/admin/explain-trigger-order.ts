import type { Address } from '@slipway/wire';
import { AppError } from '../../errors/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { triggerOrderEvents } from '../../store/trigger-order-events.js';
import { findTriggerOrder } from '../../store/trigger-orders.js';
import { explainOrder } from '../../trigger-orders/explain-order.js';
import { type AdminDeps, adminRoute } from './deps.js';
import { OrderExplanation, OrderParams } from './schema.js';

export function registerExplainOrder(app: TypedServer, deps: AdminDeps): void {
  const { store, clock, tick, keeperShortage, vouchesForOrder } = deps;
  app.get(
    '/admin/v1/orders/:id/explanation',
    {
      config: { ...adminRoute, errors: { 404: 'There is no order with this id' } },
      schema: {
        tags: ['Admin'],
        summary: 'Say why a trigger order has fired or not',
        description: 'Its triggers, the price that the service sees now, and what the keeper waits for.',
        params: OrderParams,
        response: { 200: OrderExplanation },
      },
    },
    async ({ params: { id } }) => {
      const order = await findTriggerOrder(store, id);
      if (!order) throw new AppError('NOT_FOUND', { message: 'There is no order with this id' });
      const events = await triggerOrderEvents(store, order.wallet, [id]);
      const now = {
        price: tick?.(order.triggerMint as Address),
        isOurs: await vouchesForOrder?.(order),
        shortage: await keeperShortage?.(),
        at: clock.now(),
      };
      return {
        id,
        state: order.progress.state,
        reasons: explainOrder({ ...order, ...order.progress }, events, now),
      };
    },
  );
}
