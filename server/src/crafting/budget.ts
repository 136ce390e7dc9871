/** The most compute units that a transaction may ask for. */
export const MAX_COMPUTE_UNITS = 1_400_000;

/**
 * The limit to ask for when a simulation used `units`: a tenth on top, and at least a thousand, because account contents
 * may change a little until the transaction lands.
 */
export function unitLimitFrom(units: number): number {
  return Math.min(MAX_COMPUTE_UNITS, Math.max(units + 1_000, Math.ceil(units * 1.1)));
}
