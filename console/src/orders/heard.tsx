import type { SlipwayEvent } from '@slipway/client';
import { timeText } from '../lib/format.js';

/** Events as they came, the newest first. */
export function Heard({ events }: { events: readonly SlipwayEvent[] }) {
  return (
    <ol aria-label="Events" aria-live="polite" className="grid min-h-40 content-start text-sm">
      {events.length === 0 && <li className="p-4 text-soft">What becomes of the orders is told here at once.</li>}
      {events.map(({ number, kind, at }) => (
        <li key={number} className="arrive flex justify-between gap-2 border-line border-b px-4 py-2 last:border-b-0">
          <span>{kind}</span>
          <time className="text-soft text-xs">{timeText(Date.parse(at))}</time>
        </li>
      ))}
    </ol>
  );
}
