import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { readFilter } from '../../events/filter.js';
import { attemptOf, deliveryOf, messageOf } from '../../events/messages.js';
import { isReceived, type Outcome, type Sender } from '../../events/sender.js';
import { backOffMs } from '../../lib/back-offs.js';
import type { AdjustableClock } from '../../lib/clock.js';
import { uuidv7 } from '../../lib/ids.js';
import { waitAtMost } from '../../lib/wait-at-most.js';
import { type EventRow, eventsAfter, WEBHOOKS_CHANNEL } from '../../store/events.js';
import type { Store } from '../../store/sql.js';
import {
  addAttempt,
  type Delivery,
  dueDeliveries,
  recordFailure,
  recordSuccess,
  releaseWebhook,
  takeDueWebhooks,
  webhookBacklog,
} from '../../store/webhook-deliveries.js';
import { openWebhooks, type TextBox, type Webhook } from '../../store/webhooks.js';
import type { KeeperLoop } from '../keeper.js';
import { Loop } from '../loop.js';
import { createGiveUpOld, type GiveUpOld } from './give-up-old.js';
import { createWebhookMetrics } from './metrics.js';
import { createGroups, MOST_AT_ONCE, MOST_OF_KEY, SendsAtOnce } from './sends-at-once.js';

/** A webhook that a whole page waits for is behind. */
const PAGE = 50;
/** Then others have their turn. */
const MOST_IN_A_TURN = 200;
const TURN_MS = 10_000;
const INTERVAL_MS = 1_000;
/** All webhooks are looked through each time, and each turn that ends asks for it. */
const SOON_MS = 25;
const CLOSE_MS = 2_000;
/** With the longest answer to the last one, it is still this copy's turn. */
const AGAIN_MS = 8_000;
/** After that it is given up. */
export const LONGEST_MS = 24 * 60 * 60_000;
/** Between the attempts for one event. */
const RETRIES = { firstMs: 5_000, longestMs: 4 * 60 * 60_000 };
/** Of a receiver that fails, whatever the event. */
const RESTS = { firstMs: 1_000, longestMs: 5 * 60_000 };

export interface WebhooksDeps {
  store: Store;
  box: TextBox;
  clock: AdjustableClock;
  steadyNow: () => number;
  send: Sender;
  log: Logger;
  registry: Registry;
}

interface Serving extends WebhooksDeps {
  metrics: ReturnType<typeof createWebhookMetrics>;
  giveUpOld: GiveUpOld;
  sends: SendsAtOnce;
}

/** Sends events to webhooks, at least once each. A webhook is one instance's at a time; each is sent to by itself. */
export async function startWebhooks(deps: WebhooksDeps): Promise<KeeperLoop> {
  const { store, box, clock, log, registry } = deps;
  const metrics = createWebhookMetrics(
    registry,
    () => webhookBacklog(store),
    () => clock.now(),
  );
  const sends = new SendsAtOnce(deps.steadyNow);
  const parts = { ...deps, metrics, giveUpOld: createGiveUpOld(deps), sends };
  const running = new Set<Promise<void>>();
  const loop = new Loop(
    async () => {
      const most = { inAll: MOST_AT_ONCE - running.size, ofKey: MOST_OF_KEY, underWay: sends.turns };
      if (most.inAll <= 0) return;
      const holder = uuidv7(clock);
      const taken = await store.single((tx) => takeDueWebhooks(tx, { holder, now: new Date(clock.now()) }, most));
      for (const webhook of await openWebhooks(box, taken)) {
        sends.countTurn(webhook.addedBy, 1);
        const serving = serve(parts, webhook, holder, () => loop.isClosed)
          .catch((error: Error) => {
            if (!loop.isClosed) log.warn({ webhook: webhook.id, reason: error.message }, 'a webhook is tried again');
          })
          .finally(() => {
            running.delete(serving);
            sends.countTurn(webhook.addedBy, -1);
            loop.wake();
          });
        running.add(serving);
      }
    },
    {
      intervalMs: INTERVAL_MS,
      soonMs: SOON_MS,
      log,
      failure: 'webhooks could not be sent to; it will be tried again',
      logsFirstFailureOnly: true,
    },
  );
  const stopListening = await store.listen(WEBHOOKS_CHANNEL, () => loop.wake());
  loop.start();
  return {
    // Nobody waits for receivers.
    runDue: async () => void (await loop.tick()),
    async close() {
      await stopListening();
      await loop.close();
      await waitAtMost(
        CLOSE_MS,
        Promise.all(running).then(() => {}),
      );
    },
  };
}

/** Sends what waits for one webhook, until nothing does, it fails, or its turn is over. */
async function serve(deps: Serving, webhook: Webhook, holder: string, isClosing: () => boolean): Promise<void> {
  const { store, clock, steadyNow } = deps;
  const until = steadyNow() + TURN_MS;
  const { wants } = readFilter({ kinds: webhook.kinds ?? undefined, wallet: webhook.wallet ?? undefined });
  let { last } = webhook;
  // Only what comes in its turn counts as the last: one that was asked for before it would leave out those between.
  const isSent = (deliveries: Delivery[], upTo: bigint) => attempt(deps, { webhook, holder, last: upTo }, deliveries);
  let left = MOST_IN_A_TURN;
  const isOld = ({ toldAt }: EventRow) => clock.now() - toldAt.getTime() >= LONGEST_MS;
  const isOver = () => left <= 0 || isClosing() || steadyNow() >= until;
  for (const delivery of await dueDeliveries(store, webhook.id, new Date(clock.now()), left)) {
    if (isOver()) return release();
    left -= 1;
    if (!(await isSent([delivery], last))) return release();
  }
  const inGroups = createGroups(deps.sends, steadyNow, webhook);
  while (!isOver()) {
    const page = await eventsAfter(store, [{ account: webhook.account, after: last }], PAGE);
    if (page[0] && page[0].number > last + 1n) await noteGap(deps, webhook.id, last + 1n, page[0].number - 1n);
    const waiting = page.filter(wants);
    while (waiting.length > 0) {
      if (isOver()) return release();
      // The first failure of what is a day old gives all of that up: none is to come by several at a time.
      const most = page.length < PAGE || isOld(waiting[0]!) ? 1 : Math.min(waiting.length, left);
      const [group, areSent] = await inGroups(most, async (count) => {
        const group = waiting.splice(0, count);
        return [group, await isSent(group.map(deliveryOf), group.at(-1)!.number)];
      });
      left -= group.length;
      const newest = group.at(-1)!;
      last = newest.number;
      if (areSent) continue;
      if (isOld(newest) && group.length === 1)
        last = await deps.giveUpOld({ webhook, holder, wants, isOld, isClosing }, last);
      return release();
    }
    last = page.at(-1)?.number ?? last;
    if (page.length < PAGE) break;
  }
  return release();

  function release(): Promise<void> {
    return releaseWebhook(store, webhook.id, holder, last);
  }
}

/**
 * Sends these at the same time. True if all have arrived, and there may be more. Written at once: a copy that is stopped before
 * leaves none of them out, and another one sends all of them.
 */
async function attempt(
  deps: Serving,
  { webhook, holder, last }: { webhook: Webhook; holder: string; last: bigint },
  deliveries: readonly Delivery[],
): Promise<boolean> {
  const { store, clock } = deps;
  const { tried, attempts } = await sendAll(deps, webhook, deliveries);
  const now = clock.now();
  const received = tried.filter(({ outcome }) => isReceived(outcome)).map(({ delivery }) => delivery.number);
  const failed = tried.filter(({ outcome }) => !isReceived(outcome)).map(({ delivery }) => delivery);
  return store.transaction(async (tx) => {
    for (const { delivery, outcome } of attempts) {
      await addAttempt(tx, webhook.id, attemptOf(delivery.number, new Date(now), outcome));
    }
    if (received.length > 0) {
      webhook.failures = 0;
      if (!(await recordSuccess(tx, webhook.id, holder, { numbers: received, last }))) return false;
    }
    if (failed.length === 0) return true;
    // However many have failed: the receiver was away once.
    webhook.failures += 1;
    const tries = Math.max(...failed.map((delivery) => delivery.tries)) + 1;
    await recordFailure(tx, webhook.id, holder, {
      // What a clock that was ahead has told would be tried until then.
      deliveries: failed.map((delivery) => ({
        ...delivery,
        at: new Date(Math.min(delivery.at.getTime(), now)),
        tries,
      })),
      last,
      dueAt: new Date(now + backOffMs(tries, RETRIES)),
      restUntil: new Date(now + backOffMs(webhook.failures, RESTS)),
      lostBefore: new Date(now - LONGEST_MS),
    });
    return false;
  });
}

interface Tried {
  delivery: Delivery;
  outcome: Outcome;
}

/** How each of these was tried last, and all attempts: what a receiver refuses beside others it may take by itself, at once. */
async function sendAll(deps: Serving, webhook: Webhook, deliveries: readonly Delivery[]) {
  const until = deps.steadyNow() + AGAIN_MS;
  const together = await Promise.all(deliveries.map((delivery) => sendOne(deps, webhook, delivery)));
  const refused = together.filter(({ outcome }) => !isReceived(outcome));
  if (refused.length === 0) deps.sends.took(webhook.id, deliveries.length);
  if (refused.length === 0 || deliveries.length === 1) return { tried: together, attempts: together };
  // One was taken just before.
  deps.sends.refused(webhook.id, deliveries.length);
  const alone: Tried[] = [];
  for (const { delivery } of refused) {
    // A receiver may have had long for them; and what fails by itself, too, says nothing of the others beside it.
    if (deps.steadyNow() >= until) break;
    const again = await sendOne(deps, webhook, delivery);
    alone.push(again);
    if (!isReceived(again.outcome)) break;
  }
  const last = new Map([...together, ...alone].map((each) => [each.delivery, each]));
  return { tried: [...last.values()], attempts: [...together, ...alone] };
}

async function sendOne({ clock, send, metrics }: Serving, webhook: Webhook, delivery: Delivery) {
  const outcome = await send(messageOf(webhook, delivery, { now: clock.now(), wallNow: clock.now() - clock.offsetMs }));
  metrics.delivered(isReceived(outcome) ? 'received' : 'failed');
  return { delivery, outcome };
}

/** Events were deleted before they could be sent. */
async function noteGap({ store, clock }: WebhooksDeps, id: string, from: bigint, to: bigint): Promise<void> {
  const error = `the events ${from} to ${to} were deleted before they could be sent`;
  const attempt = { number: from, at: new Date(clock.now()), status: null, error, milliseconds: 0 };
  await store.transaction((tx) => addAttempt(tx, id, attempt));
}
