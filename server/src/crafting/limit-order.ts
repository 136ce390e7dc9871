import {
  checkOrderCancelling,
  checkOrderOpening,
  inputOf,
  type OrderCancelling,
  type OrderOpening,
} from '@slipway/checks';
import { cancelOrder, type InitializeOrder, initializeOrder, type LimitOrder } from '@slipway/programs';
import {
  type Address,
  associatedTokenAddress,
  createAssociatedTokenIdempotent,
  type Instruction,
  tokenCloseAccount,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { openWrapped } from './swap.js';
import { type Budget, type Crafted, craftTransaction } from './transaction.js';

export type { OrderCancelling, OrderOpening } from '@slipway/checks';

/** The upper half of the id of an order whose SOL stays wrapped: the program stores no other field for that. */
const WRAPPED = 0x57534f4cn;

/** Turns any id into one for an order whose SOL stays wrapped. */
export function wrappedOrderId(uniqueId: bigint): bigint {
  return (WRAPPED << 32n) | (uniqueId & 0xffff_ffffn);
}

/** Whether the order's maker wants wrapped SOL where the order is in SOL. */
function staysWrapped({ uniqueId }: LimitOrder): boolean {
  return uniqueId >> 32n === WRAPPED;
}

const placeOf = (order: LimitOrder, mint: Address, tokenProgram: Address) =>
  mint === WRAPPED_SOL_MINT && !staysWrapped(order)
    ? undefined
    : associatedTokenAddress(order.maker, mint, tokenProgram);

/** The maker's token account that a cancelled order's input goes back to; undefined for SOL to the wallet. */
export const refundPlace = (order: LimitOrder): Address | undefined =>
  placeOf(order, order.inputMint, order.inputTokenProgram);

/** The maker's token account that a fill is paid to; undefined for SOL to the wallet. */
export const paymentPlace = (order: LimitOrder): Address | undefined =>
  placeOf(order, order.outputMint, order.outputTokenProgram);

/**
 * Crafts the transaction that opens an order and checks what its bytes say. Same input, same bytes.
 * @throws TransactionTooLarge, CraftCheckFailed
 */
export function craftOrderOpening(opening: OrderOpening, blockhash: string, budget: Budget): Crafted {
  const { payer, maker } = opening.order;
  const instructions = openingInstructions(opening);
  const crafted = craftTransaction({ feePayer: payer, firstSigners: [maker], instructions, blockhash, budget });
  checkOrderOpening(crafted, opening, budget);
  return crafted;
}

function openingInstructions({ order, wrapSeed, createOutput, addresses }: OrderOpening): Instruction[] {
  const { payer, maker, makerInputMintAccount: account, makingAmount } = order;
  const open = wrapSeed === undefined ? [] : wrap(order, account, wrapSeed, makingAmount);
  const close = wrapSeed === undefined ? [] : [tokenCloseAccount({ account, destination: payer, authority: maker })];
  const output = { payer, owner: maker, mint: order.outputMint, tokenProgram: order.outputTokenProgram };
  return [
    ...open,
    ...(createOutput ? [createAssociatedTokenIdempotent(output)] : []),
    initializeOrder(order, addresses),
    ...close,
  ];
}

function wrap({ payer, maker }: InitializeOrder, account: Address, seed: string, amount: bigint): Instruction[] {
  return openWrapped(maker, payer, { kind: 'wrapped', account, seed }, amount);
}

/**
 * Crafts the transaction that cancels orders and checks what its bytes say. Same input, same bytes.
 * @throws TransactionTooLarge, CraftCheckFailed
 */
export function craftOrderCancelling(cancelling: OrderCancelling, blockhash: string, budget: Budget): Crafted {
  const { maker, cancels, addresses } = cancelling;
  const instructions = cancels.flatMap(({ createInput, ...cancel }) => [
    ...(createInput ? [createAssociatedTokenIdempotent(inputOf(maker, cancel))] : []),
    cancelOrder({ signer: maker, maker, ...cancel }, addresses),
  ]);
  const crafted = craftTransaction({ feePayer: maker, instructions, blockhash, budget });
  checkOrderCancelling(crafted, cancelling, budget);
  return crafted;
}
