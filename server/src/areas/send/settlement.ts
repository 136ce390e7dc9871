import { type Claimed, explain, INVITE_PURSE, type Settlement } from '../../landing/index.js';
import type { Clock } from '../../lib/clock.js';
import { blame, claimsOfBusyInvites, claimsOfFailing } from '../../store/blamed-claims.js';
import type { LedgerRow } from '../../store/ledger.js';
import type { Tx } from '../../store/sql.js';

/**
 * What claims cost the keeper counts as the sender's, who can take an invite back as it is claimed. Whoever may claim it
 * can have claims fail as well, at an account that he changes in that moment, or at an invite of his own that he makes with the
 * same key: after so many, only this invite waits.
 */
const MOST_FAILURES = 3;
/** From so many on they count as the invite's own: an invite can be taken, or taken back, only once as a claim of it is sent. */
const FAILED_AGAIN = 2;
/** The errors of the invite program itself begin here; those below are of the programs that it calls for the receiver. */
const FIRST_OWN_ERROR = 100;

/** Of one invite's claims, one at a time is sent: the keeper pays for those that come too late. */
export function claimSettlement(clock: Clock): Settlement {
  const since = () => new Date(clock.now() - INVITE_PURSE.wallet.ms);
  return {
    keys: ['keeper'],
    purse: INVITE_PURSE,

    async reserve(tx: Tx, claimed: readonly Claimed[]): Promise<Map<string, string>> {
      const ids = claimed.map(({ id }) => id);
      const failing = await claimsOfFailing(tx, ids, { blamed: 'invite', since: since(), most: MOST_FAILURES });
      const busy = await claimsOfBusyInvites(tx, ids);
      return new Map([
        ...failing.map((id) => [id, 'claims of this invite have failed: try again in an hour'] as const),
        ...busy.map((id) => [id, 'another claim of this invite is under way'] as const),
      ]);
    },

    /** Or else somebody with a few of a sender's invites could have all the others refused. */
    async settle(tx: Tx, settled: readonly LedgerRow[]): Promise<void> {
      const failed = settled.filter(({ state, slot }) => state === 'failed' && slot !== null);
      if (failed.length === 0) return;
      const ids = failed.map(({ id }) => id);
      const again = await claimsOfFailing(tx, ids, { blamed: 'invite', since: since(), most: FAILED_AGAIN });
      const ofInvite = failed.filter(({ id, error }) => again.includes(id) || explain(error).code < FIRST_OWN_ERROR);
      await blame(
        tx,
        ofInvite.map(({ id }) => id),
        'invite',
      );
    },
  };
}
