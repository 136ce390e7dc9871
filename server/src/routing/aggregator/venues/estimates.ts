/** Rounding may have a pool take so many times what its liquidity takes by estimate. */
export const NEARLY_END = 1 + 1e-6;

/** One direction of a constant product, roughly; for concentrated liquidity, with the virtual reserves. */
export interface RoughCurve {
  reserveIn: number;
  reserveOut: number;
  /** The share of what goes in, and of what comes out, that is left after the fees on it: 0 to 1. */
  keptIn: number;
  keptOut: number;
  /** The most that can be traded, after the fee. */
  most: number;
}

/** Output for an amount; 0 for more than can be traded. */
export function roughOut({ reserveIn, reserveOut, keptIn, keptOut, most }: RoughCurve, amount: number): number {
  const traded = amount * keptIn;
  return traded > most ? 0 : ((reserveOut * traded) / (reserveIn + traded)) * keptOut;
}

/** Input for an output; Infinity for more than there is. */
export function roughIn({ reserveIn, reserveOut, keptIn, keptOut, most }: RoughCurve, amount: number): number {
  const out = amount / keptOut;
  const traded = out >= reserveOut ? Number.POSITIVE_INFINITY : (reserveIn * out) / (reserveOut - out);
  return traded > most ? Number.POSITIVE_INFINITY : traded / keptIn;
}
