import type { Address, Instruction } from '@slipway/wire/formats';
import { type Codec, decodeAfter, struct, u64 } from './borsh.js';
import {
  type CancelOrder,
  cancelOrder,
  type FlashFillOrder,
  flashFillOrder,
  type InitializeOrder,
  initializeOrder,
  type PreFlashFillOrder,
  preFlashFillOrder,
} from './limit-order.js';
import { LIMIT_ORDER_ADDRESSES, type LimitOrderAddresses } from './limit-order-addresses.js';
import {
  CANCEL_ORDER,
  FLASH_FILL_ORDER,
  INITIALIZE_ORDER,
  initializeTerms,
  PRE_FLASH_FILL_ORDER,
} from './limit-order-data.js';
import { isMadeOf } from './made-of.js';

// Every parser gives undefined for another instruction, and for one that the builder of its name would not make of these
// terms: with accounts more, less or elsewhere, or without a signature or a right to write that it needs.

/** The terms of an `initializeOrder`. */
export function parseInitializeOrder(
  instruction: Instruction,
  addresses: LimitOrderAddresses = LIMIT_ORDER_ADDRESSES,
): InitializeOrder | undefined {
  const [at, data] = read(instruction, addresses, INITIALIZE_ORDER, initializeTerms) ?? [];
  if (!at || !data) return undefined;
  const { expiredAt, feeBps, slippageBps, ...amounts } = data;
  const order: InitializeOrder = {
    payer: at(0),
    maker: at(1),
    makerInputMintAccount: at(4),
    ...given('referral', at(6), addresses),
    inputMint: at(7),
    outputMint: at(8),
    inputTokenProgram: at(9),
    outputTokenProgram: at(10),
    ...amounts,
    ...(expiredAt !== undefined && { expiredAt }),
    ...(feeBps !== undefined && { feeBps }),
    ...(slippageBps !== undefined && { slippageBps }),
  };
  return isMadeOf(instruction, () => initializeOrder(order, addresses)) ? order : undefined;
}

/** What a `cancelOrder` cancels. */
export function parseCancelOrder(
  instruction: Instruction,
  addresses: LimitOrderAddresses = LIMIT_ORDER_ADDRESSES,
): CancelOrder | undefined {
  const [at] = read(instruction, addresses, CANCEL_ORDER, struct({})) ?? [];
  if (!at) return undefined;
  const cancel: CancelOrder = {
    signer: at(0),
    maker: at(1),
    order: at(2),
    inputMintReserve: at(3),
    ...given('makerInputMintAccount', at(4), addresses),
    inputMint: at(5),
    inputTokenProgram: at(6),
  };
  return isMadeOf(instruction, () => cancelOrder(cancel, addresses)) ? cancel : undefined;
}

/** The loan of a `preFlashFillOrder`. */
export function parsePreFlashFillOrder(
  instruction: Instruction,
  addresses: LimitOrderAddresses = LIMIT_ORDER_ADDRESSES,
): PreFlashFillOrder | undefined {
  const data = struct<{ makingAmount: bigint }>({ makingAmount: u64 });
  const [at, amounts] = read(instruction, addresses, PRE_FLASH_FILL_ORDER, data) ?? [];
  if (!at || !amounts) return undefined;
  const fill: PreFlashFillOrder = {
    taker: at(0),
    order: at(1),
    inputMintReserve: at(2),
    takerInputMintAccount: at(3),
    inputMint: at(4),
    inputTokenProgram: at(5),
    ...amounts,
  };
  return isMadeOf(instruction, () => preFlashFillOrder(fill, addresses)) ? fill : undefined;
}

/** The payment of a `flashFillOrder`. */
export function parseFlashFillOrder(
  instruction: Instruction,
  addresses: LimitOrderAddresses = LIMIT_ORDER_ADDRESSES,
): FlashFillOrder | undefined {
  const data = struct<{ maxTakingAmount: bigint }>({ maxTakingAmount: u64 });
  const [at, amounts] = read(instruction, addresses, FLASH_FILL_ORDER, data) ?? [];
  if (!at || !amounts) return undefined;
  const fill: FlashFillOrder = {
    taker: at(0),
    maker: at(1),
    order: at(2),
    inputMintReserve: at(3),
    ...given('makerOutputMintAccount', at(4), addresses),
    ...given('takerOutputMintAccount', at(5), addresses),
    feeAccount: at(6),
    inputTokenProgram: at(7),
    outputMint: at(8),
    outputTokenProgram: at(9),
    ...amounts,
  };
  return isMadeOf(instruction, () => flashFillOrder(fill, addresses)) ? fill : undefined;
}

const MOST_ACCOUNTS_READ = 11;

function read<T>(
  { program, accounts, data }: Instruction,
  addresses: LimitOrderAddresses,
  start: Uint8Array,
  codec: Codec<T>,
): [at: (i: number) => Address, T] | undefined {
  const decoded = program === addresses.program ? decodeAfter(start, codec, data) : undefined;
  // The comparison with what the builder makes refuses a list that is too short.
  const padded = [...accounts.map((meta) => meta.address), ...Array<Address>(MOST_ACCOUNTS_READ).fill(program)];
  return decoded && [(i) => padded[i]!, decoded];
}

/** The address under its name, or nothing where the program stands for an absent account. */
function given<Name extends string>(
  name: Name,
  address: Address,
  { program }: LimitOrderAddresses,
): { [N in Name]?: Address } {
  return (address === program ? {} : { [name]: address }) as { [N in Name]?: Address };
}
