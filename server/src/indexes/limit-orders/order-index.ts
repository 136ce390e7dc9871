import type { LimitOrderAddresses } from '@slipway/programs';
import type { IndexDeps } from '../indexed-program.js';
import { ProgramIndex } from '../program-index.js';
import { decodeOrderEvents } from './decode.js';
import { addEvents, addUnknown, endGone } from './known-orders.js';

/** What has happened to orders, read from the chain into the store, so that it can be asked for by wallet. */
export interface LimitOrderIndex {
  /**
   * Reads what the chain has had since; resolves when everything is in the store that the node knew when this was called
   * and could tell. What is older than the program's last thousand transactions at the first call ever is read on in the
   * background. The first call of a process also looks for open orders that no history tells of.
   * @throws ChainUnavailable, StoreUnavailable: what was read before stays, and the next call goes on from there.
   */
  sync(): Promise<void>;
  /** `sync` where that was called before, ever: a service without limit orders does not read those of a public program. */
  keepUp(): Promise<void>;
  /** Resolves when nothing more is read. */
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
    // A public program's is long, and the accounts tell of what is open meanwhile.
    waitsForHistory: false,
    // An order's row is made of its own events alone, in whatever order they come.
    patienceMs: 0,
    decode: (transaction) => decodeOrderEvents(transaction, addresses),
    record: (tx, events) => addEvents(tx, program, events),
    accounts: { addUnknown: () => addUnknown(deps), endGone: () => endGone(deps) },
  });
  return {
    sync: () => index.sync(),
    keepUp: () => index.keepUp(),
    close: () => index.close(),
  };
}
