import { roundedUsd } from '../../lib/decimal.js';
import { withoutNulls } from '../../lib/without-nulls.js';
import type { TriggerOrderEventRow } from '../../store/trigger-order-events.js';
import type { TriggerOrderRow } from '../../store/trigger-orders.js';
import { fillPercent } from '../../trigger-orders/order.js';
import { thresholdOf, triggersOf } from '../../trigger-orders/order-triggers.js';
import { shownState } from '../../trigger-orders/state.js';
import type { HistoryEvent, HistoryRow } from './schema.js';

/** An order as its owner sees it, with its first `most` of these events; terms that it does not have are left out. */
export function orderAnswer(order: TriggerOrderRow, events: readonly TriggerOrderEventRow[], most: number): HistoryRow {
  const { progress } = order;
  const own = events.filter(({ orderId }) => orderId === order.id);
  const { initial, remaining, received } = progress.entry;
  const { state } = progress;
  return {
    id: order.id,
    orderType: progress.type,
    orderState: shownState(state),
    rawState: state,
    userPubkey: order.wallet,
    privyWalletPubkey: order.vault,
    inputMint: order.inputMint,
    outputMint: order.outputMint,
    triggerMint: order.triggerMint,
    initialInputAmount: initial.toString(),
    remainingInputAmount: remaining.toString(),
    ...withoutNulls({
      triggerCondition: order.triggerCondition,
      triggerPriceUsd: order.trailingBps === null ? order.triggerPriceUsd : followingPrice(order),
      slippageBps: order.slippageBps,
      tpPriceUsd: order.tpPriceUsd,
      slPriceUsd: order.slPriceUsd,
      tpSlippageBps: order.tpSlippageBps,
      slSlippageBps: order.slSlippageBps,
    }),
    trailingBps: order.trailingBps,
    highWatermark: order.highWatermark,
    lowWatermark: order.lowWatermark,
    expiresAt: order.expiresAt.getTime(),
    createdAt: order.createdAt.getTime(),
    updatedAt: order.updatedAt.getTime(),
    triggeredAt: order.triggeredAt?.getTime() ?? null,
    outputAmount: received > 0n ? received.toString() : null,
    inputUsed: remaining < initial ? (initial - remaining).toString() : null,
    fillPercent: fillPercent(progress),
    events: own.slice(0, most).map(eventAnswer),
    ...(own.length > most && { hasMoreEvents: true }),
  };
}

/** The price at which a trailing order fires now, in USD. */
function followingPrice(order: TriggerOrderRow): number | null {
  const { type, stage } = order.progress;
  const [trigger] = triggersOf({ ...order, type, stage });
  return trigger ? roundedUsd(thresholdOf(trigger)) : null;
}

function eventAnswer(event: TriggerOrderEventRow): HistoryEvent {
  const { type, state, at, signature, mint, amount, outputMint, outputAmount, context } = event;
  return {
    type,
    timestamp: at.getTime(),
    state,
    ...withoutNulls({
      txSignature: signature,
      mint,
      amount: amount?.toString() ?? null,
      outputMint,
      outputAmount: outputAmount?.toString() ?? null,
      orderContext: context,
    }),
  };
}
