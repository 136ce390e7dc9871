import {
  type Address,
  ASSOCIATED_TOKEN_PROGRAM,
  addressToBytes,
  associatedTokenAddress,
  findProgramAddress,
  type Instruction,
  readonlyAccount,
  readonlySigner,
  SYSTEM_PROGRAM,
  address as toAddress,
  writableAccount,
  writableSigner,
} from '@slipway/wire/formats';
import { concatBytes } from './borsh.js';
import { type InviteAccount, type InviteInstructionName, inviteLayouts, inviteTerms } from './invite-escrow-layout.js';

// Names are those of the public interface. Amounts are in lamports or in the mint's smallest unit, times in unix seconds.

/** The address that the invite program has on the public clusters. */
export const INVITE_PROGRAM: Address = toAddress('inv1tEtSwRMtM44tbvJGNiTxMvDfPVnX9StyqXfDfks');

export interface InviteTerms {
  /** From when on it cannot be claimed any more, and anybody can send it back. */
  expiry: bigint;
  amount: bigint;
}

/** The account of the invite with this key (`invitePDA` and `invite_pda` of the API). */
export function inviteAddress(inviteSigner: Address, program: Address = INVITE_PROGRAM): Address {
  return findProgramAddress([new TextEncoder().encode('invite'), addressToBytes(inviteSigner)], program).address;
}

/** The token account in which an invite's tokens wait. */
export function inviteEscrow(inviteInfo: Address, mint: Address, tokenProgram: Address): Address {
  return associatedTokenAddress(inviteInfo, mint, tokenProgram);
}

export interface InitializeInvite extends InviteTerms {
  /** Gives the SOL and the account's rent; signs, as the invite's key does. */
  sender: Address;
  inviteSigner: Address;
}

/**
 * Makes an invite of SOL: at least what an account without data must hold (890,880 lamports). Throws a RangeError that
 * names the field for a number that does not fit.
 */
export function initializeInvite(invite: InitializeInvite, program: Address = INVITE_PROGRAM): Instruction {
  return instruction(
    'initialize',
    program,
    { ...invite, inviteInfo: inviteAddress(invite.inviteSigner, program) },
    inviteTerms.encode(invite, 'invite'),
  );
}

/** What an invite is of, where it is not SOL. */
export interface InviteToken {
  mint: Address;
  tokenProgram: Address;
}

export interface InitializeTokenInvite extends InitializeInvite, InviteToken {
  /** The sender's token account that the tokens come from. */
  senderTokenAccount: Address;
}

/** Makes an invite of tokens. Throws a RangeError that names the field for a number that does not fit. */
export function initializeTokenInvite(invite: InitializeTokenInvite, program: Address = INVITE_PROGRAM): Instruction {
  return instruction(
    'initializeToken',
    program,
    withEscrow({ ...invite, inviteInfo: inviteAddress(invite.inviteSigner, program) }),
    inviteTerms.encode(invite, 'invite'),
  );
}

export interface ClaimInvite {
  /** Signs. */
  inviteSigner: Address;
  /** The wallet that gets everything; it need not sign. */
  claimer: Address;
  /** Anybody; signs. */
  keeper: Address;
}

/** Gives the SOL, and the rent of the invite's account, to the claimer; before the expiry. */
export function claimInvite(claim: ClaimInvite, program: Address = INVITE_PROGRAM): Instruction {
  return instruction('claim', program, { ...claim, inviteInfo: inviteAddress(claim.inviteSigner, program) });
}

export interface ClaimTokenInvite extends ClaimInvite, InviteToken {
  /** The claimer's associated token account, made where it is missing; a claimer who signs can name another one. */
  claimerTokenAccount: Address;
}

/**
 * Gives the tokens to the claimer, before the expiry. The rents that come free pay the keeper for the claimer's token
 * account where that had to be made; the claimer gets the rest of them.
 */
export function claimTokenInvite(claim: ClaimTokenInvite, program: Address = INVITE_PROGRAM): Instruction {
  return instruction(
    'claimToken',
    program,
    withEscrow({ ...claim, inviteInfo: inviteAddress(claim.inviteSigner, program) }),
  );
}

export interface ClawbackInvite {
  /** The invite's account. */
  inviteInfo: Address;
  /** The one who made it; signs. */
  sender: Address;
}

/** Gives everything back to the sender, at any time. */
export function clawbackInvite(clawback: ClawbackInvite, program: Address = INVITE_PROGRAM): Instruction {
  return instruction('clawback', program, { ...clawback });
}

export interface ClawbackTokenInvite extends ClawbackInvite, InviteToken {
  /** A token account of the sender's; the associated one is made where it is missing. */
  senderTokenAccount: Address;
}

/** The same for an invite of tokens. */
export function clawbackTokenInvite(clawback: ClawbackTokenInvite, program: Address = INVITE_PROGRAM): Instruction {
  return instruction('clawbackToken', program, withEscrow(clawback));
}

export interface ExpireInvite {
  /** The invite's account. */
  inviteInfo: Address;
  /** The one who made it; does not sign. */
  sender: Address;
  /** Anybody; signs. */
  keeper: Address;
}

/** Gives everything back to the sender, once the invite has expired. */
export function expireInvite(expire: ExpireInvite, program: Address = INVITE_PROGRAM): Instruction {
  return instruction('expire', program, { ...expire });
}

export interface ExpireTokenInvite extends ExpireInvite, InviteToken {
  /** The sender's associated token account; made where it is missing, for which the rents pay the keeper. */
  senderTokenAccount: Address;
}

/** The same for an invite of tokens. */
export function expireTokenInvite(expire: ExpireTokenInvite, program: Address = INVITE_PROGRAM): Instruction {
  return instruction('expireToken', program, withEscrow(expire));
}

const withEscrow = <T extends InviteToken & { inviteInfo: Address }>(given: T) => ({
  ...given,
  escrowTokenAccount: inviteEscrow(given.inviteInfo, given.mint, given.tokenProgram),
});

const ROLES = { r: readonlyAccount, w: writableAccount, s: readonlySigner, ws: writableSigner };
const FIXED = { systemProgram: SYSTEM_PROGRAM, associatedTokenProgram: ASSOCIATED_TOKEN_PROGRAM };

function instruction(
  name: InviteInstructionName,
  program: Address,
  given: { [Name in InviteAccount]?: Address },
  data: Uint8Array = new Uint8Array(0),
): Instruction {
  const { start, accounts } = inviteLayouts[name];
  const addresses = { ...given, ...FIXED };
  return {
    program,
    accounts: accounts.map(([account, role]) => ROLES[role](addresses[account]!)),
    data: concatBytes(start, data),
  };
}
