import { type Address, addressFromBytes } from '@slipway/wire/formats';
import { discriminator } from './borsh.js';

/** Bytes of a pool's account, and where the base mint stands in it, to look for a token's pool. */
export const BONDING_CURVE_POOL_SIZE = 424;
export const BONDING_CURVE_BASE_MINT_AT = 136;

/** What a pool's account says of its people, places and fees. Amounts in the smallest unit of the quote. */
export interface BondingCurvePoolState {
  config: Address;
  creator: Address;
  baseMint: Address;
  baseVault: Address;
  quoteVault: Address;
  quoteReserve: bigint;
  sqrtPrice: bigint;
  isMigrated: boolean;
  /** What buyers and sellers have paid to creator and operator together, ever. */
  totalTradingQuoteFee: bigint;
  /** What the creator has not claimed yet. */
  creatorBaseFee: bigint;
  creatorQuoteFee: bigint;
}

/** What a configuration's account says of it. */
export interface BondingCurveConfigState {
  quoteMint: Address;
  feeClaimer: Address;
  /** Which of the fixed fees the migrated pool has. */
  migrationFeeOption: number;
  /** Of the trading fees, in percent. */
  creatorTradingFeePercentage: number;
  /** Base that is sold until the pool migrates, quote that is paid for it, and base that goes along. */
  soldBase: bigint;
  migrationQuoteThreshold: bigint;
  migratedBase: bigint;
  migrationSqrtPrice: bigint;
}

const POOL = discriminator('d5e005d16245775c');
const CONFIG = discriminator('1a6c0e7b74e6812b');
const CONFIG_SIZE = 1048;

/** The pool in an account's data; undefined when that is none. Its owner, the program, is not known here. */
export function decodeBondingCurvePool(data: Uint8Array): BondingCurvePoolState | undefined {
  if (data.length !== BONDING_CURVE_POOL_SIZE || !startsWith(data, POOL)) return undefined;
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.length);
  return {
    config: addressFromBytes(data, 72),
    creator: addressFromBytes(data, 104),
    baseMint: addressFromBytes(data, BONDING_CURVE_BASE_MINT_AT),
    baseVault: addressFromBytes(data, 168),
    quoteVault: addressFromBytes(data, 200),
    quoteReserve: bytes.readBigUInt64LE(240),
    sqrtPrice: u128At(bytes, 280),
    isMigrated: bytes[305] === 1,
    totalTradingQuoteFee: bytes.readBigUInt64LE(336),
    creatorBaseFee: bytes.readBigUInt64LE(352),
    creatorQuoteFee: bytes.readBigUInt64LE(360),
  };
}

/** The configuration in an account's data; undefined when that is none. */
export function decodeBondingCurveConfig(data: Uint8Array): BondingCurveConfigState | undefined {
  if (data.length !== CONFIG_SIZE || !startsWith(data, CONFIG)) return undefined;
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.length);
  return {
    quoteMint: addressFromBytes(data, 8),
    feeClaimer: addressFromBytes(data, 40),
    migrationFeeOption: bytes[243]!,
    creatorTradingFeePercentage: bytes[245]!,
    soldBase: bytes.readBigUInt64LE(256),
    migrationQuoteThreshold: bytes.readBigUInt64LE(264),
    migratedBase: bytes.readBigUInt64LE(272),
    migrationSqrtPrice: u128At(bytes, 280),
  };
}

function startsWith(data: Uint8Array, start: Uint8Array): boolean {
  return start.every((byte, i) => data[i] === byte);
}

function u128At(bytes: Buffer, at: number): bigint {
  return bytes.readBigUInt64LE(at) | (bytes.readBigUInt64LE(at + 8) << 64n);
}
