/** A token that others are priced in, and that is itself priced by pools. */
interface Anchor {
  mint: string;
  /** What has to be moved to move its price, in USD. */
  depthUsd: number;
}

/** What one pool says of a token. */
export interface PoolQuote {
  /** The pool's address. */
  pool: string;
  /** USD for one whole token. */
  usd: number;
  /** The same by the least and by the most that witnesses say of the token that it is priced in. */
  lowUsd: number;
  highUsd: number;
  /** The lesser of the two sides that it has near its price, in USD. */
  depthUsd: number;
  /** The token that it is priced in, where that one's price is of pools, too: whoever moves those moves this one. */
  anchor?: Anchor | undefined;
}

export interface PoolSpot {
  usd: number;
  /** The least and the most that the price and its witnesses say. */
  lowUsd: number;
  highUsd: number;
  /** Of all pools that agree with the price, in USD. */
  depthUsd: number;
}

const BPS = 10_000;

/** Whether two prices differ by no more than so many basis points of the lower one. */
export const agree = (a: number, b: number, bps: number): boolean => Math.abs(a - b) * BPS <= Math.min(a, b) * bps;

/**
 * The price in the middle of the pools' depth: to move it, more than half of all depth has to be moved. Its witnesses are
 * the same without the deepest pool on either side of it, whatever that one says (where it alone is moved, what stands
 * between it and the others may be the middle), and without all over one anchor, where these have more depth than it: so
 * they count as one. Each only if it has `leastDepthUsd`. The others are what the price is by the witnesses of the
 * anchors: leaving out what is over an anchor that is contradicted would let anybody silence deep pools by contradicting
 * it.
 */
export function spotOf(
  quotes: readonly PoolQuote[],
  { leastDepthUsd, maxDisagreementBps }: { leastDepthUsd: number; maxDisagreementBps: number },
): PoolSpot | undefined {
  const overdrawn = [...overdrawnOf(quotes).keys()];
  // Where none is, none is with fewer pools.
  const bound = overdrawn.length > 0 ? bounded : (some: readonly PoolQuote[]) => some;
  const all = bound(quotes);
  const middle = middleOf(all, 'usd');
  if (!middle) return undefined;
  const { usd } = middle;
  const agreeing = (quote: PoolQuote) => agree(quote.usd, usd, maxDisagreementBps);
  const deepest = [all.filter((quote) => quote.usd <= usd), all.filter((quote) => quote.usd >= usd)].map((side) =>
    side.reduce((a, b) => (b.depthUsd > a.depthUsd ? b : a), middle),
  );
  const others = [
    ...[...new Set(deepest)].map((without) => quotes.filter(({ pool }) => pool !== without.pool)),
    ...overdrawn.map((mint) => quotes.filter(({ anchor }) => anchor?.mint !== mint)),
  ].map(bound);
  const witnesses = others.filter((some) => depthOf(some) >= leastDepthUsd);
  const said = witnesses.map((some) => middleOf(some, 'usd')?.usd ?? usd);
  if (quotes.some(({ lowUsd, highUsd }) => !agree(lowUsd, highUsd, maxDisagreementBps))) {
    said.push(middleOf(all, 'lowUsd')?.lowUsd ?? usd, middleOf(all, 'highUsd')?.highUsd ?? usd);
  }
  return {
    usd,
    lowUsd: Math.min(usd, ...said),
    highUsd: Math.max(usd, ...said),
    depthUsd: depthOf(bound(quotes.filter(agreeing))),
  };
}

const depthOf = (quotes: readonly PoolQuote[]) => quotes.reduce((sum, { depthUsd }) => sum + depthUsd, 0);

/** The anchors over which pools have more depth together than these have themselves, and how much of it they share. */
function overdrawnOf(quotes: readonly PoolQuote[]): ReadonlyMap<string, number> {
  const anchors = new Map<string, Anchor & { overUsd: number }>();
  for (const { anchor, depthUsd } of quotes) {
    if (!anchor) continue;
    const known = anchors.get(anchor.mint);
    if (known) known.overUsd += depthUsd;
    else anchors.set(anchor.mint, { ...anchor, overUsd: depthUsd });
  }
  const overdrawn = [...anchors.values()].filter(({ depthUsd, overUsd }) => overUsd > depthUsd);
  return new Map(overdrawn.map(({ mint, depthUsd, overUsd }) => [mint, depthUsd / overUsd]));
}

/** With no more depth over an anchor than that has itself: one trade that moves it moves them all. */
function bounded(quotes: readonly PoolQuote[]): readonly PoolQuote[] {
  const shares = overdrawnOf(quotes);
  return quotes.map((quote) => {
    const share = quote.anchor && shares.get(quote.anchor.mint);
    return share === undefined ? quote : { ...quote, depthUsd: quote.depthUsd * share };
  });
}

function middleOf(quotes: readonly PoolQuote[], by: 'usd' | 'lowUsd' | 'highUsd'): PoolQuote | undefined {
  const sorted = quotes.filter((quote) => quote[by] > 0 && quote.depthUsd > 0).sort((a, b) => a[by] - b[by]);
  const half = depthOf(sorted) / 2;
  let depth = 0;
  return sorted.find((quote) => {
    depth += quote.depthUsd;
    return depth >= half;
  });
}
