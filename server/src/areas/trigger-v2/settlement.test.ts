import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Address } from '@slipway/wire';
import type { LedgerRow } from '../../store/ledger.js';
import { keepNewestLost, MOST_LOST } from '../../store/ledger-cleaning.js';
import type { Sql, Store } from '../../store/sql.js';
import { openTestStore } from '../../store/testing.js';
import { MOST_EVENTS, MOST_FAILED, triggerOrderEvents } from '../../store/trigger-order-events.js';
import { listTriggerOrders } from '../../store/trigger-orders.js';
import type { TriggerV2Deps } from './deps.js';
import { history, showOrder } from './history.js';
import { depositSettlement, withdrawalSettlement } from './settlement.js';

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

test('attack: a free key has ever more deposits of one wallet lost: its newest 1,000 orders of those are kept, and all others, once they were looked for', async () => {
  await insertOrders('a', 'deposit_failed', 1, MOST_LOST + 2);
  await insertOrders('a', 'depositing', 2_001, 2_002);
  await insertOrders('a', 'open', 3_001, 3_003);
  await insertOrders('b', 'deposit_failed', 1, MOST_LOST + 2);
  const lost = ['2001', '2002'].map((id) => {
    const row = { id, wallet: 'a', state: 'expired', signature: null, settledAt: new Date() };
    return row as unknown as LedgerRow;
  });
  await store.transaction((tx) => depositSettlement.settle!(tx, lost));
  // Those that nobody has looked for on the chain yet stay.
  await store.transaction((tx) => keepNewestLost(tx, 'a'));
  assert.equal(await countOf('a'), MOST_LOST + 2 + 2 + 3);
  await store.query(`update orders set lost_looks = 1 where wallet = 'a' and id < '000500'`);
  await store.transaction((tx) => keepNewestLost(tx, 'a'));
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

test('a part of a withdrawal that is recorded after the one that brought the rest home ends the order', async () => {
  const [sold, bought] = ['1'.repeat(32), 'So11111111111111111111111111111111111111112'];
  await insertOrders('f', 'ready_to_cancel', 7_001, 7_001);
  await store.query(
    `update orders set type = 'otoco', input_mint = $1, output_mint = $2, held = 1 where wallet = 'f'`,
    [sold, bought],
  );
  const settle = async (id: string, mint: string, isPart: object) => {
    const payload = { orderId: '007001', withdrawn: [{ mint, amount: '1' }], ...isPart };
    await store.query(
      `insert into ledger (id, area, wallet, state, message_hash, cosigners, last_valid_block_height, payload, created_at, expires_at)
       values ($1, 'trigger-withdrawal', 'f', 'landed', '', '{}', 0, $2, now(), now())`,
      [id, payload],
    );
    const row = { id, wallet: 'f', state: 'landed', signature: 'sig', settledAt: new Date(), payload };
    await store.transaction((tx) => withdrawalSettlement.settle!(tx, [row as unknown as LedgerRow]));
    const { rows } = await store.query<{ state: string }>(`select state from orders where wallet = 'f'`);
    return rows[0]!.state;
  };
  // A part does not end it, and neither does what was crafted before it, where a node hid the other account.
  assert.equal(await settle('1', sold, {}), 'ready_to_cancel');
  await store.query(`delete from order_events where wallet = 'f'`);
  assert.equal(await settle('3', bought, {}), 'ready_to_cancel');
  assert.equal(await settle('4', bought, { isPart: true }), 'ready_to_cancel');
  assert.equal(await settle('2', sold, { isPart: true }), 'cancelled');
});

/** Events of all orders of a wallet, by their numbers. */
async function insertEvents(wallet: string, type: string, state: string, from: number, to: number): Promise<void> {
  await store.query(
    `insert into order_events (wallet, order_id, id, type, state, at)
     select wallet, id, lpad(i::text, 6, '0'), $2, $3, to_timestamp(i)
     from orders cross join generate_series($4::int, $5::int) as i where wallet = $1`,
    [wallet, type, state, from, to],
  );
}

test('attack: a free key has ever more withdrawals of one order fail: the newest 20 of these stay in its history, and all that has moved money', async () => {
  await insertOrders('d', 'ready_to_cancel', 5_001, 5_002);
  await insertEvents('d', 'fill', 'success', 1, 3);
  await insertEvents('d', 'withdrawal', 'success', 4, 6);
  await insertEvents('d', 'withdrawal', 'failed', 7, 6 + MOST_FAILED);
  const withdrawn = ['in', 'out'].map(() => ({ mint: '1'.repeat(32), amount: '5' }));
  const failed = ['100', '200'].map((id) => {
    const payload = { orderId: '005001', withdrawn };
    return {
      id,
      wallet: 'd',
      state: 'failed',
      signature: 'sig',
      settledAt: new Date(),
      payload,
    } as unknown as LedgerRow;
  });
  await store.transaction((tx) => withdrawalSettlement.settle!(tx, failed));
  const { rows } = await store.query<{ of: string; count: bigint; first: string }>(
    `select order_id || ' ' || type || ' ' || state as of, count(*), min(id) as first from order_events
     where wallet = 'd' and id <> 'e' group by 1 order by 1`,
  );
  assert.deepEqual(
    rows.map(({ of, count, first }) => [of, Number(count), first]),
    [
      ['005001 fill success', 3, '000001'],
      ['005001 withdrawal failed', MOST_FAILED, '000011'],
      ['005001 withdrawal success', 3, '000004'],
      ['005002 fill success', 3, '000001'],
      ['005002 withdrawal failed', MOST_FAILED, '000007'],
      ['005002 withdrawal success', 3, '000004'],
    ],
  );
});

test('attack: a free key reads orders with thousands of events over and over: the newest 100 of one are read, and 1,000 of a page', async () => {
  const wallet = 'e' as Address;
  await insertOrders(wallet, 'open', 6_001, 6_050);
  await insertEvents(wallet, 'withdrawal', 'failed', 1, 300);
  let read = 0;
  const counting: Sql = {
    async query(text, params) {
      const result = await store.query(text, params);
      if (text.includes('order_events')) read += result.rows.length;
      return result as never;
    },
  };
  const deps = { store: counting } as unknown as TriggerV2Deps;
  await store.query(`delete from order_events where wallet = $1 and id = 'e'`, [wallet]);
  const one = await showOrder(deps, wallet, '006007');
  assert.equal(read, MOST_EVENTS + 1);
  assert.deepEqual([one.events.length, one.hasMoreEvents], [MOST_EVENTS, true]);
  assert.deepEqual([one.events[0]!.timestamp, one.events.at(-1)!.timestamp], [300_000, 201_000]);
  read = 0;
  const page = async () => {
    const answer = await history(deps, wallet, { limit: 50 });
    assert.ok('orders' in answer);
    return answer.orders;
  };
  const orders = await page();
  assert.equal(read, 50 * 21);
  assert.equal(orders.length, 50);
  for (const { events, hasMoreEvents } of orders) {
    assert.deepEqual([events.length, events[0]!.timestamp, hasMoreEvents], [20, 300_000, true]);
  }
  await store.query(`delete from order_events where wallet = $1 and id > '000020'`, [wallet]);
  for (const { events, hasMoreEvents } of await page()) {
    assert.deepEqual([events.length, hasMoreEvents], [20, undefined]);
  }
  assert.equal((await triggerOrderEvents(store, wallet, ['006001'])).length, 20);
});
