import {
  type Address,
  associatedTokenAddress,
  type Instruction,
  parseCreateAssociatedTokenIdempotent,
  parseSystemTransfer,
  parseTransferChecked,
} from '@slipway/wire/formats';
import { afterBudget, type Budget, checkSigners, type Expect, expecting, type ReadTransaction } from './transaction.js';

/** What a wallet sends; it signs and pays. Amounts are in the smallest unit. */
export type Transfer = { sender: Address; amount: bigint } & (
  | { kind: 'native'; receiver: Address }
  | {
      kind: 'token';
      source: Address;
      destination: Address;
      /** The owner of the destination if that is an associated token account that must be created. */
      createFor?: Address;
      mint: Address;
      tokenProgram: Address;
      decimals: number;
    }
);

const expect: Expect = expecting('crafted transfer');

/**
 * Enters every instruction into books, and compares who signs, gives and gets with what was asked.
 * @throws CraftCheckFailed
 */
export function checkTransfer({ signers, instructions }: ReadTransaction, transfer: Transfer, budget: Budget): void {
  const { sender, amount } = transfer;
  checkSigners(signers, [sender], expect);
  const rest = afterBudget(instructions, budget, expect);
  const books = { lamports: new Map<Address, bigint>(), tokens: new Map<Address, bigint>(), created: 0 };
  for (const instruction of rest) enter(instruction, books, transfer);
  const [from, to] = transfer.kind === 'native' ? [sender, transfer.receiver] : [transfer.source, transfer.destination];
  const moved = transfer.kind === 'native' ? books.lamports : books.tokens;
  expect(books.lamports.size + books.tokens.size === 2, 'accounts that nobody asked for');
  expect(moved.get(from) === -amount && moved.get(to) === amount, 'another amount, or other accounts');
  expect(books.created === (transfer.kind === 'token' && transfer.createFor ? 1 : 0), 'wrong creation of accounts');
}

interface Books {
  lamports: Map<Address, bigint>;
  tokens: Map<Address, bigint>;
  /** Token accounts that are created. */
  created: number;
}

function enter(instruction: Instruction, books: Books, transfer: Transfer): void {
  const { sender } = transfer;
  const sol = parseSystemTransfer(instruction);
  if (sol) {
    move(books.lamports, sol.from, sol.to, sol.lamports);
    return;
  }
  expect(transfer.kind === 'token', `an instruction of ${instruction.program}`);
  const { mint, tokenProgram, decimals, destination, createFor } = transfer;
  const tokens = parseTransferChecked(instruction);
  if (tokens) {
    expect(tokens.authority === sender, 'tokens of another wallet');
    expect(tokens.mint === mint && tokens.decimals === decimals, 'another mint');
    expect(tokens.tokenProgram === tokenProgram, 'another token program');
    move(books.tokens, tokens.source, tokens.destination, tokens.amount);
    return;
  }
  const made = parseCreateAssociatedTokenIdempotent(instruction);
  expect(made && made.payer === sender && made.owner === createFor, `an instruction of ${instruction.program}`);
  expect(made.mint === mint && made.tokenProgram === tokenProgram, 'an account of another mint');
  const address = associatedTokenAddress(made.owner, mint, tokenProgram);
  expect(made.account === address && made.account === destination, 'another account is created');
  books.created += 1;
}

function move(book: Map<Address, bigint>, from: Address, to: Address, amount: bigint): void {
  book.set(from, (book.get(from) ?? 0n) - amount);
  book.set(to, (book.get(to) ?? 0n) + amount);
}
