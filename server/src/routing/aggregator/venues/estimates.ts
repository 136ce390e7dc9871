/** One direction of a constant product, roughly; of concentrated liquidity the reserves are the virtual ones. */
export interface RoughCurve {
  reserveIn: number;
  reserveOut: number;
  /** What is left of what goes in, and of what comes out, after the fees on it: 0 to 1. */
  keptIn: number;
  keptOut: number;
  /** The most that can be traded, after the fee. */
  most: number;
}

/** What comes out for an amount; 0 for more than can be traded. */
export function roughOut({ reserveIn, reserveOut, keptIn, keptOut, most }: RoughCurve, amount: number): number {
  const traded = amount * keptIn;
  return traded > most ? 0 : ((reserveOut * traded) / (reserveIn + traded)) * keptOut;
}

/** What must go in for an amount that comes out; Infinity for more than there is. */
export function roughIn({ reserveIn, reserveOut, keptIn, keptOut, most }: RoughCurve, amount: number): number {
  const out = amount / keptOut;
  const traded = out >= reserveOut ? Number.POSITIVE_INFINITY : (reserveIn * out) / (reserveOut - out);
  return traded > most ? Number.POSITIVE_INFINITY : traded / keptIn;
}
