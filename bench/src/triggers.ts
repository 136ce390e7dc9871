import { generateKeypair } from '@slipway/wire';
import { openStore, type Store } from '../../server/dist/store/index.js';
import { type Rig, startProgram } from './processes.js';
import { startDatabase } from './targets.js';
import type { BookFigures } from './trigger-book.js';

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
