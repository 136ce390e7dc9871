import { baseBetween, CurveImpossible, curveBetween, LAUNCH_SUPPLY } from '@slipway/programs/formats';

/** A point of a curve: the share of all tokens that is sold, and what all of them are worth then. */
export interface CurveStep {
  sold: number;
  marketCap: number;
}
export interface DrawnCurve {
  steps: readonly CurveStep[];
  /** Of all tokens. */
  soldShare: number;
  migratedShare: number;
  /** Whole tokens of the quote. */
  raised: number;
}

const STEPS = 48n;
const Q64 = 2 ** 64;
const SUPPLY = Number(LAUNCH_SUPPLY);

/** What all tokens are worth at a price, in whole tokens of the quote. */
export const marketCapOf = (sqrtPrice: bigint, quoteDecimals: number): number =>
  ((Number(sqrtPrice) / Q64) ** 2 * SUPPLY) / 10 ** quoteDecimals;

/** The curve that the program would have for these terms. @throws CurveImpossible, which says what is in the way */
export function drawCurve(initialMarketCap: number, migrationMarketCap: number, quoteDecimals: number): DrawnCurve {
  const cap = (whole: number) => BigInt(Math.round(whole * 10 ** quoteDecimals));
  const terms = { initialMarketCap: cap(initialMarketCap), migrationMarketCap: cap(migrationMarketCap) };
  const curve = curveBetween({ ...terms, supply: LAUNCH_SUPPLY, vested: 0n });
  const [first] = curve.points;
  if (first === undefined) throw new CurveImpossible('initialMarketCap', 'has no curve');
  const steps = Array.from({ length: Number(STEPS) + 1 }, (_, i): CurveStep => {
    const price = curve.sqrtStartPrice + ((first.sqrtPrice - curve.sqrtStartPrice) * BigInt(i)) / STEPS;
    const sold = i === 0 ? 0 : Number(baseBetween(curve.sqrtStartPrice, price, first.liquidity)) / SUPPLY;
    return { sold, marketCap: marketCapOf(price, quoteDecimals) };
  });
  return {
    steps,
    soldShare: Number(curve.soldBase) / SUPPLY,
    migratedShare: Number(curve.migratedBase) / SUPPLY,
    raised: Number(curve.quoteThreshold) / 10 ** quoteDecimals,
  };
}
