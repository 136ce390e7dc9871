import type { Address } from '@slipway/wire';
import type { Chain } from '../../chain/index.js';
import { plainError } from '../../errors/index.js';
import type { InviteIndex } from '../../indexes/invites/index.js';
import type { Landing } from '../../landing/index.js';
import type { Clock } from '../../lib/clock.js';
import type { Signer } from '../../signer/index.js';
import type { LedgerRow, NewRequest } from '../../store/ledger.js';
import type { Store } from '../../store/sql.js';

export interface SendDeps {
  store: Store;
  /** The clock of transactions and invites; a sandbox can move it ahead. */
  clock: Clock;
  chain: Chain;
  index: InviteIndex;
  signer: Signer;
  keeperWallet: { leavesFills(): Promise<boolean> };
  landing: Landing;
  /** Resolves when the crafted request is in the store. */
  remember: (request: NewRequest) => Promise<void>;
  findRequest: (id: string) => Promise<LedgerRow | undefined>;
  /** The program that holds the invites. */
  program: Address;
}

/** The name of claims in the ledger. */
export const CLAIM_AREA = 'invite-claim';

/** Config of every route in this area. */
export const sendRoute = { errorShape: plainError, auth: 'key' } as const;
export const tags = ['Send'];
/** Description of the routes that craft. */
export const HOW_TO_LAND = 'Send it, signed, with POST /tx/v1/submit or to any RPC.';
