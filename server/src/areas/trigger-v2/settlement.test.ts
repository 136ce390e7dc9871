import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { LedgerRow } from '../../store/ledger.js';
import { MOST_LOST } from '../../store/ledger-cleaning.js';
import type { Sql, Store } from '../../store/sql.js';
import { openTestStore } from '../../store/testing.js';
import { listTriggerOrders } from '../../store/trigger-orders.js';
import { depositSettlement } from './settlement.js';

let store: Store;
let close: () => Promise<void>;
before(async () => {
  ({ store, close } = await openTestStore());
});
after(() => close());

/** Orders of a wallet by their numbers, with the history of each. */
async function insertOrders(wallet: string, state: string, from: number, to: number): Promise<void> {
  await store.query(
    `with made as (
       insert into orders (wallet, id, deposit_request_id, body_hash, vault, type, input_mint, output_mint, trigger_mint,
         input_account, state, stage, entry_initial, entry_remaining, entry_received, held, cancel_asked, failures, funded,
         expires_at, created_at, updated_at)
       select $1, lpad(i::text, 6, '0'), i::text, '', 'vault', 'single', 'in', 'out', 'out', 'account', $2, 'entry', 1, 1, 0,
         0, false, 0, false, now(), now(), now()
       from generate_series($3::int, $4::int) as i returning wallet, id
     )
     insert into order_events (wallet, order_id, id, type, state, at) select wallet, id, 'e', 'deposit', 'failed', now() from made`,
    [wallet, state, from, to],
  );
}

const everything = {
  states: ['open', 'depositing', 'deposit_failed'],
  expired: 'all',
  sort: 'created_at',
  dir: 'asc',
  limit: 1,
  offset: 0,
} as const;
const countOf = async (wallet: string) => (await listTriggerOrders(store, { wallet, ...everything })).total;

test('attack: a free key has ever more deposits of one wallet lost: its newest 1,000 orders of those are kept, and all others', async () => {
  await insertOrders('a', 'deposit_failed', 1, MOST_LOST + 2);
  await insertOrders('a', 'depositing', 2_001, 2_002);
  await insertOrders('a', 'open', 3_001, 3_003);
  await insertOrders('b', 'deposit_failed', 1, MOST_LOST + 2);
  const lost = ['2001', '2002'].map((id) => {
    const row = { id, wallet: 'a', state: 'expired', signature: null, settledAt: new Date() };
    return row as unknown as LedgerRow;
  });
  await store.transaction((tx) => depositSettlement.settle!(tx, lost));
  assert.equal(await countOf('a'), MOST_LOST + 3);
  assert.equal(await countOf('b'), MOST_LOST + 2);
  const { rows } = await store.query<{ first: string; count: bigint }>(
    `select min(order_id) as first, count(distinct order_id) as count from order_events where wallet = 'a'`,
  );
  assert.deepEqual(rows, [{ first: '000005', count: BigInt(MOST_LOST + 3) }]);
});

test('attack: a free key asks for a page far beyond the last of its orders: they are counted once', async () => {
  await insertOrders('c', 'open', 1, 3);
  let statements = 0;
  const counting: Sql = {
    query(text, params) {
      statements += 1;
      return store.query(text, params);
    },
  };
  const found = await listTriggerOrders(counting, { wallet: 'c', ...everything, offset: 1_000_000_000 });
  assert.deepEqual(found, { orders: [], total: 3 });
  assert.equal(statements, 1);
  assert.deepEqual(await listTriggerOrders(counting, { wallet: 'nobody', ...everything }), { orders: [], total: 0 });
});
