import type { EventFigures } from './events.js';
import { exponentOf, type Growth } from './growth.js';
import type { Round } from './load.js';
import type { MemoryPoint } from './memory.js';
import type { OrderTarget } from './order.js';
import type { QuoteFigures } from './quotes.js';
import { READS, type ReadName, type ReadRounds } from './reads.js';
import type { SignerFigures } from './signer.js';
import type { StartFigures } from './start.js';
import type { StudioTarget } from './studio.js';
import type { TargetName } from './targets.js';
import type { BookFigures } from './trigger-book.js';
import type { FillFigures } from './triggers.js';

/** Of the rounds of one run. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

export interface LoadSummary {
  /** Answers a second. */
  perSecond: Spread;
  /** To the bare route in the same round. */
  ratio: Spread;
  /** Milliseconds. */
  p50: Spread;
  p99: Spread;
}

export interface Goal {
  goal: string;
  measured: string;
  met: boolean;
}

export interface Summary<Figures> {
  figures: Figures;
  goals: Goal[];
}

type LoadFigures<Name extends string> = Record<Name, LoadSummary>;

export function summarizeCraft(rounds: Record<TargetName, Round[]>): Summary<LoadFigures<TargetName>> {
  const figures = summarizeLoad(rounds);
  const { ratio, p99 } = figures.pglite;
  return {
    figures,
    goals: [
      goal('craft: at least 0.25 of the bare route', ratio.median.toFixed(2), ratio.median >= 0.25),
      goal('craft: p99 under 10 ms', `${p99.median.toFixed(1)} ms`, p99.median < 10),
    ],
  };
}

export function summarizeExecute(rounds: Record<TargetName, Round[]>): Summary<LoadFigures<TargetName>> {
  const figures = summarizeLoad(rounds);
  const reached = ({ perSecond }: LoadSummary, least: number) =>
    [`${Math.round(perSecond.median)} a second`, perSecond.median >= least] as const;
  return {
    figures,
    goals: [
      goal('execute on PGlite: at least 1,000 a second', ...reached(figures.pglite, 1_000)),
      goal('execute on PostgreSQL: at least 2,000 a second', ...reached(figures.postgres, 2_000)),
    ],
  };
}

export function summarizeOrders(rounds: Record<OrderTarget, Round[]>): Summary<LoadFigures<OrderTarget>> {
  const figures = summarizeLoad(rounds);
  const { perSecond, p99 } = figures.pools100;
  const { taker100, offered100, maker100 } = figures;
  const slowdown = perSecond.median / figures.pools1000.perSecond.median;
  const { mixed1000, mixed10000 } = figures;
  const mixedSlowdown = mixed1000.perSecond.median / mixed10000.perSecond.median;
  return {
    figures,
    goals: [
      goal(
        'order: at least 2,500 a second with 100 pools',
        `${Math.round(perSecond.median)} a second`,
        perSecond.median >= 2_500,
      ),
      goal('order: p99 under 5 ms with 100 pools', `${p99.median.toFixed(1)} ms`, p99.median < 5),
      goal(
        'order: p99 under 5 ms with 100 pools and 2,500 a second offered',
        `${offered100.p99.median.toFixed(1)} ms`,
        offered100.p99.median < 5,
      ),
      goal(
        'order: at least 1,000 a second with a taker',
        `${Math.round(taker100.perSecond.median)} a second`,
        taker100.perSecond.median >= 1_000,
      ),
      goal('order: p99 under 20 ms with a taker', `${taker100.p99.median.toFixed(1)} ms`, taker100.p99.median < 20),
      goal(
        'order: at least 3,000 a second with a market maker asked',
        `${Math.round(maker100.perSecond.median)} a second`,
        maker100.perSecond.median >= 3_000,
      ),
      goal('order: 1,000 pools at most twice the time of 100', `${slowdown.toFixed(2)} times`, slowdown <= 2),
      goal(
        'order: 10,000 pools of five kinds at most twice the time of 1,000',
        `${mixedSlowdown.toFixed(2)} times`,
        mixedSlowdown <= 2,
      ),
    ],
  };
}

/** Without goals: it depends on the programs that somebody has brought. */
export function summarizeStudio(
  rounds: Partial<Record<StudioTarget, Round[]>> & { bare: Round[] },
  parts: Record<string, number>,
): Summary<{ load: Partial<LoadFigures<StudioTarget>>; parts: Record<string, number> }> {
  return { figures: { load: summarizeLoad(rounds), parts }, goals: [] };
}

export function summarizeReads(rounds: ReadRounds): Summary<Record<ReadName, LoadFigures<TargetName>>> {
  const entries = READS.map((name) => [name, summarizeLoad(rounds[name])] as const);
  const figures = Object.fromEntries(entries) as Record<ReadName, LoadFigures<TargetName>>;
  const goals = (['pglite', 'postgres'] as const).flatMap((target) => [
    ...READS.map((name) => {
      const { median } = figures[name][target].p99;
      return goal(`${name} on ${target}: p99 under 10 ms`, `${median.toFixed(1)} ms`, median < 10);
    }),
    ...(['history', 'pending'] as const).map((name) => {
      const first = rounds[name][target];
      const times = rounds[`${name}-last`][target].map(({ p50 }, round) => p50 / first[round]!.p50);
      const slowdown = spread(times).median;
      const text = `${name} on ${target}: the last page takes at most 1.25 times as long as the first`;
      return goal(text, `${slowdown.toFixed(2)} times`, slowdown <= 1.25);
    }),
  ]);
  return { figures, goals };
}

export interface QuoteSummary {
  /** Microseconds. */
  fromBytes: Spread;
  quote: Spread;
  /** Of `fromBytes` to our own pool's in the same round. */
  ratio: Spread;
}

export function summarizeQuotes(rounds: Record<string, QuoteFigures>): Summary<Record<string, QuoteSummary>> {
  const yardstick = Object.values(rounds)[0]!.fromBytes;
  const figures = Object.fromEntries(
    Object.entries(rounds).map(([label, { fromBytes, quote }]): [string, QuoteSummary] => [
      label,
      {
        fromBytes: spread(fromBytes),
        quote: spread(quote),
        ratio: spread(fromBytes.map((each, round) => each / yardstick[round]!)),
      },
    ]),
  );
  const { median } = figures['Raydium CP']!.fromBytes;
  const slowest = Math.max(...Object.values(figures).map(({ quote }) => quote.median));
  return {
    figures,
    goals: [
      goal('quotes: a constant product from bytes in at most 10 us', `${median.toFixed(1)} us`, median <= 10),
      goal('quotes: on any venue in at most 10 us once read', `${slowest.toFixed(1)} us`, slowest <= 10),
    ],
  };
}

export function summarizeStart({ cold, warm }: StartFigures): Summary<Record<keyof StartFigures, Spread>> {
  const figures = { cold: spread(cold), warm: spread(warm) };
  const reached = ({ median }: Spread, most: number) => [`${median.toFixed(2)} s`, median < most] as const;
  return {
    figures,
    goals: [
      goal('start in an empty folder to the first crafted transaction: under 1.5 s', ...reached(figures.cold, 1.5)),
      goal('start in a used folder to the first crafted transaction: under 0.8 s', ...reached(figures.warm, 0.8)),
    ],
  };
}

export interface SignerSummary {
  /** Milliseconds. */
  start: Spread;
  socket: { p50: number; p99: number };
  bare: { p50: number };
}

export function summarizeSigner({ starts, socket, bare }: SignerFigures): Summary<SignerSummary> {
  const at = (figures: readonly number[], part: number) =>
    figures.toSorted((a, b) => a - b)[Math.floor(part * (figures.length - 1))]!;
  const figures = {
    start: spread(starts),
    socket: { p50: at(socket, 0.5), p99: at(socket, 0.99) },
    bare: { p50: at(bare, 0.5) },
  };
  const beside = figures.socket.p50 - figures.bare.p50;
  return {
    figures,
    goals: [
      goal(
        'a signer of its own starts: under 200 ms',
        `${figures.start.median.toFixed(0)} ms`,
        figures.start.median < 200,
      ),
      goal(
        'a signature over the socket, beside the signature itself: under 0.3 ms',
        `${beside.toFixed(2)} ms`,
        beside < 0.3,
      ),
    ],
  };
}

export function summarizeMemory(points: MemoryPoint[]): Summary<MemoryPoint[]> {
  const most = Math.max(...points.map(({ residentSet }) => residentSet));
  const { crafts, residentSet } = points.at(-1)!;
  const half = points.find((point) => point.crafts >= crafts / 2)!;
  const growth = residentSet - half.residentSet;
  return {
    figures: points,
    goals: [
      goal('memory: under 180 MB', `${most.toFixed(0)} MB at most`, most < 180),
      goal('memory: flat in the second half (within 10 MB)', `${growth.toFixed(0)} MB more`, growth <= 10),
    ],
  };
}

export interface TriggerFigures {
  book: BookFigures;
  fills: { perSecond: Spread; bare: Spread; ratio: Spread };
  toSent: FillFigures['toSent'];
  thousand: number;
}

export function summarizeTriggers(book: BookFigures, measured: FillFigures): Summary<TriggerFigures> {
  const { fills, bare, toSent, thousand } = measured;
  const { ticksPerSecond, keeper } = book;
  const ratio = fills.map((perSecond, round) => perSecond / bare[round]!);
  return {
    figures: {
      book,
      toSent,
      thousand,
      fills: { perSecond: spread(fills), bare: spread(bare), ratio: spread(ratio) },
    },
    goals: [
      goal('triggers: a keeper loads them in under 10 s', `${keeper.loadedIn.toFixed(1)} s`, keeper.loadedIn < 10),
      goal('triggers: in under 400 MB', `${keeper.megabytes.toFixed(0)} MB`, keeper.megabytes < 400),
      goal('triggers: over 1,000,000 ticks a second', ticksPerSecond.toFixed(0), ticksPerSecond > 1_000_000),
      goal('triggers: ten orders sent within 15 ms (p50)', `${toSent.p50.toFixed(0)} ms`, toSent.p50 < 15),
      goal('triggers: ten orders sent within 50 ms (p99)', `${toSent.p99.toFixed(0)} ms`, toSent.p99 < 50),
      goal('triggers: 1,000 orders at one tick filled within 3 s', `${thousand.toFixed(1)} s`, thousand < 3),
    ],
  };
}

export interface EventSummary {
  /** Events a second, from the first commit until the last reader has the last one. */
  perSecond: Spread;
  /** Milliseconds. */
  p50: Spread;
  p99: Spread;
  /** Payments a second that are executed, and their share of those without the telling. */
  telling: Spread;
  silent: Spread;
  ratio: Spread;
}

export function summarizeEvents(
  { perSecond, p50, p99 }: EventFigures,
  cost: Record<'telling' | 'silent', Round[]>,
): Summary<EventSummary> {
  const [telling, silent] = [cost.telling, cost.silent].map((own) => own.map((round) => round.perSecond));
  const ratio = spread(telling!.map((each, round) => each / silent![round]!));
  const latency = spread(p99);
  return {
    figures: {
      perSecond: spread(perSecond),
      p50: spread(p50),
      p99: latency,
      telling: spread(telling!),
      silent: spread(silent!),
      ratio,
    },
    goals: [
      goal('events: with 1,000 streams p99 under 50 ms', `${latency.median.toFixed(1)} ms`, latency.median < 50),
      goal('events: execute at least 0.95 of what it is without', ratio.median.toFixed(3), ratio.median >= 0.95),
    ],
  };
}

function summarizeLoad<Name extends string>(
  rounds: Partial<Record<Name, Round[]>> & { bare: Round[] },
): LoadFigures<Name | 'bare'> {
  const { bare } = rounds;
  const one = (own: Round[]): LoadSummary => ({
    perSecond: spread(own.map(({ perSecond }) => perSecond)),
    ratio: spread(own.map(({ perSecond }, round) => perSecond / bare[round]!.perSecond)),
    p50: spread(own.map(({ p50 }) => p50)),
    p99: spread(own.map(({ p99 }) => p99)),
  });
  const entries = Object.entries<Round[]>(rounds).map(([name, own]) => [name, one(own)]);
  return Object.fromEntries(entries) as LoadFigures<Name | 'bare'>;
}

function spread(values: number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
  return { median, min: sorted[0]!, max: sorted.at(-1)! };
}

function goal(text: string, measured: string, met: boolean): Goal {
  return { goal: text, measured, met };
}

export interface GrowthSummary extends Growth {
  exponent: number;
}

/** Each is the cost of one deed, which an index serves: a hundred times the size may cost four times as much. */
const MOST_GROWTH = 0.3;

export function summarizeGrowth(growths: readonly Growth[]): Summary<GrowthSummary[]> {
  const figures = growths.map((growth) => ({ ...growth, exponent: exponentOf(growth) }));
  return {
    figures,
    goals: figures.map(({ of, deed, exponent }) =>
      goal(
        `growth: ${deed}, by ${of}: exponent of ${MOST_GROWTH} at most`,
        exponent.toFixed(2),
        exponent <= MOST_GROWTH,
      ),
    ),
  };
}
