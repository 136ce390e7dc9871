import type { EventKind, NewEvent } from '../../store/event-outbox.js';
import type { LimitOrderRow } from '../../store/limit-orders.js';

/** What has happened to an order since a time, for its maker. Only what a transaction has done, which names it. */
export function orderNews(order: LimitOrderRow, since: Date): NewEvent[] {
  const { state, openTx, closeTx, makingAmount, takingAmount, trades, createdAt, updatedAt } = order;
  const news: NewEvent[] = [];
  const add = (
    kind: EventKind,
    signature: string,
    at: Date,
    amounts: { input: bigint; output: bigint } | undefined,
  ) => {
    if (signature !== '' && at >= since) news.push(newsOf(order, { kind, signature, at, amounts }));
  };
  const all = { input: makingAmount, output: takingAmount };
  add(state === 'failed' ? 'order.failed' : 'order.opened', openTx, createdAt, all);
  for (const [index, { txId, confirmedAt, makingAmount: input, takingAmount: output }] of trades.entries()) {
    const isLast = state === 'completed' && index === trades.length - 1;
    add(isLast ? 'order.filled' : 'order.partly_filled', txId, confirmedAt, { input, output });
  }
  if (state === 'cancelled' || state === 'expired') add(`order.${state}`, closeTx, updatedAt, undefined);
  return news;
}

interface News {
  kind: EventKind;
  signature: string;
  at: Date;
  amounts: { input: bigint; output: bigint } | undefined;
}

function newsOf(order: LimitOrderRow, { kind, signature, at, amounts }: News): NewEvent {
  const { orderKey, maker, inputMint, outputMint, openTx } = order;
  return {
    kind,
    at,
    wallets: [maker],
    begunBy: openTx === '' ? undefined : { signature: openTx },
    once: `${kind} ${signature} ${orderKey}`,
    data: {
      api: 'trigger/v1',
      order: orderKey,
      inputMint,
      outputMint,
      ...(amounts && { inputAmount: amounts.input.toString(), outputAmount: amounts.output.toString() }),
      signature,
    },
  };
}
