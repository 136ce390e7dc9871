import { checkPayment, type Payment } from '@slipway/checks';
import { createAssociatedTokenIdempotent, type Instruction, memo, tokenTransferChecked } from '@slipway/wire';
import { type Budget, type Crafted, craftTransaction } from './transaction.js';

export type { Payment } from '@slipway/checks';

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
