import { AppError } from '../../errors/index.js';
import { boundsOf, type Guest } from '../../lib/places.js';
import { UNLIMITED_TIER } from '../../lib/tiers.js';
import type { EventKind } from '../../store/event-outbox.js';
import { followKinds } from '../../store/events.js';
import type { Sql } from '../../store/sql.js';

/** Accounts of one key that hear of what concerns everybody: so many rows an event of that kind costs for it at most. */
const MOST_FOLLOWERS = 1_000;
/** The same of a key without limits, whose users may be many. */
const MOST_FOLLOWERS_WITHOUT_LIMITS = 10_000;

interface Follower {
  account: string;
  apiKey: { id: string; tier: string };
  caller: Guest;
  until: Date;
}

/** What one caller may have of what one key may: all or, where the key stands in pages, a part. */
export const mostOfCaller = (caller: Guest, ofKey: number): number => boundsOf(caller, ofKey)[0]![1];

/** As `followKinds`. @throws AppError TOO_MANY_OF_KEY */
export async function follow(
  sql: Sql,
  { account, apiKey, caller, until }: Follower,
  kinds: readonly EventKind[],
): Promise<void> {
  const most = apiKey.tier === UNLIMITED_TIER ? MOST_FOLLOWERS_WITHOUT_LIMITS : MOST_FOLLOWERS;
  const ofCaller = mostOfCaller(caller, most);
  const follower = { account, apiKey: apiKey.id, caller: caller.id, until };
  if (await followKinds(sql, follower, kinds, { ofCaller, ofKey: most })) return;
  const those = ofCaller < most ? `${ofCaller} wallets of your address, or ${most}` : `${most} wallets`;
  const message = `kinds: ${those} of this key follow ${kinds.join(' or ')} already; leave it out`;
  throw new AppError('TOO_MANY_OF_KEY', { message });
}
