import { useQuery, useQueryClient } from '@tanstack/react-query';
import { read } from './session.js';

export type Values = readonly (number | null)[];

/** What one copy of the service has measured. */
export interface History {
  copy: string;
  everySeconds: number;
  /** Unix milliseconds. */
  times: readonly number[];
  series: Readonly<Record<string, Values>>;
  now: readonly { name: string; labels: Readonly<Record<string, string>>; value: number }[];
}

const HOURS = 6;

/** Asks for what is new since the last time; for everything, where another copy answers. */
export function useHistory() {
  const queries = useQueryClient();
  const queryKey = ['admin', 'history'];
  return useQuery({
    queryKey,
    queryFn: async (): Promise<History> => {
      const known = queries.getQueryData<History>(queryKey);
      const fresh = await read<History>(`/overview?since=${known?.times.at(-1) ?? 0}`);
      if (known === undefined) return fresh;
      return fresh.copy === known.copy ? joined(known, fresh) : read<History>('/overview');
    },
    refetchInterval: 5_000,
  });
}

function joined(known: History, fresh: History): History {
  const most = (HOURS * 3_600) / fresh.everySeconds;
  const times = [...known.times, ...fresh.times].slice(-most);
  const names = Object.keys(fresh.series);
  const both = (name: string): Values => {
    // A series that has begun later has no numbers before.
    const before = known.series[name] ?? known.times.map(() => null);
    return [...before, ...(fresh.series[name] ?? [])].slice(-most);
  };
  return { ...fresh, times, series: Object.fromEntries(names.map((name) => [name, both(name)])) };
}

export const shownNow = ({ now }: History, name: string) => now.filter((each) => each.name === name);

const LEAST_MS = 10 * 60_000;

/**
 * Hours that a balance lasts if it goes on falling as it did in the hours that are known; undefined where too little is
 * known. What was added meanwhile does not count.
 */
export function hoursLeft({ times, series }: History, name: string): number | undefined {
  const values = series[name] ?? [];
  let spent = 0;
  let before: number | null = null;
  for (const value of values) {
    if (value === null) continue;
    if (before !== null && value < before) spent += before - value;
    before = value;
  }
  const milliseconds = (times.at(-1) ?? 0) - (times[0] ?? 0);
  if (before === null || milliseconds < LEAST_MS) return undefined;
  return before / (spent / (milliseconds / 3_600_000));
}
