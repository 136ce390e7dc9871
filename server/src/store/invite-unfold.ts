import type { PlacedInviteEvent } from './invite-events.js';
import { count, type InviteState, type ListedInvite, numbersOf } from './invite-fold.js';

/** An invite in the lists, with what has happened to it. */
export interface KnownInvite extends ListedInvite {
  isOpen: boolean;
  /** Null if the transaction that ended it could not be read. */
  action: string | null;
  receiver: string | null;
  creationTx: string;
  deletionTx: string | null;
}

/** The part of the lists that taking out a group of events can change. */
export interface UnfoldState extends Pick<InviteState, 'lastId' | 'numbers'> {
  /** The invites of each account, oldest first: those that the events may have made, and the one before these. */
  invites: ReadonlyMap<string, KnownInvite[]>;
}

/** What to write to the lists. */
export interface UnfoldedChanges {
  /** The last invite that is left. */
  lastId: bigint;
  /** How many come after it. */
  removed: number;
  reopened: bigint[];
  history: { address: string; number: bigint; invite: bigint }[];
  numbers: InviteState['numbers'];
  blocks: Map<string, { sender: string; block: bigint; open: number }>;
}

/**
 * Takes events, newest first, out of the lists again, so that these are what they were before them. Events that the lists
 * do not hold are passed over. Undefined if the lists are not what such events make. Modifies `state`.
 */
export function unfoldEvents(state: UnfoldState, events: readonly PlacedInviteEvent[]): UnfoldedChanges | undefined {
  const changes = { removed: 0, history: [], numbers: state.numbers, blocks: new Map() };
  const undone: Undone = { ...changes, reopened: new Set<bigint>() };
  let { lastId } = state;
  for (const { event, txId } of events) {
    const ofAccount = state.invites.get(event.invitePda) ?? [];
    const invite = ofAccount.at(-1);
    if (!invite) continue;
    if (event.kind !== 'created') {
      if (!invite.isOpen && invite.deletionTx === txId) reopen(undone, invite);
      continue;
    }
    if (invite.creationTx !== txId) continue;
    if (!invite.isOpen || invite.id !== lastId) return undefined;
    remove(undone, invite);
    lastId -= 1n;
    ofAccount.pop();
    const before = ofAccount.at(-1);
    // It was taken to have ended because this one has its account.
    if (before && !before.isOpen && before.action === null) reopen(undone, before);
  }
  return { ...undone, lastId, reopened: [...undone.reopened] };
}

type Undone = Omit<UnfoldedChanges, 'lastId' | 'reopened'> & { reopened: Set<bigint> };

function remove(undone: Undone, invite: KnownInvite): void {
  undone.removed += 1;
  undone.reopened.delete(invite.id);
  numbersOf(undone, invite.sender).sent -= 1n;
  count(undone, invite, -1);
}

function reopen(undone: Undone, invite: KnownInvite): void {
  const parties = invite.receiver === null ? [invite.sender] : [invite.sender, invite.receiver];
  for (const address of new Set(parties)) {
    const numbers = numbersOf(undone, address);
    undone.history.push({ address, number: numbers.ended, invite: invite.id });
    numbers.ended -= 1n;
  }
  undone.reopened.add(invite.id);
  Object.assign(invite, { isOpen: true, action: 'created', receiver: null, deletionTx: null });
  count(undone, invite, 1);
}
