import type { Config } from '../../config/index.js';
import { plainError } from '../../errors/index.js';
import type { Clock } from '../../lib/clock.js';
import type { Store } from '../../store/sql.js';
import type { Hub } from './hub.js';

export interface EventsDeps {
  store: Store;
  hub: Hub;
  clock: Clock;
  /** How long an event is kept. */
  keepMs: number;
  /** How many streams this instance keeps open. */
  limits: Pick<Config['events'], 'streams' | 'streamsPerKey'>;
}

export const eventsRoute = { errorShape: plainError, auth: 'key-or-wallet', keyless: false } as const;
export const tags = ['Events'];
