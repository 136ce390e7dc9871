import type { TriggerOrderEventRow } from '../../store/trigger-order-events.js';
import type { TriggerOrderRow } from '../../store/trigger-orders.js';
import { fillPercent } from '../../trigger-orders/order.js';
import { shownState } from '../../trigger-orders/state.js';
import type { HistoryEvent, HistoryRow } from './schema.js';

/** An order as its owner sees it. */
export function orderAnswer(order: TriggerOrderRow, events: readonly TriggerOrderEventRow[]): HistoryRow {
  const { progress } = order;
  const { initial, remaining, received } = progress.entry;
  const { state } = progress;
  const isPair = progress.type !== 'single';
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
    triggerCondition: order.triggerCondition,
    triggerPriceUsd: order.triggerPriceUsd,
    slippageBps: order.slippageBps,
    trailingBps: order.trailingBps,
    highWatermark: order.highWatermark,
    lowWatermark: order.lowWatermark,
    ...(isPair && { tpPriceUsd: order.tpPriceUsd, slPriceUsd: order.slPriceUsd }),
    ...(isPair && { tpSlippageBps: order.tpSlippageBps, slSlippageBps: order.slSlippageBps }),
    expiresAt: order.expiresAt.getTime(),
    createdAt: order.createdAt.getTime(),
    updatedAt: order.updatedAt.getTime(),
    triggeredAt: order.triggeredAt?.getTime() ?? null,
    outputAmount: received > 0n ? received.toString() : null,
    inputUsed: remaining < initial ? (initial - remaining).toString() : null,
    fillPercent: fillPercent(progress),
    events: events.filter(({ orderId }) => orderId === order.id).map(eventAnswer),
  };
}

function eventAnswer(event: TriggerOrderEventRow): HistoryEvent {
  const { type, state, at, signature, mint, amount, outputMint, outputAmount, context } = event;
  return {
    type,
    timestamp: at.getTime(),
    state,
    ...(signature !== null && { txSignature: signature }),
    ...(mint !== null && { mint }),
    ...(amount !== null && { amount: amount.toString() }),
    ...(outputMint !== null && { outputMint }),
    ...(outputAmount !== null && { outputAmount: outputAmount.toString() }),
    ...(context !== null && { orderContext: context }),
  };
}
