/** Every state of an order as the contract's `rawState` tells it, with what `orderState` shows for it. */
const shownStates = {
  /** Crafted and accepted; its deposit has not left yet. */
  pending_deposit: 'pending',
  depositing: 'pending',
  open: 'open',
  /** Claimed by a keeper, which sends nothing before the order is here. */
  ready_execute: 'executing',
  /** Claimed by a keeper, which lets it expire. */
  ready_expire: 'executing',
  /** A fill has been sent, or may have been. */
  executing: 'executing',
  /** Filled, and the output lies in the vault. */
  execute_success: 'executing',
  execute_failed: 'executing',
  ready_withdraw_output: 'executing',
  /** The output is on its way from the vault to the wallet. */
  withdrawing: 'executing',
  partial_fill_success: 'executing',
  fill_success: 'filled',
  /** Nothing fills it any more; its owner takes out what is left. */
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

/** What `orderState` shows for a raw state. */
export function shownState(raw: RawState): ShownState {
  return shownStates[raw];
}

export type OrderEventType =
  | 'deposit_sent'
  | 'deposit_landed'
  | 'deposit_lost'
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

/** Where each event may lead, by the state that it finds. What is not here cannot happen. */
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
  cancelled: {},
  oco_cancelled: {},
  deposit_failed: {},
};

/** Whether nothing happens to an order any more, and nothing of it lies in the vault. */
export function isFinal(raw: RawState): boolean {
  return Object.keys(transitions[raw]).length === 0;
}

const SHOWN_ACTIVE: ReadonlySet<ShownState> = new Set(['pending', 'open', 'executing', 'pending_withdraw']);

/** Whether an order belongs to `state=active` of the history: under way, or expired with funds still in the vault. */
export function isActive(raw: RawState, holdsFunds: boolean): boolean {
  const shown = shownState(raw);
  return SHOWN_ACTIVE.has(shown) || (shown === 'expired' && holdsFunds);
}
