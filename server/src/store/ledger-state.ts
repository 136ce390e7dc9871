export type LedgerState = 'crafted' | 'sending' | 'landed' | 'failed' | 'expired';

export type LedgerEvent = 'sent' | 'landed' | 'failed' | 'expired';

const transitions: Record<LedgerState, Partial<Record<LedgerEvent, LedgerState>>> = {
  crafted: { sent: 'sending', expired: 'expired' },
  sending: { landed: 'landed', failed: 'failed', expired: 'expired' },
  landed: {},
  failed: {},
  expired: {},
};

/** The state after `event`, or undefined where the event cannot happen in that state. */
export function next(state: LedgerState, event: LedgerEvent): LedgerState | undefined {
  return transitions[state][event];
}
