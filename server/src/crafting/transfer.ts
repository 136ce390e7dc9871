import { checkTransfer, type Transfer } from '@slipway/checks';
import { createAssociatedTokenIdempotent, type Instruction, systemTransfer, tokenTransferChecked } from '@slipway/wire';
import { type Budget, type Crafted, craftTransaction } from './transaction.js';

export type { Transfer } from '@slipway/checks';

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
