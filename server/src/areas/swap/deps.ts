import type { Address } from '@slipway/wire';
import type { Logger } from 'pino';
import type { Chain, Rpc } from '../../chain/index.js';
import type { SwapPrograms } from '../../crafting/swap.js';
import { plainError } from '../../errors/index.js';
import type { Deliver, Landing } from '../../landing/index.js';
import type { Clock } from '../../lib/clock.js';
import type { Prices } from '../../prices/index.js';
import type { Routing } from '../../routing/race.js';
import type { MakerQuote } from '../../routing/router.js';
import type { LedgerRow, NewRequest } from '../../store/ledger.js';
import type { Store } from '../../store/sql.js';
import type { FeeAccounts } from './fee-accounts.js';
import type { FeeSettings } from './fees.js';

export interface SwapDeps {
  store: Store;
  clock: Clock;
  /** Milliseconds that never step back. */
  steadyNow: () => number;
  log: Logger;
  chain: Chain;
  prices: Pick<Prices, 'quote' | 'usd' | 'poolWitness'>;
  /** USD for one whole token, to be shown: by the prices, else by the pools. */
  shownUsd: (mint: Address) => number | undefined;
  landing: Landing;
  routing: Routing;
  /** Sends a transaction to the market maker that quoted it. */
  deliver: (quote: MakerQuote) => Deliver;
  /** Resolves when the crafted request is in the store. */
  remember: (request: NewRequest) => Promise<void>;
  findRequest: (id: string) => Promise<LedgerRow | undefined>;
  programs: SwapPrograms;
  fees: FeeSettings;
  /** Pays for takers without SOL if the operator enables that. Clients cannot name it as a party. */
  gasWallet: Address;
  gasless: boolean;
  /** Accounts that tips may go to; without any, no tip is paid. */
  tipAccounts: readonly Address[];
}

/** Cached lookups on the chain that an order's fees depend on. */
export interface FeeSources {
  accounts: FeeAccounts;
  /** Whether a mint is known to be younger than 24 hours. */
  isNew: (rpc: Rpc, mint: Address) => Promise<boolean>;
}

/** The area's name in the ledger. */
export const AREA = 'swap';

/** Config of every route in this area. */
export const swapRoute = { errorShape: plainError, auth: 'key' } as const;
export const tags = ['Swap'];
