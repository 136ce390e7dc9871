import { checkPayment, type Payment } from '@slipway/checks';
import {
  type Address,
  associatedTokenAddress,
  createAssociatedTokenIdempotent,
  type Instruction,
  memo,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  tokenTransferChecked,
} from '@slipway/wire';
import { type Budget, type Crafted, craftTransaction } from './transaction.js';

export type { Payment } from '@slipway/checks';

/** What a verification costs, in whole platform tokens. */
export const PRICE_IN_TOKENS = 1_000n;

/** What a payment must have brought, in the smallest unit. */
export interface Due {
  receiver: Address;
  /** Those of its token accounts that count. */
  accounts: readonly Address[];
  amount: bigint;
  decimals: number;
}

/**
 * What a payment of a verification by swap must have brought, of either token program: no node is asked which one it is.
 * Undefined for one in the platform token itself, whose amount and decimals the chain has compared.
 */
export function dueOf(
  paymentCurrency: string,
  { platform, receiver }: { platform: { mint: Address; decimals: number }; receiver: Address },
): Due | undefined {
  if (paymentCurrency === 'PLATFORM_TOKEN') return undefined;
  const { mint, decimals } = platform;
  const accounts = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM].map((each) => associatedTokenAddress(receiver, mint, each));
  return { receiver, accounts, amount: PRICE_IN_TOKENS * 10n ** BigInt(decimals), decimals };
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
