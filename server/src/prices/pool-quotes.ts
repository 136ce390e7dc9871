/** What one pool says of a token. */
export interface PoolQuote {
  /** The pool's address. */
  pool: string;
  /** USD for one whole token. */
  usd: number;
  /** The lesser of the two sides that it has near its price, in USD. */
  depthUsd: number;
}

export interface PoolSpot {
  usd: number;
  /** Of all pools that agree with the price, in USD. */
  depthUsd: number;
  /** What other pools say, where they are as deep as a price must be. */
  witnessUsd: number | undefined;
}

const BPS = 10_000;

/** Whether two prices differ by no more than so many basis points of the lower one. */
export const agree = (a: number, b: number, bps: number): boolean => Math.abs(a - b) * BPS <= Math.min(a, b) * bps;

/**
 * The price in the middle of the pools' depth: to move it, more than half of all depth has to be moved. The witness is
 * the same of all pools but the one that the price is from, and of those only if they have `leastDepthUsd`.
 */
export function spotOf(
  quotes: readonly PoolQuote[],
  { leastDepthUsd, maxDisagreementBps }: { leastDepthUsd: number; maxDisagreementBps: number },
): PoolSpot | undefined {
  const middle = middleOf(quotes);
  if (!middle) return undefined;
  const others = quotes.filter(({ pool }) => pool !== middle.pool);
  const agreeing = quotes.filter(({ usd }) => agree(usd, middle.usd, maxDisagreementBps));
  const witness = depthOf(others) >= leastDepthUsd ? middleOf(others) : undefined;
  return { usd: middle.usd, depthUsd: depthOf(agreeing), witnessUsd: witness?.usd };
}

const depthOf = (quotes: readonly PoolQuote[]) => quotes.reduce((sum, { depthUsd }) => sum + depthUsd, 0);

function middleOf(quotes: readonly PoolQuote[]): PoolQuote | undefined {
  const sorted = quotes.filter(({ usd, depthUsd }) => usd > 0 && depthUsd > 0).sort((a, b) => a.usd - b.usd);
  const half = depthOf(sorted) / 2;
  let depth = 0;
  return sorted.find((quote) => {
    depth += quote.depthUsd;
    return depth >= half;
  });
}
