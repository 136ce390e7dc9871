import { useSyncExternalStore } from 'react';

/** A look at another tab is no reason to stop listening. */
const GONE_MS = 30_000;

let isLookedAt = !document.hidden;
let leaving: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();
function set(next: boolean): void {
  isLookedAt = next;
  for (const listener of listeners) listener();
}
document.addEventListener('visibilitychange', () => {
  clearTimeout(leaving);
  if (document.hidden) leaving = setTimeout(() => set(false), GONE_MS);
  else set(true);
});

/**
 * Whether somebody looks at this tab, or has a moment ago. Who does not, needs no stream of events: browsers open six
 * connections to a host for all of their tabs together, and streams would take them all.
 */
export function useAttention(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isLookedAt,
  );
}
