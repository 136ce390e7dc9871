import type { Address } from '@slipway/wire';
import { AppError } from '../../errors/index.js';
import { findOrder, editOrder as writeTerms } from '../../store/orders.js';
import type { TriggerV2Deps } from './deps.js';
import { editTerms } from './order-terms.js';
import type { EditAnswer, EditBody } from './schema.js';

/** Changes the terms of an open order. @throws AppError: 404 unless it is the wallet's own, 400 when it is not open. */
export async function editOrder(deps: TriggerV2Deps, wallet: Address, id: string, body: EditBody): Promise<EditAnswer> {
  const order = await findOrder(deps.store, id);
  if (order?.wallet !== wallet) throw new AppError('NOT_FOUND', { message: 'Order not found' });
  if (order.progress.state !== 'open') throw notOpen();
  const { type, stage } = order.progress;
  const now = deps.clock.now();
  const terms = editTerms({ ...order, type, stage }, body, now, deps.prices.usd(order.triggerMint as Address));
  const edited = await deps.store.transaction((tx) => writeTerms(tx, { wallet, id }, terms, new Date(now)));
  if (!edited) throw notOpen();
  return { id };
}

function notOpen(): AppError {
  return new AppError('INVALID_REQUEST', { message: 'Only open orders can be updated' });
}
