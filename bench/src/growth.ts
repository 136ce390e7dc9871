import { setTimeout as sleep } from 'node:timers/promises';
import { generateKeypair } from '@slipway/wire';
import { openStore } from '../../server/dist/store/postgres/open-store.js';
import type { Store } from '../../server/dist/store/sql.js';
import { TriggerBook } from '../../server/dist/trigger-orders/trigger-book.js';
import { measureLatency, openReaders } from './events.js';
import { executions } from './execute.js';
import { putLoad, quantile } from './load.js';
import { EXPECTED_QUOTE, openService } from './order.js';
import type { Rig } from './processes.js';
import { fillInvites } from './reads.js';
import { call, craft, craftPath, fundWallets, type Service, startService } from './service.js';
import { startDatabase } from './targets.js';

/** What one deed costs while so many of something are there. */
export interface Growth {
  /** What there is more and more of. */
  of: string;
  deed: string;
  sizes: number[];
  /** Milliseconds of one deed, for each size; the least of the rounds. */
  costs: number[];
}

type Measured = Omit<Growth, 'costs'> & { costOf(size: number): Promise<number> };

const TIMES = [1, 10, 100];
const growing = (first: number) => TIMES.map((times) => first * times);

/** The main costs at 1, 10 and 100 times a size, one after the other on a single connection. */
export async function measureGrowth(
  rig: Rig,
  options: { seconds: number; rounds: number; onGrowth?: (growth: Growth) => void },
): Promise<Growth[]> {
  const measured = [
    await pools(rig, options),
    triggerOrders(),
    await ledgerRows(rig, options),
    await payments(rig),
    await invites(rig, options),
    await streams(rig),
  ];
  const all: Growth[] = [];
  for (const { of, deed, sizes, costOf } of measured) {
    const costs: number[] = [];
    for (const size of sizes) {
      let least = Number.POSITIVE_INFINITY;
      for (let round = 0; round < options.rounds; round++) least = Math.min(least, await costOf(size));
      costs.push(least);
    }
    all.push({ of, deed, sizes, costs });
    options.onGrowth?.(all.at(-1)!);
  }
  return all;
}

/** By which power of the size a cost grows: 0 is not at all, 1 in proportion. The slope through the logarithms. */
export function exponentOf({ sizes, costs }: Pick<Growth, 'sizes' | 'costs'>): number {
  const [x, y] = [sizes.map(Math.log), costs.map(Math.log)];
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanX, meanY] = [mean(x), mean(y)];
  const slope = x.reduce((sum, each, i) => sum + (each - meanX) * (y[i]! - meanY), 0);
  return slope / x.reduce((sum, each) => sum + (each - meanX) ** 2, 0);
}

const WARM_UP = 20;

interface Rounds {
  seconds: number;
}

async function oneAfterTheOther(service: Service, paths: readonly string[], expect: string, seconds: number) {
  const { url } = service;
  // What is found or compiled for the first time does not count.
  for (const path of paths.slice(0, WARM_UP)) await call(service, path);
  const requests = paths.map((path) => ({ path }));
  return (await putLoad({ url, connections: 1, requests, expect, seconds })).p50;
}

async function pools(rig: Rig, { seconds }: Rounds): Promise<Measured> {
  const sizes = growing(100);
  const services = new Map<number, { service: Service; mixed: string[] }>();
  for (const size of sizes) services.set(size, await openService(rig, { pools: size }));
  return {
    of: 'pools',
    deed: 'order without a taker',
    sizes,
    async costOf(size) {
      const { service, mixed } = services.get(size)!;
      return oneAfterTheOther(service, mixed, EXPECTED_QUOTE, seconds);
    },
  };
}

const TICKS = 500_000;
const MARKETS = 100;

function triggerOrders(): Measured {
  return {
    of: 'open trigger orders',
    deed: 'price that fires none',
    sizes: growing(10_000),
    async costOf(size) {
      const markets = Array.from({ length: MARKETS }, () => generateKeypair().address);
      const book = new TriggerBook();
      for (let i = 0; i < size; i++) {
        const [mint, usd] = [markets[i % MARKETS]!, 100 + (i % 2 ? 5 : -5) * (1 + (i % 7))];
        book.add(`${i}`, [{ leg: 'entry', mint, condition: i % 2 ? 'above' : 'below', usd }]);
      }
      const started = performance.now();
      for (let i = 0; i < TICKS; i++) book.tick(markets[i % MARKETS]!, 98 + (i % 5));
      return (performance.now() - started) / TICKS;
    },
  };
}

/** Rows that one statement writes. */
const BATCH = 10_000;

/** Rows of payments that have landed, as they stand until they are cleaned away; more and more in one database. */
async function ledgerRows(rig: Rig, { seconds }: Rounds): Promise<Measured> {
  const url = await startDatabase(rig);
  const service = await startService(rig, rig.folder(), { DATABASE_URL: url });
  const store = await openStore({ kind: 'postgres', url });
  rig.add(() => store.close());
  const [wallet] = await fundWallets(service, 1, 1);
  const { requestId } = await craft(service, wallet!.address);
  let rows = 0;
  return {
    of: 'ledger rows',
    deed: 'payment crafted and stored',
    sizes: growing(10_000),
    async costOf(size) {
      for (; rows < size; rows += BATCH) await addLanded(store, requestId, rows);
      return oneAfterTheOther(service, [craftPath(wallet!.address)], '"requestId"', seconds);
    },
  };
}

async function addLanded(store: Store, model: string, from: number): Promise<void> {
  await store.query(
    `insert into ledger
     select landed.* from ledger l, generate_series($2::int, $3::int - 1) n, lateral jsonb_populate_record(l,
       jsonb_build_object('id', l.id || '-' || n, 'state', 'landed', 'signature', lpad(n::text, 88, 'x'),
         'sent_at', l.created_at, 'settled_at', l.created_at, 'slot', n)) landed
     where l.id = $1`,
    [model, from, from + BATCH],
  );
}

const WALLETS = 20;
const AT_ONCE = 1_000;

/** Of one service in an empty folder, whose embedded database plans for what it holds only if it counts its rows. */
async function payments(rig: Rig): Promise<Measured> {
  const sizes = [2_000, 6_000, 20_000];
  const service = await startService(rig, rig.folder());
  const wallets = await fundWallets(service, WALLETS, (3 * sizes.at(-1)!) / WALLETS);
  let executed = 0;
  const execute = async (count: number) => {
    const { perSecond } = await putLoad({ url: service.url, ...(await executions(service, wallets, count)) });
    executed += count;
    return 1_000 / perSecond;
  };
  return {
    of: 'payments executed before',
    deed: 'payment executed, of 64 at once',
    sizes,
    async costOf(size) {
      while (executed < size) await execute(AT_ONCE);
      return execute(AT_ONCE);
    },
  };
}

async function invites(rig: Rig, { seconds }: Rounds): Promise<Measured> {
  const url = await startDatabase(rig);
  const sizes = growing(1_000);
  const wallets = new Map(sizes.map((size) => [size, generateKeypair().address]));
  const store = await openStore({ kind: 'postgres', url });
  await fillInvites(
    store,
    sizes.map((count) => ({ count, ended: wallets.get(count)!, open: generateKeypair().address })),
  );
  const service = await startService(rig, rig.folder(), { DATABASE_URL: url });
  return {
    of: 'invites of a wallet',
    deed: 'page of its history',
    sizes,
    costOf: (size) =>
      oneAfterTheOther(
        service,
        [`/send/v1/invite-history?address=${wallets.get(size)}`],
        '"hasMoreData":true',
        seconds,
      ),
  };
}

async function streams(rig: Rig): Promise<Measured> {
  const url = await startDatabase(rig);
  const service = await startService(rig, rig.folder(), { DATABASE_URL: url });
  const store = await openStore({ kind: 'postgres', url });
  rig.add(() => store.close());
  const readers = openReaders(rig, service);
  return {
    of: 'open streams',
    deed: 'event, from its commit to its reader',
    sizes: growing(10),
    async costOf(size) {
      await readers.openTo(size);
      await sleep(500);
      return quantile(await measureLatency(store, readers), 0.5);
    },
  };
}
