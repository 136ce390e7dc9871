import {
  type ClaimInvite,
  type ClawbackInvite,
  claimInvite,
  claimTokenInvite,
  clawbackInvite,
  clawbackTokenInvite,
  type ExpireInvite,
  expireInvite,
  expireTokenInvite,
  type InitializeInvite,
  type InviteToken,
  initializeInvite,
  initializeTokenInvite,
  isMadeOf,
  parseInviteInstruction,
} from '@slipway/programs/formats';
import { type Address, associatedTokenAddress, type Instruction } from '@slipway/wire/formats';
import { afterBudget, type Budget, checkSigners, type Expect, expecting, type ReadTransaction } from './transaction.js';

/** What to do with an invite, in the program's terms. Tokens come from and go to associated token accounts. */
export type InviteAction = { token?: InviteToken | undefined } & (
  | ({ do: 'create' } & InitializeInvite)
  | ({ do: 'claim' } & ClaimInvite)
  | ({ do: 'clawback' } & ClawbackInvite)
  | ({ do: 'expire' } & ExpireInvite)
);

const expect: Expect = expecting('crafted invite');

/**
 * Compares the terms of the one instruction, and its accounts, with what was asked.
 * @throws CraftCheckFailed
 */
export function checkInvite(
  { signers, instructions }: ReadTransaction,
  { name, signers: wanted, terms, build }: InvitePlan,
  program: Address,
  budget: Budget,
): void {
  checkSigners(signers, wanted, expect);
  const [instruction, ...more] = afterBudget(instructions, budget, expect);
  const parsed = instruction && parseInviteInstruction(instruction, program);
  expect(parsed && parsed.name === name, 'another instruction');
  for (const [field, value] of Object.entries(terms)) {
    expect((parsed as unknown as Record<string, unknown>)[field] === value, `wrong ${field}`);
  }
  expect(instruction && isMadeOf(instruction, build), 'wrong accounts');
  expect(more.length === 0, 'more than was asked for');
}

export interface InvitePlan {
  name: string;
  /** The fee payer first. */
  signers: Address[];
  /** What the instruction must say when it is read back. */
  terms: object;
  build: () => Instruction;
}

/** What an action's transaction consists of. */
export function invitePlan({ token, ...action }: InviteAction, program: Address): InvitePlan {
  const ofOwner = (owner: Address) => token && associatedTokenAddress(owner, token.mint, token.tokenProgram);
  switch (action.do) {
    case 'create': {
      const { do: _, ...terms } = action;
      const signers = [terms.sender, terms.inviteSigner];
      if (!token) return { name: 'initialize', signers, terms, build: () => initializeInvite(terms, program) };
      const all = { ...terms, ...token, senderTokenAccount: ofOwner(terms.sender)! };
      return { name: 'initializeToken', signers, terms: all, build: () => initializeTokenInvite(all, program) };
    }
    case 'claim': {
      const { do: _, ...terms } = action;
      const signers = [terms.keeper, terms.inviteSigner];
      if (!token) return { name: 'claim', signers, terms, build: () => claimInvite(terms, program) };
      const all = { ...terms, ...token, claimerTokenAccount: ofOwner(terms.claimer)! };
      return { name: 'claimToken', signers, terms: all, build: () => claimTokenInvite(all, program) };
    }
    case 'clawback': {
      const { do: _, ...terms } = action;
      const signers = [terms.sender];
      if (!token) return { name: 'clawback', signers, terms, build: () => clawbackInvite(terms, program) };
      const all = { ...terms, ...token, senderTokenAccount: ofOwner(terms.sender)! };
      return { name: 'clawbackToken', signers, terms: all, build: () => clawbackTokenInvite(all, program) };
    }
    case 'expire': {
      const { do: _, ...terms } = action;
      const signers = [terms.keeper];
      if (!token) return { name: 'expire', signers, terms, build: () => expireInvite(terms, program) };
      const all = { ...terms, ...token, senderTokenAccount: ofOwner(terms.sender)! };
      return { name: 'expireToken', signers, terms: all, build: () => expireTokenInvite(all, program) };
    }
  }
}
