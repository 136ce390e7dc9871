import { checkPayment, type ReadTransaction } from '@slipway/checks';
import { parseMemo, address as toAddress, WRAPPED_SOL_MINT } from '@slipway/wire/formats';
import { checkAskedSwap } from './check-swap.js';
import type { Connection } from './context.js';
import { amountOf, leastOf, MAX_FEE_LAMPORTS } from './flow.js';
import { expect } from './refuse.js';
import { budgetOf, checkFee, namedAccount } from './transaction.js';
import type { Payment, VerificationRequest } from './verification.js';

/** What a verification costs, in whole tokens of the platform. */
const PRICE_IN_TOKENS = 1_000n;
/** With more, the price is beyond what an account holds. */
const MOST_DECIMALS = 16;

/** Checks that a transaction pays for one verification and does nothing else. @throws CraftCheckFailed */
export function checkAskedPayment(
  { programs }: Pick<Connection, 'programs'>,
  {
    receiver: wantedReceiver,
    mint: wantedMint,
    maxAmount,
    paymentCurrency,
    inputMint: wantedInput,
  }: VerificationRequest,
  payment: Payment,
  wallet: string,
  read: ReadTransaction,
): void {
  const sender = toAddress(wallet);
  const receiver = toAddress(payment.receiverAddress);
  const mint = toAddress(payment.mint);
  const amount = amountOf(payment.amount);
  expect(payment.tokenDecimals <= MOST_DECIMALS, `a token of ${payment.tokenDecimals} decimals`);
  const price = PRICE_IN_TOKENS * 10n ** BigInt(payment.tokenDecimals);
  expect(wantedReceiver === undefined || receiver === wantedReceiver, `a payment to ${receiver}`);
  expect(wantedMint === undefined || mint === wantedMint, `a payment in ${mint}`);
  const isDirect = paymentCurrency === undefined || paymentCurrency === 'PLATFORM_TOKEN';
  expect(isDirect === (payment.inputMint === undefined), `a payment with ${payment.inputMint ?? mint}`);
  const input = paymentCurrency === 'SOL' ? WRAPPED_SOL_MINT : wantedInput;
  expect(isDirect || input === undefined || payment.inputMint === input, `a payment with ${payment.inputMint}`);
  const paid =
    payment.inputMint === undefined ? amount : amountOf(payment.maxInputAmount ?? payment.quotedInputAmount!);
  expect(maxAmount === undefined || paid <= maxAmount, `a price of ${paid}, and ${maxAmount} is the most`);
  const maxFeeLamports = leastOf(amountOf(payment.feeLamports), MAX_FEE_LAMPORTS);
  const mayCreate = (payment.rentFeeLamports ?? 0) > 0;
  if (payment.inputMint !== undefined) {
    const inputMint = toAddress(payment.inputMint);
    const gasless = payment.gasless;
    const asked = { taker: sender, receiver, inputMint, outputMint: mint, amount: paid, least: price };
    checkAskedSwap({ ...asked, gasless, maxFeeLamports, tipLamports: 0n, mayCreate, programs }, read);
    return;
  }
  expect(amount === price, `a price of ${amount}, and a verification costs ${price}`);
  const budget = budgetOf(read);
  const [feePayer] = read.signers;
  expect(feePayer === sender || payment.gasless, 'another fee payer');
  checkFee(read, budget, sender, maxFeeLamports);
  const createDestination = read.instructions.length === 5;
  expect(!createDestination || feePayer !== sender || mayCreate, 'an account is made that was not quoted');
  const source = namedAccount(read, sender, mint);
  const plan = {
    feePayer: feePayer!,
    sender,
    source: source.account,
    receiver,
    destination: namedAccount(read, receiver, mint).account,
    createDestination,
    mint,
    tokenProgram: source.tokenProgram,
    // The chain compares those of the transfer with the mint's.
    decimals: payment.tokenDecimals,
    amount,
    reference: parseMemo(read.instructions.at(-1)!) ?? '',
  };
  checkPayment(read, plan, budget);
}
