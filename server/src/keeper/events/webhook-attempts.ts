import { attemptOf, messageOf } from '../../events/messages.js';
import { isAnswered, isReceived, type Outcome, type Sender } from '../../events/sender.js';
import { type BackOffTimes, backOffMs } from '../../lib/back-offs.js';
import type { AdjustableClock } from '../../lib/clock.js';
import type { Store } from '../../store/sql.js';
import { addAttempt, type Delivery, recordFailure, recordSuccess } from '../../store/webhook-deliveries.js';
import type { Webhook } from '../../store/webhooks.js';
import type { createWebhookMetrics } from './metrics.js';
import type { SendsAtOnce } from './sends-at-once.js';

/** With the longest answer to the last one, it is still this copy's turn. */
const AGAIN_MS = 8_000;
/** After that it is given up. */
export const LONGEST_MS = 24 * 60 * 60_000;
/** Between the attempts for one event. */
const RETRIES = { firstMs: 5_000, longestMs: 4 * 60 * 60_000 };
/** Of a receiver that is away: everything. */
const RESTS = { firstMs: 1_000, longestMs: 5 * 60_000 };
/** Of one that answers: what is tried again, by how often that was which it has refused. */
const RESTS_OF_AGAIN = { firstMs: 1_000, longestMs: 16_000 };

export interface Attempting {
  store: Store;
  clock: AdjustableClock;
  steadyNow: () => number;
  send: Sender;
  metrics: ReturnType<typeof createWebhookMetrics>;
  sends: SendsAtOnce;
}

/** One copy's turn with a webhook. */
export interface Attempted {
  webhook: Webhook;
  holder: string;
  /** Everything up to it has been tried, or was not wanted. */
  last: bigint;
  /** The receiver has refused by itself, too, what it had refused beside others: that is not asked again in this turn. */
  refusesAlone?: boolean;
}

/** `stop`: the receiver is away or has too much to do, or this is another copy's turn by now. */
export type Result = 'taken' | 'refused' | 'stop';

/**
 * Sends these at the same time, and tells whether all were taken. Written at once: a copy that is stopped before leaves none of them
 * out, and another one sends all of them. `last` is what was tried by then: it only says what comes in its turn.
 */
export async function attempt(
  deps: Attempting,
  turn: Attempted,
  deliveries: readonly Delivery[],
  { isAgain = false } = {},
): Promise<Result> {
  const { store, clock } = deps;
  const { webhook, holder, last } = turn;
  const { tried, attempts } = await sendAll(deps, turn, deliveries);
  const now = clock.now();
  const received = tried.filter(({ outcome }) => isReceived(outcome)).map(({ delivery }) => delivery.number);
  const failed = tried.filter(({ outcome }) => !isReceived(outcome)).map(({ delivery }) => delivery);
  const isThere = tried.some(({ outcome }) => isAnswered(outcome));
  const isAway = tried.some(({ outcome }) => !isAnswered(outcome));
  return store.transaction(async (tx) => {
    for (const { delivery, outcome } of attempts) {
      await addAttempt(tx, webhook.id, attemptOf(delivery.number, new Date(now), outcome));
    }
    if (received.length > 0 || (isThere && webhook.failures > 0))
      Object.assign(webhook, { failures: 0, restUntil: null });
    if (received.length > 0) {
      const isOurs = await recordSuccess(tx, webhook.id, holder, { numbers: received, last, now: new Date(now) });
      if (!isOurs) return 'stop';
    }
    if (failed.length === 0) return 'taken';
    const tries = Math.max(...failed.map((delivery) => delivery.tries)) + 1;
    Object.assign(webhook, restOf(webhook, { isAway, isAgain, tries, now }));
    const isOurs = await recordFailure(tx, webhook.id, holder, {
      // What a clock that was ahead has told would be tried until then.
      deliveries: failed.map((delivery) => ({
        ...delivery,
        at: new Date(Math.min(delivery.at.getTime(), now)),
        tries,
      })),
      last,
      dueAt: new Date(now + backOffMs(tries, RETRIES)),
      failures: webhook.failures,
      restUntil: webhook.restUntil,
      lostBefore: new Date(now - LONGEST_MS),
    });
    return isOurs && !isAway ? 'refused' : 'stop';
  });
}

/**
 * What rests after a failure. A receiver that is away takes nothing: everything rests, ever longer until it answers. One that answers
 * refuses that one event, and may take the next: nothing that is new rests. What is tried again may be that which it refuses, whatever
 * it answers to that: while it is there otherwise, only that rests.
 */
function restOf(
  { failures, restUntil }: Webhook,
  { isAway, isAgain, tries, now }: { isAway: boolean; isAgain: boolean; tries: number; now: number },
): Pick<Webhook, 'failures' | 'restUntil'> {
  const until = (times: number, rests: BackOffTimes) => new Date(now + backOffMs(times, rests));
  if (isAgain && failures === 0) return { failures, restUntil: until(tries, isAway ? RESTS : RESTS_OF_AGAIN) };
  if (!isAway) return { failures, restUntil };
  return { failures: failures + 1, restUntil: until(failures + 1, RESTS) };
}

interface Tried {
  delivery: Delivery;
  outcome: Outcome;
}

/** How each of these was tried last, and all attempts: what a receiver refuses beside others it may take by itself, at once. */
async function sendAll(deps: Attempting, turn: Attempted, deliveries: readonly Delivery[]) {
  const { webhook } = turn;
  const until = deps.steadyNow() + AGAIN_MS;
  const together = await Promise.all(deliveries.map((delivery) => sendOne(deps, webhook, delivery)));
  const areSeveral = deliveries.length > 1;
  const alone: Tried[] = [];
  for (const { delivery, outcome } of together) {
    if (isReceived(outcome)) continue;
    // A receiver may have had long for them; and what fails by itself, too, says nothing of the others beside it.
    if (!areSeveral || turn.refusesAlone || deps.steadyNow() >= until) break;
    const again = await sendOne(deps, webhook, delivery);
    alone.push(again);
    if (!isReceived(again.outcome)) turn.refusesAlone = true;
  }
  const attempts = [...together, ...alone];
  // What it answers, and refuses by itself, too, it refuses by what it is, however many come together.
  const areTooMany =
    attempts.some(({ outcome }) => !isAnswered(outcome)) || alone.some(({ outcome }) => isReceived(outcome));
  if (!areTooMany) deps.sends.took(webhook.id, deliveries.length);
  else if (areSeveral) deps.sends.refused(webhook.id, deliveries.length);
  const last = new Map(attempts.map((each) => [each.delivery, each]));
  return { tried: [...last.values()], attempts };
}

async function sendOne({ clock, send, metrics }: Attempting, webhook: Webhook, delivery: Delivery) {
  const outcome = await send(messageOf(webhook, delivery, { now: clock.now(), wallNow: clock.now() - clock.offsetMs }));
  metrics.delivered(isReceived(outcome) ? 'received' : 'failed');
  return { delivery, outcome };
}

/** Events were deleted before they could be sent. */
export async function noteGap({ store, clock }: Attempting, id: string, from: bigint, to: bigint): Promise<void> {
  const error = `the events ${from} to ${to} were deleted before they could be sent`;
  const attempt = { number: from, at: new Date(clock.now()), status: null, error, milliseconds: 0 };
  await store.transaction((tx) => addAttempt(tx, id, attempt));
}
