import { currentTrade, type Order, type OrderEvent } from '../trigger-orders/order.js';
import type { EventKind, NewEvent } from './event-outbox.js';
import type { TriggerOrderEventRow } from './trigger-order-events.js';
import type { TriggerOrderRow } from './trigger-orders.js';

/** What the owner of an order hears of a change of it; `history`: what the change has written into its history. */
export function orderEvents(
  before: Order,
  event: OrderEvent,
  after: TriggerOrderRow,
  history: readonly TriggerOrderEventRow[],
): NewEvent[] {
  const kind = kindOf(before, event, after.progress);
  if (!kind) return [];
  const { id, wallet, depositRequestId, inputMint, outputMint, updatedAt } = after;
  const isExit = before.stage === 'exit';
  return [
    {
      kind,
      at: updatedAt,
      wallets: [wallet],
      begunBy: { requestId: depositRequestId },
      data: {
        api: 'trigger/v2',
        order: id,
        type: after.progress.type,
        stage: before.stage,
        leg: after.progress.fired ?? before.fired,
        inputMint: isExit ? outputMint : inputMint,
        outputMint: isExit ? inputMint : outputMint,
        remainingAmount: currentTrade(
          isExit ? after.progress : { ...after.progress, stage: 'entry' },
        ).remaining.toString(),
        ...(event.type === 'fill_landed' && {
          inputAmount: event.input.toString(),
          outputAmount: event.output.toString(),
        }),
        signature: history.find(({ signature }) => signature !== null)?.signature ?? null,
      },
    },
  ];
}

function kindOf(before: Order, event: OrderEvent, after: Order): EventKind | undefined {
  const { initial, remaining } = currentTrade(before);
  switch (event.type) {
    case 'deposit_landed':
      return 'order.opened';
    case 'sent':
      // Further attempts follow from the same trigger.
      return before.failures === 0 && remaining === initial ? 'order.triggered' : undefined;
    case 'fill_landed':
      // What is in the vault after the entry is sold by the exit.
      return event.whole && after.type === 'otoco' && before.stage === 'entry'
        ? 'order.partly_filled'
        : event.whole
          ? 'order.filled'
          : 'order.partly_filled';
    case 'withdrawn':
      return 'order.cancelled';
    // It trades no more, and its owner withdraws what it holds.
    case 'deposit_found':
    case 'expired':
      return 'order.expired';
    case 'deposit_lost':
    case 'gave_up':
      return 'order.failed';
    default:
      return undefined;
  }
}
