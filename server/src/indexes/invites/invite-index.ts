import type { Address } from '@slipway/wire';
import { waitAtMost } from '../../lib/wait-at-most.js';
import { type InviteEvent, newestInviteTransactions } from '../../store/invite-events.js';
import { countInvites } from '../../store/invite-lists.js';
import { areInviteListsBehind, repairInviteLists } from '../../store/invite-repair.js';
import { beginInviteIndex, clearInviteIndex, recordInviteEvents } from '../../store/invites.js';
import { type IndexDeps, type IndexedProgram, newsSince } from '../indexed-program.js';
import { ProgramIndex } from '../program-index.js';
import { decodeInviteEvents } from './decode.js';

/** The history of invites, read from the chain into the store, so that it can be queried by wallet. */
export interface InviteIndex {
  /**
   * Reads what is new on the chain; resolves when everything that the node could provide at the time of the call is in
   * the store. The first call ever reads the program's whole history.
   * @throws ChainUnavailable, StoreUnavailable: what was read before is kept, and the next call continues from there.
   */
  sync(): Promise<void>;
  /**
   * Resolves when the index is at most a slot behind, or after two seconds. Never rejects: then the answer is what is
   * known.
   */
  fresh(): Promise<void>;
  /** Somebody uses invites here: from now on `keepUp` reads what is new on the chain. */
  begin(): Promise<void>;
  /** `sync`, but only once it has begun: a service that does not use invites need not read a public program's. */
  keepUp(): Promise<void>;
  /**
   * Forgets everything and reads it from the chain again; resolves after 20 seconds at most, and continues.
   * @throws ChainUnavailable, StoreUnavailable
   */
  rebuild(): Promise<RebuiltInvites>;
  /** Stops reading; resolves when it has stopped. */
  close(): Promise<void>;
}

export interface RebuiltInvites {
  done: boolean;
  transactions: number;
  /** How many of these are not read yet, or cannot be. */
  unread: number;
  invites: number;
  open: number;
}

export interface InviteIndexDeps extends IndexDeps {
  program: Address;
}

/** A slot: nodes have hardly confirmed anything newer. */
const FRESH_MS = 400;
const LONGEST_WAIT_MS = 2_000;
const LONGEST_REBUILD_MS = 20_000;

export function createInviteIndex(deps: InviteIndexDeps): InviteIndex {
  const { store, steadyNow, log } = deps;
  const index = new ProgramIndex(deps, inviteProgram(deps));
  let syncedAt = Number.NEGATIVE_INFINITY;

  async function sync(): Promise<void> {
    const startedAt = steadyNow();
    await index.sync();
    syncedAt = Math.max(syncedAt, startedAt);
  }

  return {
    sync,
    async fresh() {
      if (steadyNow() - syncedAt < FRESH_MS) return;
      const synced = sync().catch((error: Error) => {
        log.warn({ reason: error.message }, 'cannot read invites from the chain; answering what is known');
      });
      await waitAtMost(LONGEST_WAIT_MS, synced);
    },
    begin: () => index.begin(),
    keepUp: () => index.keepUp(),
    async rebuild() {
      await store.transaction((tx) => clearInviteIndex(tx));
      const done = await waitAtMost(LONGEST_REBUILD_MS, sync());
      const [{ transactions, unread }, { all: invites, open }] = await Promise.all([
        index.counts(),
        countInvites(store),
      ]);
      return { done, transactions, unread, invites, open };
    },
    close: () => index.close(),
  };
}

function inviteProgram({ store, clock, program }: InviteIndexDeps): IndexedProgram<{ event: InviteEvent }> {
  return {
    program,
    subject: 'invites',
    unreadGauge: {
      name: 'slipway_invite_unread_transactions',
      help: 'Transactions of the invite program whose content the RPC cannot give; what they did is not in the lists',
    },
    waitsForHistory: true,
    // The lists are numbered in the order of the chain, so all that comes after a late event is taken out and put in again.
    patienceMs: 10_000,
    decode: (transaction) => decodeInviteEvents(transaction, program).map((event) => ({ event })),
    begin: (tx) => beginInviteIndex(tx, program),
    record: (tx, events) => recordInviteEvents(tx, events, newsSince(clock)),
    newest: newestInviteTransactions,
    async finish() {
      if (!(await areInviteListsBehind(store))) return false;
      return store.transaction((tx) => repairInviteLists(tx, newsSince(clock)));
    },
  };
}
