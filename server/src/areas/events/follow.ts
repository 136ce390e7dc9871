import { AppError } from '../../errors/index.js';
import type { EventKind } from '../../store/event-outbox.js';
import { followKinds } from '../../store/events.js';
import type { Sql } from '../../store/sql.js';

/** Accounts of one key that hear of what concerns everybody: so many rows an event of that kind costs for it at most. */
const MOST_FOLLOWERS = 10_000;

/** As `followKinds`. @throws AppError TOO_MANY_OF_KEY */
export async function follow(
  sql: Sql,
  follower: Parameters<typeof followKinds>[1],
  kinds: readonly EventKind[],
): Promise<void> {
  if (await followKinds(sql, follower, kinds, MOST_FOLLOWERS)) return;
  const message = `kinds: ${MOST_FOLLOWERS} wallets of this key follow ${kinds.join(' or ')} already; leave it out`;
  throw new AppError('TOO_MANY_OF_KEY', { message });
}
