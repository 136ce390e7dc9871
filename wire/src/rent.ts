import type { Address } from './address.js';
import { TOKEN_PROGRAM } from './programs.js';

const ACCOUNT_OVERHEAD_BYTES = 128n;
/** What mainnet asked for until September 2026. It lowers that in steps (SIMD-0437), and may go back to it (SIMD-0438). */
export const MOST_LAMPORTS_PER_BYTE = 6_960n;

/** What it lowers it to in the end. */
const LEAST_LAMPORTS_PER_BYTE = 696n;

/** Bytes of a token account without extensions. */
export const TOKEN_ACCOUNT_SPACE = 165;
/** Of Token-2022 there is at least the byte of its type and the empty extension ImmutableOwner. */
const ASSOCIATED_TOKEN_2022_SPACE = TOKEN_ACCOUNT_SPACE + 1 + 4;

/** A process works with one chain, whose epochs may each ask for another rent. */
let lamportsPerByte = MOST_LAMPORTS_PER_BYTE;

/** Has `rentExemptLamports` answer what the chain asks for now. @throws RangeError beyond what a chain ever asked for */
export function useRent(perByte: bigint): void {
  if (perByte <= 0n || perByte > MOST_LAMPORTS_PER_BYTE) {
    throw new RangeError(`expected from 1 to ${MOST_LAMPORTS_PER_BYTE} lamports per byte, not ${perByte}`);
  }
  lamportsPerByte = perByte;
}

/**
 * The lamports that an account with `space` bytes of data needs to be free of rent, as `useRent` was told last. With more, what
 * is above counts as tokens of an account of wrapped SOL.
 */
export function rentExemptLamports(space: number): bigint {
  return (ACCOUNT_OVERHEAD_BYTES + BigInt(space)) * lamportsPerByte;
}

/** The most that it ever needs, for whoever does not know the chain. */
export function mostRentLamports(space: number): bigint {
  return (ACCOUNT_OVERHEAD_BYTES + BigInt(space)) * MOST_LAMPORTS_PER_BYTE;
}

/** The least that it ever needs. */
export function leastRentLamports(space: number): bigint {
  return (ACCOUNT_OVERHEAD_BYTES + BigInt(space)) * LEAST_LAMPORTS_PER_BYTE;
}

/** The rent of an associated token account of a mint whose extensions ask nothing of its accounts; lamports. */
export function associatedTokenRent(tokenProgram: Address): bigint {
  return rentExemptLamports(tokenProgram === TOKEN_PROGRAM ? TOKEN_ACCOUNT_SPACE : ASSOCIATED_TOKEN_2022_SPACE);
}
