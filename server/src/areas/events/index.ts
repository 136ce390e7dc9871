import { plainError } from '../../errors/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import type { Area } from '../area.js';
import { type EventsDeps, tags } from './deps.js';
import { Hub } from './hub.js';
import { Event } from './schema.js';
import { registerStream } from './stream.js';

const DAY_MS = 24 * 60 * 60_000;

export const eventsArea: Area = {
  name: 'events',
  tag: tags[0],
  about: 'What happens to transactions, orders, launches and invites, as it happens',
  errorShape: plainError,
  register(server, { store, clock, log, config }) {
    const keepMs = config.events.keepDays * DAY_MS;
    registerEvents(server, { store, clock, keepMs, hub: new Hub({ store, log }), limits: config.events });
  },
};

export function registerEvents(server: TypedServer, deps: EventsDeps): void {
  server.addSchema(Event);
  server.addHook('onReady', () => deps.hub.start());
  // The server closes when its connections have ended.
  server.addHook('preClose', () => deps.hub.close());
  registerStream(server, deps);
}
