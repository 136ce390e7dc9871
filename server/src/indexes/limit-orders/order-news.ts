import type { EventKind, NewEvent } from '../../store/event-outbox.js';
import type { LimitOrderRow } from '../../store/limit-orders.js';
import type { OrderChanges } from './changed-orders.js';

/** What has happened to the orders of an address since a time, and was not told when the rows that give way were written. */
export function newsOfChange({ gone, made }: OrderChanges, since: Date): NewEvent[] {
  const told = new Set(gone.flatMap((row) => orderNews(row, since)).map(({ once }) => once));
  return made.flatMap((row) => orderNews(row, since)).filter(({ once }) => !told.has(once));
}

/** What has happened to an order since a time, for its maker. Only what a transaction has done, which names it. */
function orderNews(order: LimitOrderRow, since: Date): NewEvent[] {
  const { state, openTx, closeTx, makingAmount, takingAmount, trades, createdAt, updatedAt } = order;
  const news: NewEvent[] = [];
  const add = (
    kind: EventKind,
    signature: string,
    at: Date,
    amounts: { input: bigint; output: bigint } | undefined,
    part = 1,
  ) => {
    if (signature !== '' && at >= since) news.push(newsOf(order, { kind, signature, at, amounts, part }));
  };
  const all = { input: makingAmount, output: takingAmount };
  add(state === 'failed' ? 'order.failed' : 'order.opened', openTx, createdAt, all);
  const parts = new Map<string, number>();
  for (const [index, { txId, confirmedAt, makingAmount: input, takingAmount: output }] of trades.entries()) {
    const isLast = state === 'completed' && index === trades.length - 1;
    const kind = isLast ? 'order.filled' : 'order.partly_filled';
    const part = (parts.get(`${kind} ${txId}`) ?? 0) + 1;
    parts.set(`${kind} ${txId}`, part);
    add(kind, txId, confirmedAt, { input, output }, part);
  }
  if (state === 'cancelled' || state === 'expired') add(`order.${state}`, closeTx, updatedAt, undefined);
  return news;
}

interface News {
  kind: EventKind;
  signature: string;
  at: Date;
  amounts: { input: bigint; output: bigint } | undefined;
  /** Of those that one transaction has filled of the order, from 1. */
  part: number;
}

function newsOf(order: LimitOrderRow, { kind, signature, at, amounts, part }: News): NewEvent {
  const { orderKey, maker, inputMint, outputMint, openTx } = order;
  return {
    kind,
    at,
    wallets: [maker],
    begunBy: openTx === '' ? undefined : { signature: openTx },
    once: `${kind} ${signature} ${orderKey}${part > 1 ? ` ${part}` : ''}`,
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
