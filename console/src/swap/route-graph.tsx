import type { SwapOrder } from '@slipway/client';
import type { Book } from '../lib/describe.js';
import { amountText, percent, short } from '../lib/format.js';
import type { Mint } from '../lib/sandbox.js';

type Hop = SwapOrder['routePlan'][number];

const WIDTH = 360;
const ROW = 128;
const TOP = 24;
const NODE = { width: 92, height: 30 };
const LABEL = { width: 148, height: 38 };

/** A route from the token that is sold, at the top, to the one that is bought. Wider ways take more of it. */
export function RouteGraph({
  order,
  book,
  mints,
}: {
  order: SwapOrder | undefined;
  book: Book;
  mints: readonly Mint[];
}) {
  if (!order || order.routePlan.length === 0) return <p className="min-h-64 p-4 text-soft text-sm">No route yet.</p>;
  const depths = depthsOf(order);
  const places = placesOf(depths);
  const height = TOP + Math.max(...depths.values()) * ROW + NODE.height;
  const name = (mint: string) => book.symbols.get(mint) ?? short(mint);
  const arrives = ({ outAmount, outputMint }: Hop['swapInfo']) => {
    const known = mints.find((each) => each.mint === outputMint);
    return known
      ? amountText(BigInt(outAmount), known.decimals, 2)
      : `${BigInt(outAmount).toLocaleString('en-US', { notation: 'compact' })} units`;
  };
  return (
    <figure className="p-4">
      <svg
        viewBox={`0 0 ${WIDTH} ${height}`}
        className="mx-auto w-full max-w-md"
        role="img"
        aria-label={wordsOf(order, name)}
      >
        {order.routePlan.map((hop, index) => (
          <Way
            // A route may trade with one pool twice.
            key={index}
            hop={hop}
            from={places.get(hop.swapInfo.inputMint)!}
            to={places.get(hop.swapInfo.outputMint)!}
            lane={laneOf(order.routePlan, hop)}
            amount={arrives(hop.swapInfo)}
          />
        ))}
        {[...places].map(([mint, { x, y }]) => (
          <g key={mint}>
            <rect
              x={x - NODE.width / 2}
              y={y - NODE.height / 2}
              width={NODE.width}
              height={NODE.height}
              rx="15"
              className="fill-accent"
            />
            <text x={x} y={y + 5} textAnchor="middle" className="fill-on-accent font-semibold text-[14px]">
              {name(mint)}
            </text>
          </g>
        ))}
      </svg>
    </figure>
  );
}

interface Point {
  x: number;
  y: number;
}

function Way({ hop, from, to, lane, amount }: { hop: Hop; from: Point; to: Point; lane: number; amount: string }) {
  const { label, inAmount, feeAmount } = hop.swapInfo;
  const middle = { x: (from.x + to.x) / 2 + lane, y: (from.y + to.y) / 2 };
  const path = `M${from.x} ${from.y}Q${middle.x} ${from.y + 30} ${middle.x} ${middle.y}T${to.x} ${to.y}`;
  const fee = (Number(feeAmount) / Number(inAmount)) * 100;
  return (
    <g>
      <path d={path} fill="none" className="stroke-edge" strokeWidth={1.5 + hop.percent / 14} strokeOpacity="0.55" />
      <rect
        x={middle.x - LABEL.width / 2}
        y={middle.y - LABEL.height / 2}
        width={LABEL.width}
        height={LABEL.height}
        rx="5"
        className="fill-panel stroke-line"
      />
      <text x={middle.x} y={middle.y - 4} textAnchor="middle" className="fill-ink text-[12px]">
        <tspan className="font-semibold">{percent(hop.percent)}</tspan> {label}
      </text>
      <text x={middle.x} y={middle.y + 12} textAnchor="middle" className="fill-soft text-[11px]">
        fee {percent(fee)} → {amount}
      </text>
    </g>
  );
}

/** How many hops each token is away from the one that is sold, by the longest way. */
function depthsOf({ inputMint, routePlan }: SwapOrder): Map<string, number> {
  const depths = new Map([[inputMint, 0]]);
  for (let round = 0; round < routePlan.length; round++) {
    for (const { swapInfo } of routePlan) {
      const before = depths.get(swapInfo.inputMint);
      if (before === undefined || swapInfo.outputMint === inputMint) continue;
      depths.set(
        swapInfo.outputMint,
        Math.max(depths.get(swapInfo.outputMint) ?? 0, Math.min(before + 1, routePlan.length)),
      );
    }
  }
  return depths;
}

function placesOf(depths: ReadonlyMap<string, number>): Map<string, Point> {
  const mints = [...depths.keys()];
  return new Map(
    mints.map((mint) => {
      const depth = depths.get(mint)!;
      const row = mints.filter((other) => depths.get(other) === depth);
      return [mint, { x: ((row.indexOf(mint) + 1) * WIDTH) / (row.length + 1), y: TOP + depth * ROW }];
    }),
  );
}

/** How far a way stands beside the straight one, where several lead from one token to the same other. */
function laneOf(plan: readonly Hop[], hop: Hop): number {
  const beside = plan.filter(
    ({ swapInfo }) => swapInfo.inputMint === hop.swapInfo.inputMint && swapInfo.outputMint === hop.swapInfo.outputMint,
  );
  const spread = Math.min(LABEL.width + 12, (WIDTH - LABEL.width) / Math.max(1, beside.length - 1));
  return (beside.indexOf(hop) - (beside.length - 1) / 2) * spread;
}

function wordsOf({ routePlan }: SwapOrder, name: (mint: string) => string): string {
  const hops = routePlan.map(
    ({ percent: share, swapInfo }) =>
      `${percent(share)} of ${name(swapInfo.inputMint)} to ${name(swapInfo.outputMint)} by ${swapInfo.label}`,
  );
  return `Route: ${hops.join(', ')}`;
}
