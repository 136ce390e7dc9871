import {
  type CancelOrder,
  type InitializeOrder,
  type LimitOrderAddresses,
  parseCancelOrder,
  parseInitializeOrder,
} from '@slipway/programs/formats';
import {
  type Address,
  associatedTokenAddress,
  type CreateAssociatedToken,
  createAddressWithSeed,
  type Instruction,
  mostRentLamports,
  parseCloseAccount,
  parseCreateAssociatedTokenIdempotent,
  parseInitializeAccount3,
  parseSystemCreateAccountWithSeed,
  parseSystemTransfer,
  TOKEN_ACCOUNT_SPACE,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '@slipway/wire/formats';
import { afterBudget, type Budget, checkSigners, type Expect, expecting, type ReadTransaction } from './transaction.js';

/** Opens a limit order. The order's payer pays the fee and the rents. */
export interface OrderOpening {
  order: InitializeOrder;
  /** The seed of the account that the maker's SOL is wrapped into; missing if the input is in a token account. */
  wrapSeed?: string;
  /** The maker's associated token account of the output must be created. */
  createOutput: boolean;
  addresses: LimitOrderAddresses;
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

const expect: Expect = expecting('crafted limit order');

/** @throws CraftCheckFailed */
export function checkOrderOpening(
  transaction: ReadTransaction,
  { order, wrapSeed, createOutput, addresses }: OrderOpening,
  budget: Budget,
) {
  const { payer, maker } = order;
  const rest = frameOf(transaction, [payer, maker], budget);
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
  const made = parseSystemCreateAccountWithSeed(next(rest));
  expect(made?.newAccount === makerInputMintAccount && made.payer === payer && made.base === maker, 'wrapping account');
  expect(makerInputMintAccount === createAddressWithSeed(maker, seed, TOKEN_PROGRAM), 'wrapping address');
  expect(made?.owner === TOKEN_PROGRAM && made.space === TOKEN_ACCOUNT_SPACE, 'wrapping owner');
  const rent = (made?.lamports ?? 0n) - (payer === maker ? makingAmount : 0n);
  // Chains ask for different rents. What is above comes back to the payer, as the account is closed.
  expect(rent > 0n && rent <= mostRentLamports(TOKEN_ACCOUNT_SPACE), 'wrapped amount');
  if (payer !== maker) {
    const transfer = parseSystemTransfer(next(rest));
    expect(transfer?.from === maker && transfer.to === makerInputMintAccount, 'wrapping transfer');
    expect(transfer?.lamports === makingAmount, 'wrapped amount');
  }
  const account = parseInitializeAccount3(next(rest));
  expect(account?.account === makerInputMintAccount && account.owner === maker, 'wrapping account');
  expect(account?.mint === WRAPPED_SOL_MINT, 'wrapping mint');
}

/** @throws CraftCheckFailed */
export function checkOrderCancelling(
  transaction: ReadTransaction,
  { maker, cancels, addresses }: OrderCancelling,
  budget: Budget,
): void {
  const rest = frameOf(transaction, [maker], budget);
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

export function inputOf(
  maker: Address,
  { inputMint, inputTokenProgram }: Pick<CancelOrder, 'inputMint' | 'inputTokenProgram'>,
) {
  return { payer: maker, owner: maker, mint: inputMint, tokenProgram: inputTokenProgram };
}

function frameOf({ signers, instructions }: ReadTransaction, wanted: Address[], budget: Budget): Instruction[] {
  checkSigners(signers, wanted, expect);
  return afterBudget(instructions, budget, expect);
}

function next(rest: Instruction[]): Instruction {
  const instruction = rest.shift();
  expect(instruction, 'an instruction is missing');
  return instruction;
}
