import type { Address } from '@slipway/wire';
import type { Logger } from 'pino';
import type { Chain, MintOpinions } from '../../chain/index.js';
import type { SwapPrograms } from '../../crafting/swap.js';
import type { Landing } from '../../landing/index.js';
import type { Clock } from '../../lib/clock.js';
import type { Prices } from '../../prices/index.js';
import type { Router } from '../../routing/router.js';
import type { Store } from '../../store/sql.js';
import type { Expiries } from '../expiries.js';
import type { KeeperWallet } from '../wallet.js';
import type { Absences } from './absences.js';
import type { FillWrites } from './fill-writes.js';
import type { UnitsByShape } from './units-by-shape.js';

export interface TriggerKeeperDeps {
  store: Store;
  landing: Pick<Landing, 'send' | 'execute' | 'vouchesForOrder' | 'unlandedAt'>;
  chain: Chain;
  /** What other nodes say of the mints that orders sell and buy. */
  contradictions: MintOpinions;
  clock: Clock;
  log: Logger;
  /** Pays network fees and rent: the wallet of the signer's role `keeper`. */
  payer: Address;
  wallet: Pick<KeeperWallet, 'canPay'>;
  /** A router whose transactions need no signature but the vault's. */
  router: Router;
  prices: Pick<Prices, 'forOrders' | 'poolWitness' | 'pastWitness' | 'follow'>;
  /** The most that a fill may lose against the prices, in basis points, whatever its order accepts. */
  maxBelowFairBps: number;
  programs: SwapPrograms;
}

export interface FillDeps extends TriggerKeeperDeps {
  writes: FillWrites;
  units: UnitsByShape;
  absences: Absences;
  /** Of transactions that return rents, by order. */
  expiries: Expiries;
}
