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
  /** Whether the curve is sold out, and what the creator gets later, if anything, is with the lock program. */
  isReadyToMigrate: boolean;
  /** Whether the curve is sold out, and the lock program must get what the creator gets later. */
  needsLock: boolean;
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
const MIGRATION_PROGRESS_AT = 308;

/** The pool in an account's data; undefined when that is none. Its owner, the program, is not known here. */
export function decodeBondingCurvePool(data: Uint8Array): BondingCurvePoolState | undefined {
  if (data.length !== BONDING_CURVE_POOL_SIZE || !startsWith(data, POOL)) return undefined;
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  return {
    config: addressFromBytes(data, 72),
    creator: addressFromBytes(data, 104),
    baseMint: addressFromBytes(data, BONDING_CURVE_BASE_MINT_AT),
    baseVault: addressFromBytes(data, 168),
    quoteVault: addressFromBytes(data, 200),
    quoteReserve: view.getBigUint64(240, true),
    sqrtPrice: u128At(view, 280),
    isMigrated: data[305] === 1,
    isReadyToMigrate: data[MIGRATION_PROGRESS_AT] === 2,
    needsLock: data[MIGRATION_PROGRESS_AT] === 1,
    totalTradingQuoteFee: view.getBigUint64(336, true),
    creatorBaseFee: view.getBigUint64(352, true),
    creatorQuoteFee: view.getBigUint64(360, true),
  };
}

/** The configuration in an account's data; undefined when that is none. */
export function decodeBondingCurveConfig(data: Uint8Array): BondingCurveConfigState | undefined {
  if (data.length !== CONFIG_SIZE || !startsWith(data, CONFIG)) return undefined;
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  return {
    quoteMint: addressFromBytes(data, 8),
    feeClaimer: addressFromBytes(data, 40),
    migrationFeeOption: data[243]!,
    creatorTradingFeePercentage: data[245]!,
    soldBase: view.getBigUint64(256, true),
    migrationQuoteThreshold: view.getBigUint64(264, true),
    migratedBase: view.getBigUint64(272, true),
    migrationSqrtPrice: u128At(view, 280),
  };
}

function startsWith(data: Uint8Array, start: Uint8Array): boolean {
  return start.every((byte, i) => data[i] === byte);
}

function u128At(view: DataView, at: number): bigint {
  return view.getBigUint64(at, true) | (view.getBigUint64(at + 8, true) << 64n);
}
