const ACCOUNT_OVERHEAD_BYTES = 128n;
// 3,480 lamports a byte-year, for two years.
const LAMPORTS_PER_BYTE = 6960n;

/** The lamports that an account with `space` bytes of data needs to be free of rent (mainnet's rate). */
export function rentExemptLamports(space: number): bigint {
  return (ACCOUNT_OVERHEAD_BYTES + BigInt(space)) * LAMPORTS_PER_BYTE;
}
