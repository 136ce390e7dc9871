import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { PricePoint } from '../lib/prices.js';
import { useTheme } from '../lib/theme.js';

export interface Line {
  usd: number;
  name: string;
}

const HEIGHT = 280;
/** Room above and below what is shown. */
const MARGIN = 0.04;

/** A price over time, with the prices that orders wait for as lines. */
export function PriceChart({
  points,
  lines,
  label,
}: {
  points: readonly PricePoint[];
  lines: readonly Line[];
  label: string;
}) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const shown = useRef(lines);
  shown.current = lines;
  const theme = useTheme();
  // The colours are read again in another theme.
  useEffect(() => {
    const host = place.current!;
    const width = () => Math.max(200, host.clientWidth);
    plot.current = new uPlot(optionsFor(host, width(), shown), [[], []], host);
    const observer = new ResizeObserver(() => plot.current?.setSize({ width: width(), height: HEIGHT }));
    observer.observe(host);
    return () => {
      observer.disconnect();
      plot.current?.destroy();
    };
  }, [theme]);
  // A new plot is empty, and new lines change its range.
  useEffect(() => {
    plot.current?.setData([points.map(({ at }) => at / 1_000), points.map(({ usd }) => usd)]);
  }, [points, lines, theme]);
  return <div ref={place} role="img" aria-label={label} style={{ height: HEIGHT }} className="overflow-hidden" />;
}

function optionsFor(host: Element, width: number, lines: { current: readonly Line[] }): uPlot.Options {
  const style = getComputedStyle(host);
  const colour = (name: string) => style.getPropertyValue(`--c-${name}`);
  const font = `11px ${style.fontFamily}`;
  const axis = { stroke: colour('soft'), font, grid: { stroke: colour('line'), width: 1 }, ticks: { show: false } };
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: (_, low, high) => rangeOf([low, high, ...lines.current.map(({ usd }) => usd)]) } },
    axes: [axis, { ...axis, side: 1, size: 64 }],
    series: [
      {},
      { stroke: colour('accent'), width: 2, paths: uPlot.paths.stepped!({ align: 1 }), points: { show: false } },
    ],
    hooks: { draw: [(plot) => drawLines(plot, lines.current, colour, font)] },
  };
}

function rangeOf(prices: readonly (number | null)[]): [number, number] {
  const known = prices.filter((price) => price !== null && Number.isFinite(price)) as number[];
  if (known.length === 0) return [0, 1];
  const [low, high] = [Math.min(...known), Math.max(...known)];
  return [low * (1 - MARGIN), high * (1 + MARGIN)];
}

function drawLines(plot: uPlot, lines: readonly Line[], colour: (name: string) => string, font: string): void {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.font = font.replace('11px', `${11 * ratio}px`);
  ctx.setLineDash([6 * ratio, 4 * ratio]);
  ctx.lineWidth = ratio;
  for (const { usd, name } of lines) {
    const y = plot.valToPos(usd, 'y', true);
    ctx.strokeStyle = ctx.fillStyle = colour(name === 'stop loss' ? 'down' : 'up');
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.fillText(
      `${name} ${usd.toLocaleString('en-US', { maximumFractionDigits: 4 })}`,
      bbox.left + 6 * ratio,
      y - 5 * ratio,
    );
  }
  ctx.restore();
}
