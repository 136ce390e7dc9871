import {
  type Address,
  parseCreateAssociatedTokenIdempotent,
  parseMemo,
  parseTransferChecked,
} from '@slipway/wire/formats';
import { afterBudget, type Budget, checkSigners, type Expect, expecting, type ReadTransaction } from './transaction.js';

/** A direct transfer of tokens from a wallet's associated account to the receiver's. */
export interface Payment {
  /** Pays the network fee, and the rent if the receiver's account must be created: the sender, or our gas wallet. */
  feePayer: Address;
  sender: Address;
  source: Address;
  receiver: Address;
  destination: Address;
  createDestination: boolean;
  mint: Address;
  tokenProgram: Address;
  decimals: number;
  /** In the smallest unit. */
  amount: bigint;
  /** Written on chain as a memo, so that two payments of the same amount have different signatures. */
  reference: string;
}

const expect: Expect = expecting('crafted payment');

/**
 * Compares each role and figure in the bytes with what was asked.
 * @throws CraftCheckFailed
 */
export function checkPayment({ signers, instructions }: ReadTransaction, payment: Payment, budget: Budget): void {
  checkSigners(signers, [payment.feePayer, payment.sender], expect);
  const rest = afterBudget(instructions, budget, expect);
  expect(rest.length === (payment.createDestination ? 3 : 2), 'wrong number of instructions');
  if (payment.createDestination) {
    const create = parseCreateAssociatedTokenIdempotent(rest[0]!);
    expect(
      create?.payer === payment.feePayer && create.owner === payment.receiver && create.mint === payment.mint,
      'wrong receiver account',
    );
    expect(create?.account === payment.destination, 'wrong receiver account');
  }
  const transfer = parseTransferChecked(rest.at(-2)!);
  expect(transfer?.source === payment.source, 'wrong source');
  expect(transfer?.destination === payment.destination, 'wrong destination');
  expect(transfer?.authority === payment.sender, 'wrong sender');
  expect(transfer?.mint === payment.mint && transfer.decimals === payment.decimals, 'wrong mint');
  expect(transfer?.tokenProgram === payment.tokenProgram, 'wrong token program');
  expect(transfer?.amount === payment.amount, 'wrong amount');
  expect(parseMemo(rest.at(-1)!) === payment.reference, 'wrong reference');
}
