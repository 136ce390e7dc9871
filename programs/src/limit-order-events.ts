import type { Address } from '@slipway/wire/formats';
import { type Codec, concatBytes, decodeAfter, discriminator, i64, key, option, struct, u16, u64 } from './borsh.js';

export interface CreateOrderEvent {
  orderKey: Address;
  maker: Address;
  inputMint: Address;
  outputMint: Address;
  inputTokenProgram: Address;
  outputTokenProgram: Address;
  makingAmount: bigint;
  takingAmount: bigint;
  expiredAt: bigint | undefined;
  feeBps: number;
  feeAccount: Address;
  slippageBps: number;
}
export interface CancelOrderEvent {
  orderKey: Address;
}
export interface CancelDustOrderEvent {
  orderKey: Address;
  /** What the admin said is worth a dollar, in the input's smallest unit. */
  oneUsdInputMintAmount: bigint;
}
/** A fill. */
export interface TradeEvent {
  orderKey: Address;
  taker: Address;
  /** What is left of the order after it. */
  remainingMakingAmount: bigint;
  remainingTakingAmount: bigint;
  /** What the taker got. */
  makingAmount: bigint;
  /** What the maker got. The fee came on top. */
  takingAmount: bigint;
}
export type LimitOrderEvent =
  | { name: 'createOrderEvent'; data: CreateOrderEvent }
  | { name: 'cancelOrderEvent'; data: CancelOrderEvent }
  | { name: 'cancelDustOrderEvent'; data: CancelDustOrderEvent }
  | { name: 'tradeEvent'; data: TradeEvent };

// Events are instructions of the program to itself; every program of its framework starts them with this.
const TAG = discriminator('e445a52e51cb9a1d');

type Codecs = { [Event in LimitOrderEvent as Event['name']]: [Uint8Array, Codec<Event['data']>] };
const EVENTS: Codecs = {
  createOrderEvent: [
    discriminator('318e48a6e61d5454'),
    struct<CreateOrderEvent>({
      orderKey: key,
      maker: key,
      inputMint: key,
      outputMint: key,
      inputTokenProgram: key,
      outputTokenProgram: key,
      makingAmount: u64,
      takingAmount: u64,
      expiredAt: option(i64),
      feeBps: u16,
      feeAccount: key,
      slippageBps: u16,
    }),
  ],
  cancelOrderEvent: [discriminator('ae428d1104e0a24d'), struct<CancelOrderEvent>({ orderKey: key })],
  cancelDustOrderEvent: [
    discriminator('7cbe4a1cb128c8dc'),
    struct<CancelDustOrderEvent>({ orderKey: key, oneUsdInputMintAmount: u64 }),
  ],
  tradeEvent: [
    discriminator('bddb7fd34ee661ee'),
    struct<TradeEvent>({
      orderKey: key,
      taker: key,
      remainingMakingAmount: u64,
      remainingTakingAmount: u64,
      makingAmount: u64,
      takingAmount: u64,
    }),
  ],
};

/**
 * The event in the data of an inner instruction of the program; undefined when it is something else. Only inner
 * instructions that the program itself made are events: it refuses this data from anybody else.
 */
export function decodeLimitOrderEvent(data: Uint8Array): LimitOrderEvent | undefined {
  for (const [name, [start, codec]] of Object.entries(EVENTS)) {
    const decoded = decodeAfter(concatBytes(TAG, start), codec as Codec<object>, data);
    if (decoded) return { name, data: decoded } as LimitOrderEvent;
  }
  return undefined;
}
