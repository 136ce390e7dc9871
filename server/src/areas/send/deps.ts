import type { Address } from '@slipway/wire';
import type { Chain } from '../../chain/index.js';
import { plainError } from '../../errors/index.js';
import type { InviteIndex } from '../../indexes/invites/index.js';
import type { Clock } from '../../lib/clock.js';
import type { Signer } from '../../signer/index.js';
import type { Store } from '../../store/sql.js';

export interface SendDeps {
  store: Store;
  /** Of transactions and invites; in a sandbox it runs ahead. */
  clock: Clock;
  chain: Chain;
  index: InviteIndex;
  signer: Signer;
  /** The program that holds the invites. */
  program: Address;
}

/** What every route of this area says of itself. */
export const sendRoute = { errorShape: plainError, auth: 'key' } as const;
export const tags = ['Send'];
/** Under the routes that craft. */
export const HOW_TO_LAND = 'Send it, signed, with POST /tx/v1/submit or to any RPC.';
