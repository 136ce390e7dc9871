import { rentExemptLamports } from '@slipway/wire';

export const LAMPORTS_PER_SOL = 1_000_000_000;

/** Lamports that a wallet keeps, unless it is emptied, or the chain refuses what it signs: the rent of an empty account. */
export const WALLET_MINIMUM = rentExemptLamports(0);
