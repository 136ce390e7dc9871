import { plainError } from '../../errors/index.js';
import { createSender } from '../../events/sender.js';
import type { TypedServer } from '../../lib/typed-server.js';
import type { Area } from '../area.js';
import { type EventsDeps, tags } from './deps.js';
import { Hub } from './hub.js';
import { Event } from './schema.js';
import { registerStream } from './stream.js';
import { registerWebhookDeliveries } from './webhook-deliveries.js';
import { NewWebhook, Webhook } from './webhook-schema.js';
import { registerWebhooks } from './webhooks.js';

const DAY_MS = 24 * 60 * 60_000;

export const eventsArea: Area = {
  name: 'events',
  tag: tags[0],
  about: 'What happens to transactions, orders, launches and invites, as it happens',
  errorShape: plainError,
  register(server, { store, clock, steadyNow, secrets, log, config }) {
    const allowsPrivate = config.events.privateWebhooks;
    registerEvents(server, {
      store,
      clock,
      keepMs: config.events.keepDays * DAY_MS,
      hub: new Hub({ store, log }),
      limits: config.events,
      box: secrets,
      allowsPrivate,
      send: createSender({ allowsPrivate, steadyNow }),
    });
  },
};

export function registerEvents(server: TypedServer, deps: EventsDeps): void {
  for (const schema of [Event, Webhook, NewWebhook]) server.addSchema(schema);
  server.addHook('onReady', () => deps.hub.start());
  // The server closes when its connections have ended.
  server.addHook('preClose', () => deps.hub.close());
  registerStream(server, deps);
  registerWebhooks(server, deps);
  registerWebhookDeliveries(server, deps);
}
