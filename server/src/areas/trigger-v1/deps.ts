import type { LimitOrderAddresses } from '@slipway/programs';
import type { Address } from '@slipway/wire';
import type { Logger } from 'pino';
import { type Static, Type } from 'typebox';
import type { Chain } from '../../chain/index.js';
import type { LimitOrderIndex } from '../../indexes/limit-orders/index.js';
import { addressText, type Landing, payloadReader } from '../../landing/index.js';
import type { Clock } from '../../lib/clock.js';
import type { Prices } from '../../prices/index.js';
import type { LedgerRow, NewRequest } from '../../store/ledger.js';
import type { Store } from '../../store/sql.js';
import { triggerV1Error } from './error-shape.js';

export interface TriggerV1Deps {
  store: Store;
  clock: Clock;
  log: Logger;
  chain: Chain;
  prices: Prices;
  landing: Landing;
  index: LimitOrderIndex;
  /** How long a question waits for the index, in milliseconds; for tests. */
  longestWaitMs?: number;
  /** Resolves when the crafted request is in the store. */
  remember: (request: NewRequest) => Promise<void>;
  findRequest: (id: string) => Promise<LedgerRow | undefined>;
  /** Addresses of the limit order program. */
  addresses: LimitOrderAddresses;
  /** Pairs of these pay the program's lower fee. */
  stables: ReadonlySet<Address>;
  /** Signs nothing here; clients cannot name it as a party. */
  gasWallet: Address;
}

/** The area's name in the ledger. */
export const AREA = 'trigger-v1';

/** What `execute` needs to know of a crafted transaction; stored in the ledger. */
const Payload = Type.Object({
  /** The order that is opened or cancelled; absent if there are several. */
  order: Type.Optional(addressText),
  /** How many transactions there are under the request id. */
  transactions: Type.Integer({ minimum: 1 }),
});
export type Payload = Static<typeof Payload>;

/** @throws PayloadMismatch */
export const readPayload = payloadReader(Payload);

/** Config of every route in this area. */
export const triggerV1Route = { errorShape: triggerV1Error, auth: 'key' } as const;
export const tags = ['Limit orders'];
