import type { LimitOrderEvent, LimitOrderRow, LimitOrderTerms, PlacedOrderEvent } from '../../store/limit-orders.js';

const ALL_BPS = 10_000n;

/** An order while its events are gone through; the fee of its trades is reckoned when its terms are known. */
type Growing = Omit<LimitOrderRow, 'number'> & { feeBps: number };
type Trade = { placed: PlacedOrderEvent; event: Extract<LimitOrderEvent, { kind: 'traded' }> };

/**
 * The orders that were at an address, by all that is known of it, the oldest event first. What belongs to an order whose
 * opening is not known is left out until it is.
 */
export function ordersOf(program: string, events: readonly PlacedOrderEvent[]): LimitOrderRow[] {
  const orders: Growing[] = [];
  let open: Growing | undefined;
  // Of an order whose terms are not known yet: its account may tell them.
  let pending: Trade[] = [];
  for (const [index, placed] of events.entries()) {
    const { event } = placed;
    if (event.kind === 'gone' && open && !isRefuted(placed, events[index + 1])) close(open, placed, 'closed');
    if (event.kind === 'refused') orders.push(newOrder(program, placed, event.terms, 'failed'));
    if (event.kind === 'opened') {
      // Nothing can be opened where something is open: then it is the opening of what its account has told of.
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
      // Read in the slot in which one order followed another, it may stand before the end of the one it does not tell of.
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
  return orders.map(({ feeBps: _, ...order }, number) => ({ ...order, number }));
}

/** Whether what came after an order was missed shows that it was there all the time: a node had not told all. */
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
