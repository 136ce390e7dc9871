import { type Run, readRun } from './runs.js';
import type { Spread } from './summary.js';

/** No figure counts as moved by less: a range of three rounds is narrow by chance. */
const LEAST = 0.03;
/** A single figure counts as moved from this share on: nothing says how far it moves by itself. */
const MOVED = 0.25;

/**
 * What moved between two runs, a line each: figures whose ranges over the rounds do not touch. Where both runs have the
 * ratio to a yardstick of the same round, that is compared and not the absolute figure, which moves with the machine.
 */
export function compareRuns(names: readonly string[]): string[] {
  const [first, second] = names;
  if (first === undefined || second === undefined || names.length > 2) throw new Error('compare takes two runs');
  const runs = [readRun(first), readRun(second)] as const;
  const [before, after] = runs.map(figuresOf) as [Map<string, Figure>, Map<string, Figure>];
  const both = [...before].filter(([name]) => after.has(name) && !isAbsolute(name, before));
  const moved = both.flatMap(([name, old]) => {
    const now = after.get(name)!;
    return isMoved(old, now) ? [`  ${name.padEnd(52)} ${show(old)} -> ${show(now)}  ${change(old, now)}`] : [];
  });
  return [
    ...runs.map(
      ({ machine }, i) => `${names[i]}: ${machine.commit} on ${machine.cpu}, Node ${machine.node}, ${machine.at}`,
    ),
    ...(runs[0].machine.cpu === runs[1].machine.cpu ? [] : ['Of different machines: only ratios compare.']),
    `${both.length} figures, ${moved.length} moved beyond the range of their rounds`,
    ...moved,
  ];
}

type Figure = Spread | number;

/** Every figure of a run by its path, such as `craft.pglite.ratio`. */
function figuresOf(run: Run): Map<string, Figure> {
  const figures = new Map<string, Figure>();
  const read = (path: string, value: unknown): void => {
    if (typeof value === 'number') figures.set(path, value);
    else if (isSpread(value)) figures.set(path, value);
    else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) read(`${path}.${key}`, inner);
  };
  for (const [name, summary] of Object.entries(run))
    if (name !== 'machine') read(name, (summary as { figures: unknown }).figures);
  return figures;
}

const isSpread = (value: unknown): value is Spread => typeof (value as Spread | null)?.median === 'number';

const isAbsolute = (name: string, figures: ReadonlyMap<string, Figure>) =>
  name.endsWith('.perSecond') && figures.has(name.replace(/perSecond$/, 'ratio'));

function isMoved(old: Figure, now: Figure): boolean {
  if (typeof old === 'number' || typeof now === 'number') return Math.abs(middle(now) / middle(old) - 1) > MOVED;
  const isApart = old.max < now.min || now.max < old.min;
  return isApart && Math.abs(now.median / old.median - 1) > LEAST;
}

const middle = (figure: Figure) => (typeof figure === 'number' ? figure : figure.median);
const round = (value: number) => Number(value.toPrecision(3)).toString();

function show(figure: Figure): string {
  return typeof figure === 'number'
    ? round(figure)
    : `${round(figure.median)} (${round(figure.min)}..${round(figure.max)})`;
}

function change(old: Figure, now: Figure): string {
  const share = middle(now) / middle(old) - 1;
  return `${share > 0 ? '+' : ''}${(share * 100).toFixed(0)} %`;
}
