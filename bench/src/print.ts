import { exponentOf, type Growth } from './growth.js';
import type { MemoryPoint } from './memory.js';
import type { OrderTarget } from './order.js';
import type { StudioTarget } from './studio.js';
import type {
  EventSummary,
  Goal,
  LoadSummary,
  QuoteSummary,
  SignerSummary,
  Spread,
  TriggerFigures,
} from './summary.js';
import type { TargetName } from './targets.js';

const NAMES: Record<TargetName | OrderTarget | StudioTarget, string> = {
  bare: 'bare Fastify route',
  pglite: 'Slipway, PGlite',
  postgres: 'Slipway, PostgreSQL',
  pools0: "the genesis' pools",
  pools100: '100 more pools',
  pools1000: '1,000 more pools',
  direct1000: '… one pair alone',
  mixed1000: '1,000 of five kinds',
  mixed10000: '10,000 of five kinds',
  maker100: '100, and the maker',
  taker100: '100, with a taker',
  offered100: '100, 2,500/s offered',
  crafted: 'crafted',
  programs: 'tried out, too',
};

export function printLoad(
  title: string,
  figures: Readonly<Partial<Record<TargetName | OrderTarget | StudioTarget, LoadSummary>>>,
): void {
  const rows = Object.entries(figures).map(([name, { perSecond, ratio, p50, p99 }]) => {
    return [NAMES[name as keyof typeof NAMES], show(perSecond, 0), show(ratio, 2), show(p50, 1), show(p99, 1)];
  });
  printTable(title, ['', 'requests/s', 'ratio to bare', 'p50 ms', 'p99 ms'], rows);
}

export function printParts(title: string, parts: Readonly<Record<string, number>>): void {
  const rows = Object.entries(parts).map(([name, microseconds]) => [name, microseconds.toFixed(0)]);
  printTable(title, ['', 'microseconds'], rows);
}

export function printQuotes(title: string, figures: Readonly<Record<string, QuoteSummary>>): void {
  const rows = Object.entries(figures).map(([label, { fromBytes, ratio, quote }]) => {
    return [label, show(fromBytes, 1), show(ratio, 2), show(quote, 2)];
  });
  printTable(title, ['', 'us from bytes', 'ratio to Token Swap', 'us when read'], rows);
}

export function printStart(title: string, { cold, warm }: { cold: Spread; warm: Spread }): void {
  const rows = [
    ['empty folder', show(cold, 2)],
    ['used folder', show(warm, 2)],
  ];
  printTable(title, ['', 'seconds'], rows);
}

export function printSigner({ start, socket, bare }: SignerSummary): void {
  printTable(
    'A signer of its own, one caller on a Unix socket',
    ['', 'ms'],
    [
      ['start until it is ready', show(start, 0)],
      ['a transaction signed over the socket, p50', socket.p50.toFixed(2)],
      ['p99', socket.p99.toFixed(2)],
      ['the signature alone, p50', bare.p50.toFixed(2)],
    ],
  );
}

export function printEvents({ perSecond, p50, p99, telling, silent, ratio }: EventSummary): void {
  printTable(
    'Events, 1,000 streams, PostgreSQL',
    ['', ''],
    [
      ['10,000 at once, events/s', show(perSecond, 0)],
      ['100 a second, p50 ms', show(p50, 1)],
      ['100 a second, p99 ms', show(p99, 1)],
      ['payments/s', show(telling, 0)],
      ['… that tell nothing', show(silent, 0)],
      ['ratio', show(ratio, 3)],
    ],
  );
}

export function printGrowth(growth: Growth): void {
  const { of, deed, sizes, costs } = growth;
  const rows = sizes.map((size, i) => [size.toLocaleString('en'), costs[i]!.toPrecision(3)]);
  printTable(`${deed}, by ${of}: exponent ${exponentOf(growth).toFixed(2)}`, [of, 'ms'], rows);
}

export function printMemoryHead(): void {
  printTable('Memory of the service (PostgreSQL, chain in another process)', MEMORY_HEAD, []);
}

export function printMemoryPoint({ crafts, residentSet, heapUsed }: MemoryPoint): void {
  console.log(line([String(crafts), residentSet.toFixed(0), heapUsed.toFixed(0)]));
}

export function printTriggers({ book, fills, toSent, thousand }: TriggerFigures): void {
  printTable(
    `${book.orders} open orders on ${book.markets} markets`,
    ['the book', ''],
    [
      ['filled in, s', book.filledIn.toFixed(1)],
      ['MB', book.megabytes.toFixed(0)],
      ['ticks a second', book.ticksPerSecond.toFixed(0)],
      [
        'scans of arrays',
        `${book.scansPerSecond.toFixed(0)} (1 to ${(book.ticksPerSecond / book.scansPerSecond).toFixed(0)})`,
      ],
      ['longest tick, ms', book.longestTick.toFixed(2)],
      ['half a market, ms', book.gapTick.toFixed(2)],
      ['a keeper loads, s', book.keeper.loadedIn.toFixed(1)],
      ['its process, MB', book.keeper.megabytes.toFixed(0)],
    ],
  );
  printTable(
    'Filling orders of 10 USD: two copies of the API, three keepers',
    ['', ''],
    [
      ['filled a second', show(fills.perSecond, 0)],
      ['states stored', show(fills.bare, 0)],
      ['ratio', show(fills.ratio, 3)],
      ['price to sent, ms', `p50 ${toSent.p50.toFixed(0)}, p99 ${toSent.p99.toFixed(0)}`],
      ['1,000 filled, s', thousand.toFixed(1)],
    ],
  );
}

export function printGoals(goals: Goal[]): void {
  console.log('\nGoals');
  for (const { goal, measured, met } of goals) console.log(`  ${met ? 'met    ' : 'not met'}  ${goal}: ${measured}`);
}

const MEMORY_HEAD = ['crafts', 'RSS MB', 'heap MB'];

function printTable(title: string, head: string[], rows: string[][]): void {
  console.log(`\n${title}`);
  for (const cells of [head, ...rows]) console.log(line(cells));
}

function line([first, ...others]: string[]): string {
  return `  ${(first ?? '').padEnd(24)}${others.map((cell) => cell.padStart(24)).join('')}`;
}

/** The median, and the least and the most of the rounds. */
function show({ median, min, max }: Spread, digits: number): string {
  return `${median.toFixed(digits)} (${min.toFixed(digits)}..${max.toFixed(digits)})`;
}
