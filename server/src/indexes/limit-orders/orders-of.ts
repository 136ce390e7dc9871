import type { LimitOrderEvent, LimitOrderFact, LimitOrderRow, LimitOrderTerms } from '../../store/limit-orders.js';

const ALL_BPS = 10_000n;

/** An order while its events are gone through; the fee of its trades is reckoned when its terms are known. */
type Growing = Omit<LimitOrderRow, 'number'> & { feeBps: number };
type Trade = { event: LimitOrderEvent; fact: Extract<LimitOrderFact, { kind: 'traded' }> };

/**
 * The orders that were at an address, by all that is known of it, the oldest event first. What belongs to an order whose
 * opening is not known is left out until it is.
 */
export function ordersOf(program: string, events: readonly LimitOrderEvent[]): LimitOrderRow[] {
  const orders: Growing[] = [];
  let open: Growing | undefined;
  // Of an order whose terms are not known yet: its account may tell them.
  let pending: Trade[] = [];
  for (const [index, event] of events.entries()) {
    const { fact } = event;
    if (fact.kind === 'gone' && open && !isRefuted(event, events[index + 1])) close(open, event, 'closed');
    if (fact.kind === 'refused') orders.push(newOrder(program, event, fact.terms, 'failed'));
    if (fact.kind === 'opened') {
      // Nothing can be opened where something is open: then it is the opening of what its account has told of.
      if (open) orders.splice(orders.indexOf(open), 1);
      open = newOrder(program, event, fact.terms, 'open');
      orders.push(open);
    }
    if (fact.kind === 'seen') {
      if (!open) {
        open = { ...newOrder(program, event, fact.terms, 'open'), createdAt: new Date(fact.createdAt * 1_000) };
        for (const trade of pending) addTrade(open, trade);
        open.updatedAt = event.at;
        orders.push(open);
      }
      // Read in the slot in which one order followed another, it may stand before the end of the one it does not tell of.
      if (hasTerms(open, fact.terms)) {
        open.remainingMakingAmount = BigInt(fact.remainingMakingAmount);
        open.remainingTakingAmount = BigInt(fact.remainingTakingAmount);
      }
    }
    if (fact.kind === 'traded') {
      if (open) addTrade(open, { event, fact });
      else pending = fact.remainingMakingAmount === '0' ? [] : [...pending, { event, fact }];
    }
    if (fact.kind === 'closed' && open) {
      close(open, event, fact.isDust || fact.signers.includes(open.maker) ? 'cancelled' : 'expired');
    }
    if (open?.state !== 'open') open = undefined;
    if (fact.kind === 'opened' || fact.kind === 'seen' || fact.kind === 'closed') pending = [];
  }
  return orders.map(({ feeBps: _, ...order }, number) => ({ ...order, number }));
}

/** Whether what came after an order was missed shows that it was there all the time: a node had not told all. */
function isRefuted(gone: LimitOrderEvent, next: LimitOrderEvent | undefined): boolean {
  if (next?.fact.kind === 'seen') return next.fact.createdAt * 1_000 <= gone.at.getTime();
  return next?.fact.kind === 'traded' || next?.fact.kind === 'closed';
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
  { orderKey, txId, at, slot, position }: LimitOrderEvent,
  { maker, inputMint, outputMint, feeBps, slippageBps, ...terms }: LimitOrderTerms,
  state: 'open' | 'failed',
): Growing {
  const [makingAmount, takingAmount] = [BigInt(terms.makingAmount), BigInt(terms.takingAmount)];
  return {
    ...{ orderKey, openTx: txId, program, maker, inputMint, outputMint, makingAmount, takingAmount },
    ...{ remainingMakingAmount: makingAmount, remainingTakingAmount: takingAmount, feeBps, slippageBps },
    expiredAt: terms.expiredAt === null ? null : BigInt(terms.expiredAt),
    ...{ state, closeTx: '', createdAt: at, updatedAt: at, trades: [], slot, position },
  };
}

function addTrade(order: Growing, { event, fact }: Trade): void {
  const takingAmount = BigInt(fact.takingAmount);
  order.trades.push({
    ...{ txId: event.txId, keeper: fact.keeper, makingAmount: BigInt(fact.makingAmount), takingAmount },
    ...{ feeAmount: (takingAmount * BigInt(order.feeBps)) / ALL_BPS, confirmedAt: event.at },
  });
  order.remainingMakingAmount = BigInt(fact.remainingMakingAmount);
  order.remainingTakingAmount = BigInt(fact.remainingTakingAmount);
  change(order, event);
  if (order.remainingMakingAmount === 0n) close(order, event, 'completed');
}

function close(order: Growing, event: LimitOrderEvent, state: LimitOrderRow['state']): void {
  order.state = state;
  order.closeTx = event.txId;
  change(order, event);
}

function change(order: Growing, { at, slot, position }: LimitOrderEvent): void {
  Object.assign(order, { updatedAt: at, slot, position });
}
