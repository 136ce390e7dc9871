import {
  type Address,
  createAssociatedTokenIdempotent,
  type Instruction,
  memo,
  parseComputeUnitLimit,
  parseComputeUnitPrice,
  parseCreateAssociatedTokenIdempotent,
  parseMemo,
  parseTransferChecked,
  tokenTransferChecked,
} from '@slipway/wire';
import { type Budget, CraftCheckFailed, type Crafted, craftTransaction } from './transaction.js';

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

export function craftPayment(payment: Payment, blockhash: string, budget: Budget): Crafted {
  const crafted = craftTransaction({
    feePayer: payment.feePayer,
    instructions: paymentInstructions(payment),
    blockhash,
    budget,
  });
  checkPayment(crafted, payment, budget);
  return crafted;
}

function paymentInstructions(payment: Payment): Instruction[] {
  const { feePayer, sender, source, receiver, destination, mint, tokenProgram, decimals, amount } = payment;
  const transfer = tokenTransferChecked({
    source,
    mint,
    destination,
    authority: sender,
    amount,
    decimals,
    tokenProgram,
  });
  const create = createAssociatedTokenIdempotent({ payer: feePayer, owner: receiver, mint, tokenProgram });
  return [...(payment.createDestination ? [create] : []), transfer, memo(payment.reference)];
}

/**
 * Compares each role and figure in the bytes with what was asked.
 * @throws CraftCheckFailed
 */
function checkPayment({ signers, instructions }: Crafted, payment: Payment, budget: Budget): void {
  const expect = (truth: boolean, what: string): void => {
    if (!truth) throw new CraftCheckFailed(`crafted payment: wrong ${what}`);
  };
  const wantedSigners = new Set([payment.feePayer, payment.sender]);
  expect(signers.length === wantedSigners.size && signers.every((signer) => wantedSigners.has(signer)), 'signers');
  expect(instructions.length === (payment.createDestination ? 5 : 4), 'number of instructions');
  const [limit, price] = instructions.slice(0, 2);
  expect(parseComputeUnitLimit(limit!) === budget.computeUnitLimit, 'compute unit limit');
  expect(parseComputeUnitPrice(price!) === budget.computeUnitPrice, 'compute unit price');
  if (payment.createDestination) {
    const create = parseCreateAssociatedTokenIdempotent(instructions[2]!);
    expect(
      create?.payer === payment.feePayer && create.owner === payment.receiver && create.mint === payment.mint,
      'receiver account',
    );
  }
  const transfer = parseTransferChecked(instructions.at(-2)!);
  expect(transfer?.source === payment.source, 'source');
  expect(transfer?.destination === payment.destination, 'destination');
  expect(transfer?.authority === payment.sender, 'sender');
  expect(transfer?.mint === payment.mint && transfer.decimals === payment.decimals, 'mint');
  expect(transfer?.tokenProgram === payment.tokenProgram, 'token program');
  expect(transfer?.amount === payment.amount, 'amount');
  expect(parseMemo(instructions.at(-1)!) === payment.reference, 'reference');
}
