import type { InviteEnd, InviteEvent, PlacedInviteEvent } from './invite-events.js';

/** Numbers of a sender's invites that are counted together. */
export const BLOCK_SIZE = 256n;
const blockOf = (sent: bigint): bigint => sent / BLOCK_SIZE;

/** An invite in the lists. */
export interface ListedInvite {
  id: bigint;
  invitePda: string;
  sender: string;
  /** Which one it is of those that the sender has made. */
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

/** How one has ended; all null where the transaction that ended it could not be read. */
interface EndedInvite {
  id: bigint;
  action: InviteEnd | null;
  receiver: string | null;
  deletionTx: string | null;
  deletionTime: Date | null;
}

/** What the lists say of the accounts and wallets that some events are of. */
export interface InviteState {
  lastId: bigint;
  /** By account. */
  open: Map<string, ListedInvite>;
  /** The last numbers given, by wallet. */
  numbers: Map<string, { sent: bigint; ended: bigint }>;
}

/** What has to be written. */
export interface InviteChanges {
  created: NewInvite[];
  ended: EndedInvite[];
  history: { address: string; number: bigint; invite: bigint }[];
  /** The last numbers given. */
  numbers: Map<string, { sent: bigint; ended: bigint }>;
  /** How many more are open of a sender's block of numbers. */
  blocks: Map<string, { sender: string; block: bigint; open: number }>;
}

/** Follows events in the order of the chain. `state` is used up by it. */
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
    // An account is used again only when what was there has ended.
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

function count({ blocks }: InviteChanges, { sender, sent }: ListedInvite, more: number): void {
  const block = blockOf(sent);
  const key = `${sender} ${block}`;
  const known = blocks.get(key);
  if (known) known.open += more;
  else blocks.set(key, { sender, block, open: more });
}

function numbersOf({ numbers }: InviteState, address: string): { sent: bigint; ended: bigint } {
  const known = numbers.get(address) ?? { sent: 0n, ended: 0n };
  numbers.set(address, known);
  return known;
}
