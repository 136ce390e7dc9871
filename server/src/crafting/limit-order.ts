import {
  type CancelOrder,
  cancelOrder,
  type InitializeOrder,
  initializeOrder,
  type LimitOrder,
  type LimitOrderAddresses,
  parseCancelOrder,
  parseInitializeOrder,
} from '@slipway/programs';
import {
  type Address,
  associatedTokenAddress,
  type CreateAssociatedToken,
  createAddressWithSeed,
  createAssociatedTokenIdempotent,
  type Instruction,
  parseCloseAccount,
  parseComputeUnitLimit,
  parseComputeUnitPrice,
  parseCreateAssociatedTokenIdempotent,
  parseInitializeAccount3,
  parseSystemCreateAccountWithSeed,
  parseSystemTransfer,
  rentExemptLamports,
  TOKEN_ACCOUNT_SPACE,
  TOKEN_PROGRAM,
  tokenCloseAccount,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { openWrapped } from './swap.js';
import { type Budget, CraftCheckFailed, type Crafted, craftTransaction } from './transaction.js';

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

/** Opens a limit order. The order's payer pays the fee and the rents. */
export interface OrderOpening {
  order: InitializeOrder;
  /** The seed of the account that the maker's SOL is wrapped into; missing if the input is in a token account. */
  wrapSeed?: string;
  /** The maker's associated token account of the output must be created. */
  createOutput: boolean;
  addresses: LimitOrderAddresses;
}

/**
 * Crafts the transaction that opens an order and checks what its bytes say. Same input, same bytes.
 * @throws TransactionTooLarge, CraftCheckFailed
 */
export function craftOrderOpening(opening: OrderOpening, blockhash: string, budget: Budget): Crafted {
  const { payer, maker } = opening.order;
  const instructions = openingInstructions(opening);
  const crafted = craftTransaction({ feePayer: payer, firstSigners: [maker], instructions, blockhash, budget });
  checkOpening(crafted, opening, budget);
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

/** @throws CraftCheckFailed */
function checkOpening(crafted: Crafted, { order, wrapSeed, createOutput, addresses }: OrderOpening, budget: Budget) {
  const { payer, maker } = order;
  const rest = checkFrame(crafted, [payer, maker], budget);
  if (wrapSeed !== undefined) checkWrapping(rest, order, wrapSeed);
  if (createOutput) checkCreation(rest.shift(), { payer, owner: maker, mint: order.outputMint });
  const opened = parseInitializeOrder(next(rest), addresses);
  expect(opened !== undefined, 'no order');
  const fields = Object.keys({ ...opened, ...order }) as (keyof InitializeOrder)[];
  for (const field of fields) expect(opened?.[field] === order[field], `wrong ${field}`);
  if (wrapSeed !== undefined) {
    const closed = parseCloseAccount(next(rest));
    expect(closed?.account === order.makerInputMintAccount, 'another account is closed');
    expect(closed?.destination === payer && closed.authority === maker, 'the rent does not go back');
  }
  expect(rest.length === 0, 'more than was asked for');
}

/**
 * Checks that exactly the amount is wrapped, of the maker's own SOL, into a maker's account that nobody else can have.
 */
function checkWrapping(
  rest: Instruction[],
  { payer, maker, makerInputMintAccount, makingAmount }: InitializeOrder,
  seed: string,
) {
  const rent = rentExemptLamports(TOKEN_ACCOUNT_SPACE);
  const made = parseSystemCreateAccountWithSeed(next(rest));
  expect(made?.newAccount === makerInputMintAccount && made.payer === payer && made.base === maker, 'wrapping account');
  expect(makerInputMintAccount === createAddressWithSeed(maker, seed, TOKEN_PROGRAM), 'wrapping address');
  expect(made?.owner === TOKEN_PROGRAM && made.space === TOKEN_ACCOUNT_SPACE, 'wrapping owner');
  expect(made?.lamports === (payer === maker ? rent + makingAmount : rent), 'wrapped amount');
  if (payer !== maker) {
    const transfer = parseSystemTransfer(next(rest));
    expect(transfer?.from === maker && transfer.to === makerInputMintAccount, 'wrapping transfer');
    expect(transfer?.lamports === makingAmount, 'wrapped amount');
  }
  const account = parseInitializeAccount3(next(rest));
  expect(account?.account === makerInputMintAccount && account.owner === maker, 'wrapping account');
  expect(account?.mint === WRAPPED_SOL_MINT, 'wrapping mint');
}

/** Cancels a maker's orders. The maker pays and signs. */
export interface OrderCancelling {
  maker: Address;
  cancels: (Omit<CancelOrder, 'signer' | 'maker'> & {
    /** The maker's associated token account of the input must be created. */
    createInput: boolean;
  })[];
  addresses: LimitOrderAddresses;
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
  checkCancelling(crafted, cancelling, budget);
  return crafted;
}

function inputOf(
  maker: Address,
  { inputMint, inputTokenProgram }: Pick<CancelOrder, 'inputMint' | 'inputTokenProgram'>,
) {
  return { payer: maker, owner: maker, mint: inputMint, tokenProgram: inputTokenProgram };
}

/** @throws CraftCheckFailed */
function checkCancelling(crafted: Crafted, { maker, cancels, addresses }: OrderCancelling, budget: Budget): void {
  const rest = checkFrame(crafted, [maker], budget);
  for (const { createInput, ...asked } of cancels) {
    if (createInput) checkCreation(rest.shift(), inputOf(maker, asked));
    const cancel = parseCancelOrder(next(rest), addresses);
    expect(cancel?.signer === maker && cancel.maker === maker, 'wrong maker');
    expect(cancel?.order === asked.order && cancel.inputMintReserve === asked.inputMintReserve, 'wrong order');
    const { inputMint: mint, inputTokenProgram: program } = asked;
    const isSol = mint === WRAPPED_SOL_MINT && asked.makerInputMintAccount === undefined;
    const to = isSol ? undefined : associatedTokenAddress(maker, mint, program);
    expect(cancel?.makerInputMintAccount === to, 'the input goes elsewhere');
    expect(cancel?.inputMint === mint && cancel.inputTokenProgram === program, 'wrong mint');
  }
  expect(rest.length === 0, 'more than was asked for');
}

/** Checks the signers and the compute budget; returns the other instructions. */
function checkFrame({ signers, instructions }: Crafted, wanted: Address[], budget: Budget): Instruction[] {
  const wantedSigners = new Set(wanted);
  expect(signers.length === wantedSigners.size && signers.every((each) => wantedSigners.has(each)), 'wrong signers');
  const [limit, price, ...rest] = instructions;
  expect(limit && parseComputeUnitLimit(limit) === budget.computeUnitLimit, 'wrong compute unit limit');
  expect(price && parseComputeUnitPrice(price) === budget.computeUnitPrice, 'wrong compute unit price');
  return rest;
}

function checkCreation(
  instruction: Instruction | undefined,
  wanted: Pick<CreateAssociatedToken, 'payer' | 'owner' | 'mint'>,
): void {
  const made = instruction && parseCreateAssociatedTokenIdempotent(instruction);
  expect(
    made?.payer === wanted.payer && made.owner === wanted.owner && made.mint === wanted.mint,
    'wrong account made',
  );
}

function next(rest: Instruction[]): Instruction {
  const instruction = rest.shift();
  if (!instruction) throw new CraftCheckFailed('crafted limit order: an instruction is missing');
  return instruction;
}

function expect(truth: boolean | undefined, what: string): void {
  if (!truth) throw new CraftCheckFailed(`crafted limit order: ${what}`);
}
