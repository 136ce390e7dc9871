import { type Claimed, INVITE_PURSE, type Settlement } from '../../landing/index.js';
import { claimsOfBusyInvites } from '../../store/invite-claims.js';
import type { Tx } from '../../store/sql.js';

/** Of one invite's claims, one at a time is sent: the keeper pays for those that come too late. */
export const claimSettlement: Settlement = {
  keys: ['keeper'],
  purse: INVITE_PURSE,

  async reserve(tx: Tx, claimed: readonly Claimed[]): Promise<Map<string, string>> {
    const ids = claimed.map(({ id }) => id);
    const busy = await claimsOfBusyInvites(tx, ids);
    return new Map(busy.map((id) => [id, 'another claim of this invite is under way']));
  },
};
