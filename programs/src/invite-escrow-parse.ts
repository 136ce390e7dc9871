import type { Address, Instruction } from '@slipway/wire/formats';
import { decodeAfter, struct } from './borsh.js';
import {
  type ClaimInvite,
  type ClaimTokenInvite,
  type ClawbackInvite,
  type ClawbackTokenInvite,
  type ExpireInvite,
  type ExpireTokenInvite,
  INVITE_PROGRAM,
  type InitializeInvite,
  type InitializeTokenInvite,
} from './invite-escrow.js';
import { type InviteInstructionName, inviteLayouts, inviteTerms } from './invite-escrow-layout.js';

/** An instruction of the invite program: the terms of its builder, the account of the invite, and its escrow. */
export type InviteInstruction = { inviteInfo: Address } & (
  | ({ name: 'initialize' } & InitializeInvite)
  | ({ name: 'initializeToken' } & InitializeTokenInvite & WithEscrow)
  | ({ name: 'claim' } & ClaimInvite)
  | ({ name: 'claimToken' } & ClaimTokenInvite & WithEscrow)
  | ({ name: 'clawback' } & ClawbackInvite)
  | ({ name: 'clawbackToken' } & ClawbackTokenInvite & WithEscrow)
  | ({ name: 'expire' } & ExpireInvite)
  | ({ name: 'expireToken' } & ExpireTokenInvite & WithEscrow)
);
interface WithEscrow {
  escrowTokenAccount: Address;
}

const FIXED = ['systemProgram', 'associatedTokenProgram'];

/**
 * What an instruction of the program asks for, read as the program reads it: more accounts or data than it needs are no
 * matter. Undefined for another instruction, and for one that is too short. Of a transaction that has failed, nothing has
 * happened; one that is to be signed should be compared with what the builder makes (`isMadeOf`).
 */
export function parseInviteInstruction(
  instruction: Instruction,
  of: Address = INVITE_PROGRAM,
): InviteInstruction | undefined {
  if (instruction.program !== of) return undefined;
  // Where it was read from a transaction, its data is decoded only now.
  const { accounts, data } = instruction;
  for (const name of Object.keys(inviteLayouts) as InviteInstructionName[]) {
    const layout = inviteLayouts[name];
    const terms = name === 'initialize' || name === 'initializeToken' ? inviteTerms : struct({});
    const decoded = decodeAfter<object>(layout.start, terms, data);
    if (!decoded || accounts.length < layout.accounts.length) continue;
    const named = layout.accounts.map(([account], i) => [account, accounts[i]!.address] as const);
    const given = Object.fromEntries(named.filter(([account]) => !FIXED.includes(account)));
    return { name, ...given, ...decoded } as unknown as InviteInstruction;
  }
  return undefined;
}
