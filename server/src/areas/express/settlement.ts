import type { Logger } from 'pino';
import { type Claimed, GAS_PURSE, type Settlement } from '../../landing/index.js';
import type { LedgerRow } from '../../store/ledger.js';
import type { Tx } from '../../store/sql.js';
import { confirmReserved, type NewVerification, release, reserve } from '../../store/verifications.js';
import { conflict } from './check-eligibility.js';

/** Reserves a token when its payment is claimed. When that ends, the token is recorded or free again. */
export const expressSettlement = (log: Logger): Settlement => ({
  keys: ['gas'],
  purse: GAS_PURSE,

  async reserve(tx: Tx, claimed: readonly Claimed[]): Promise<Map<string, string>> {
    const refused = await reserve(
      tx,
      claimed.flatMap(({ detail }) => detail as NewVerification[]),
    );
    const reasons = new Map<string, string>();
    for (const [id, [kind]] of refused) {
      reasons.set(id, conflict(kind!, { verification: 'pending', metadata: 'pending' })!);
    }
    return reasons;
  },

  async settle(tx: Tx, settled: readonly LedgerRow[]): Promise<void> {
    const landed = settled.filter((row) => row.state === 'landed');
    const recorded = await confirmReserved(
      tx,
      landed.map(({ id, signature, settledAt }) => ({ requestId: id, signature: signature!, paidAt: settledAt! })),
    );
    for (const { state, requestId, tokenId, payer, paymentCurrency, paymentAmount, signature, note } of recorded) {
      if (state !== 'rejected') continue;
      const amount = paymentAmount.toString();
      log.warn({ requestId, tokenId, payer, paymentCurrency, amount, signature }, `a verification was ${note}`);
    }
    await release(
      tx,
      settled.filter((row) => row.state !== 'landed').map((row) => row.id),
    );
  },
});
