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
  const add = (kind: EventKind, signature: string, at: Date, amounts?: Amounts) => {
    if (signature !== '' && at >= since) news.push(newsOf(order, { kind, signature, at, amounts }));
  };
  const all = { input: makingAmount, output: takingAmount };
  add(state === 'failed' ? 'order.failed' : 'order.opened', openTx, createdAt, all);
  const last = state === 'completed' ? trades.at(-1)?.txId : undefined;
  for (const { txId, at, ...amounts } of fillsOf(trades)) {
    add(txId === last ? 'order.filled' : 'order.partly_filled', txId, at, amounts);
  }
  if (state === 'cancelled' || state === 'expired') add(`order.${state}`, closeTx, updatedAt);
  return news;
}

/** What each transaction has filled of an order: anybody may fill it in a dozen parts for one fee. */
function fillsOf(trades: LimitOrderRow['trades']): ({ txId: string; at: Date } & Amounts)[] {
  const fills = new Map<string, { txId: string; at: Date } & Amounts>();
  for (const { txId, confirmedAt, makingAmount, takingAmount } of trades) {
    const { input, output } = fills.get(txId) ?? { input: 0n, output: 0n };
    fills.set(txId, { txId, at: confirmedAt, input: input + makingAmount, output: output + takingAmount });
  }
  return [...fills.values()];
}

interface Amounts {
  input: bigint;
  output: bigint;
}

interface News {
  kind: EventKind;
  signature: string;
  at: Date;
  amounts: Amounts | undefined;
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
