import type { Address } from '@slipway/wire';
import type { FastifyRequest } from 'fastify';
import type { TokenList } from '../../config/index.js';
import { plainError } from '../../errors/index.js';
import type { RebuiltInvites } from '../../indexes/invites/index.js';
import type { Clock } from '../../lib/clock.js';
import type { Aggregator } from '../../routing/aggregator/index.js';
import type { LastAnswer } from '../../routing/makers/index.js';
import type { UrlBox } from '../../store/makers.js';
import type { Store } from '../../store/sql.js';
import type { TriggerOrderRow } from '../../store/trigger-orders.js';
import type { PendingPayment } from '../../store/verifications.js';
import type { Ignored, Tick } from '../../trigger-orders/price-guard.js';
import type { MetricsHistory, OwnLog } from '../area.js';
import type { OnChain } from './watch-schema.js';

export interface AdminDeps {
  store: Store;
  /** Encrypts and opens the URLs of market makers. */
  box: () => Promise<UrlBox>;
  clock: Clock;
  /** The configured token, or that of the data folder: seals the other admins. */
  rootToken: () => Promise<string>;
  /** The tiers that a key may have. */
  tiers: readonly string[];
  /** Whether pages of an origin may call at all. */
  mayCall: (origin: string) => boolean;
  /** Events whose scores the sandbox simulates. */
  simulatedEvents: readonly string[];
  /** Why a payment must not be relied on for good, or not yet; undefined where it is final, and has brought the price. */
  whyNotPaid: (payment: PendingPayment) => Promise<string | undefined>;
  /** The price that orders may fire at, or why there is none; absent where no service runs. */
  tick?: (mint: Address) => Tick | Ignored;
  /** Whether a trigger order is as its owner made it; absent where no service runs. */
  vouchesForOrder?: (order: TriggerOrderRow) => Promise<boolean>;
  /** Why the keepers begin nothing, if their wallet is short; absent where no service runs. */
  keeperShortage?: () => Promise<string | undefined>;
  /** Reads all invites from the chain again; absent where no service runs. */
  rebuildInvites?: () => Promise<RebuiltInvites>;
  /** What was measured after a time, in Unix milliseconds; absent where no service runs. */
  history?: (since: number) => Promise<MetricsHistory>;
  /** What this process has logged; absent where no service runs. */
  log?: OwnLog;
  /** What the chain says of a transaction; absent where no service runs. */
  onChain?: (signature: string) => Promise<OnChain | undefined>;
  /** The pools that are routed over; absent where no service runs. */
  pools?: Aggregator['pools'];
  /** What the operator vouches for; absent where no service runs. */
  tokenList?: TokenList;
  /** What a market maker has answered last, by its id; absent where no service runs. */
  lastAnswer?: (maker: string) => LastAnswer | undefined;
}

/** Config of the routes in this area: of what only looks, by what may be done. */
export const adminRoute = { errorShape: plainError, auth: 'admin', role: 'read' } as const;
export const operateRoute = { ...adminRoute, role: 'operate' } as const;
export const keysRoute = { ...adminRoute, role: 'keys' } as const;
export const allRoute = { ...adminRoute, role: 'all' } as const;

/** A preValidation hook: makes the body optional where all its fields are. */
export async function allowNoBody(request: FastifyRequest): Promise<void> {
  request.body ??= {};
}
