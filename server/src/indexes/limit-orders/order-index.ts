import type { LimitOrderAddresses } from '@slipway/programs';
import { newestOrderTransactions } from '../../store/limit-orders.js';
import type { IndexDeps } from '../indexed-program.js';
import { ProgramIndex } from '../program-index.js';
import { decodeOrderEvents } from './decode.js';
import { addEvents, addUnknown, endGone } from './known-orders.js';

/** The history of limit orders, read from the chain into the store, so that it can be queried by wallet. */
export interface LimitOrderIndex {
  /**
   * Reads what is new on the chain; resolves when everything that the node could provide at the time of the call is in
   * the store. The first call ever reads the program's last thousand transactions, and older ones are backfilled in the
   * background. The first call of a process also looks for open orders that are not in the history.
   * @throws ChainUnavailable, StoreUnavailable: what was read before is kept, and the next call continues from there.
   */
  sync(): Promise<void>;
  /** Somebody uses limit orders here: from now on `keepUp` reads what is new on the chain. */
  begin(): Promise<void>;
  /** `sync`, but only once it has begun: a service that does not use limit orders need not read a public program's. */
  keepUp(): Promise<void>;
  /** Stops reading; resolves when it has stopped. */
  close(): Promise<void>;
}

export interface LimitOrderIndexDeps extends IndexDeps {
  addresses: LimitOrderAddresses;
}

export function createLimitOrderIndex(deps: LimitOrderIndexDeps): LimitOrderIndex {
  const { addresses } = deps;
  const { program } = addresses;
  const index = new ProgramIndex(deps, {
    program,
    subject: 'limit orders',
    unreadGauge: {
      name: 'slipway_limit_order_unread_transactions',
      help: 'Transactions of the limit order program whose content the RPC cannot give; what they did is not in the list',
    },
    // A public program's history is long, and in the meantime the accounts tell what is open.
    waitsForHistory: false,
    // An order's row depends on its own events only, in whatever order they arrive.
    patienceMs: 0,
    decode: (transaction) => decodeOrderEvents(transaction, addresses),
    record: (tx, events) => addEvents(tx, deps, events),
    newest: newestOrderTransactions,
    accounts: { addUnknown: () => addUnknown(deps), endGone: () => endGone(deps) },
  });
  return {
    sync: () => index.sync(),
    begin: () => index.begin(),
    keepUp: () => index.keepUp(),
    close: () => index.close(),
  };
}
