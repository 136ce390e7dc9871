import type { Chain } from '../../chain/index.js';
import { plainError } from '../../errors/index.js';
import type { Landing } from '../../landing/index.js';
import type { Clock } from '../../lib/clock.js';
import type { Prices } from '../../prices/index.js';
import type { LedgerRow, NewRequest } from '../../store/ledger.js';

export interface TransfersDeps {
  clock: Clock;
  chain: Chain;
  prices: Pick<Prices, 'quote' | 'usd'>;
  landing: Landing;
  /** Resolves when the crafted request is in the store. */
  remember: (request: NewRequest) => Promise<void>;
  findRequest: (id: string) => Promise<LedgerRow | undefined>;
}

/** The names of the two kinds of transactions in the ledger, so that neither route executes those of the other. */
export const TRANSFER = 'transfer';
export const RECLAIM = 'reclaim';

/** Config of every route in this area. */
export const transfersRoute = { errorShape: plainError, auth: 'key' } as const;
export const tags = ['Transfers'];
