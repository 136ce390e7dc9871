import type { Run } from './runs.js';
import type { Goal } from './summary.js';

/**
 * The goals of runs of the same measurements as a Markdown table: what the middle run has reached, the least and the most
 * of all, and in how many it was met. Of an even number of runs, the lower of the two in the middle.
 */
export function goalTable(runs: readonly Run[]): string[] {
  const reached = new Map<string, Goal[]>();
  for (const each of runs.flatMap(goalsOf)) reached.set(each.goal, [...(reached.get(each.goal) ?? []), each]);
  return [
    '| Goal | Reached | Range | Met |',
    '|---|---|---|---|',
    ...[...reached].map(([goal, own]) => {
      const sorted = [...own].sort((a, b) => figure(a) - figure(b));
      const range = `${figure(sorted[0]!)}..${figure(sorted.at(-1)!)}`;
      const met = own.filter((each) => each.met).length;
      return `| ${goal} | ${sorted[Math.ceil(sorted.length / 2) - 1]!.measured} | ${range} | ${met} of ${own.length} |`;
    }),
  ];
}

const goalsOf = ({ machine: _, ...measurements }: Run): Goal[] =>
  Object.values(measurements).flatMap((summary) => (summary as { goals: Goal[] }).goals);

/** What is measured is told as a number and its unit. */
const figure = ({ measured }: Goal): number => Number.parseFloat(measured);
