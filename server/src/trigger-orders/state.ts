/** Every value of the contract's `rawState`, with the `orderState` that is shown for it. */
const shownStates = {
  /** Crafted and accepted; its deposit has not been sent yet. */
  pending_deposit: 'pending',
  depositing: 'pending',
  open: 'open',
  /** Claimed by a keeper, which must do so before it sends anything. */
  ready_execute: 'executing',
  /** Claimed by a keeper that is expiring it. */
  ready_expire: 'executing',
  /** A fill has been sent, or may have been. */
  executing: 'executing',
  /** Filled, with the output in the vault. */
  execute_success: 'executing',
  execute_failed: 'executing',
  ready_withdraw_output: 'executing',
  /** The output is on its way from the vault to the wallet. */
  withdrawing: 'executing',
  partial_fill_success: 'executing',
  fill_success: 'filled',
  /** No longer filled; the owner can withdraw what is left. */
  ready_to_cancel: 'pending_withdraw',
  cancelled: 'cancelled',
  /** The contract's state for a leg whose rival has filled. Unused here: orders have no state per leg. */
  oco_cancelled: 'cancelled',
  expired: 'expired',
  deposit_failed: 'failed',
  withdraw_failed: 'failed',
  fill_failed: 'failed',
} as const;

export type RawState = keyof typeof shownStates;
type ShownState = (typeof shownStates)[RawState];

export const RAW_STATES = Object.keys(shownStates) as RawState[];

/** The `orderState` of a raw state. */
export function shownState(raw: RawState): ShownState {
  return shownStates[raw];
}

export type OrderEventType =
  | 'deposit_sent'
  | 'deposit_landed'
  | 'deposit_lost'
  | 'deposit_found'
  | 'triggered'
  | 'released'
  | 'sent'
  | 'fill_landed'
  | 'fill_lost'
  | 'retried'
  | 'gave_up'
  | 'exit_opened'
  | 'output_due'
  | 'output_sent'
  | 'output_withdrawn'
  | 'output_lost'
  | 'edited'
  | 'expiry_due'
  | 'expired'
  | 'cancel_asked'
  | 'withdrawn';

/** The possible next states, by state and event. An event that is not listed for a state is illegal there. */
export const transitions: Record<RawState, Partial<Record<OrderEventType, readonly RawState[]>>> = {
  pending_deposit: { deposit_sent: ['depositing'], deposit_lost: ['deposit_failed'] },
  depositing: { deposit_landed: ['open'], deposit_lost: ['deposit_failed'] },
  open: {
    triggered: ['ready_execute'],
    edited: ['open'],
    expiry_due: ['ready_expire'],
    cancel_asked: ['ready_to_cancel'],
  },
  ready_execute: {
    sent: ['executing'],
    released: ['open', 'partial_fill_success', 'ready_to_cancel'],
    cancel_asked: ['ready_execute'],
  },
  executing: {
    fill_landed: ['fill_success', 'partial_fill_success', 'execute_success', 'ready_to_cancel'],
    fill_lost: ['execute_failed', 'ready_to_cancel'],
    cancel_asked: ['executing'],
  },
  execute_failed: {
    retried: ['open', 'partial_fill_success'],
    gave_up: ['fill_failed'],
    expiry_due: ['ready_expire'],
    cancel_asked: ['ready_to_cancel'],
  },
  partial_fill_success: {
    triggered: ['ready_execute'],
    expiry_due: ['ready_expire'],
    cancel_asked: ['ready_to_cancel'],
  },
  execute_success: {
    exit_opened: ['open', 'ready_to_cancel'],
    output_due: ['ready_withdraw_output'],
    cancel_asked: ['execute_success'],
  },
  ready_withdraw_output: { output_sent: ['withdrawing'], gave_up: ['withdraw_failed'] },
  withdrawing: { output_withdrawn: ['fill_success'], output_lost: ['ready_withdraw_output'] },
  ready_expire: {
    expired: ['expired'],
    released: ['open', 'partial_fill_success', 'ready_to_cancel'],
    cancel_asked: ['ready_expire'],
  },
  expired: { cancel_asked: ['ready_to_cancel'] },
  fill_failed: { cancel_asked: ['ready_to_cancel'] },
  withdraw_failed: { cancel_asked: ['ready_to_cancel'] },
  ready_to_cancel: { cancel_asked: ['ready_to_cancel'], withdrawn: ['cancelled'] },
  fill_success: {},
  // Where a node has called a withdrawal landed that had not, or has hidden an account.
  cancelled: { deposit_found: ['ready_to_cancel'] },
  oco_cancelled: {},
  // Where a node has denied a deposit that had landed. It is not traded: its owner was told to deposit again.
  deposit_failed: { deposit_found: ['ready_to_cancel'] },
};

/** Whether the state is final: nothing is left in the vault, and no event is possible, but that something is found there all the same. */
export function isFinal(raw: RawState): boolean {
  return Object.keys(transitions[raw]).every((event) => event === 'deposit_found');
}

const SHOWN_ACTIVE: ReadonlySet<ShownState> = new Set(['pending', 'open', 'executing', 'pending_withdraw']);

/** Whether an order belongs to `state=active` of the history: under way, or expired with funds still in the vault. */
export function isActive(raw: RawState, holdsFunds: boolean): boolean {
  const shown = shownState(raw);
  return SHOWN_ACTIVE.has(shown) || (shown === 'expired' && holdsFunds);
}
