import type { Address } from '@slipway/wire';
import type { Chain } from '../../chain/index.js';
import type { Landing } from '../../landing/index.js';
import type { Clock } from '../../lib/clock.js';
import type { Objects } from '../../objects/index.js';
import type { KeyName, Signer } from '../../signer/index.js';
import type { LedgerRow, NewRequest } from '../../store/ledger.js';
import type { Store } from '../../store/sql.js';
import { studioError } from './error-shape.js';

export interface StudioDeps {
  store: Store;
  clock: Clock;
  chain: Chain;
  landing: Landing;
  /** Tells the aggregator of a pool that was just made. Never rejects. */
  learnPool: (pool: Address) => Promise<void>;
  objects: Objects;
  /** How long uploads can be replaced after a launch was crafted. */
  uploadMs: number;
  signer: Signer;
  /** Resolves when the crafted request is in the store. */
  remember: (request: NewRequest) => Promise<void>;
  findRequest: (id: string) => Promise<LedgerRow | undefined>;
  /** Receives the operator's half of the fees, and the tokens that are left over after a migration. */
  operator: Address;
  /** The suffix of new mints' addresses; empty: any. */
  mintSuffix: string;
  /** The tokens that a curve can be priced in. */
  quotes: readonly { symbol: string; mint: Address; decimals: number }[];
}

/** The area's name in the ledger. */
export const AREA = 'studio';

/** The keys of a launch, which share one number. */
export function keysOf(number: number): { mint: KeyName; config: KeyName } {
  return { mint: `mint:${number}`, config: `launch:${number}` };
}

/** Config of every route in this area. */
export const studioRoute = { errorShape: studioError, auth: 'key' } as const;
export const tags = ['Studio'];
