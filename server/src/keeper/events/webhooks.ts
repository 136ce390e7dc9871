import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Sender } from '../../events/sender.js';
import type { AdjustableClock } from '../../lib/clock.js';
import { uuidv7 } from '../../lib/ids.js';
import { waitAtMost } from '../../lib/wait-at-most.js';
import { WEBHOOKS_CHANNEL } from '../../store/events.js';
import type { Store } from '../../store/sql.js';
import { takeDueWebhooks, webhookBacklog } from '../../store/webhook-deliveries.js';
import { openWebhooks, type TextBox } from '../../store/webhooks.js';
import type { KeeperLoop } from '../keeper.js';
import { Loop } from '../loop.js';
import { createGiveUpOld } from './give-up-old.js';
import { createWebhookMetrics } from './metrics.js';
import { MOST_AT_ONCE, MOST_OF_KEY, SendsAtOnce } from './sends-at-once.js';
import { serve } from './webhook-turn.js';

const INTERVAL_MS = 1_000;
/** All webhooks are looked through each time, and each turn that ends asks for it. */
const SOON_MS = 25;
const CLOSE_MS = 2_000;

export interface WebhooksDeps {
  store: Store;
  box: TextBox;
  clock: AdjustableClock;
  steadyNow: () => number;
  send: Sender;
  log: Logger;
  registry: Registry;
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
