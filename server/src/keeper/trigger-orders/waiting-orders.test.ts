import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Address } from '@slipway/wire';
import { createClock } from '../../lib/clock.js';
import { createListener } from '../../store/postgres/listener.js';
import type { Store } from '../../store/sql.js';
import { openTestStore } from '../../store/testing.js';
import { changeOrders } from '../../store/trigger-order-changes.js';
import {
  editTriggerOrder,
  findTriggerOrder,
  insertTriggerOrder,
  type TriggerOrderRow,
} from '../../store/trigger-orders.js';
import { newOrder } from '../../trigger-orders/order.js';
import type { InFlight } from '../worker.js';
import { WaitingOrders } from './waiting-orders.js';

const SOL = 'SOL' as Address;
const MINUTE = 60_000;
const nothing: InFlight = { isUnderWay: () => false, isQueued: () => false, dequeue: () => {} };

let store: Store;
let closeStore: () => Promise<void>;
let clock: ReturnType<typeof createClock>;
let steady: number;
before(async () => {
  ({ store, close: closeStore } = await openTestStore('embedded'));
});
after(() => closeStore());
beforeEach(async () => {
  await store.query('delete from orders');
  clock = createClock();
  steady = 0;
});

let count = 0;
/** An order that waits for SOL above 100 USD. */
async function insert(terms: Partial<TriggerOrderRow> = {}): Promise<string> {
  const id = `order-${String(++count).padStart(4, '0')}`;
  const now = new Date(clock.now());
  const order: TriggerOrderRow = {
    id,
    wallet: 'w',
    depositRequestId: id,
    bodyHash: Buffer.alloc(32),
    vault: 'v',
    inputMint: 'SOL',
    outputMint: 'USDC',
    triggerMint: 'SOL',
    inputAccount: 'in',
    outputAccount: null,
    triggerCondition: 'above',
    triggerPriceUsd: 100,
    trailingBps: null,
    highWatermark: null,
    lowWatermark: null,
    tpPriceUsd: null,
    slPriceUsd: null,
    slippageBps: null,
    tpSlippageBps: null,
    slSlippageBps: null,
    expiresAt: new Date(now.getTime() + MINUTE),
    createdAt: now,
    updatedAt: now,
    triggeredAt: null,
    leaseUntil: null,
    retryAt: null,
    funded: true,
    seal: null,
    progress: { ...newOrder('single', 100n), state: 'open' },
    ...terms,
  };
  await store.transaction((tx) => insertTriggerOrder(tx, order));
  return id;
}

/** Falls 10 % below the highest price, which is 100 USD so far. */
const trailing = { triggerCondition: 'below', triggerPriceUsd: null, trailingBps: 1_000, highWatermark: 100 } as const;

/** Two thousand more, after this one, that wait for 1,000 USD. */
const insertFar = (id: string) =>
  store.query(
    `insert into orders select (jsonb_populate_record(o, jsonb_build_object('id', 'z' || n, 'deposit_request_id', n, 'trigger_price_usd', 1000))).*
     from orders o, generate_series(1001, 3000) n where o.id = $1`,
    [id],
  );

const openOrders = () => WaitingOrders.open({ store, clock, steadyNow: () => steady });
const idsOf = (fired: { id: string }[]) => fired.map(({ id }) => id);
const claim = (id: string) =>
  store.transaction((tx) =>
    changeOrders(tx, [{ id, event: { type: 'triggered', leg: 'entry' } }], new Date(clock.now())),
  );

/** Notifications arrive when they like. */
async function updated(orders: WaitingOrders, isSeen: () => boolean): Promise<void> {
  for (let tries = 0; !isSeen(); tries++) {
    assert.ok(tries < 6_000, 'the change never arrives');
    await new Promise((resolve) => setTimeout(resolve, 10));
    await orders.update(nothing);
  }
}

describe('orders that wait for a price', () => {
  it('fire once, by the price that crosses them, with what their claim has to know', async () => {
    const [near, far] = [await insert(), await insert({ triggerPriceUsd: 200 })];
    const orders = await openOrders();
    assert.deepEqual(orders.tick(SOL, 500), [], 'nothing is known before the first update');
    await orders.update(nothing);
    assert.deepEqual([...orders.mints], [SOL]);
    assert.deepEqual(orders.tick(SOL, 99), []);
    assert.deepEqual(orders.tick(SOL, 150), [
      { id: near, leg: 'entry', mint: SOL, line: { condition: 'above', usd: 100 }, trailingBps: null, tries: 0 },
    ]);
    assert.deepEqual(idsOf(orders.tick(SOL, 300)), [far]);
    await orders.close();
  });

  it('come back when they are read again, with how often that was in vain with their present terms', async () => {
    const id = await insert({ retryAt: new Date(clock.now()) });
    const orders = await openOrders();
    await orders.update(nothing);
    const fire = (most: number) => {
      const [fired] = orders.tick(SOL, 150);
      orders.tried(fired!, most);
      orders.readAgain(id);
      return fired?.tries;
    };
    for (const tries of [0, 1, 2]) {
      assert.equal(fire(9), tries);
      await orders.update(nothing);
    }
    assert.equal(fire(0), 3);
    await orders.update(nothing);
    for (const tries of [0, 1]) {
      assert.equal(fire(9), tries);
      await orders.update(nothing);
    }
    for (const tries of [2, 3, 3]) {
      assert.equal(fire(3), tries);
      await orders.update(nothing);
    }
    const order = (await findTriggerOrder(store, id))!;
    await store.transaction((tx) => editTriggerOrder(tx, order, { ...order, slippageBps: 500 }, new Date(clock.now())));
    orders.readAgain(id);
    await orders.update(nothing);
    assert.equal(fire(9), 0);
    await orders.close();
  });

  it('attack: somebody who moves pools has a stop tried in vain while its price is there for minutes: days later it begins anew', async () => {
    const id = await insert({ retryAt: new Date(clock.now()) });
    const orders = await openOrders();
    const fire = async () => {
      orders.readAgain(id);
      await orders.update(nothing);
      const [fired] = orders.tick(SOL, 150);
      orders.tried(fired!, 9);
      return fired?.tries;
    };
    for (const tries of [0, 1, 2]) {
      assert.equal(await fire(), tries);
      clock.setOffset(clock.offsetMs + 5 * MINUTE);
    }
    clock.setOffset(clock.offsetMs + 6 * MINUTE);
    assert.equal(await fire(), 0);
    await orders.close();
  });

  it('stay out while they are in flight', async () => {
    const id = await insert();
    const orders = await openOrders();
    const underWay = { ...nothing, isUnderWay: () => true };
    await orders.update(underWay);
    orders.readAgain(id);
    await orders.update(underWay);
    assert.deepEqual(orders.tick(SOL, 150), []);
    await orders.update(nothing);
    assert.deepEqual(idsOf(orders.tick(SOL, 150)), [id]);
    await orders.close();
  });

  it('come when they are in the store, and go, also from the queue, when another keeper has them', async () => {
    const orders = await openOrders();
    await orders.update(nothing);
    const id = await insert();
    orders.readAgain(id);
    await orders.update(nothing);
    await claim(id);
    const dequeued: string[] = [];
    const queued = { ...nothing, isQueued: () => true, dequeue: (each: string) => void dequeued.push(each) };
    for (let tries = 0; dequeued.length === 0 && tries < 6_000; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      await orders.update(queued);
    }
    assert.deepEqual(dequeued, [id]);
    assert.deepEqual(orders.tick(SOL, 150), []);
    await orders.close();
  });

  it('are read again every minute, should a notification be lost', async () => {
    const orders = await openOrders();
    await orders.update(nothing);
    const [added, trailed] = [await insert(), await insert(trailing)];
    await orders.update(nothing);
    assert.deepEqual(orders.tick(SOL, 150), []);
    steady += MINUTE;
    await orders.update(nothing);
    await store.query(`update orders set state = 'cancelled' where id = $1`, [trailed]);
    steady += MINUTE;
    await orders.update(nothing);
    assert.deepEqual(orders.tick(SOL, 1), [], 'the trailing one is gone');
    assert.deepEqual(idsOf(orders.tick(SOL, 150)), [added]);
    await orders.close();
  });

  it('are read in pieces, and one that comes back between two of them stays', async () => {
    const [near, trailed] = [await insert(), await insert(trailing)];
    await insertFar(near);
    let pieceMs = 0;
    const steadyNow = () => {
      steady += pieceMs;
      return steady;
    };
    const orders = await WaitingOrders.open({ store, clock, steadyNow });
    await orders.update(nothing);
    assert.deepEqual([orders.size, orders.hasMore], [2_002, false]);
    steady += MINUTE;
    pieceMs = 300;
    await store.query(`update orders set state = 'executing' where id = $1`, [trailed]);
    orders.readAgain(trailed);
    await orders.update(nothing);
    assert.deepEqual([orders.size, orders.hasMore], [2_001, true]);
    assert.deepEqual(idsOf(orders.tick(SOL, 110)), [near]);
    await store.query(`update orders set state = 'open' where id = $1`, [trailed]);
    orders.readAgain(trailed);
    await orders.update(nothing);
    assert.deepEqual([orders.size, orders.hasMore], [2_001, true]);
    await orders.update(nothing);
    assert.deepEqual([orders.size, orders.hasMore], [2_001, false]);
    assert.deepEqual(idsOf(orders.tick(SOL, 90)), [trailed]);
    await orders.close();
  });

  it('are all read again soon where the database was away in the middle: of those before, changes are not told meanwhile', async () => {
    const near = await insert();
    await insertFar(near);
    let pages = 0;
    const query: Store['query'] = (...asked) =>
      ++pages === 2 ? Promise.reject(new Error('away')) : store.query(...asked);
    const orders = await WaitingOrders.open({ store: { ...store, query }, clock, steadyNow: () => steady });
    await assert.rejects(orders.update(nothing), /away/);
    assert.equal(orders.size, 1_000);
    await store.query('update orders set trigger_price_usd = 50 where id = $1', [near]);
    await orders.update(nothing);
    assert.deepEqual([orders.size, orders.tick(SOL, 60)], [2_001, []]);
    await orders.update(nothing);
    assert.deepEqual(idsOf(orders.tick(SOL, 60)), [near]);
    pages = 10;
    await orders.update(nothing);
    assert.equal(pages, 10, 'and then in a minute');
    await orders.close();
  });

  it('are all read again as soon as notifications come again, which were lost for a while, also where they are being read', async () => {
    const near = await insert();
    const sessions: (() => void)[] = [];
    let connect = () => {};
    let mayConnect = Promise.resolve();
    const listener = createListener(async () => {
      await mayConnect;
      let lose = () => {};
      const lost = new Promise<void>((resolve) => {
        lose = resolve;
      });
      sessions.push(lose);
      return { run: async () => {}, lost, close: async () => lose() };
    });
    let steadyNow = () => steady;
    const orders = await WaitingOrders.open({
      store: { ...store, listen: (...asked) => listener.listen(...asked) },
      clock,
      steadyNow: () => steadyNow(),
    });
    await orders.update(nothing);
    assert.equal(orders.size, 1);
    const lose = () => {
      mayConnect = new Promise((resolve) => {
        connect = resolve;
      });
      sessions.at(-1)!();
    };
    const reconnect = async () => {
      const before = sessions.length;
      connect();
      while (sessions.length === before) await new Promise(setImmediate);
      await new Promise(setImmediate);
    };

    lose();
    const opened = await insert({ triggerPriceUsd: 120 });
    await orders.update(nothing);
    assert.equal(orders.size, 1, 'nobody has told of it');
    await reconnect();
    await orders.update(nothing);
    assert.deepEqual([orders.size, idsOf(orders.tick(SOL, 130))], [2, [near, opened]]);

    // Again, while they are read in pieces: the first piece has been.
    for (const id of [near, opened]) orders.readAgain(id);
    await insertFar(near);
    steady += MINUTE;
    steadyNow = () => (steady += 300);
    await orders.update(nothing);
    assert.equal(orders.hasMore, true);
    lose();
    await store.query('update orders set trigger_price_usd = 50 where id = $1', [near]);
    await reconnect();
    while (orders.hasMore) await orders.update(nothing);
    assert.deepEqual(orders.tick(SOL, 60), []);
    for (let more = true; more; more = orders.hasMore) await orders.update(nothing);
    assert.deepEqual(idsOf(orders.tick(SOL, 60)), [near]);
    await orders.close();
    await listener.close();
  });

  it('back off until their time', async () => {
    const id = await insert({ retryAt: new Date(clock.now() + 10_000) });
    const orders = await openOrders();
    await orders.update(nothing);
    assert.deepEqual(orders.tick(SOL, 150), []);
    clock.setOffset(11_000);
    await orders.update(nothing);
    assert.deepEqual(idsOf(orders.tick(SOL, 150)), [id]);
    await orders.close();
  });

  it('rest by the leg that was tried: the other one fires all the same, and is tried for the first time', async () => {
    const pair = { tpPriceUsd: 120, slPriceUsd: 80, retryAt: new Date(clock.now() + 10_000) };
    const id = await insert({
      ...pair,
      progress: { ...newOrder('oco', 1n), state: 'open', fired: 'take_profit', failures: 20 },
    });
    const orders = await openOrders();
    await orders.update(nothing);
    assert.deepEqual(orders.tick(SOL, 150), []);
    const [fired] = orders.tick(SOL, 70);
    assert.deepEqual([fired?.id, fired?.leg, fired?.tries], [id, 'stop_loss', 0]);
    // It could not be filled, either: now both rest, each until its own time.
    orders.tried(fired!, 9);
    const retryAt = new Date(clock.now() + 20_000);
    await store.query(`update orders set fired = 'stop_loss', retry_at = $1, failures = 0`, [retryAt]);
    orders.readAgain(id);
    await orders.update(nothing);
    assert.deepEqual([orders.tick(SOL, 150), orders.tick(SOL, 70)], [[], []]);
    clock.setOffset(11_000);
    await orders.update(nothing);
    assert.deepEqual(orders.tick(SOL, 70), []);
    const [again] = orders.tick(SOL, 150);
    assert.deepEqual([again?.leg, again?.tries], ['take_profit', 0]);
    clock.setOffset(21_000);
    orders.readAgain(id);
    await orders.update(nothing);
    assert.deepEqual(
      orders.tick(SOL, 70).map(({ leg, tries }) => [leg, tries]),
      [['stop_loss', 1]],
    );
    await orders.close();
  });

  it('leave until their time where another keeper has fired them in vain, with a mark that has moved', async () => {
    const ids = [await insert(trailing), await insert()];
    const orders = await openOrders();
    await orders.update(nothing);
    assert.deepEqual(orders.tick(SOL, 99), []);
    await store.query('update orders set retry_at = $1', [new Date(clock.now() + 10_000)]);
    for (const id of ids) orders.readAgain(id);
    await orders.update(nothing);
    assert.deepEqual([orders.size, orders.tick(SOL, 150), orders.tick(SOL, 1)], [0, [], []]);
    await store.query('update orders set retry_at = null');
    for (const id of ids) orders.readAgain(id);
    await orders.update(nothing);
    clock.setOffset(11_000);
    await orders.update(nothing);
    assert.deepEqual(
      [orders.size, idsOf(orders.tick(SOL, 150)), idsOf(orders.tick(SOL, 135))],
      [2, [ids[1]], [ids[0]]],
    );
    await orders.close();
  });

  it('attack: an operator by mistake runs a keeper whose clock is an hour ahead: an order that it could not fill is tried again when it is gone, not an hour later', async () => {
    const id = await insert({ retryAt: new Date(clock.now() + 60 * MINUTE) });
    const orders = await openOrders();
    await orders.update(nothing);
    assert.deepEqual(idsOf(orders.tick(SOL, 150)), [id]);
    await orders.close();
  });

  it('trail the best price, which a restart does not forget', async () => {
    const id = await insert(trailing);
    const orders = await openOrders();
    await orders.update(nothing);
    assert.deepEqual(orders.tick(SOL, 200), []);
    await orders.saveMarks();
    assert.equal((await findTriggerOrder(store, id))?.highWatermark, 200);
    await orders.close();
    const others = await openOrders();
    await others.update(nothing);
    assert.deepEqual(others.tick(SOL, 181), []);
    const line = { condition: 'below', usd: 180 };
    assert.deepEqual(others.tick(SOL, 180), [{ id, leg: 'entry', mint: SOL, line, trailingBps: 1_000, tries: 0 }]);
    await others.close();
  });

  it('keep a mark that has moved when they are read again', async () => {
    const id = await insert(trailing);
    const orders = await openOrders();
    await orders.update(nothing);
    orders.tick(SOL, 200);
    orders.readAgain(id);
    await orders.update(nothing);
    assert.deepEqual(idsOf(orders.tick(SOL, 170)), [id]);
    await orders.close();
  });

  it('keep a mark that could not be saved, also when they have fired and are read again', async () => {
    const id = await insert(trailing);
    let isAway = true;
    const single: Store['single'] = (work) => (isAway ? Promise.reject(new Error('away')) : store.single(work));
    const orders = await WaitingOrders.open({ store: { ...store, single }, clock, steadyNow: () => steady });
    await orders.update(nothing);
    orders.tick(SOL, 200);
    await assert.rejects(orders.saveMarks(), /away/);
    for (let times = 0; times < 2; times++) {
      const fired = orders.tick(SOL, 180);
      assert.deepEqual(idsOf(fired), [id]);
      await assert.rejects(orders.saveMarksOf(fired), /away/);
      orders.readAgain(id);
      await orders.update(nothing);
    }
    const retryAt = new Date(clock.now() + 10_000);
    await store.query('update orders set retry_at = $2 where id = $1', [id, retryAt]);
    orders.readAgain(id);
    await orders.update(nothing);
    clock.setOffset(11_000);
    await orders.update(nothing);
    assert.deepEqual(orders.tick(SOL, 181), []);
    const fired = orders.tick(SOL, 180);
    await claim(id);
    isAway = false;
    await orders.saveMarksOf(fired);
    assert.equal((await findTriggerOrder(store, id))?.highWatermark, 200);
    await orders.close();
  });

  it('are followed no more when their owner gives them a fixed price, and their last mark is stored once', async () => {
    const id = await insert(trailing);
    let saves = 0;
    const single: Store['single'] = (work) => {
      saves++;
      return store.single(work);
    };
    const orders = await WaitingOrders.open({ store: { ...store, single }, clock, steadyNow: () => steady });
    await orders.update(nothing);
    orders.tick(SOL, 200);
    await store.query('update orders set trailing_bps = null, trigger_price_usd = 150 where id = $1', [id]);
    orders.readAgain(id);
    await orders.update(nothing);
    for (let times = 0; times < 3; times++) await orders.saveMarks();
    assert.equal(saves, 1);
    assert.deepEqual(orders.tick(SOL, 151), []);
    assert.deepEqual(idsOf(orders.tick(SOL, 150)), [id]);
    await orders.close();
  });

  it('take the mark of the store where theirs was saved', async () => {
    const id = await insert(trailing);
    const orders = await openOrders();
    await orders.update(nothing);
    orders.tick(SOL, 200);
    await orders.saveMarks();
    await store.query('update orders set high_watermark = 120 where id = $1', [id]);
    orders.readAgain(id);
    await orders.update(nothing);
    assert.deepEqual(orders.tick(SOL, 109), []);
    assert.deepEqual(idsOf(orders.tick(SOL, 108)), [id]);
    await orders.close();
  });

  it('hear of changes from the store', async () => {
    const orders = await openOrders();
    await orders.update(nothing);
    const id = await insert({ progress: { ...newOrder('single', 100n), state: 'depositing' } });
    const landed = [{ id, event: { type: 'deposit_landed' } as const }];
    await store.transaction((tx) => changeOrders(tx, landed, new Date(clock.now())));
    await updated(orders, () => orders.mints.has(SOL));
    assert.deepEqual(idsOf(orders.tick(SOL, 150)), [id]);
    await orders.close();
  });
});
