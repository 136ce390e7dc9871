import { decodeTokenAccount } from '@slipway/wire';
import type { Deaths } from '../../landing/index.js';
import { findRequest } from '../../store/ledger.js';
import { type PendingFill, pendingAmong } from '../../store/trigger-order-fills.js';
import { findTriggerOrder, lockTriggerOrders } from '../../store/trigger-orders.js';
import type { FillDeps } from './deps.js';
import { saleOf, thereBefore } from './sale.js';
import { loseFill } from './settlement.js';

type Deps = Pick<FillDeps, 'store' | 'chain' | 'clock' | 'log' | 'landing'>;

/**
 * Whether a fill that was told landed shows not to have: it can land no more, no node has it, and its order's account holds all that
 * was there before it, at a node that is not behind. `said`: what nodes have said before of when it died.
 * @throws Outage
 */
export async function hasNotLanded({ store, chain, landing }: Deps, fill: PendingFill, said: Deaths): Promise<boolean> {
  const [request, order] = await Promise.all([
    findRequest(store, fill.requestId),
    findTriggerOrder(store, fill.orderId),
  ]);
  const death = request && (await landing.unlandedAt(request, said));
  if (death === undefined || !order) return false;
  const sale = saleOf(order);
  const { account, slot } = await chain.accountReading(sale.source);
  const held = account && decodeTokenAccount(account.data)?.amount;
  return slot >= death && held !== undefined && held >= thereBefore(sale, fill);
}

/** Has the order of a fill that was told landed, and has not, wait for its next try, or for its owner to withdraw it. */
export async function recordLost({ store, clock, log }: Deps, fill: PendingFill): Promise<void> {
  const { requestId: id, orderId, signature, offered: amount } = fill;
  const isRecorded = await store.transaction(async (tx) => {
    await lockTriggerOrders(tx, [orderId], { skip: false });
    // Another keeper may have recorded it, and sent the next one.
    if (!(await pendingAmong(tx, [fill])).has(id)) return false;
    await loseFill(tx, { id, orderId, amount, signature, at: new Date(clock.now()), isPaid: false });
    return true;
  });
  if (isRecorded)
    log.error({ order: orderId, signature }, 'a fill that a node has told as landed has not: its order goes on');
}
