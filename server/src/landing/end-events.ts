import type { NewEvent } from '../store/event-outbox.js';
import type { LedgerRow } from '../store/ledger.js';
import { explainEnd } from './explain.js';

/** What the owners of transactions hear of their end. */
export function endEvents(rows: readonly LedgerRow[]): NewEvent[] {
  return rows.flatMap(({ id, area, wallet, state, signature, slot, error, settledAt, apiKey }) => {
    if (!settledAt || (state !== 'landed' && state !== 'failed' && state !== 'expired')) return [];
    const common = { requestId: id, area, signature, slot: slot === null ? null : Number(slot) };
    return {
      kind: `transaction.${state}` as const,
      at: settledAt,
      wallets: [wallet] as const,
      begunBy: { requestId: id, apiKey },
      data: state === 'landed' ? common : { ...common, error: explainEnd({ state, error }).message },
    };
  });
}
