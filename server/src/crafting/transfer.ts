import {
  type Address,
  associatedTokenAddress,
  createAssociatedTokenIdempotent,
  type Instruction,
  parseComputeUnitLimit,
  parseComputeUnitPrice,
  parseCreateAssociatedTokenIdempotent,
  parseSystemTransfer,
  parseTransferChecked,
  systemTransfer,
  tokenTransferChecked,
} from '@slipway/wire';
import { type Budget, CraftCheckFailed, type Crafted, craftTransaction } from './transaction.js';

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

/**
 * Crafts the transaction of a transfer and checks what its bytes say. Same input, same bytes.
 * @throws CraftCheckFailed
 */
export function craftTransfer(transfer: Transfer, blockhash: string, budget: Budget): Crafted {
  const instructions = instructionsOf(transfer);
  const crafted = craftTransaction({ feePayer: transfer.sender, instructions, blockhash, budget });
  checkTransfer(crafted, transfer, budget);
  return crafted;
}

function instructionsOf(transfer: Transfer): Instruction[] {
  const { sender, amount } = transfer;
  if (transfer.kind === 'native') return [systemTransfer({ from: sender, to: transfer.receiver, lamports: amount })];
  const { createFor: owner, mint, tokenProgram } = transfer;
  return [
    ...(owner ? [createAssociatedTokenIdempotent({ payer: sender, owner, mint, tokenProgram })] : []),
    tokenTransferChecked({ ...transfer, authority: sender }),
  ];
}

/**
 * Enters every instruction into books, and compares who signs, gives and gets with what was asked.
 * @throws CraftCheckFailed
 */
export function checkTransfer(
  { signers, instructions }: Pick<Crafted, 'signers' | 'instructions'>,
  transfer: Transfer,
  budget: Budget,
): void {
  const { sender, amount } = transfer;
  expect(signers.length === 1 && signers[0] === sender, 'wrong signers');
  const [limit, price, ...rest] = instructions;
  expect(limit && parseComputeUnitLimit(limit) === budget.computeUnitLimit, 'wrong compute unit limit');
  expect(price && parseComputeUnitPrice(price) === budget.computeUnitPrice, 'wrong compute unit price');
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

function expect(truth: unknown, what: string): asserts truth {
  if (!truth) throw new CraftCheckFailed(`crafted transfer: ${what}`);
}
