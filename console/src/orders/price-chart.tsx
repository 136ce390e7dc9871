import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { timeText } from '../lib/format.js';
import type { PricePoint } from '../lib/prices.js';
import { useTheme } from '../lib/theme.js';
import { LINE_HEIGHT, type Line, PriceLine, type Scale, topOf } from './price-line.js';

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
  const [scale, setScale] = useState<Scale>();
  const theme = useTheme();
  // The colours are read again in another theme.
  useEffect(() => {
    const host = place.current!;
    const width = () => Math.max(200, host.clientWidth);
    plot.current = new uPlot(optionsFor(host, width(), shown, setScale), [[], []], host);
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
  return (
    <div className="relative overflow-hidden">
      <div ref={place} role="img" aria-label={label} style={{ height: HEIGHT }} className="overflow-hidden" />
      {scale &&
        apart(lines, scale, points.at(-1)?.usd).map((line) => <PriceLine key={line.key} line={line} scale={scale} />)}
    </div>
  );
}

/** Of lines that stand over one another, one has its name and can be moved: the nearest to the price of now. */
function apart(lines: readonly Line[], scale: Scale, now = 0): readonly Line[] {
  const taken: number[] = [];
  const named = new Set<Line>();
  const isStill = ({ move }: Line) => Number(move === undefined);
  const byUse = (a: Line, b: Line) => isStill(a) - isStill(b) || Math.abs(a.usd - now) - Math.abs(b.usd - now);
  for (const line of lines.toSorted(byUse)) {
    const place = topOf(line.usd, scale);
    if (taken.some((other) => Math.abs(other - place) < LINE_HEIGHT)) continue;
    taken.push(place);
    named.add(line);
  }
  const others = lines.filter((line) => !named.has(line)).map((line) => ({ ...line, name: '', move: undefined }));
  // Those with names above them.
  return [...others, ...lines.filter((line) => named.has(line))];
}

function optionsFor(
  host: Element,
  width: number,
  lines: { current: readonly Line[] },
  onScale: (change: (last: Scale | undefined) => Scale) => void,
): uPlot.Options {
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
    axes: [
      { ...axis, space: 80, values: (_, ticks) => ticks.map((tick) => timeText(tick * 1_000)) },
      { ...axis, side: 1, size: 64 },
    ],
    series: [
      {},
      { stroke: colour('accent'), width: 2, paths: uPlot.paths.stepped!({ align: 1 }), points: { show: false } },
    ],
    hooks: { draw: [(plot) => onScale((last) => scaleOf(plot, last))] },
  };
}

function rangeOf(prices: readonly (number | null)[]): [number, number] {
  const known = prices.filter((price) => price !== null && Number.isFinite(price)) as number[];
  if (known.length === 0) return [0, 1];
  const [low, high] = [Math.min(...known), Math.max(...known)];
  return [low * (1 - MARGIN), high * (1 + MARGIN)];
}

/** Where the chart has its prices; the same object as before where nothing has changed. */
function scaleOf({ bbox, scales }: uPlot, last: Scale | undefined): Scale {
  const ratio = devicePixelRatio;
  const next: Scale = {
    low: scales.y?.min ?? 0,
    high: scales.y?.max ?? 1,
    top: bbox.top / ratio,
    height: bbox.height / ratio,
    left: bbox.left / ratio,
    width: bbox.width / ratio,
  };
  const isSame = last && (Object.keys(next) as (keyof Scale)[]).every((name) => next[name] === last[name]);
  return isSame ? last : next;
}
