/** The most compute units that a transaction may ask for. */
export const MAX_COMPUTE_UNITS = 1_400_000;

/** Transactions with the same content must still differ in their bytes: their limits differ, by less than this. */
export const UNITS_APART = 4_096;

/** What may be added to the units of a simulation. */
interface Margin {
  /** At random below UNITS_APART, where transactions with the same content must differ. */
  apart?: number;
  /** Units that the transaction may use besides, if prices move until it lands. */
  more?: number;
}

/**
 * The limit to set when a simulation used `units`: a tenth more, and at least a thousand, because account contents may
 * change a little until the transaction lands; and the margin.
 */
export function unitLimitFrom(units: number, { apart = 0, more = 0 }: Margin = {}): number {
  return Math.min(MAX_COMPUTE_UNITS, Math.max(units + 1_000, Math.ceil(units * 1.1)) + more + apart);
}
