import type { Logger } from 'pino';
import type { Chain, Rpc } from '../chain/index.js';
import type { Clock } from '../lib/clock.js';
import type { Signer } from '../signer/index.js';
import type { LedgerRow } from '../store/ledger.js';
import type { Store } from '../store/sql.js';
import type { Stops } from '../store/stops.js';
import type { Settlement } from './grouped-writes.js';

export interface LandingDeps {
  store: Store;
  clock: Clock;
  steadyNow: () => number;
  chain: Chain;
  /** The chain for simulating what is to be claimed for an area; `chain` by default. */
  trialChain?: (area: string) => Chain;
  /** The chain for searching what others were given to send, which may take many calls; `chain` by default. */
  searchChain?: Chain;
  /** The chain for looking up how what clients have posted has ended; `chain` by default. */
  endsChain?: Chain;
  /** Every RPC that transactions are sent to; the first is also the one that the chain is read from. */
  sendRpcs: readonly Rpc[];
  /** How the transactions of others are landed; as our own, and any number of them, when left out. */
  strangers?: {
    chain: Chain;
    sendRpcs: readonly Rpc[];
    /** The most that are followed at the same time: of one caller, and in all. */
    underWayPerKey: number;
    underWay: number;
  };
  signer: Signer;
  /** What the operator has stopped; nothing when left out. */
  stops?: Pick<Stops, 'require'>;
  /** By area. */
  settlements: Readonly<Record<string, Settlement>>;
  /** Called for every transaction that was settled here, after the outcome is stored. */
  observe: (settled: LedgerRow) => void;
  log: Logger;
}
