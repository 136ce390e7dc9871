import {
  type Address,
  ASSOCIATED_TOKEN_PROGRAM,
  INSTRUCTIONS_SYSVAR,
  type Instruction,
  readonlyAccount,
  readonlySigner,
  SYSTEM_PROGRAM,
  writableAccount,
  writableSigner,
} from '@slipway/wire/formats';
import { concatBytes, discriminator, u16, u64 } from './borsh.js';
import {
  LIMIT_ORDER_ADDRESSES,
  type LimitOrderAddresses,
  limitOrderAddress,
  limitOrderReserve,
} from './limit-order-addresses.js';
import {
  CANCEL_ORDER,
  FLASH_FILL_ORDER,
  INITIALIZE_ORDER,
  initializeTerms,
  PRE_FLASH_FILL_ORDER,
} from './limit-order-data.js';

// Names are those of the public interface. Amounts are in the mint's smallest unit, times in unix seconds.

export interface InitializeOrder {
  /** Pays the rent, which goes to the maker at the end. Signs, as the maker does. */
  payer: Address;
  maker: Address;
  /** Told apart from the maker's other open orders by it. */
  uniqueId: bigint;
  /** The maker's token account that the input comes from. */
  makerInputMintAccount: Address;
  /** The token account, of the output mint, that the order's fee goes to; left out: the program's own. */
  referral?: Address;
  inputMint: Address;
  outputMint: Address;
  inputTokenProgram: Address;
  outputTokenProgram: Address;
  makingAmount: bigint;
  takingAmount: bigint;
  /** From when on it cannot be filled; left out: never. */
  expiredAt?: bigint;
  /** What the taker pays on top; left out: the program's normal fee. */
  feeBps?: number;
  /** How much less than asked the maker accepts; left out: nothing. */
  slippageBps?: number;
}

/** Opens an order. Throws a RangeError that names the field for a number that does not fit. */
export function initializeOrder(
  order: InitializeOrder,
  addresses: LimitOrderAddresses = LIMIT_ORDER_ADDRESSES,
): Instruction {
  const { program } = addresses;
  const address = limitOrderAddress(order.maker, order.uniqueId, program).address;
  return {
    program,
    accounts: [
      writableSigner(order.payer),
      readonlySigner(order.maker),
      writableAccount(address),
      writableAccount(limitOrderReserve(address, order.inputMint, order.inputTokenProgram)),
      writableAccount(order.makerInputMintAccount),
      readonlyAccount(addresses.fee),
      readonlyAccount(order.referral ?? program),
      readonlyAccount(order.inputMint),
      readonlyAccount(order.outputMint),
      readonlyAccount(order.inputTokenProgram),
      readonlyAccount(order.outputTokenProgram),
      readonlyAccount(SYSTEM_PROGRAM),
      readonlyAccount(ASSOCIATED_TOKEN_PROGRAM),
      ...own(addresses),
    ],
    data: concatBytes(
      INITIALIZE_ORDER,
      initializeTerms.encode({ expiredAt: undefined, feeBps: undefined, slippageBps: undefined, ...order }, 'order'),
    ),
  };
}

export interface CancelOrder {
  /** Signs: the maker; after the order's expiry anybody. */
  signer: Address;
  maker: Address;
  order: Address;
  inputMintReserve: Address;
  /** The maker's token account that gets the input; left out for wrapped SOL: the maker's wallet gets SOL. */
  makerInputMintAccount?: Address;
  inputMint: Address;
  inputTokenProgram: Address;
}

/** Gives the maker back what is left of the input, and the rent. */
export function cancelOrder(cancel: CancelOrder, addresses: LimitOrderAddresses = LIMIT_ORDER_ADDRESSES): Instruction {
  return {
    program: addresses.program,
    accounts: [...cancelAccounts(cancel, addresses), ...own(addresses)],
    data: CANCEL_ORDER,
  };
}

export interface CancelDustOrder extends CancelOrder {
  /** What is worth a dollar, in the input's smallest unit: only an order with less left is cancelled. */
  oneUsdInputMintAmount: bigint;
}

/** The admin's cancelling of what is not worth a fill; `signer` is the program's upgrade authority. */
export function cancelDustOrder(
  cancel: CancelDustOrder,
  addresses: LimitOrderAddresses = LIMIT_ORDER_ADDRESSES,
): Instruction {
  return {
    program: addresses.program,
    accounts: [
      ...cancelAccounts(cancel, addresses),
      readonlyAccount(SYSTEM_PROGRAM),
      readonlyAccount(ASSOCIATED_TOKEN_PROGRAM),
      ...own(addresses),
      readonlyAccount(addresses.programData),
    ],
    data: concatBytes(
      discriminator('c570bda44f3017f6'),
      u64.encode(cancel.oneUsdInputMintAmount, 'oneUsdInputMintAmount'),
    ),
  };
}

export interface PreFlashFillOrder {
  /** Signs. */
  taker: Address;
  order: Address;
  inputMintReserve: Address;
  /** The token account that gets the input. */
  takerInputMintAccount: Address;
  inputMint: Address;
  inputTokenProgram: Address;
  makingAmount: bigint;
}

/**
 * Lends a part of an order, or all that is left of it. The program's next instruction in the same transaction must be the
 * `flashFillOrder` of the same order; both stand in the transaction itself, not inside of another program's call.
 */
export function preFlashFillOrder(
  fill: PreFlashFillOrder,
  addresses: LimitOrderAddresses = LIMIT_ORDER_ADDRESSES,
): Instruction {
  return {
    program: addresses.program,
    accounts: [
      readonlySigner(fill.taker),
      writableAccount(fill.order),
      writableAccount(fill.inputMintReserve),
      writableAccount(fill.takerInputMintAccount),
      readonlyAccount(fill.inputMint),
      readonlyAccount(fill.inputTokenProgram),
      readonlyAccount(INSTRUCTIONS_SYSVAR),
    ],
    data: concatBytes(PRE_FLASH_FILL_ORDER, u64.encode(fill.makingAmount, 'makingAmount')),
  };
}

export interface FlashFillOrder {
  /** Pays, and signs. */
  taker: Address;
  maker: Address;
  order: Address;
  inputMintReserve: Address;
  /** The maker's token account that is paid; left out for wrapped SOL: the maker's wallet is paid SOL. */
  makerOutputMintAccount?: Address;
  /** The taker's token account that pays; left out for wrapped SOL: the taker's wallet pays SOL. */
  takerOutputMintAccount?: Address;
  /** The order's own. */
  feeAccount: Address;
  inputTokenProgram: Address;
  outputMint: Address;
  outputTokenProgram: Address;
  /** The most that the taker pays, fee included. */
  maxTakingAmount: bigint;
}

/** Pays for what `preFlashFillOrder` lent; `limitOrderPrice` says how much that is. */
export function flashFillOrder(
  fill: FlashFillOrder,
  addresses: LimitOrderAddresses = LIMIT_ORDER_ADDRESSES,
): Instruction {
  const { program } = addresses;
  return {
    program,
    accounts: [
      writableSigner(fill.taker),
      writableAccount(fill.maker),
      writableAccount(fill.order),
      writableAccount(fill.inputMintReserve),
      optionalAccount(fill.makerOutputMintAccount, program),
      optionalAccount(fill.takerOutputMintAccount, program),
      writableAccount(fill.feeAccount),
      readonlyAccount(fill.inputTokenProgram),
      readonlyAccount(fill.outputMint),
      readonlyAccount(fill.outputTokenProgram),
      readonlyAccount(SYSTEM_PROGRAM),
      ...own(addresses),
    ],
    data: concatBytes(FLASH_FILL_ORDER, u64.encode(fill.maxTakingAmount, 'maxTakingAmount')),
  };
}

/** Sets the fees of orders made from now on, and makes the fee account, without which there are none. */
export function updateLimitOrderFee(
  /** The program's upgrade authority; signs, and pays for the account. */
  update: { admin: Address; normalFeeBps: number; stableFeeBps: number },
  addresses: LimitOrderAddresses = LIMIT_ORDER_ADDRESSES,
): Instruction {
  return {
    program: addresses.program,
    accounts: [
      writableSigner(update.admin),
      writableAccount(addresses.fee),
      readonlyAccount(SYSTEM_PROGRAM),
      readonlyAccount(addresses.programData),
    ],
    data: concatBytes(
      discriminator('e8fdc3f794d449de'),
      u16.encode(update.normalFeeBps, 'normalFeeBps'),
      u16.encode(update.stableFeeBps, 'stableFeeBps'),
    ),
  };
}

/** Takes all that the program has collected in one of its token accounts. */
export function withdrawLimitOrderFee(
  withdraw: {
    /** The program's upgrade authority; signs. */
    admin: Address;
    programFeeAccount: Address;
    destinationTokenAccount: Address;
    tokenProgram: Address;
    mint: Address;
  },
  addresses: LimitOrderAddresses = LIMIT_ORDER_ADDRESSES,
): Instruction {
  return {
    program: addresses.program,
    accounts: [
      writableSigner(withdraw.admin),
      readonlyAccount(addresses.fee),
      writableAccount(withdraw.programFeeAccount),
      writableAccount(withdraw.destinationTokenAccount),
      readonlyAccount(withdraw.tokenProgram),
      readonlyAccount(withdraw.mint),
      readonlyAccount(addresses.programData),
    ],
    data: discriminator('0e7ae7da1feedf96'),
  };
}

const cancelAccounts = (cancel: CancelOrder, { program }: LimitOrderAddresses) => [
  readonlySigner(cancel.signer),
  writableAccount(cancel.maker),
  writableAccount(cancel.order),
  writableAccount(cancel.inputMintReserve),
  optionalAccount(cancel.makerInputMintAccount, program),
  readonlyAccount(cancel.inputMint),
  readonlyAccount(cancel.inputTokenProgram),
];

/** The program's address stands for an account that is absent. */
const optionalAccount = (given: Address | undefined, program: Address) =>
  given ? writableAccount(given) : readonlyAccount(program);

/** What every instruction with an event ends with. */
const own = ({ eventAuthority, program }: LimitOrderAddresses) => [
  readonlyAccount(eventAuthority),
  readonlyAccount(program),
];
