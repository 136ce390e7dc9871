import type { Address } from '@slipway/wire';
import { AppError, requireAddress } from '../../errors/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { MOST_EVENTS, triggerOrderEvents } from '../../store/trigger-order-events.js';
import { findTriggerOrder, listTriggerOrders, type TriggerOrderRow } from '../../store/trigger-orders.js';
import { isActive, RAW_STATES } from '../../trigger-orders/state.js';
import { type TriggerV2Deps, tags, walletRoute } from './deps.js';

import { orderAnswer } from './order-answer.js';
import { HistoryAnswer, HistoryQuery, HistoryRow, OrderParams } from './schema.js';

export function registerListOrders(app: TypedServer, deps: TriggerV2Deps): void {
  app.get(
    '/trigger/v2/orders/history',
    {
      config: { ...walletRoute, errors: { 404: 'Order not found' } },
      schema: {
        tags,
        summary: 'The orders of the wallet',
        description:
          'The newest change first, or as `sort` and `dir` say. With `id`, that order alone. Of more than ten orders, each comes with fewer of its events: 1,000 together.',
        querystring: HistoryQuery,
        response: { 200: HistoryAnswer },
      },
    },
    ({ wallet, query }) => history(deps, wallet, query),
  );
}

export function registerShowOrder(app: TypedServer, deps: TriggerV2Deps): void {
  app.get(
    '/trigger/v2/orders/history/:orderId',
    {
      config: { ...walletRoute, errors: { 404: 'Order not found' } },
      schema: {
        tags,
        summary: 'One order of the wallet',
        description: 'With the newest 100 events that have happened to it.',
        params: OrderParams,
        response: { 200: HistoryRow },
      },
    },
    ({ wallet, params }) => showOrder(deps, wallet, params.orderId),
  );
}

/** The wallet's orders; with `id`, only that one. */
export async function history(deps: TriggerV2Deps, wallet: Address, query: HistoryQuery): Promise<HistoryAnswer> {
  if (query.id !== undefined) return showOrder(deps, wallet, query.id);
  const { state, sort = 'updated_at', dir = 'desc', limit = 20, offset = 0 } = query;
  const mint = query.mint === undefined ? undefined : requireAddress('mint', query.mint);
  const { orders, total } = await listTriggerOrders(deps.store, {
    wallet,
    ...statesOf(state),
    mint,
    sort,
    dir,
    limit,
    offset,
  });
  return { orders: await withEvents(deps, wallet, orders), pagination: { total, limit, offset } };
}

/** One order. @throws AppError: 404 if it does not exist, 403 if it is another wallet's. */
export async function showOrder({ store }: TriggerV2Deps, wallet: Address, id: string): Promise<HistoryRow> {
  const order = await findTriggerOrder(store, id);
  if (!order) throw new AppError('NOT_FOUND', { message: 'Order not found' });
  if (order.wallet !== wallet) throw new AppError('FORBIDDEN', { message: 'Forbidden: this order is not yours' });
  return (await withEvents({ store }, wallet, [order]))[0]!;
}

/** The most events of one page. */
const MOST_OF_PAGE = 1_000;

async function withEvents(
  { store }: Pick<TriggerV2Deps, 'store'>,
  wallet: Address,
  orders: readonly TriggerOrderRow[],
): Promise<HistoryRow[]> {
  const most = Math.min(MOST_EVENTS, Math.floor(MOST_OF_PAGE / orders.length));
  const ids = orders.map(({ id }) => id);
  // One more tells whether there are more.
  const events = await triggerOrderEvents(store, wallet, ids, most + 1);
  return orders.map((order) => orderAnswer(order, events, most));
}

function statesOf(state: HistoryQuery['state']) {
  const unexpired = RAW_STATES.filter((raw) => raw !== 'expired');
  if (state === undefined) return { states: unexpired, expired: 'all' as const };
  const active = state === 'active';
  return {
    states: unexpired.filter((raw) => isActive(raw, true) === active),
    expired: active ? ('funded' as const) : ('empty' as const),
  };
}
