import { readU32, readU64, writeU32, writeU64 } from '../integers.js';
import type { Instruction } from '../message.js';
import { COMPUTE_BUDGET_PROGRAM } from '../programs.js';

const SET_LIMIT = 2;
const SET_PRICE = 3;
const SET_LIMIT_LENGTH = 5;
const SET_PRICE_LENGTH = 9;

/** Limits the compute units of the whole transaction. Throws RangeError when `units` is no u32. */
export function setComputeUnitLimit(units: number): Instruction {
  const data = new Uint8Array(SET_LIMIT_LENGTH);
  data[0] = SET_LIMIT;
  writeU32(units, 'units', data, 1);
  return { program: COMPUTE_BUDGET_PROGRAM, accounts: [], data };
}

/** The limit in compute units; undefined when it is another instruction. */
export function parseComputeUnitLimit({ program, data }: Instruction): number | undefined {
  const matches = program === COMPUTE_BUDGET_PROGRAM && data.length === SET_LIMIT_LENGTH && data[0] === SET_LIMIT;
  return matches ? readU32(data, 1) : undefined;
}

/** Pays a priority fee in millionths of a lamport for each unit of the limit. Throws RangeError when it is no u64. */
export function setComputeUnitPrice(microLamports: bigint): Instruction {
  const data = new Uint8Array(SET_PRICE_LENGTH);
  data[0] = SET_PRICE;
  writeU64(microLamports, 'microLamports', data, 1);
  return { program: COMPUTE_BUDGET_PROGRAM, accounts: [], data };
}

/** The price of a compute unit in millionths of a lamport; undefined when it is another instruction. */
export function parseComputeUnitPrice({ program, data }: Instruction): bigint | undefined {
  const matches = program === COMPUTE_BUDGET_PROGRAM && data.length === SET_PRICE_LENGTH && data[0] === SET_PRICE;
  return matches ? readU64(data, 1) : undefined;
}
