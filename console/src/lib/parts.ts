import { queryOptions } from '@tanstack/react-query';

/** What this address serves of the console. */
export interface Parts {
  sandbox: boolean;
  operator: boolean;
}

export const partsQuery = queryOptions({
  queryKey: ['parts'],
  queryFn: async ({ signal }) => {
    try {
      return (await (await fetch('/console.json', { signal })).json()) as Parts;
    } catch {
      throw new Error('The service does not answer. It is asked again every two seconds: is it running?');
    }
  },
  staleTime: Number.POSITIVE_INFINITY,
  retry: true,
  retryDelay: 2_000,
});
