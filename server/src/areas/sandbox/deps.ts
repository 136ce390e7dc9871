import type { Chain } from '../../chain/index.js';
import type { TokenList } from '../../config/index.js';
import { plainError } from '../../errors/index.js';
import type { AdjustableClock } from '../../lib/clock.js';
import type { Prices, SandboxPrices } from '../../prices/index.js';
import type { Aggregator } from '../../routing/aggregator/index.js';
import type { PriceMover } from '../../sandbox/index.js';
import type { Store } from '../../store/sql.js';

export interface SandboxDeps {
  chain: Chain;
  store: Store;
  clock: AdjustableClock;
  /** The prices that are answered, by the configured sources. */
  prices: Prices;
  stored: SandboxPrices;
  movePrice: PriceMover;
  /** The pools that are routed over. */
  pools: Aggregator['pools'];
  tokenList: TokenList;
  /** Where clients reach the chain. */
  node: { rpcUrl: () => string; wsUrl: () => string };
  apiKey: string;
  platformToken: string;
  platformStable: string;
  /** The events of the simulated games. */
  gameEventIds: readonly string[];
  /** Does all work that is due now; resolves when it is done. */
  runDue: () => Promise<void>;
}

/** Config of every route in this area. */
export const sandboxRoute = { errorShape: plainError, auth: 'key', keyless: false } as const;
export const tags = ['Sandbox'];
