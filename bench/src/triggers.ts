import { setTimeout as sleep } from 'node:timers/promises';
import { generateKeypair } from '@slipway/wire';
import { openStore } from '../../server/dist/store/postgres/open-store.js';
import type { Store } from '../../server/dist/store/sql.js';
import { type Fleet, startFleet } from './fleet.js';
import { type Rig, startProgram } from './processes.js';
import { startDatabase } from './targets.js';
import type { BookFigures } from './trigger-book.js';
import { openOrders, setPrice } from './trigger-orders.js';

const MARKETS = 1_000;
const AT_A_TIME = 50_000;

/** A million open orders: the book alone, and a keeper that loads them from PostgreSQL. Each in a process of its own. */
export async function measureBook(rig: Rig, orders: number): Promise<BookFigures> {
  const url = await startDatabase(rig);
  const store = await openStore({ kind: 'postgres', url });
  await writeOrders(store, orders);
  await store.close();
  const book = await runBook<Omit<BookFigures, 'keeper'>>(rig, ['book', String(orders), String(MARKETS)]);
  return { ...book, keeper: await runBook(rig, ['keeper'], { DATABASE_URL: url }) };
}

async function runBook<T>(rig: Rig, args: string[], env: Record<string, string> = {}): Promise<T> {
  const { output } = await startProgram(rig, { file: 'bench/dist/trigger-book.js', args, env, ready: /\}\n/ });
  return JSON.parse(output) as T;
}

/** Open orders without anything behind them, on markets of their own. */
async function writeOrders(store: Store, count: number): Promise<void> {
  const markets = Array.from({ length: MARKETS }, () => generateKeypair().address);
  for (let from = 0; from < count; from += AT_A_TIME) {
    await store.query(
      `insert into orders (wallet, id, deposit_request_id, body_hash, vault, type, input_mint, output_mint, trigger_mint,
         input_account, state, stage, entry_initial, entry_remaining, entry_received, held, cancel_asked, failures,
         funded, trigger_condition, trigger_price_usd, expires_at, created_at, updated_at)
       select wallet, id, id, '\\x00', wallet, 'single', mint, wallet, mint, wallet, 'open', 'entry', 1, 1, 0, 0, false, 0,
         true, case when n % 2 = 0 then 'above' else 'below' end, 100 + (case when n % 2 = 0 then 5 else -5 end),
         $4, $3, $3
       from (select n, 'wallet of the benchmark, as long as others' as wallet,
         '01a1ff97-bf21-7802-8147-' || lpad(n::text, 12, '0') as id, ($2::text[])[1 + n % array_length($2::text[], 1)] as mint
         from generate_series($1::int, $1::int + ${Math.min(AT_A_TIME, count)} - 1) as n) as made`,
      [from, markets, new Date(), new Date(Date.now() + 86_400_000)],
    );
  }
  await store.query('vacuum analyze orders');
}

const CALM = 150;
const CROSSED = 165;
const LINE = 160;
const A_FEW = 10;
const A_ROUND = 100;
const MANY = 1_000;
/** What keepers work on at once, together. */
const CONNECTIONS = 48;
const LOOK_MS = 50;
const PATIENCE_MS = 600_000;

export interface FillFigures {
  /** Orders that one tick crosses, filled a second; by round. */
  fills: number[];
  /** Orders of which PostgreSQL alone stores the states on their way, a second: the yardstick, by the same rounds. */
  bare: number[];
  /** Milliseconds from the price to the sending of each of ten orders: p50 and p99 of all rounds. */
  toSent: { p50: number; p99: number };
  /** Seconds until a thousand orders are filled that one tick crosses. */
  thousand: number;
}

/** Two copies of the API and three keepers on one PostgreSQL and one chain: orders of 10 USD, with liquidity enough. */
export async function measureFills(rig: Rig, rounds: number): Promise<FillFigures> {
  const fleet = await startFleet(rig);
  const figures = { fills: [] as number[], bare: [] as number[] };
  const toSent: number[] = [];
  // The first only warms up.
  for (let round = 0; round <= rounds; round++) {
    const bare = A_ROUND / (await storeStates(fleet.store, A_ROUND));
    const fills = A_ROUND / (await fill(fleet, A_ROUND)).seconds;
    const few = await fill(fleet, A_FEW);
    if (round === 0) continue;
    figures.bare.push(bare);
    figures.fills.push(fills);
    toSent.push(...few.toSent);
  }
  toSent.sort((a, b) => a - b);
  const quantile = (share: number) => toSent[Math.max(0, Math.ceil(share * toSent.length) - 1)]!;
  const { seconds: thousand } = await fill(fleet, MANY);
  return { ...figures, toSent: { p50: quantile(0.5), p99: quantile(0.99) }, thousand };
}

/** Opens orders, lets a price cross them, and waits until each is filled. Throws where one is filled twice. */
async function fill(fleet: Fleet, count: number): Promise<{ seconds: number; toSent: number[] }> {
  const { store } = fleet;
  await setPrice(fleet, CALM);
  const opened = new Date();
  await openOrders(fleet, count, LINE);
  await setPrice(fleet, CROSSED);
  const started = performance.now();
  const filled = `select count(*) from orders where created_at >= $1 and state = 'fill_success'`;
  for (
    let done = 0;
    done < count;
    done = Number((await store.query<{ count: bigint }>(filled, [opened])).rows[0]!.count)
  ) {
    if (performance.now() - started > PATIENCE_MS) throw new Error(`${count - done} of ${count} orders are not filled`);
    await sleep(LOOK_MS);
  }
  const seconds = (performance.now() - started) / 1_000;
  const { rows } = await store.query<{ fills: bigint; sent: number }>(
    `select count(*) as fills, min(extract(epoch from l.sent_at - p.updated_at) * 1000)::float8 as sent
     from orders o join order_events e on e.order_id = o.id and e.type = 'fill' and e.state = 'success'
     join ledger l on l.id = e.id join prices p on p.mint = o.trigger_mint
     where o.created_at >= $1 group by o.id`,
    [opened],
  );
  if (rows.length !== count || rows.some(({ fills }) => fills !== 1n))
    throw new Error('not every order is filled once');
  return { seconds, toSent: rows.map(({ sent }) => sent) };
}

/** Seconds that it takes to store three states for each of so many rows, one statement each. */
async function storeStates(store: Store, count: number): Promise<number> {
  await store.query('create table if not exists bare (id int primary key, state text)');
  await store.query('truncate bare');
  await store.query(`insert into bare select n, 'open' from generate_series(1, $1::int) as n`, [count]);
  const started = performance.now();
  let next = 1;
  const work = async () => {
    for (let id = next++; id <= count; id = next++) {
      for (const state of ['ready_execute', 'executing', 'fill_success']) {
        await store.query('update bare set state = $2 where id = $1', [id, state]);
      }
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  return (performance.now() - started) / 1_000;
}
