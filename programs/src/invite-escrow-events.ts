import type { Address } from '@slipway/wire/formats';
import { type Codec, decodeAfter, discriminator, i64, key, struct, u64 } from './borsh.js';
import { INVITE_PROGRAM } from './invite-escrow.js';

// Amounts are in lamports or in the mint's smallest unit, times in unix seconds.

export interface InviteCreatedEvent {
  sender: Address;
  inviteSigner: Address;
  amount: bigint;
  expiration: bigint;
}
export interface InviteClaimedEvent {
  claimer: Address;
  sender: Address;
  inviteSigner: Address;
  amount: bigint;
}
export interface InviteReturnedEvent {
  sender: Address;
  amount: bigint;
}
interface Expiration {
  expiration: bigint;
}
interface OfMint {
  mint: Address;
}
export type InviteEvent =
  | { name: 'initialize'; data: InviteCreatedEvent }
  | { name: 'initializeToken'; data: InviteCreatedEvent & OfMint }
  | { name: 'claim'; data: InviteClaimedEvent }
  | { name: 'claimToken'; data: InviteClaimedEvent & OfMint }
  | { name: 'clawback'; data: InviteReturnedEvent }
  | { name: 'clawbackToken'; data: InviteReturnedEvent & OfMint }
  | { name: 'expire'; data: InviteReturnedEvent & Expiration }
  | { name: 'expireToken'; data: InviteReturnedEvent & OfMint & Expiration };

type Codecs = { [Event in InviteEvent as Event['name']]: [Uint8Array, Codec<Event['data']>] };

const created = { sender: key, inviteSigner: key, amount: u64, expiration: i64 };
const claimed = { claimer: key, sender: key, inviteSigner: key, amount: u64 };
const returned = { sender: key, amount: u64 };
const EVENTS: Codecs = {
  initialize: [discriminator('12e9320561bea7d1'), struct(created)],
  initializeToken: [discriminator('ae53958bb9e18980'), struct({ ...created, mint: key })],
  claim: [discriminator('856209ee85cfbf71'), struct(claimed)],
  claimToken: [discriminator('c1833bd25b91c6ff'), struct({ ...claimed, mint: key })],
  clawback: [discriminator('ef901e45503b8e40'), struct(returned)],
  clawbackToken: [discriminator('57a8c2995d4a65f0'), struct({ ...returned, mint: key })],
  expire: [discriminator('eaff264aa3e10394'), struct({ ...returned, expiration: i64 })],
  expireToken: [discriminator('dab99720e3cfb662'), struct({ ...returned, mint: key, expiration: i64 })],
};

/** The event in the bytes of one line of the program's log; undefined when they are something else. */
export function decodeInviteEvent(data: Uint8Array): InviteEvent | undefined {
  for (const [name, [start, codec]] of Object.entries(EVENTS)) {
    const decoded = decodeAfter(start, codec as Codec<object>, data);
    if (decoded) return { name, data: decoded } as InviteEvent;
  }
  return undefined;
}

/**
 * The events that the program wrote into a transaction's log, in their order. A node cuts a log off that is too long, so
 * what is missing here can have happened all the same: the instructions are what counts.
 */
export function inviteEvents(logs: readonly string[], program: Address = INVITE_PROGRAM): InviteEvent[] {
  const events: InviteEvent[] = [];
  const running: string[] = [];
  for (const line of logs) {
    const [, invoked] = /^Program (\w+) invoke \[\d+\]$/.exec(line) ?? [];
    if (invoked) running.push(invoked);
    else if (/^Program \w+ (?:success$|failed: )/.test(line)) running.pop();
    const [, data] = /^Program data: ([\w+/=]+)$/.exec(line) ?? [];
    const decoded = data && running.at(-1) === program ? decodeInviteEvent(Buffer.from(data, 'base64')) : undefined;
    if (decoded) events.push(decoded);
  }
  return events;
}
