import type { Address } from '@slipway/wire';
import type { ChainAccount } from '../../../../chain/index.js';
import { accountTag, addressAt, taggedView, u128At } from '../anchor.js';
import type { AdaptiveFee } from './fee-rate.js';
import { MAX_SQRT_PRICE, MAX_TICK, MIN_SQRT_PRICE } from './ticks.js';

export const POOL_SIZE = 653;
/** Ticks in a tick array. */
export const ARRAY_TICKS = 88;
const FIXED_TICK_SIZE = 113;
const FIXED_ARRAY_SIZE = 9_988;
/** A dynamic array's ticks follow its header: one byte each, and 112 more for one with liquidity. */
const DYNAMIC_HEAD_SIZE = 60;
const DYNAMIC_TICK_SIZE = 112;
const ORACLE_SIZE = 254;

const POOL = accountTag('Whirlpool');
const FIXED_ARRAY = accountTag('TickArray');
const DYNAMIC_ARRAY = accountTag('DynamicTickArray');
const ORACLE = accountTag('Oracle');

export interface WhirlpoolAccount {
  tickSpacing: number;
  /** Whether it has an oracle account, which makes its fee rise and fall. */
  isAdaptive: boolean;
  /** In millionths. */
  feeRate: number;
  liquidity: bigint;
  sqrtPrice: bigint;
  tick: number;
  mints: [Address, Address];
  vaults: [Address, Address];
}

/** Reads a pool's account; undefined if it is not one, or no program of Orca could have written it. */
export function decodeWhirlpool(program: Address, account: ChainAccount): WhirlpoolAccount | undefined {
  const view = taggedView(account, { program, tag: POOL, size: POOL_SIZE });
  if (!view) return undefined;
  const { data } = account;
  const [tickSpacing, feeTier] = [view.getUint16(41, true), view.getUint16(43, true)];
  const [sqrtPrice, tick] = [u128At(view, 65), view.getInt32(81, true)];
  if (tickSpacing === 0 || sqrtPrice < MIN_SQRT_PRICE || sqrtPrice > MAX_SQRT_PRICE) return undefined;
  // One below the lowest: the price stands there after it has come down to the end.
  if (tick < -MAX_TICK - 1 || tick > MAX_TICK) return undefined;
  const mints: [Address, Address] = [addressAt(data, 101), addressAt(data, 181)];
  if (mints[0] === mints[1]) return undefined;
  return {
    tickSpacing,
    sqrtPrice,
    tick,
    isAdaptive: feeTier !== tickSpacing,
    feeRate: view.getUint16(45, true),
    liquidity: u128At(view, 49),
    mints,
    vaults: [addressAt(data, 133), addressAt(data, 213)],
  };
}

export interface TickArray {
  start: number;
  pool: Address;
  /** Ticks with liquidity, by their offset; `net` is what a rising price gains when it passes one. */
  ticks: { offset: number; net: bigint }[];
}

/** Reads a tick array of either kind; undefined if it is not one. */
export function decodeTickArray(program: Address, account: ChainAccount): TickArray | undefined {
  const { data } = account;
  const fixed = taggedView(account, { program, tag: FIXED_ARRAY, size: FIXED_ARRAY_SIZE });
  if (fixed) return decodeFixedArray(data, fixed);
  if (data.length < DYNAMIC_HEAD_SIZE + ARRAY_TICKS) return undefined;
  const dynamic = taggedView(account, { program, tag: DYNAMIC_ARRAY, size: data.length });
  return dynamic && decodeDynamicArray(data, dynamic);
}

function decodeFixedArray(data: Uint8Array, view: DataView): TickArray | undefined {
  const ticks: TickArray['ticks'] = [];
  for (let offset = 0; offset < ARRAY_TICKS; offset++) {
    const at = 12 + offset * FIXED_TICK_SIZE;
    if (data[at]! > 1) return undefined;
    if (data[at] === 1) ticks.push({ offset, net: i128(view, at + 1) });
  }
  return { start: view.getInt32(8, true), pool: addressAt(data, FIXED_ARRAY_SIZE - 32), ticks };
}

function decodeDynamicArray(data: Uint8Array, view: DataView): TickArray | undefined {
  const bitmap = u128At(view, 44);
  const ticks: TickArray['ticks'] = [];
  let at = DYNAMIC_HEAD_SIZE;
  for (let offset = 0; offset < ARRAY_TICKS; offset++) {
    const tag = data[at];
    // The program looks ticks up in the bitmap and reads them after the tags: it never lets the two differ.
    if (tag === undefined || BigInt(tag) !== ((bitmap >> BigInt(offset)) & 1n)) return undefined;
    at += 1;
    if (tag === 0) continue;
    if (at + DYNAMIC_TICK_SIZE > data.length) return undefined;
    ticks.push({ offset, net: i128(view, at) });
    at += DYNAMIC_TICK_SIZE;
  }
  return at === data.length ? { start: view.getInt32(8, true), pool: addressAt(data, 12), ticks } : undefined;
}

interface OracleAccount {
  pool: Address;
  /** Unix seconds before which nobody can trade. */
  opensAt: bigint;
  fee: AdaptiveFee;
}

/** Reads an oracle account; undefined if it is not one, or has figures that the program does not accept. */
export function decodeOracle(program: Address, account: ChainAccount): OracleAccount | undefined {
  const view = taggedView(account, { program, tag: ORACLE, size: ORACLE_SIZE });
  if (!view) return undefined;
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
  // The program multiplies the first two as u32; and the reference group contains ticks.
  if (fee.groupSize === 0 || fee.maxVolatility * fee.groupSize >= 2 ** 32) return undefined;
  if (Math.abs(fee.groupReference) * fee.groupSize > MAX_TICK + fee.groupSize) return undefined;
  return { pool: addressAt(account.data, 8), opensAt: view.getBigUint64(40, true), fee };
}

const i128 = (view: DataView, at: number) => view.getBigUint64(at, true) | (view.getBigInt64(at + 8, true) << 64n);
