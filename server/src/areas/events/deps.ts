import type { Config } from '../../config/index.js';
import { plainError } from '../../errors/index.js';
import type { Store } from '../../store/sql.js';
import type { Hub } from './hub.js';

export interface EventsDeps {
  store: Store;
  hub: Hub;
  /** How many streams this instance keeps open. */
  limits: Pick<Config['events'], 'streams' | 'streamsPerKey'>;
}

export const eventsRoute = { errorShape: plainError, auth: 'key-or-wallet', keyless: false } as const;
export const tags = ['Events'];
