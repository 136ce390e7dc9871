import type { Address } from '@slipway/wire/formats';
import {
  type Codec,
  concatBytes,
  decodeAfter,
  discriminator,
  i64,
  key,
  option,
  struct,
  u8,
  u16,
  u64,
} from './borsh.js';

/** Bytes of an order account; its fields end before. */
export const LIMIT_ORDER_SIZE = 372;
/** Where the maker stands in an order account, to look for a wallet's orders. */
export const LIMIT_ORDER_MAKER_AT = 8;
const BPS = 10_000n;

/** An order account. Amounts are in the mint's smallest unit, times in unix seconds. */
export interface LimitOrder {
  maker: Address;
  inputMint: Address;
  outputMint: Address;
  inputTokenProgram: Address;
  outputTokenProgram: Address;
  /** The token account that holds the input. */
  inputMintReserve: Address;
  uniqueId: bigint;
  /** What the order was made with. */
  oriMakingAmount: bigint;
  oriTakingAmount: bigint;
  /** What of it is left. */
  makingAmount: bigint;
  takingAmount: bigint;
  /** Lent to a taker; 0 between transactions. */
  borrowMakingAmount: bigint;
  /** From when on it cannot be filled; undefined for never. */
  expiredAt: bigint | undefined;
  /** What the taker pays on top, to `feeAccount`. */
  feeBps: number;
  feeAccount: Address;
  createdAt: bigint;
  updatedAt: bigint;
  bump: number;
  /** How much less than asked the maker accepts. */
  slippageBps: number;
}

/** The fees of a program, which its admin sets. */
export interface LimitOrderFees {
  /** Of an order that names no fee. */
  normalFeeBps: number;
  /** The least that an order can name. */
  stableFeeBps: number;
}

const ORDER = discriminator('86addfb94d561c33');
const FEES = discriminator('183796faa81b65b2');

const orderFields: Codec<LimitOrder> = struct<LimitOrder>({
  maker: key,
  inputMint: key,
  outputMint: key,
  inputTokenProgram: key,
  outputTokenProgram: key,
  inputMintReserve: key,
  uniqueId: u64,
  oriMakingAmount: u64,
  oriTakingAmount: u64,
  makingAmount: u64,
  takingAmount: u64,
  borrowMakingAmount: u64,
  expiredAt: option(i64),
  feeBps: u16,
  feeAccount: key,
  createdAt: i64,
  updatedAt: i64,
  bump: u8,
  slippageBps: u16,
});
const feeFields = struct<LimitOrderFees>({ normalFeeBps: u16, stableFeeBps: u16 });

/** The order in an account's data; undefined when that is none. Its owner, the program, is not known here. */
export function decodeLimitOrder(data: Uint8Array): LimitOrder | undefined {
  return decodeAfter(ORDER, orderFields, data);
}

/** The data of an order's account. Throws a RangeError that names the field for a value that does not fit. */
export function encodeLimitOrder(order: LimitOrder): Uint8Array {
  const data = new Uint8Array(LIMIT_ORDER_SIZE);
  data.set(concatBytes(ORDER, orderFields.encode(order, 'order')));
  return data;
}

/** The program's fees in its fee account's data; undefined when that is another account. */
export function decodeLimitOrderFees(data: Uint8Array): LimitOrderFees | undefined {
  return decodeAfter(FEES, feeFields, data);
}

/** The data of the program's fee account. Throws a RangeError that names the field for a value that does not fit. */
export function encodeLimitOrderFees(fees: LimitOrderFees): Uint8Array {
  return concatBytes(FEES, feeFields.encode(fees, 'fees'));
}

/** What a fill costs the taker, in the output's smallest unit. */
export interface FillPrice {
  /** What the maker gets. */
  takingAmount: bigint;
  /** What goes to the order's fee account. */
  feeAmount: bigint;
}

/**
 * The price of a part of an order, to the unit as the program computes it, for a taker who pays at most
 * `maxTakingAmount`, fee included (left out: the full price). Undefined when the maker does not accept that little, or
 * nothing or more than is left is to be taken.
 */
export function limitOrderPrice(
  order: Pick<LimitOrder, 'oriMakingAmount' | 'oriTakingAmount' | 'makingAmount' | 'feeBps' | 'slippageBps'>,
  makingAmount: bigint,
  maxTakingAmount?: bigint,
): FillPrice | undefined {
  if (makingAmount <= 0n || makingAmount > order.makingAmount) return undefined;
  const bps = BigInt(order.feeBps);
  const priceOf = (takingAmount: bigint) => ({ takingAmount, feeAmount: (takingAmount * bps) / BPS });
  const total = ({ takingAmount, feeAmount }: FillPrice) => takingAmount + feeAmount;
  const asked = divideUp(makingAmount * order.oriTakingAmount, order.oriMakingAmount);
  if (maxTakingAmount === undefined || total(priceOf(asked)) <= maxTakingAmount) return priceOf(asked);
  let taking = (maxTakingAmount * BPS) / (BPS + bps);
  if (total(priceOf(taking + 1n)) <= maxTakingAmount) taking += 1n;
  const least = divideUp(asked * (BPS - BigInt(order.slippageBps)), BPS);
  return taking >= least ? priceOf(taking) : undefined;
}

const divideUp = (a: bigint, b: bigint) => (a + b - 1n) / b;
