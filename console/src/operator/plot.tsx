import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { timeText } from '../lib/format.js';
import { useTheme } from '../lib/theme.js';
import type { Values } from './history.js';

export interface Drawn {
  name: string;
  values: Values;
  /** A colour of the page. */
  colour: 'accent' | 'warn' | 'down' | 'soft';
}

interface PlotProps {
  title: string;
  /** Unix milliseconds. */
  times: readonly number[];
  drawn: readonly Drawn[];
  format: (value: number) => string;
}

const HEIGHT = 150;

/** Numbers over time. */
export function Plot({ title, times, drawn, format }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const theme = useTheme();
  // The colours are read again in another theme; what is drawn keeps its number and its colours.
  useEffect(() => {
    const host = place.current!;
    const width = () => Math.max(160, host.clientWidth);
    plot.current = new uPlot(optionsFor(host, width(), drawn, format), [[], ...drawn.map(() => [])], host);
    const observer = new ResizeObserver(() => plot.current?.setSize({ width: width(), height: HEIGHT }));
    observer.observe(host);
    return () => {
      observer.disconnect();
      plot.current?.destroy();
    };
  }, [theme]);
  useEffect(() => {
    plot.current?.setData([times.map((at) => at / 1_000), ...drawn.map(({ values }) => [...values])]);
  }, [times, drawn, theme]);
  const latest = drawn.map(({ name, values, colour }) => {
    const value = values.findLast((each) => each !== null);
    return { name, colour, text: value === undefined || value === null ? '–' : format(value) };
  });
  const label = `${title}: ${latest.map(({ name, text }) => `${name} ${text}`).join(', ')}`;
  return (
    <section className="panel min-w-0 p-3">
      <div className="mb-1">
        <h3 className="font-semibold text-sm">{title}</h3>
        {/* A line of its own: beside the title it would wrap, and move what stands below, as its numbers grow. */}
        <p className="flex flex-wrap gap-x-3 text-soft text-xs">
          {latest.map(({ name, colour, text }) => (
            <span key={name} className="whitespace-nowrap">
              <span className={`mr-1 inline-block h-2 w-2 rounded-full ${DOTS[colour]}`} />
              {name} <span className="font-semibold text-ink">{text}</span>
            </span>
          ))}
        </p>
      </div>
      <div ref={place} role="img" aria-label={label} style={{ height: HEIGHT }} className="overflow-hidden" />
    </section>
  );
}

const DOTS = { accent: 'bg-accent', warn: 'bg-warn', down: 'bg-down', soft: 'bg-edge' } as const;

function optionsFor(
  host: Element,
  width: number,
  drawn: readonly Drawn[],
  format: (value: number) => string,
): uPlot.Options {
  const style = getComputedStyle(host);
  const colour = (name: string) => style.getPropertyValue(`--c-${name}`);
  const axis = {
    stroke: colour('soft'),
    font: `11px ${style.fontFamily}`,
    grid: { stroke: colour('line'), width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    // From zero, so that a flat line looks flat.
    scales: { y: { range: (_, __, high) => [0, high > 0 ? high * 1.1 : 1] } },
    axes: [
      { ...axis, size: 26, space: 80, values: (_, ticks) => ticks.map((tick) => timeText(tick * 1_000)) },
      { ...axis, size: 58, values: (_, ticks) => ticks.map((tick) => format(tick)) },
    ],
    series: [
      {},
      ...drawn.map(({ colour: name }) => ({
        stroke: colour(name === 'soft' ? 'edge' : name),
        width: 1.5,
        spanGaps: true,
        points: { show: false },
      })),
    ],
  };
}
