import {
  type Address,
  type Instruction,
  parseInitializeAccount3,
  parseSystemCreateAccountWithSeed,
  parseSystemTransfer,
  TOKEN_ACCOUNT_SPACE,
} from '@slipway/wire/formats';
import type { Expect } from './transaction.js';

/**
 * Checks that each account that is made is a token account from the next instruction on, by the program that it was made for, and that
 * none is made twice. In between, another's code (a token may have a transfer hook) could make it its own and take its SOL, or
 * close it to itself and leave the address to be made again. Only the SOL that it wraps may come first: the system program calls nobody.
 */
export function checkMadeAccounts(instructions: readonly Instruction[], expect: Expect): void {
  const made = new Set<Address>();
  for (const [i, instruction] of instructions.entries()) {
    const account = parseSystemCreateAccountWithSeed(instruction);
    if (!account) continue;
    const { newAccount, owner, space } = account;
    const [first, second] = instructions.slice(i + 1, i + 3);
    const opening = first && parseSystemTransfer(first)?.to === newAccount ? second : first;
    const opened = opening && parseInitializeAccount3(opening);
    expect(
      opened?.account === newAccount && opened.tokenProgram === owner,
      'a made account that is not opened at once',
    );
    expect(space === TOKEN_ACCOUNT_SPACE, 'a made account of another size');
    expect(!made.has(newAccount), 'the same account is made twice');
    made.add(newAccount);
  }
}
