import type { Address } from '@slipway/wire';
import type { FastifyRequest } from 'fastify';
import { plainError } from '../../errors/index.js';
import type { RebuiltInvites } from '../../indexes/invites/index.js';
import type { Clock } from '../../lib/clock.js';
import type { Store } from '../../store/sql.js';
import type { Ignored, Tick } from '../../trigger-orders/price-guard.js';

export interface AdminDeps {
  store: Store;
  clock: Clock;
  /** The tiers that a key may have. */
  tiers: readonly string[];
  /** Events whose scores the sandbox makes. */
  simulatedEvents: readonly string[];
  /** The price that orders may fire at, or why there is none; missing where no service runs. */
  tick?: (mint: Address) => Tick | Ignored;
  /** Reads all invites from the chain again; missing where no service runs. */
  rebuildInvites?: () => Promise<RebuiltInvites>;
}

/** What every route of this area says of itself. */
export const adminRoute = { errorShape: plainError, auth: 'admin' } as const;

/** A preValidation hook: where every field of a body is optional, the body is too. */
export async function allowNoBody(request: FastifyRequest): Promise<void> {
  request.body ??= {};
}
