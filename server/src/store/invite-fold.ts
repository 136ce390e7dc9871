import type { InviteEnd, InviteEvent, PlacedInviteEvent } from './invite-events.js';

/** How many consecutive numbers of a sender's invites are counted together. */
export const BLOCK_SIZE = 256n;
const blockOf = (sent: bigint): bigint => sent / BLOCK_SIZE;

/** An invite in the lists. */
export interface ListedInvite {
  id: bigint;
  invitePda: string;
  sender: string;
  /** Its number among the sender's invites. */
  sent: bigint;
}

interface NewInvite extends ListedInvite {
  inviteSigner: string;
  mint: string | null;
  tokenProgram: string | null;
  amount: string;
  expiry: string;
  creationTx: string;
  creationTime: Date;
}

/** How an invite ended; all null if the transaction that ended it could not be read. */
interface EndedInvite {
  id: bigint;
  action: InviteEnd | null;
  receiver: string | null;
  deletionTx: string | null;
  deletionTime: Date | null;
}

/** The part of the lists that a group of events can change. */
export interface InviteState {
  lastId: bigint;
  /** Open invites by account. */
  open: Map<string, ListedInvite>;
  /** The last numbers assigned, by wallet. */
  numbers: Map<string, { sent: bigint; ended: bigint }>;
}

/** What to write to the lists. */
export interface InviteChanges {
  created: NewInvite[];
  ended: EndedInvite[];
  history: { address: string; number: bigint; invite: bigint }[];
  /** The last numbers assigned, by wallet. */
  numbers: Map<string, { sent: bigint; ended: bigint }>;
  /** The change in the number of open invites, by sender and block. */
  blocks: Map<string, { sender: string; block: bigint; open: number }>;
}

/** Folds events, in chain order, into changes of the lists. Modifies `state`. */
export function foldEvents(state: InviteState, events: readonly PlacedInviteEvent[]): InviteChanges {
  const changes: InviteChanges = { created: [], ended: [], history: [], numbers: state.numbers, blocks: new Map() };
  for (const { event, txId, at } of events) {
    const open = state.open.get(event.invitePda);
    if (event.kind !== 'created') {
      const { kind: action, receiver } = event;
      const deletion = { deletionTx: txId, deletionTime: at };
      if (open) end(state, changes, open, { id: open.id, action, receiver, ...deletion });
      continue;
    }
    // An account is reused only after the invite that it held has ended.
    if (open) end(state, changes, open, { id: open.id, ...UNKNOWN_END });
    create(state, changes, event, { creationTx: txId, creationTime: at });
  }
  return changes;
}

const UNKNOWN_END = { action: null, receiver: null, deletionTx: null, deletionTime: null };

function create(
  state: InviteState,
  changes: InviteChanges,
  { kind: _, ...terms }: Extract<InviteEvent, { kind: 'created' }>,
  creation: Pick<NewInvite, 'creationTx' | 'creationTime'>,
): void {
  const numbers = numbersOf(state, terms.sender);
  numbers.sent += 1n;
  state.lastId += 1n;
  const invite = { ...terms, ...creation, id: state.lastId, sent: numbers.sent };
  changes.created.push(invite);
  state.open.set(invite.invitePda, invite);
  count(changes, invite, 1);
}

function end(state: InviteState, changes: InviteChanges, invite: ListedInvite, ended: EndedInvite): void {
  changes.ended.push(ended);
  state.open.delete(invite.invitePda);
  count(changes, invite, -1);
  const parties = ended.receiver === null ? [invite.sender] : [invite.sender, ended.receiver];
  for (const address of new Set(parties)) {
    const numbers = numbersOf(state, address);
    numbers.ended += 1n;
    changes.history.push({ address, number: numbers.ended, invite: invite.id });
  }
}

export function count({ blocks }: Pick<InviteChanges, 'blocks'>, { sender, sent }: ListedInvite, more: number): void {
  const block = blockOf(sent);
  const key = `${sender} ${block}`;
  const known = blocks.get(key);
  if (known) known.open += more;
  else blocks.set(key, { sender, block, open: more });
}

export function numbersOf({ numbers }: Pick<InviteState, 'numbers'>, address: string): { sent: bigint; ended: bigint } {
  const known = numbers.get(address) ?? { sent: 0n, ended: 0n };
  numbers.set(address, known);
  return known;
}
