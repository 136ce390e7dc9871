import { rentExemptLamports } from '@slipway/wire';

export const LAMPORTS_PER_SOL = 1_000_000_000;

/**
 * Lamports that a wallet must keep, unless it is emptied, for the chain to accept what it signs: an empty account's
 * rent.
 */
export const walletMinimum = (): bigint => rentExemptLamports(0);
