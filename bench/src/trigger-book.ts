// A program of its own, so that its memory is its own: the book of open orders, and a keeper that loads them from the
// database that DATABASE_URL names. Prints the figures as JSON.
import { type Address, generateKeypair } from '@slipway/wire';
import { pino } from 'pino';
import { createMetrics } from '../../server/dist/http/metrics.js';
import { createTriggerKeeper } from '../../server/dist/keeper/trigger-orders/index.js';
import { createClock, steadyNow } from '../../server/dist/lib/clock.js';
import { openStore } from '../../server/dist/store/postgres/open-store.js';
import { TriggerBook } from '../../server/dist/trigger-orders/trigger-book.js';

const MEGABYTE = 1024 * 1024;
/** USD. The thresholds of every market lie around it, 5 % away or more. */
const MIDDLE = 100;
const NEAREST = 5;
const TICKS = 4_000_000;
const SCANS = 20_000;

export interface BookFigures {
  orders: number;
  markets: number;
  /** Seconds until the book alone has all orders. */
  filledIn: number;
  /** Megabytes of the book with its orders' ids. */
  megabytes: number;
  /** Of ticks that fire nothing, round all markets. */
  ticksPerSecond: number;
  /** As many thresholds in one array a market, looked through at every tick: the yardstick. */
  scansPerSecond: number;
  /** Milliseconds of the tick that fires half of a market at once, and of the longest of 100,000 ticks that fire a few. */
  gapTick: number;
  longestTick: number;
  keeper: {
    /** Seconds until a keeper has loaded all orders from PostgreSQL and has ticked once. */
    loadedIn: number;
    /** Resident set of its process, in megabytes, after that. */
    megabytes: number;
  };
}

const mints = (count: number) => Array.from({ length: count }, () => generateKeypair().address);

function measureBook(orders: number, markets: readonly string[]): Omit<BookFigures, 'keeper'> {
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const book = new TriggerBook();
  const started = performance.now();
  for (let index = 0; index < orders; index++) {
    const mint = markets[index % markets.length]!;
    const away = NEAREST + 40 * Math.random();
    const [take, stop] = [
      { leg: 'take_profit', mint, condition: 'above', usd: MIDDLE + away } as const,
      { leg: 'stop_loss', mint, condition: 'below', usd: MIDDLE - away } as const,
    ];
    const id = `01a1ff97-bf21-7802-8147-${index.toString(16).padStart(12, '0')}`;
    // One in five is a pair with both legs.
    if (index % 5 === 0) book.add(id, [take, stop]);
    else book.add(id, [{ ...(index % 2 ? take : stop), leg: 'entry' }]);
  }
  const filledIn = (performance.now() - started) / 1_000;
  const megabytes = (process.memoryUsage().rss - before) / MEGABYTE;
  const ticksPerSecond = rate(TICKS, (index) => {
    book.tick(markets[index % markets.length]!, MIDDLE + (index % 7) - 3);
  });
  const longestTick = longest(book, markets);
  const fired = performance.now();
  book.tick(markets[0]!, 10 * MIDDLE);
  const gapTick = performance.now() - fired;
  const common = { orders, markets: markets.length, filledIn, megabytes, ticksPerSecond, gapTick, longestTick };
  return { ...common, scansPerSecond: measureScans(orders, markets.length) };
}

/** Milliseconds of the longest tick while the prices move outwards, and cross a few orders now and then. */
function longest(book: TriggerBook, markets: readonly string[]): number {
  let most = 0;
  for (let index = 0; index < 100_000; index++) {
    const outwards = NEAREST + (5 * index) / 100_000;
    const started = performance.now();
    book.tick(markets[index % markets.length]!, MIDDLE + (index % 2 ? outwards : -outwards));
    most = Math.max(most, performance.now() - started);
  }
  return most;
}

function measureScans(orders: number, markets: number): number {
  const lists = Array.from({ length: markets }, () =>
    Array.from({ length: orders / markets }, (_, index) => ({
      id: String(index),
      condition: index % 2 ? 'above' : 'below',
      usd: MIDDLE + (index % 2 ? 1 : -1) * (NEAREST + 40 * Math.random()),
    })),
  );
  let fired = 0;
  const perSecond = rate(SCANS, (index) => {
    const price = MIDDLE + (index % 7) - 3;
    for (const { condition, usd } of lists[index % markets]!) {
      if (condition === 'above' ? price >= usd : price <= usd) fired += 1;
    }
  });
  if (fired > 0) throw new Error('the yardstick fires where nothing is crossed');
  return perSecond;
}

function rate(times: number, work: (index: number) => void): number {
  const started = performance.now();
  for (let index = 0; index < times; index++) work(index);
  return (times / (performance.now() - started)) * 1_000;
}

async function measureKeeper(url: string): Promise<BookFigures['keeper']> {
  const store = await openStore({ kind: 'postgres', url });
  const nothing = async () => {
    throw new Error('nothing is filled here');
  };
  const started = performance.now();
  const keeper = await createTriggerKeeper({
    store,
    clock: createClock(),
    steadyNow,
    log: pino({ level: 'warn' }),
    alone: false,
    registry: createMetrics().registry,
    landing: { send: nothing, execute: nothing, vouchesForOrder: nothing, unlandedAt: nothing },
    chain: undefined as never,
    router: undefined as never,
    payer: '' as Address,
    wallet: { canPay: async () => true },
    programs: undefined as never,
    prices: {
      forOrders: () => ({ none: 'missing', why: '' }),
      poolWitness: () => undefined,
      pastWitness: () => undefined,
      follow: () => {},
    },
    contradictions: async () => undefined,
    maxBelowFairBps: 0,
  });
  await keeper.tick();
  const loadedIn = (performance.now() - started) / 1_000;
  globalThis.gc?.();
  const megabytes = process.memoryUsage().rss / MEGABYTE;
  await keeper.close();
  await store.close();
  return { loadedIn, megabytes };
}

const [what, orders = '1000000', markets = '1000'] = process.argv.slice(2);
if (what === 'keeper') console.log(JSON.stringify(await measureKeeper(process.env.DATABASE_URL!)));
else console.log(JSON.stringify(measureBook(Number(orders), mints(Number(markets)))));
