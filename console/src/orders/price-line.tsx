import { useRef, useState } from 'react';
import { usd as usdText } from '../lib/format.js';
import { Trouble } from '../ui/trouble.js';

/** A price that an order waits for. */
export interface Line {
  key: string;
  usd: number;
  /** Nothing where it stands over another line. */
  name: string;
  /** Changes the order; undefined where this price cannot be changed. */
  move?: ((usd: number) => Promise<void>) | undefined;
}

/** Which part of the chart stands for which prices, in pixels of the page. */
export interface Scale {
  low: number;
  high: number;
  top: number;
  height: number;
  left: number;
  width: number;
}

const STEP = 0.001;
const DIGITS = 6;

/** A line on the chart. */
export function PriceLine({ line, scale }: { line: Line; scale: Scale }) {
  const { move } = line;
  return move ? <Moved line={line} scale={scale} move={move} /> : <Still line={line} scale={scale} />;
}

/** Of a line with its name, in pixels. */
export const LINE_HEIGHT = 24;
export const topOf = (usd: number, { low, high, top, height }: Scale): number =>
  top + ((high - usd) / (high - low || 1)) * height - LINE_HEIGHT;
const placeOf = (usd: number, scale: Scale) => ({
  left: scale.left,
  width: scale.width,
  top: topOf(usd, scale),
});

const lookOf = (name: string) =>
  `absolute flex h-6 items-end border-b-[1.5px] border-dashed text-xs ${name === '' ? 'border-line' : name === 'stop loss' ? 'border-down text-down' : 'border-up text-up'}`;

function Still({ line: { name, usd }, scale }: { line: Line; scale: Scale }) {
  return (
    <div className={`${lookOf(name)} pointer-events-none`} style={placeOf(usd, scale)} aria-hidden="true">
      {name && (
        <span className="bg-panel/90 px-1">
          {name} {usdText(usd)}
        </span>
      )}
    </div>
  );
}

/** Dragged, or moved by the arrow keys and Enter, it changes its order. */
function Moved({ line, scale, move }: { line: Line; scale: Scale; move: (usd: number) => Promise<void> }) {
  const { low, high, height } = scale;
  const { wanted, setWanted, commit, error } = useWanted(line.usd, move);
  const drag = useRef<{ y: number; usd: number }>(undefined);
  const shown = wanted ?? line.usd;
  const to = (usd: number) => setWanted(Math.max(low / 10, usd));
  const end = (price: number | undefined) => {
    drag.current = undefined;
    void commit(price);
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    const steps = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (steps !== undefined) to(shown * (1 + steps * STEP));
    else if (event.key === 'Enter') end(wanted);
    else if (event.key === 'Escape') end(undefined);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <div
        role="slider"
        tabIndex={0}
        aria-label={`${line.name}: drag it, or arrow keys and Enter`}
        aria-orientation="vertical"
        aria-valuemin={low}
        aria-valuemax={high}
        aria-valuenow={shown}
        aria-valuetext={usdText(shown)}
        title="Drag to change the order"
        className={`${lookOf(line.name)} z-[1] cursor-ns-resize touch-none`}
        style={placeOf(shown, scale)}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          drag.current = { y: event.clientY, usd: line.usd };
        }}
        onPointerMove={({ clientY }) =>
          drag.current && to(drag.current.usd - ((clientY - drag.current.y) / height) * (high - low))
        }
        onPointerUp={() => end(wanted)}
        onPointerCancel={() => end(undefined)}
      >
        <span className="rounded-t bg-panel/90 px-1 font-semibold">
          ↕ {line.name} {usdText(shown)}
        </span>
      </div>
      {error !== undefined && (
        <div className="absolute inset-x-2 top-2 z-[2]">
          <Trouble error={error} />
        </div>
      )}
    </>
  );
}

/** A price that is wanted in place of one; `commit` asks for it, or leaves it. */
function useWanted(now: number, move: (usd: number) => Promise<void>) {
  const [wanted, setWanted] = useState<number>();
  const [error, setError] = useState<unknown>();
  const commit = async (price: number | undefined) => {
    setError(undefined);
    try {
      if (price !== undefined && price !== now) await move(Number(price.toPrecision(DIGITS)));
    } catch (thrown) {
      setError(thrown);
    }
    setWanted(undefined);
  };
  return { wanted, setWanted, commit, error };
}
