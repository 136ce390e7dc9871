import type { EventsOptions, SlipwayEvent } from '@slipway/client';
import { useEffect, useState } from 'react';
import { useSlipway } from './provider.js';
import { useLatest } from './use-latest.js';

/** What of the stream is heard; `onOpen` and `signal` are the hook's own. */
export type EventsFilter = Omit<EventsOptions, 'signal' | 'onOpen'>;

export interface EventsState {
  /** Whether what happens now arrives. */
  isOpen: boolean;
  /** Why the stream has ended, if it has: it does not begin again. */
  error: unknown;
}

/**
 * Calls `onEvent` for each event, once and in order, as long as the component is there. The stream goes on by itself after
 * a broken connection. Undefined instead of a filter: nothing is heard.
 */
export function useEvents(filter: EventsFilter | undefined, onEvent: (event: SlipwayEvent) => void): EventsState {
  const client = useSlipway();
  const handler = useLatest(onEvent);
  const [state, setState] = useState<EventsState>({ isOpen: false, error: undefined });
  const key = filter && JSON.stringify(filter);
  useEffect(() => {
    if (key === undefined) return;
    const end = new AbortController();
    const { signal } = end;
    const hear = async () => {
      const onOpen = () => signal.aborted || setState({ isOpen: true, error: undefined });
      for await (const event of client.events({ ...(JSON.parse(key) as EventsFilter), signal, onOpen })) {
        if (!signal.aborted) handler.current(event);
      }
    };
    hear().catch((error: unknown) => signal.aborted || setState({ isOpen: false, error }));
    return () => {
      end.abort();
      setState({ isOpen: false, error: undefined });
    };
  }, [client, key, handler]);
  return state;
}
