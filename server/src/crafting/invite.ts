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
} from '@slipway/programs';
import {
  type Address,
  associatedTokenAddress,
  type Instruction,
  parseComputeUnitLimit,
  parseComputeUnitPrice,
} from '@slipway/wire';
import { type Budget, CraftCheckFailed, type Crafted, craftTransaction } from './transaction.js';

/** What to do with an invite, in the program's terms. Tokens come from and go to associated token accounts. */
export type InviteAction = { token?: InviteToken | undefined } & (
  | ({ do: 'create' } & InitializeInvite)
  | ({ do: 'claim' } & ClaimInvite)
  | ({ do: 'clawback' } & ClawbackInvite)
  | ({ do: 'expire' } & ExpireInvite)
);

/**
 * Crafts the transaction and checks what its bytes say. The keeper pays the fee of a claim or an expiry, the sender
 * that of the others. Same input, same bytes.
 * @throws TransactionTooLarge, CraftCheckFailed
 */
export function craftInvite(action: InviteAction, program: Address, blockhash: string, budget: Budget): Crafted {
  const { name, signers, terms, build } = planOf(action, program);
  const [feePayer] = signers as [Address];
  const crafted = craftTransaction({ feePayer, instructions: [build()], blockhash, budget });
  const expect = (truth: boolean | undefined, what: string): void => {
    if (!truth) throw new CraftCheckFailed(`crafted invite: ${what}`);
  };
  const wanted = new Set(signers);
  expect(crafted.signers.length === wanted.size && crafted.signers.every((each) => wanted.has(each)), 'wrong signers');
  const [limit, price, instruction, ...more] = crafted.instructions;
  expect(limit && parseComputeUnitLimit(limit) === budget.computeUnitLimit, 'wrong compute unit limit');
  expect(price && parseComputeUnitPrice(price) === budget.computeUnitPrice, 'wrong compute unit price');
  const parsed = instruction && parseInviteInstruction(instruction, program);
  expect(parsed?.name === name, 'another instruction');
  for (const [field, value] of Object.entries(terms)) {
    expect((parsed as Record<string, unknown> | undefined)?.[field] === value, `wrong ${field}`);
  }
  expect(instruction && isMadeOf(instruction, build), 'wrong accounts');
  expect(more.length === 0, 'more than was asked for');
  return crafted;
}

interface Plan {
  name: string;
  /** The fee payer first. */
  signers: Address[];
  /** What the instruction must say when it is read back. */
  terms: object;
  build: () => Instruction;
}

function planOf({ token, ...action }: InviteAction, program: Address): Plan {
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
