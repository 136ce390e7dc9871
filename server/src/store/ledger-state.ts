export type LedgerState = 'crafted' | 'sending' | 'landed' | 'failed' | 'expired';

/** `doomed`: ended before it was sent, because it would have failed. */
export type LedgerEvent = 'sent' | 'landed' | 'failed' | 'expired' | 'doomed';

const transitions: Record<LedgerState, Partial<Record<LedgerEvent, LedgerState>>> = {
  crafted: { sent: 'sending', expired: 'expired', doomed: 'failed' },
  sending: { landed: 'landed', failed: 'failed', expired: 'expired' },
  landed: {},
  failed: {},
  expired: {},
};

/** The state after `event`; undefined if the event is not possible in that state. */
export function next(state: LedgerState, event: LedgerEvent): LedgerState | undefined {
  return transitions[state][event];
}
