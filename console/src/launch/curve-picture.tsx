import { percent } from '../lib/format.js';
import type { DrawnCurve } from './curve.js';

const [WIDTH, HEIGHT] = [420, 220];
const PLOT = { left: 12, right: 12, top: 28, bottom: 34 };

const compact = (value: number) => value.toLocaleString('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** What all tokens are worth over the share of them that is sold. `at`: where a launched one stands. */
export function CurvePicture({ curve, at, quote }: { curve: DrawnCurve; at?: number | undefined; quote: string }) {
  const { steps, soldShare } = curve;
  const [first, last] = [steps[0]!, steps.at(-1)!];
  const x = (sold: number) => PLOT.left + (sold / (last.sold || 1)) * (WIDTH - PLOT.left - PLOT.right);
  const y = (cap: number) =>
    HEIGHT -
    PLOT.bottom -
    ((cap - first.marketCap) / (last.marketCap - first.marketCap || 1)) * (HEIGHT - PLOT.top - PLOT.bottom);
  const line = steps.map(({ sold, marketCap }, i) => `${i === 0 ? 'M' : 'L'}${x(sold)} ${y(marketCap)}`).join('');
  const place = at === undefined ? undefined : (steps.find(({ marketCap }) => marketCap >= at) ?? last);
  const words = `Curve from ${compact(first.marketCap)} to ${compact(last.marketCap)} ${quote}${at === undefined ? '' : `, now at ${compact(at)}`}`;
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={words} className="mx-auto w-full max-w-xl">
      <path
        d={`${line}L${x(last.sold)} ${HEIGHT - PLOT.bottom}L${x(0)} ${HEIGHT - PLOT.bottom}Z`}
        className="fill-tint"
      />
      {place && at !== undefined && (
        <path
          d={`M${x(0)} ${HEIGHT - PLOT.bottom}H${x(place.sold)}V${y(at)}`}
          className="fill-none stroke-warn"
          strokeDasharray="3 3"
        />
      )}
      <path d={line} fill="none" className="stroke-accent" strokeWidth="2.5" />
      <path d={`M${PLOT.left} ${HEIGHT - PLOT.bottom}H${WIDTH - PLOT.right}`} className="stroke-edge" />
      {place && at !== undefined && (
        <circle cx={x(place.sold)} cy={y(at)} r="6" className="fill-warn stroke-panel" strokeWidth="2" />
      )}
      <g className="fill-soft text-[12px]">
        <text x={PLOT.left} y={y(first.marketCap) - 22}>
          {compact(first.marketCap)} {quote}
        </text>
        <text x={WIDTH - PLOT.right} y={PLOT.top - 10} textAnchor="end">
          {compact(last.marketCap)} {quote}: moves to the AMM
        </text>
        <text x={PLOT.left} y={HEIGHT - 12}>
          0 sold
        </text>
        <text x={WIDTH - PLOT.right} y={HEIGHT - 12} textAnchor="end">
          {percent(Math.round(soldShare * 1000) / 10)} of all sold
        </text>
      </g>
    </svg>
  );
}
