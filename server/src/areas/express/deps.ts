import type { Address } from '@slipway/wire';
import type { Chain, UnitMeter } from '../../chain/index.js';
import type { TokenList } from '../../config/index.js';
import type { SwapPrograms } from '../../crafting/swap.js';
import type { Landing } from '../../landing/index.js';
import type { Clock } from '../../lib/clock.js';
import type { Prices } from '../../prices/index.js';
import type { Routing } from '../../routing/race.js';
import type { LedgerRow, NewRequest } from '../../store/ledger.js';
import type { Store } from '../../store/sql.js';
import type { Holding, PaidFor } from '../../store/verifications.js';
import { expressError } from './error-shape.js';

export interface ConfiguredToken {
  readonly symbol: string;
  readonly mint: Address;
  readonly decimals: number;
}

export interface ExpressDeps {
  store: Store;
  clock: Clock;
  chain: Chain;
  unitsOf: UnitMeter;
  prices: Prices;
  landing: Landing;
  /** Resolves when the crafted request is in the store. */
  remember: (request: NewRequest) => Promise<void>;
  findRequest: (id: string) => Promise<LedgerRow | undefined>;
  /** The payments that hold a token. */
  findHolders: (holding: Holding) => Promise<string[]>;
  /** What a landed payment has been recorded as paying for. */
  paidFor: (requestId: string) => Promise<PaidFor[]>;
  /** Pays the network fee if the operator enables gasless. */
  gasWallet: Address;
  platform: ConfiguredToken;
  stable: ConfiguredToken;
  /** What the operator vouches for, which needs no verification. */
  tokens: TokenList;
  usdc: ConfiguredToken;
  routing: Routing;
  /** The programs that a payment by swap may trade with. */
  programs: SwapPrograms;
  /** The wallet that the payments go to. */
  receiver: Address;
  gasless: boolean;
}

/** The area's name in the ledger. */
export const AREA = 'express';

/** Config of every route in this area. */
export const expressRoute = { errorShape: expressError, auth: 'key' } as const;
export const tags = ['Express verification'];
