import {
  type Address,
  addressToBytes,
  associatedTokenAddress,
  BPF_LOADER_UPGRADEABLE,
  findProgramAddress,
  address as toAddress,
} from '@slipway/wire/formats';
import { u64 } from './borsh.js';

/** The address that the limit order program has on the public clusters. */
export const LIMIT_ORDER_PROGRAM: Address = toAddress('j1o2qRpjcyUwEvwtcfhEQefh773ZgjxcVRry7LDqg5X');

/** A deployed limit order program and what is derived from its address alone. */
export interface LimitOrderAddresses {
  program: Address;
  /** The account with the program's fees; owner of the token accounts in which they are collected. */
  fee: Address;
  /** Signs for the program's events. */
  eventAuthority: Address;
  /** Where the loader keeps who may upgrade the program, which is its admin. */
  programData: Address;
}

const text = (seed: string) => new TextEncoder().encode(seed);

/** Derives a program's addresses: once for each program, because it is slow. */
export function limitOrderAddresses(program: Address): LimitOrderAddresses {
  return {
    program,
    fee: findProgramAddress([text('fee')], program).address,
    eventAuthority: findProgramAddress([text('__event_authority')], program).address,
    programData: findProgramAddress([addressToBytes(program)], BPF_LOADER_UPGRADEABLE).address,
  };
}

/** The addresses of LIMIT_ORDER_PROGRAM. */
export const LIMIT_ORDER_ADDRESSES: LimitOrderAddresses = {
  program: LIMIT_ORDER_PROGRAM,
  fee: toAddress('27ZASRjinQgXKsrijKqb9xyRnH6W5KWgLSDveRghvHqc'),
  eventAuthority: toAddress('ArsDfE54RTkC3zhtzPdtvTtKw9XSV5w1PCTBFVGiLd52'),
  programData: toAddress('29PtTjbqhgBHz6SGbmjsANmUjaLx8BJnB29Rw1GQJeX8'),
};

/**
 * The account of a maker's order. A program needs the least compute for one whose `bump` is 255, which every second
 * unique id has. Throws a RangeError for an id that is not an unsigned 64-bit number.
 */
export function limitOrderAddress(
  maker: Address,
  uniqueId: bigint,
  program: Address = LIMIT_ORDER_PROGRAM,
): { address: Address; bump: number } {
  return findProgramAddress([text('order'), addressToBytes(maker), u64.encode(uniqueId, 'uniqueId')], program);
}

/** The token account in which an order's input waits. */
export function limitOrderReserve(order: Address, inputMint: Address, inputTokenProgram: Address): Address {
  return associatedTokenAddress(order, inputMint, inputTokenProgram);
}

/** The token account in which the program's own fees in a mint are collected: that of orders without a referral. */
export function limitOrderFeeAccount(
  outputMint: Address,
  outputTokenProgram: Address,
  addresses: LimitOrderAddresses = LIMIT_ORDER_ADDRESSES,
): Address {
  return associatedTokenAddress(addresses.fee, outputMint, outputTokenProgram);
}
