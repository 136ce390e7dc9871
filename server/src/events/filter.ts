import { AppError, requireAddress } from '../errors/index.js';
import { type EventKind, eventKinds } from '../store/event-outbox.js';
import type { EventRow } from '../store/events.js';

/** Whether a reader has asked for an event. */
export type Wants = (event: Pick<EventRow, 'kind' | 'wallet'>) => boolean;

/** What concerns everybody. Only those hear of it who name it. */
const FOR_ALL: readonly EventKind[] = ['score.changed', 'price.changed'];

/** @throws AppError INVALID_REQUEST that names the kind that there is not */
export function readFilter({ kinds, wallet }: { kinds?: string; wallet?: string }): {
  wants: Wants;
  follows: EventKind[];
} {
  const wanted = new Set(
    kinds === undefined ? eventKinds.filter((kind) => !FOR_ALL.includes(kind)) : kinds.split(',').flatMap(kindsNamed),
  );
  const about = wallet === undefined ? undefined : requireAddress('wallet', wallet);
  return {
    wants: (event) =>
      wanted.has(event.kind) && (about === undefined || event.wallet === null || event.wallet === about),
    follows: FOR_ALL.filter((kind) => wanted.has(kind)),
  };
}

function kindsNamed(name: string): EventKind[] {
  const found = eventKinds.filter((kind) => (name.endsWith('.*') ? kind.startsWith(name.slice(0, -1)) : kind === name));
  if (found.length > 0) return found;
  const expected = `expected kinds of events, separated by commas: ${eventKinds.join(', ')}`;
  throw new AppError('INVALID_REQUEST', { message: `kinds: ${expected}`, details: { kinds: expected } });
}
