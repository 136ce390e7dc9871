import type { Config } from '../../config/index.js';
import { plainError } from '../../errors/index.js';
import type { Sender } from '../../events/sender.js';
import type { AdjustableClock } from '../../lib/clock.js';
import type { Store } from '../../store/sql.js';
import type { TextBox } from '../../store/webhooks.js';
import type { Hub } from './hub.js';

export interface EventsDeps {
  store: Store;
  hub: Hub;
  clock: AdjustableClock;
  /** How long an event is kept. */
  keepMs: number;
  box: TextBox;
  send: Sender;
  /** Whether webhooks may be in private networks. */
  allowsPrivate: boolean;
  /** How many streams this instance keeps open. */
  limits: Pick<Config['events'], 'streams' | 'streamsPerKey'>;
}

export const eventsRoute = { errorShape: plainError, auth: 'key-or-wallet', keyless: false } as const;
export const tags = ['Events'];
