import { discriminator, i64, option, struct, u16, u64 } from './borsh.js';

// What builders and parsers share of the instructions' data.

export const INITIALIZE_ORDER = discriminator('856e4aaf709ff59f');
export const CANCEL_ORDER = discriminator('5f81edf00831df84');
export const PRE_FLASH_FILL_ORDER = discriminator('f02f99440dbee12a');
export const FLASH_FILL_ORDER = discriminator('fc681286a44e128c');

export const initializeTerms = struct<{
  uniqueId: bigint;
  makingAmount: bigint;
  takingAmount: bigint;
  expiredAt: bigint | undefined;
  feeBps: number | undefined;
  slippageBps: number | undefined;
}>({
  uniqueId: u64,
  makingAmount: u64,
  takingAmount: u64,
  expiredAt: option(i64),
  feeBps: option(u16),
  slippageBps: option(u16),
});
