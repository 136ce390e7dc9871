import type { Address } from '@slipway/wire';
import type { Landing } from '../../landing/index.js';
import type { Store } from '../../store/sql.js';

export interface SubmitDeps {
  store: Store;
  landing: Landing;
  /** Required of every transaction, as a transfer to one of the accounts; 0: none. */
  minTipLamports: bigint;
  tipAccounts: readonly Address[];
}
