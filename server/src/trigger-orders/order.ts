import { type OrderEventType, type RawState, transitions } from './state.js';

export type OrderType = 'single' | 'oco' | 'otoco';

/** What can fire: the order itself (in an OTOCO, its first stage), or one of two exits that exclude each other. */
export type Leg = 'entry' | 'take_profit' | 'stop_loss';

/**
 * The trade of a deposit or of an entry's output. In the smallest units; `initial` = `remaining` + used. Once the trade
 * is done, `remaining` is what the last venue did not take, and belongs to the wallet.
 */
export interface Trade {
  readonly initial: bigint;
  readonly remaining: bigint;
  readonly received: bigint;
}

/**
 * The state that determines an order's next step. An OTOCO has two stages: the entry trades the deposit, and the exit
 * trades the entry's output. The other types only have an entry. An OCO is one order with two legs, so that the second
 * is gone in the very step in which the first is filled; what a part leaves is sold by whichever fires next.
 */
export interface Order {
  readonly type: OrderType;
  readonly state: RawState;
  readonly stage: 'entry' | 'exit';
  /** The leg that has been triggered last. */
  readonly fired: Leg | null;
  readonly entry: Trade;
  /** Only in an OTOCO whose entry is filled. */
  readonly exit: Trade | null;
  /** Output held in the vault. */
  readonly held: bigint;
  /** Whether a cancellation waits for a fill in flight. */
  readonly cancelAsked: boolean;
  /** Failed fills of that leg in a row. */
  readonly failures: number;
}

export type OrderEvent =
  | { type: 'triggered'; leg: Leg }
  /**
   * `input` was sold for `output`, which went to the wallet or into the vault. `whole`: the fill offered everything
   * left, so nothing more is sold; what the venue did not take of it goes back to the wallet.
   */
  | { type: 'fill_landed'; input: bigint; output: bigint; into: 'wallet' | 'vault'; whole: boolean }
  | { type: Exclude<OrderEventType, 'triggered' | 'fill_landed'> };

/** An event that is not possible in the order's state. */
export class IllegalEvent extends Error {
  override readonly name = 'IllegalEvent';
}

export function newOrder(type: OrderType, input: bigint): Order {
  return {
    type,
    state: 'pending_deposit',
    stage: 'entry',
    fired: null,
    entry: { initial: input, remaining: input, received: 0n },
    exit: null,
    held: 0n,
    cancelAsked: false,
    failures: 0,
  };
}

/** The legs that may fire now. A part ends none of them: anybody can move the pools so that no more is filled at a time. */
export function liveLegs({ type, state, stage, cancelAsked }: Order): readonly Leg[] {
  if (cancelAsked || (state !== 'open' && state !== 'partial_fill_success')) return [];
  return type === 'single' || (type === 'otoco' && stage === 'entry') ? ['entry'] : ['take_profit', 'stop_loss'];
}

/** The trade of the current stage. */
export function currentTrade(order: Order): Trade {
  return order.stage === 'exit' && order.exit ? order.exit : order.entry;
}

/** The share of the deposit that has been used, 0 to 1; less than 1 while more of it is to be sold. */
export function fillPercent({ state, stage, entry: { initial, remaining } }: Order): number {
  if (initial === 0n || remaining === initial) return 0;
  if (remaining === 0n || stage === 'exit' || state === 'fill_success') return 1;
  const share = Number(((initial - remaining) * 1_000_000n) / initial) / 1_000_000;
  return Math.max(share, 0.000001);
}

/** Whether any of the order's funds are in the vault. */
export function holdsFunds(order: Order): boolean {
  if (order.state === 'fill_success' || order.state === 'cancelled') return false;
  if (order.state === 'pending_deposit' || order.state === 'depositing' || order.state === 'deposit_failed')
    return false;
  return currentTrade(order).remaining > 0n || order.held > 0n;
}

/**
 * The order after an event. Pure, and the only way that an order changes. Callers store the result only if the stored
 * state is still the one that they passed in.
 * @throws IllegalEvent
 */
export function apply(order: Order, event: OrderEvent): Order {
  const allowed = transitions[order.state][event.type];
  if (!allowed) throw new IllegalEvent(`${event.type} cannot happen to an order that is ${order.state}`);
  const after = settle(order, effect(order, event));
  if (!allowed.includes(after.state)) {
    throw new IllegalEvent(`${event.type} cannot make ${after.state} of an order that is ${order.state}`);
  }
  return after;
}

/** States in which a pending cancellation takes effect at once. */
const AT_REST: ReadonlySet<RawState> = new Set(['open', 'partial_fill_success', 'execute_failed']);

function settle(before: Order, after: Order): Order {
  return after.cancelAsked && after.state !== before.state && AT_REST.has(after.state)
    ? { ...after, state: 'ready_to_cancel' }
    : after;
}

function effect(order: Order, event: OrderEvent): Order {
  switch (event.type) {
    case 'deposit_sent':
      return { ...order, state: 'depositing' };
    case 'deposit_landed':
      return { ...order, state: 'open' };
    case 'deposit_lost':
      return { ...order, state: 'deposit_failed' };
    case 'deposit_found':
      return { ...order, state: 'ready_to_cancel' };
    case 'triggered':
      return triggered(order, event.leg);
    case 'sent':
      return { ...order, state: 'executing' };
    case 'released':
    case 'retried':
      return atRest(order);
    case 'fill_landed':
      return filled(order, event);
    case 'fill_lost':
      return { ...order, state: 'execute_failed', failures: order.failures + 1 };
    case 'gave_up':
      return { ...order, state: order.state === 'execute_failed' ? 'fill_failed' : 'withdraw_failed' };
    case 'exit_opened':
      return openExit(order);
    case 'output_due':
      if (awaitsExit(order)) throw new IllegalEvent('the output of an entry stays in the vault for the exit');
      return { ...order, state: 'ready_withdraw_output' };
    case 'output_sent':
      return { ...order, state: 'withdrawing' };
    case 'output_withdrawn':
      return { ...order, state: 'fill_success', held: 0n };
    case 'output_lost':
      return { ...order, state: 'ready_withdraw_output' };
    case 'edited':
      return order;
    case 'expiry_due':
      return { ...order, state: 'ready_expire' };
    case 'expired':
      return { ...order, state: 'expired' };
    case 'cancel_asked':
      return { ...order, cancelAsked: true, state: canCancelNow(order) ? 'ready_to_cancel' : order.state };
    case 'withdrawn':
      return { ...order, state: 'cancelled', held: 0n };
  }
}

function triggered(order: Order, leg: Leg): Order {
  if (!liveLegs(order).includes(leg)) throw new IllegalEvent(`the leg ${leg} cannot fire now`);
  // What has failed of the other leg says nothing of this one.
  const failures = leg === order.fired ? order.failures : 0;
  return { ...order, state: 'ready_execute', fired: leg, failures };
}

function canCancelNow({ state }: Order): boolean {
  return transitions[state].cancel_asked?.includes('ready_to_cancel') ?? false;
}

/** The order waiting for a trigger. */
function atRest(order: Order): Order {
  return { ...order, state: hasFilled(order) ? 'partial_fill_success' : 'open' };
}

function hasFilled(order: Order): boolean {
  const { initial, remaining } = currentTrade(order);
  return remaining < initial;
}

function awaitsExit({ type, stage }: Order): boolean {
  return type === 'otoco' && stage === 'entry';
}

function filled(order: Order, { input, output, into, whole }: OrderEvent & { type: 'fill_landed' }): Order {
  const trade = currentTrade(order);
  if (input <= 0n || output <= 0n || input > trade.remaining) {
    throw new IllegalEvent(`a fill of ${input} for ${output}, of an order with ${trade.remaining} left`);
  }
  if (awaitsExit(order) && into !== 'vault') throw new IllegalEvent('the output of an entry goes into the vault');
  const next: Trade = { ...trade, remaining: trade.remaining - input, received: trade.received + output };
  const after: Order = {
    ...order,
    ...(order.stage === 'exit' ? { exit: next } : { entry: next }),
    held: order.held + (into === 'vault' ? output : 0n),
    failures: 0,
  };
  if (!whole && next.remaining === 0n) throw new IllegalEvent('a part that is all of it');
  if (!whole) return { ...after, state: 'partial_fill_success' };
  return { ...after, state: after.held > 0n ? 'execute_success' : 'fill_success' };
}

/** The exit trades the entry's output. */
function openExit(order: Order): Order {
  if (!awaitsExit(order)) throw new IllegalEvent('only the entry of an OTOCO order is followed by an exit');
  const { held } = order;
  const exit: Trade = { initial: held, remaining: held, received: 0n };
  return { ...order, state: 'open', stage: 'exit', fired: null, exit, held: 0n };
}
