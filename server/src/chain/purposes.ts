/**
 * What the chain is called for; what stands first goes first. `ends`: lists that tell how what clients have posted has ended;
 * `posts`: what clients post, until it is claimed and sent; `searches`: for transactions that others have signed last; `histories`: of programs, to which anybody adds for a fee.
 */
export const PURPOSES = [
  'landing',
  'keeper',
  'ends',
  'posts',
  'quotes',
  'reads',
  'searches',
  'strangers',
  'histories',
] as const;
export type Purpose = (typeof PURPOSES)[number];

/** A purpose starts no call while a second has more than this share of the limit: the rest is kept for those before it. */
export const SHARE: Readonly<Record<Purpose, number>> = {
  landing: 1,
  keeper: 0.9,
  ends: 0.85,
  posts: 0.82,
  quotes: 0.8,
  reads: 0.7,
  searches: 0.5,
  strangers: 0.4,
  histories: 0.35,
};

interface Own {
  share: number;
  least: number;
}

/**
 * What each purpose has whatever the others do, so that none waits for ever: a share, and at least so many calls a second. What keepers
 * and lists know comes from histories, of which there are two; and somebody waits for the end of what is searched for.
 */
const OWN: Partial<Record<Purpose, Own>> = { histories: { share: 0.1, least: 2 }, searches: { share: 0.1, least: 1 } };
const OWN_OF_OTHERS: Own = { share: 0.02, least: 1 };

/** The calls a second that a purpose has of this limit, whatever the others do. */
export function ownOf(purpose: Purpose, limit: number): number {
  const { share, least } = OWN[purpose] ?? OWN_OF_OTHERS;
  return Math.max(least, limit * share);
}

/** Posts take no more than this share while quotes wait, half of what is left to both: a key may post far more often than craft. */
export const POSTS_BESIDE_QUOTES = 0.4;

/** What is left of a limit when the node throttles all the time, in calls a second. */
export const LEAST_CALLS = 10;

/** `LEAST_CALLS` of a method: ends do not pause, and would take all that some nodes list from those after them. */
export const leastOf = (purpose: Purpose): number => (purpose === 'ends' ? 1 : LEAST_CALLS);

/** Calls of a method in a second that a purpose starts while the node has asked it for a pause; the others start none. */
export const WHILE_PAUSED: Partial<Record<Purpose, number>> = {
  landing: Number.POSITIVE_INFINITY,
  keeper: LEAST_CALLS,
  ends: Number.POSITIVE_INFINITY,
  searches: 1,
  histories: 2,
};

/** Without these nothing goes: where a node refuses several of them, it is not the method that it limits. */
const COMMON: ReadonlySet<string> = new Set([
  'getAccountInfo',
  'getLatestBlockhash',
  'getMultipleAccounts',
  'getSignatureStatuses',
  'simulateTransaction',
]);

export const isCommon = (method: string): boolean => COMMON.has(method);

/** What a node limits together: the calls of a method. Of what it has kept of old transactions, it is another than of the latest. */
export function limitedAs(method: string, params: readonly unknown[]): string {
  if (method !== 'getSignatureStatuses') return method;
  const options = params[1] as { searchTransactionHistory?: boolean } | undefined;
  return options?.searchTransactionHistory ? `${method} of all history` : method;
}
