import type { Address } from './address.js';
import { TOKEN_PROGRAM } from './programs.js';

const ACCOUNT_OVERHEAD_BYTES = 128n;
// 3,480 lamports a byte-year, for two years.
const LAMPORTS_PER_BYTE = 6960n;

/** Bytes of a token account without extensions. */
export const TOKEN_ACCOUNT_SPACE = 165;
/** Of Token-2022 there is at least the byte of its type and the empty extension ImmutableOwner. */
const ASSOCIATED_TOKEN_2022_SPACE = TOKEN_ACCOUNT_SPACE + 1 + 4;

/** The lamports that an account with `space` bytes of data needs to be free of rent (mainnet's rate). */
export function rentExemptLamports(space: number): bigint {
  return (ACCOUNT_OVERHEAD_BYTES + BigInt(space)) * LAMPORTS_PER_BYTE;
}

/** The rent of an associated token account of a mint whose extensions ask nothing of its accounts; lamports. */
export function associatedTokenRent(tokenProgram: Address): bigint {
  return rentExemptLamports(tokenProgram === TOKEN_PROGRAM ? TOKEN_ACCOUNT_SPACE : ASSOCIATED_TOKEN_2022_SPACE);
}
