import { createHash } from 'node:crypto';
import { type Address, addressFromBytes } from '@slipway/wire';
import type { AdaptiveFee } from './fee-rate.js';
import { MAX_SQRT_PRICE, MAX_TICK, MIN_SQRT_PRICE } from './ticks.js';

export const POOL_SIZE = 653;
/** Ticks that an account of ticks has room for. */
export const ARRAY_TICKS = 88;
const FIXED_TICK_SIZE = 113;
const FIXED_ARRAY_SIZE = 9_988;
/** A dynamic array's ticks come behind its head: a byte each, and 112 more for one with liquidity. */
const DYNAMIC_HEAD_SIZE = 60;
const DYNAMIC_TICK_SIZE = 112;
const ORACLE_SIZE = 254;

/** The first eight bytes of an account of this type. */
const discriminatorOf = (type: string) => createHash('sha256').update(`account:${type}`).digest().subarray(0, 8);
const POOL = discriminatorOf('Whirlpool');
const FIXED_ARRAY = discriminatorOf('TickArray');
const DYNAMIC_ARRAY = discriminatorOf('DynamicTickArray');
const ORACLE = discriminatorOf('Oracle');

export interface WhirlpoolAccount {
  tickSpacing: number;
  /** Whether it has an oracle account, by which its fee rises and falls. */
  isAdaptive: boolean;
  /** In millionths. */
  feeRate: number;
  liquidity: bigint;
  sqrtPrice: bigint;
  tick: number;
  mints: [Address, Address];
  vaults: [Address, Address];
}

/** What a pool's account says; undefined where it is none, or one that no program of Orca could have written. */
export function decodeWhirlpool(data: Uint8Array): WhirlpoolAccount | undefined {
  if (data.length !== POOL_SIZE || !startsWith(data, POOL)) return undefined;
  const view = viewOf(data);
  const [tickSpacing, feeTier] = [view.getUint16(41, true), view.getUint16(43, true)];
  const [sqrtPrice, tick] = [u128(view, 65), view.getInt32(81, true)];
  if (tickSpacing === 0 || sqrtPrice < MIN_SQRT_PRICE || sqrtPrice > MAX_SQRT_PRICE) return undefined;
  // One below the lowest: there the price stands after it came down to the end.
  if (tick < -MAX_TICK - 1 || tick > MAX_TICK) return undefined;
  return {
    ...{ tickSpacing, sqrtPrice, tick },
    isAdaptive: feeTier !== tickSpacing,
    feeRate: view.getUint16(45, true),
    liquidity: u128(view, 49),
    mints: [addressFromBytes(data, 101), addressFromBytes(data, 181)],
    vaults: [addressFromBytes(data, 133), addressFromBytes(data, 213)],
  };
}

export interface TickArray {
  start: number;
  pool: Address;
  /** Those with liquidity, by their place; `net` is what a price gains that rises over it. */
  ticks: { offset: number; net: bigint }[];
}

/** What an account of ticks says, of either kind; undefined where it is none. */
export function decodeTickArray(data: Uint8Array): TickArray | undefined {
  if (startsWith(data, FIXED_ARRAY)) return decodeFixedArray(data);
  return startsWith(data, DYNAMIC_ARRAY) ? decodeDynamicArray(data) : undefined;
}

function decodeFixedArray(data: Uint8Array): TickArray | undefined {
  if (data.length !== FIXED_ARRAY_SIZE) return undefined;
  const view = viewOf(data);
  const ticks: TickArray['ticks'] = [];
  for (let offset = 0; offset < ARRAY_TICKS; offset++) {
    const at = 12 + offset * FIXED_TICK_SIZE;
    if (data[at]! > 1) return undefined;
    if (data[at] === 1) ticks.push({ offset, net: i128(view, at + 1) });
  }
  return { start: view.getInt32(8, true), pool: addressFromBytes(data, FIXED_ARRAY_SIZE - 32), ticks };
}

function decodeDynamicArray(data: Uint8Array): TickArray | undefined {
  if (data.length < DYNAMIC_HEAD_SIZE + ARRAY_TICKS) return undefined;
  const view = viewOf(data);
  const bitmap = u128(view, 44);
  const ticks: TickArray['ticks'] = [];
  let at = DYNAMIC_HEAD_SIZE;
  for (let offset = 0; offset < ARRAY_TICKS; offset++) {
    const tag = data[at];
    // The program looks ticks up in the map and reads them behind the tags: it never lets them differ.
    if (tag === undefined || BigInt(tag) !== ((bitmap >> BigInt(offset)) & 1n)) return undefined;
    at += 1;
    if (tag === 0) continue;
    if (at + DYNAMIC_TICK_SIZE > data.length) return undefined;
    ticks.push({ offset, net: i128(view, at) });
    at += DYNAMIC_TICK_SIZE;
  }
  return { start: view.getInt32(8, true), pool: addressFromBytes(data, 12), ticks };
}

export interface OracleAccount {
  pool: Address;
  /** Unix seconds before which nobody can trade. */
  opensAt: bigint;
  fee: AdaptiveFee;
}

/** What an oracle account says; undefined where it is none, or its figures are none that the program accepts. */
export function decodeOracle(data: Uint8Array): OracleAccount | undefined {
  if (data.length !== ORACLE_SIZE || !startsWith(data, ORACLE)) return undefined;
  const view = viewOf(data);
  const [u16, u32] = [(at: number) => view.getUint16(at, true), (at: number) => view.getUint32(at, true)];
  const fee: AdaptiveFee = {
    filterPeriod: u16(48),
    decayPeriod: u16(50),
    reductionFactor: u16(52),
    controlFactor: u32(54),
    maxVolatility: u32(58),
    groupSize: u16(62),
    lastReferenceUpdate: Number(view.getBigUint64(82, true)),
    lastMajorSwap: Number(view.getBigUint64(90, true)),
    volatilityReference: u32(98),
    groupReference: view.getInt32(102, true),
    volatility: u32(106),
  };
  // The program multiplies the two as u32.
  if (fee.groupSize === 0 || fee.maxVolatility * fee.groupSize >= 2 ** 32) return undefined;
  return { pool: addressFromBytes(data, 8), opensAt: view.getBigUint64(40, true), fee };
}

const viewOf = (data: Uint8Array) => new DataView(data.buffer, data.byteOffset, data.length);
const startsWith = (data: Uint8Array, head: Uint8Array) => head.every((byte, i) => data[i] === byte);
const u128 = (view: DataView, at: number) => view.getBigUint64(at, true) | (view.getBigUint64(at + 8, true) << 64n);
const i128 = (view: DataView, at: number) => view.getBigUint64(at, true) | (view.getBigInt64(at + 8, true) << 64n);
