import { queryOptions } from '@tanstack/react-query';
import { givenKey } from './key.js';
import { untilLost } from './patience.js';

/** What this address serves of the console. */
export interface Parts {
  sandbox: boolean;
  /** Whether the sandbox has a key that the page does not know. */
  asksKey: boolean;
  operator: boolean;
}

export const partsQuery = queryOptions({
  queryKey: ['parts'],
  queryFn: async ({ signal }) => {
    try {
      return (await (await fetch('/console.json', { signal: untilLost(signal) })).json()) as Parts;
    } catch {
      throw new Error('The service does not answer. It is asked again every two seconds: is it running?');
    }
  },
  staleTime: Number.POSITIVE_INFINITY,
  retry: true,
  retryDelay: 2_000,
});

/** Whether nothing can be asked of the sandbox before the reader gives its key. */
export const lacksKey = ({ sandbox, asksKey }: Parts): boolean => sandbox && asksKey && givenKey === undefined;
