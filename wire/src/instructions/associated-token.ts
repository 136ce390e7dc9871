import type { Address } from '../address.js';
import { type Instruction, readonlyAccount, writableAccount, writableSigner } from '../message.js';
import { associatedTokenAddress } from '../pda.js';
import { ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM } from '../programs.js';

const CREATE = 0;
const CREATE_IDEMPOTENT = 1;

export interface CreateAssociatedToken {
  payer: Address;
  /** The associated token account. */
  account: Address;
  owner: Address;
  mint: Address;
  tokenProgram: Address;
}

interface NewAssociatedToken {
  payer: Address;
  owner: Address;
  mint: Address;
  tokenProgram?: Address;
}

/** Makes the owner's associated token account at the payer's cost; the program refuses it where the account is there. */
export function createAssociatedToken({
  payer,
  owner,
  mint,
  tokenProgram = TOKEN_PROGRAM,
}: NewAssociatedToken): Instruction {
  return {
    program: ASSOCIATED_TOKEN_PROGRAM,
    accounts: [
      writableSigner(payer),
      writableAccount(associatedTokenAddress(owner, mint, tokenProgram)),
      readonlyAccount(owner),
      readonlyAccount(mint),
      readonlyAccount(SYSTEM_PROGRAM),
      readonlyAccount(tokenProgram),
    ],
    data: Uint8Array.of(CREATE),
  };
}

/**
 * Makes the owner's associated token account at the payer's cost, or does nothing when it is there. The program refuses it where
 * that is another's now.
 */
export function createAssociatedTokenIdempotent(input: NewAssociatedToken): Instruction {
  return { ...createAssociatedToken(input), data: Uint8Array.of(CREATE_IDEMPOTENT) };
}

/** What an idempotent creation makes; undefined when it is another instruction. Does not derive the account again. */
export function parseCreateAssociatedTokenIdempotent(instruction: Instruction): CreateAssociatedToken | undefined {
  const { program, accounts, data } = instruction;
  if (program !== ASSOCIATED_TOKEN_PROGRAM || data.length !== 1 || data[0] !== CREATE_IDEMPOTENT) return undefined;
  const [payer, account, owner, mint, , tokenProgram] = accounts.map((meta) => meta.address);
  if (!payer || !account || !owner || !mint || !tokenProgram) return undefined;
  return { payer, account, owner, mint, tokenProgram };
}
