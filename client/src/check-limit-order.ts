import { checkOrderCancelling, checkOrderOpening, type ReadTransaction } from '@slipway/checks';
import {
  LIMIT_ORDER_ADDRESSES,
  limitOrderAddress,
  limitOrderAddresses,
  limitOrderReserve,
  parseCancelOrder,
  parseInitializeOrder,
} from '@slipway/programs/formats';
import {
  type Address,
  associatedTokenAddress,
  parseCreateAssociatedTokenIdempotent,
  parseSystemCreateAccountWithSeed,
  address as toAddress,
  WRAPPED_SOL_MINT,
} from '@slipway/wire/formats';
import type { Programs } from './context.js';
import { MAX_FEE_LAMPORTS } from './flow.js';
import type { LimitOrderRequest } from './limit-orders.js';
import { expect } from './refuse.js';
import { budgetOf, checkFee } from './transaction.js';

/** What the public program takes on top, where nothing else was agreed. */
const PROGRAM_FEE_BPS = 10;

const addressesOf = ({ limitOrder }: Partial<Programs>) =>
  limitOrder === undefined ? LIMIT_ORDER_ADDRESSES : limitOrderAddresses(toAddress(limitOrder));

/** Checks that a transaction opens this order and does nothing else. @throws CraftCheckFailed */
export function checkAskedOrder(
  programs: Partial<Programs>,
  asked: LimitOrderRequest,
  { wallet, order: account }: { wallet: string; order: string },
  read: ReadTransaction,
): void {
  const addresses = addressesOf(programs);
  const budget = budgetOf(read);
  checkFee(read, budget, wallet, MAX_FEE_LAMPORTS);
  const order = read.instructions
    .map((each) => parseInitializeOrder(each, addresses))
    .find((each) => each !== undefined);
  expect(order, 'no order');
  const { maker, payer, inputMint, makerInputMintAccount } = order;
  expect(maker === wallet && payer === wallet, 'an order of another wallet');
  expect(inputMint === asked.inputMint && order.outputMint === asked.outputMint, 'another pair');
  expect(order.makingAmount === asked.makingAmount, 'another amount to give');
  expect(order.takingAmount === asked.takingAmount, 'another amount to get');
  expect((order.slippageBps ?? 0) === (asked.slippageBps ?? 0), 'another slippage');
  const expiry = asked.expiresAt && BigInt(Math.floor(asked.expiresAt.getTime() / 1_000));
  expect(order.expiredAt === expiry, 'another expiry');
  const most = asked.maxFeeBps ?? PROGRAM_FEE_BPS;
  const feeBps = order.feeBps ?? 0;
  expect(feeBps <= most, `a fee of ${feeBps} basis points, and ${most} is the most that was agreed`);
  expect(order.referral === undefined, 'a fee for somebody');
  expect(limitOrderAddress(maker, order.uniqueId, addresses.program).address === account, 'another order');
  const seeded = read.instructions.map(parseSystemCreateAccountWithSeed).find((each) => each !== undefined);
  if (!seeded) {
    const own = associatedTokenAddress(maker, inputMint, order.inputTokenProgram);
    expect(makerInputMintAccount === own, 'the input comes from another account');
  } else expect(inputMint === WRAPPED_SOL_MINT, 'an account that nobody asked for');
  const createOutput = read.instructions.some((each) => parseCreateAssociatedTokenIdempotent(each));
  checkOrderOpening(read, { order, ...(seeded && { wrapSeed: seeded.seed }), createOutput, addresses }, budget);
}

/** Checks that a transaction cancels one or more of these orders and does nothing else. @throws CraftCheckFailed */
export function checkAskedCancelling(
  programs: Partial<Programs>,
  { wallet, orders }: { wallet: string; orders: readonly string[] },
  read: ReadTransaction,
): void {
  const addresses = addressesOf(programs);
  const maker = toAddress(wallet);
  const budget = budgetOf(read);
  checkFee(read, budget, wallet, MAX_FEE_LAMPORTS);
  const cancels: Parameters<typeof checkOrderCancelling>[1]['cancels'] = [];
  let made: Address | undefined;
  for (const instruction of read.instructions.slice(2)) {
    const cancel = parseCancelOrder(instruction, addresses);
    if (!cancel) {
      made = parseCreateAssociatedTokenIdempotent(instruction)?.account;
      continue;
    }
    const { signer: _, maker: __, ...terms } = cancel;
    expect(orders.includes(terms.order), `${terms.order} is not to be cancelled`);
    const reserve = limitOrderReserve(terms.order, terms.inputMint, terms.inputTokenProgram);
    expect(terms.inputMintReserve === reserve, 'another reserve');
    cancels.push({ ...terms, createInput: made !== undefined });
    made = undefined;
  }
  expect(cancels.length > 0, 'no order is cancelled');
  checkOrderCancelling(read, { maker, cancels, addresses }, budget);
}
