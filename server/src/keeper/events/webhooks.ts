import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { readFilter } from '../../events/filter.js';
import { attemptOf, deliveryOf, messageOf } from '../../events/messages.js';
import { isReceived, type Sender } from '../../events/sender.js';
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

/** Sends at the same time. */
const MOST_AT_ONCE = 100;
const PAGE = 50;
/** Of what one key has added: a key can log in any number of wallets. */
const MOST_OF_KEY = MOST_AT_ONCE / 2;
/** Then others have their turn. */
const MOST_IN_A_TURN = 200;
const TURN_MS = 10_000;
const INTERVAL_MS = 1_000;
/** All webhooks are looked through each time, and each turn that ends asks for it. */
const SOON_MS = 25;
const CLOSE_MS = 2_000;
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

type Serving = WebhooksDeps & { metrics: ReturnType<typeof createWebhookMetrics>; giveUpOld: GiveUpOld };

/** Sends events to webhooks, at least once each. A webhook is one instance's at a time; each is sent to by itself. */
export async function startWebhooks(deps: WebhooksDeps): Promise<KeeperLoop> {
  const { store, box, clock, log, registry } = deps;
  const metrics = createWebhookMetrics(
    registry,
    () => webhookBacklog(store),
    () => clock.now(),
  );
  const parts = { ...deps, metrics, giveUpOld: createGiveUpOld(deps) };
  const running = new Set<Promise<void>>();
  const underWay = new Map<string, number>();
  const count = (key: string, change: 1 | -1) => {
    const now = (underWay.get(key) ?? 0) + change;
    if (now > 0) underWay.set(key, now);
    else underWay.delete(key);
  };
  const loop = new Loop(
    async () => {
      const most = { inAll: MOST_AT_ONCE - running.size, ofKey: MOST_OF_KEY, underWay };
      if (most.inAll <= 0) return;
      const holder = uuidv7(clock);
      const taken = await store.single((tx) => takeDueWebhooks(tx, { holder, now: new Date(clock.now()) }, most));
      for (const webhook of await openWebhooks(box, taken)) {
        count(webhook.addedBy, 1);
        const serving = serve(parts, webhook, holder, () => loop.isClosed)
          .catch((error: Error) => {
            if (!loop.isClosed) log.warn({ webhook: webhook.id, reason: error.message }, 'a webhook is tried again');
          })
          .finally(() => {
            running.delete(serving);
            count(webhook.addedBy, -1);
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
  const isSent = (delivery: Delivery, upTo: bigint) => attempt(deps, { webhook, holder, last: upTo }, delivery);
  let left = MOST_IN_A_TURN;
  const isOld = ({ toldAt }: EventRow) => clock.now() - toldAt.getTime() >= LONGEST_MS;
  const isOver = () => left <= 0 || isClosing() || steadyNow() >= until;
  for (const delivery of await dueDeliveries(store, webhook.id, new Date(clock.now()), left)) {
    if (isOver()) return release();
    left -= 1;
    if (!(await isSent(delivery, last))) return release();
  }
  while (!isOver()) {
    const page = await eventsAfter(store, [{ account: webhook.account, after: last }], PAGE);
    if (page[0] && page[0].number > last + 1n) await noteGap(deps, webhook.id, last + 1n, page[0].number - 1n);
    for (const event of page) {
      if (isOver()) return release();
      if (wants(event)) {
        left -= 1;
        if (!(await isSent(deliveryOf(event), event.number))) {
          last = event.number;
          if (isOld(event)) last = await deps.giveUpOld({ webhook, holder, wants, isOld, isClosing }, last);
          return release();
        }
      }
      last = event.number;
    }
    if (page.length < PAGE) break;
  }
  return release();

  function release(): Promise<void> {
    return releaseWebhook(store, webhook.id, holder, last);
  }
}

/** True if it has arrived, and there may be more. */
async function attempt(
  deps: Serving,
  { webhook, holder, last }: { webhook: Webhook; holder: string; last: bigint },
  delivery: Delivery,
): Promise<boolean> {
  const { store, clock, send } = deps;
  const outcome = await send(messageOf(webhook, delivery, { now: clock.now(), wallNow: clock.now() - clock.offsetMs }));
  deps.metrics.delivered(isReceived(outcome) ? 'received' : 'failed');
  const now = clock.now();
  return store.transaction(async (tx) => {
    await addAttempt(tx, webhook.id, attemptOf(delivery.number, new Date(now), outcome));
    if (isReceived(outcome)) {
      webhook.failures = 0;
      return recordSuccess(tx, webhook.id, holder, { number: delivery.number, last });
    }
    webhook.failures += 1;
    const tries = delivery.tries + 1;
    const dueAt = new Date(now + backOffMs(tries, RETRIES));
    // What a clock that was ahead has told would be tried until then.
    const at = Math.min(delivery.at.getTime(), now);
    await recordFailure(tx, webhook.id, holder, {
      delivery: { ...delivery, at: new Date(at), tries },
      last,
      dueAt: now - at >= LONGEST_MS ? null : dueAt,
      restUntil: new Date(now + backOffMs(webhook.failures, RESTS)),
      lostBefore: new Date(now - LONGEST_MS),
    });
    return false;
  });
}

/** Events were deleted before they could be sent. */
async function noteGap({ store, clock }: WebhooksDeps, id: string, from: bigint, to: bigint): Promise<void> {
  const error = `the events ${from} to ${to} were deleted before they could be sent`;
  const attempt = { number: from, at: new Date(clock.now()), status: null, error, milliseconds: 0 };
  await store.transaction((tx) => addAttempt(tx, id, attempt));
}
