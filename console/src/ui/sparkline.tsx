import type { PricePoint } from '../lib/prices.js';

const WIDTH = 120;
const HEIGHT = 32;
const MARGIN = 3;

/** How a price went, without axes. */
export function Sparkline({ points, label }: { points: readonly PricePoint[]; label: string }) {
  const prices = points.map(({ usd }) => usd);
  const [low, high] = [Math.min(...prices), Math.max(...prices)];
  const [begin, end] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 1];
  const x = (at: number) => ((at - begin) / (end - begin || 1)) * WIDTH;
  const y = (usd: number) =>
    high === low ? HEIGHT / 2 : MARGIN + (1 - (usd - low) / (high - low)) * (HEIGHT - 2 * MARGIN);
  // A price stands until it moves.
  const line = points.map(({ at, usd }, i) => `${i === 0 ? `M0 ${y(usd)}` : `H${x(at)}V${y(usd)}`}`).join('');
  const colour = (prices.at(-1) ?? 0) < (prices[0] ?? 0) ? 'text-down' : 'text-up';
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={label}
      preserveAspectRatio="none"
      className={`h-8 w-full ${colour}`}
    >
      <path
        d={points.length < 2 ? `M0 ${HEIGHT / 2}H${WIDTH}` : line}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
