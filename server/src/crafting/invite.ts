import { checkInvite, type InviteAction, invitePlan } from '@slipway/checks';
import type { Address } from '@slipway/wire';
import { type Budget, type Crafted, craftTransaction } from './transaction.js';

export type { InviteAction } from '@slipway/checks';

/**
 * Crafts the transaction and checks what its bytes say. The keeper pays the fee of a claim or an expiry, the sender
 * that of the others. Same input, same bytes.
 * @throws TransactionTooLarge, CraftCheckFailed
 */
export function craftInvite(action: InviteAction, program: Address, blockhash: string, budget: Budget): Crafted {
  const plan = invitePlan(action, program);
  const [feePayer] = plan.signers as [Address];
  const crafted = craftTransaction({ feePayer, instructions: [plan.build()], blockhash, budget });
  checkInvite(crafted, plan, program, budget);
  return crafted;
}
