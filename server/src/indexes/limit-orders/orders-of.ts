import type { LimitOrderEvent, LimitOrderRow, LimitOrderTerms, PlacedOrderEvent } from '../../store/limit-orders.js';

const ALL_BPS = 10_000n;

/** An order as its events tell it. */
export type FoldedOrder = Omit<LimitOrderRow, 'number'>;

/** An order while its events are folded; `feeBps` is for computing the fees of its trades. */
type Growing = FoldedOrder & { feeBps: number };
type Trade = { placed: PlacedOrderEvent; event: Extract<LimitOrderEvent, { kind: 'traded' }> };

/**
 * Folds the events of an address, oldest first, into the orders that were there. Events of an order whose opening is
 * unknown are left out until it is known.
 */
export function ordersOf(program: string, events: readonly PlacedOrderEvent[]): FoldedOrder[] {
  const orders: Growing[] = [];
  let open: Growing | undefined;
  // Trades seen before the order's terms are known; an event from its account may still bring them.
  let pending: Trade[] = [];
  for (const [index, placed] of events.entries()) {
    const { event } = placed;
    if (event.kind === 'gone' && open && !isRefuted(placed, events[index + 1])) close(open, placed, 'closed');
    if (event.kind === 'refused') orders.push(newOrder(program, placed, event.terms, 'failed'));
    if (event.kind === 'opened') {
      // An address holds one open order at a time, so this is the opening of the one that its account told of.
      if (open) orders.splice(orders.indexOf(open), 1);
      open = newOrder(program, placed, event.terms, 'open');
      orders.push(open);
    }
    if (event.kind === 'seen') {
      if (!open) {
        open = { ...newOrder(program, placed, event.terms, 'open'), createdAt: new Date(event.createdAt * 1_000) };
        for (const trade of pending) addTrade(open, trade);
        open.updatedAt = placed.at;
        orders.push(open);
      }
      // In the slot in which one order replaced another, the account event may come before the close of the older one.
      if (hasTerms(open, event.terms)) {
        open.remainingMakingAmount = BigInt(event.remainingMakingAmount);
        open.remainingTakingAmount = BigInt(event.remainingTakingAmount);
      }
    }
    if (event.kind === 'traded') {
      if (open) addTrade(open, { placed, event });
      else pending = event.remainingMakingAmount === '0' ? [] : [...pending, { placed, event }];
    }
    if (event.kind === 'closed' && open) {
      close(open, placed, event.isDust || event.signers.includes(open.maker) ? 'cancelled' : 'expired');
    }
    if (open?.state !== 'open') open = undefined;
    if (event.kind === 'opened' || event.kind === 'seen' || event.kind === 'closed') pending = [];
  }
  return orders.map(({ feeBps: _, ...order }) => order);
}

/** Whether the event after a `gone` shows that the order was still there: the node had an incomplete view. */
function isRefuted(gone: PlacedOrderEvent, next: PlacedOrderEvent | undefined): boolean {
  if (next?.event.kind === 'seen') return next.event.createdAt * 1_000 <= gone.at.getTime();
  return next?.event.kind === 'traded' || next?.event.kind === 'closed';
}

function hasTerms(order: Growing, { makingAmount, takingAmount, expiredAt, ...terms }: LimitOrderTerms): boolean {
  return (
    `${order.makingAmount}` === makingAmount &&
    `${order.takingAmount}` === takingAmount &&
    (order.expiredAt === null ? null : `${order.expiredAt}`) === expiredAt &&
    order.inputMint === terms.inputMint &&
    order.outputMint === terms.outputMint
  );
}

function newOrder(
  program: string,
  { orderKey, txId, at, slot, position }: PlacedOrderEvent,
  { maker, inputMint, outputMint, feeBps, slippageBps, ...terms }: LimitOrderTerms,
  state: 'open' | 'failed',
): Growing {
  const [makingAmount, takingAmount] = [BigInt(terms.makingAmount), BigInt(terms.takingAmount)];
  return {
    orderKey,
    openTx: txId,
    program,
    maker,
    inputMint,
    outputMint,
    makingAmount,
    takingAmount,
    remainingMakingAmount: makingAmount,
    remainingTakingAmount: takingAmount,
    feeBps,
    slippageBps,
    expiredAt: terms.expiredAt === null ? null : BigInt(terms.expiredAt),
    state,
    closeTx: '',
    createdAt: at,
    updatedAt: at,
    trades: [],
    slot,
    position,
  };
}

function addTrade(order: Growing, { placed, event }: Trade): void {
  const takingAmount = BigInt(event.takingAmount);
  order.trades.push({
    txId: placed.txId,
    keeper: event.keeper,
    makingAmount: BigInt(event.makingAmount),
    takingAmount,
    feeAmount: (takingAmount * BigInt(order.feeBps)) / ALL_BPS,
    confirmedAt: placed.at,
  });
  order.remainingMakingAmount = BigInt(event.remainingMakingAmount);
  order.remainingTakingAmount = BigInt(event.remainingTakingAmount);
  change(order, placed);
  if (order.remainingMakingAmount === 0n) close(order, placed, 'completed');
}

function close(order: Growing, event: PlacedOrderEvent, state: LimitOrderRow['state']): void {
  order.state = state;
  order.closeTx = event.txId;
  change(order, event);
}

function change(order: Growing, { at, slot, position }: PlacedOrderEvent): void {
  Object.assign(order, { updatedAt: at, slot, position });
}
