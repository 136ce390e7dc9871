import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { LimitOrderAddresses } from '@slipway/programs';
import fc from 'fast-check';
import {
  type LimitOrderEvent,
  limitOrderEvents,
  limitOrdersAt,
  listLimitOrders,
  type PlacedOrderEvent,
} from '../../store/limit-orders.js';
import type { Store } from '../../store/sql.js';
import { openTestStore } from '../../store/testing.js';
import { eventsToKeep, MOST_EVENTS_OF_ADDRESS, MOST_REFUSED_OF_ADDRESS } from './kept-events.js';
import { addEvents } from './known-orders.js';
import { newsOfChange } from './order-news.js';
import { ordersOf } from './orders-of.js';

const START = Date.parse('2026-01-01T00:00:00Z');
const STATES = ['open', 'completed', 'cancelled', 'failed'] as const;
const terms = {
  maker: 'maker',
  inputMint: 'in',
  outputMint: 'out',
  makingAmount: '100000',
  takingAmount: '100000',
  feeBps: 0,
  slippageBps: 0,
  expiredAt: null,
};
const cancelled: LimitOrderEvent = { kind: 'closed', signers: ['maker'], isDust: false };
const traded = (left: number): LimitOrderEvent => ({
  kind: 'traded',
  keeper: 'keeper',
  makingAmount: '1',
  takingAmount: '1',
  remainingMakingAmount: `${left}`,
  remainingTakingAmount: `${left}`,
});

describe('what is kept of a limit order', () => {
  let store: Store;
  let close: () => Promise<void>;
  before(async () => {
    ({ store, close } = await openTestStore());
  });
  after(() => close());

  /** The rows of an address, each with the transaction that wrote it. */
  const written = async (orderKey: string) => {
    const text = 'select xmin::text as by, open_tx as tx from limit_orders where order_key = $1 order by number';
    const { rows } = await store.query<{ by: string; tx: string }>(text, [orderKey]);
    return rows.map(({ by, tx }) => `${tx} ${by}`);
  };
  /** The events of an order that were told. */
  const toldOf = async (orderKey: string) => {
    const { rows } = await store.query<{ page: string }>('select unnest(pages) as page from event_outbox');
    const told = rows.flatMap(({ page }) => JSON.parse(page) as { kind: string; data: Record<string, string> }[]);
    return told.filter(({ data }) => data.order === orderKey);
  };
  const toldNames = async () =>
    (await store.query<{ name: string }>('select name from told_once')).rows.map(({ name }) => name);

  const deps = { addresses: { program: 'program' } as unknown as LimitOrderAddresses, clock: { now: () => START } };
  /** Adds them in this order, a transaction for each, after all that were added before. */
  let slot = 0;
  const add = (orderKey: string, ...events: LimitOrderEvent[]) =>
    store.transaction((tx) =>
      addEvents(
        tx,
        deps as never,
        events.map((event): PlacedOrderEvent => {
          slot += 1;
          const place = { slot: BigInt(slot), position: 0n, number: 0, at: new Date(START + slot) };
          return { orderKey, txId: `tx ${slot}`, event, ...place };
        }),
      ),
    );
  const kept = async (orderKey: string) =>
    (await store.query('select from limit_order_events where order_key = $1', [orderKey])).rowCount;
  const ordersAt = async (orderKey: string) => {
    const filter = { program: 'program', maker: 'maker', states: STATES };
    const { rows } = await listLimitOrders(store, filter, { offset: 0, limit: 10_000 });
    return rows.filter((row) => row.orderKey === orderKey);
  };
  const many = (event: LimitOrderEvent) => Array<LimitOrderEvent>(MOST_EVENTS_OF_ADDRESS).fill(event);

  it('attack: a stranger on the chain has one order refused, or opened and cancelled, ever again: 10 refusals of it are kept, and 50 other events', async () => {
    for (let n = 0; n < 3; n++) await add('refused', ...many({ kind: 'refused', terms }));
    assert.equal(await kept('refused'), MOST_REFUSED_OF_ADDRESS);
    assert.equal((await ordersAt('refused')).length, MOST_REFUSED_OF_ADDRESS);
    for (let n = 0; n < 3; n++)
      await add('cancelled', ...many(cancelled).flatMap((end): LimitOrderEvent[] => [{ kind: 'opened', terms }, end]));
    assert.equal(await kept('cancelled'), MOST_EVENTS_OF_ADDRESS);
    assert.equal((await ordersAt('cancelled')).length, MOST_EVENTS_OF_ADDRESS / 2);
  });

  it('attack: a stranger on the chain has orders refused, cancelled or filled ever again, of whose addresses all is there that is kept: only what is new is written and told', async () => {
    const refused: LimitOrderEvent = { kind: 'refused', terms };
    const pair: LimitOrderEvent[] = [{ kind: 'opened', terms }, cancelled];
    await add('both', ...many(cancelled).flatMap(() => pair));
    for (let n = 0; n < 2; n++) await add('both', ...many(refused));
    await add('parts of one', { kind: 'opened', terms }, ...many(traded(5)));
    for (const { orderKey, events, rows, told } of [
      { orderKey: 'both', events: [refused], rows: 1, told: 1 },
      { orderKey: 'both', events: pair, rows: 1, told: 2 },
      { orderKey: 'both', events: [refused, ...pair, refused], rows: 3, told: 4 },
      { orderKey: 'parts of one', events: [traded(4)], rows: 1, told: 1 },
    ]) {
      const before = new Set(await written(orderKey));
      await store.query('delete from told_once');
      await add(orderKey, ...events);
      const after = await written(orderKey);
      assert.equal(after.filter((row) => !before.has(row)).length, rows, 'rows that are written');
      assert.equal(after.length, before.size);
      assert.equal((await toldNames()).length, told, 'names that are told');
    }
  });

  it('has the same orders, and has told all of them, in whatever order their events come, and however often', async () => {
    const seen = { terms, createdAt: START / 1_000, remainingMakingAmount: '7', remainingTakingAmount: '7' };
    const kinds: LimitOrderEvent[] = [
      { kind: 'opened', terms },
      { kind: 'refused', terms },
      traded(3),
      traded(0),
      cancelled,
      { kind: 'gone' },
      { kind: 'seen', ...seen },
    ];
    let run = 0;
    const histories = fc.array(fc.nat(kinds.length - 1), { maxLength: 30 }).chain((history) => {
      const arrivals = fc.array(fc.nat(Math.max(0, history.length - 1)), { maxLength: 60 });
      return fc.record({ history: fc.constant(history), arrivals });
    });
    const property = fc.asyncProperty(histories, async ({ history, arrivals }) => {
      run += 1;
      const orderKey = `run ${run}`;
      const events = history.map((kind, index): PlacedOrderEvent => {
        const event = kinds[kind]!;
        const txId = event.kind === 'seen' || event.kind === 'gone' ? '' : `${orderKey} ${Math.floor(index / 2)}`;
        const number = txId === '' ? Number(event.kind === 'gone') : index % 2;
        const slot = BigInt(Math.floor(index / 2));
        return { orderKey, txId, number, slot, position: txId === '' ? -1n : 0n, at: new Date(START + index), event };
      });
      const order = [...arrivals.filter((index) => index < events.length), ...events.keys()];
      for (const index of order) await store.transaction((tx) => addEvents(tx, deps as never, [events[index]!]));

      const rows = await limitOrdersAt(store, [orderKey]);
      const all = await limitOrderEvents(store, [orderKey]);
      assert.deepEqual(
        rows.map(({ number: _, ...row }) => row),
        ordersOf('program', eventsToKeep(all).kept),
      );
      const told = new Set(await toldNames());
      const news = newsOfChange({ gone: [], made: rows }, new Date(START));
      assert.deepEqual(
        news.filter(({ once }) => !told.has(`maker ${once}`)),
        [],
      );
    });
    await fc.assert(property, { numRuns: 40 });
  });

  it('attack: a stranger on the chain fills the order of another in ever smaller parts: it stays as it is, with the newest trades', async () => {
    await add('filled', { kind: 'opened', terms });
    const opening = `tx ${slot}`;
    const parts = Array.from({ length: 1_000 }, (_, n) => traded(99_999 - n));
    for (let n = 0; n < parts.length; n += 100) await add('filled', ...parts.slice(n, n + 100));
    assert.equal(await kept('filled'), MOST_EVENTS_OF_ADDRESS + 1, 'the newest, and the opening');
    const orders = await ordersAt('filled');
    assert.deepEqual(
      orders.map(({ openTx, state, remainingMakingAmount, trades }) => [
        ...[openTx, state, remainingMakingAmount, trades.length, trades.at(-1)!.txId],
      ]),
      [[opening, 'open', 99_000n, MOST_EVENTS_OF_ADDRESS, `tx ${slot}`]],
    );
    await add('filled', { kind: 'closed', signers: ['maker'], isDust: false });
    assert.deepEqual(
      (await ordersAt('filled')).map(({ state, closeTx }) => [state, closeTx]),
      [['cancelled', `tx ${slot}`]],
    );
  });

  /** What one transaction has done with an order, after all before. */
  const doneBy = (orderKey: string, txId: string, events: readonly LimitOrderEvent[]): PlacedOrderEvent[] => {
    slot += 1;
    const place = { orderKey, txId, slot: BigInt(slot), position: 0n, at: new Date(START + slot) };
    return events.map((event, number) => ({ ...place, number, event }));
  };
  const record = (events: readonly PlacedOrderEvent[]) =>
    store.transaction((tx) => addEvents(tx, deps as never, events));

  it('attack: a stranger on the chain fills an order in a dozen parts by one transaction: its maker hears of their sum, once', async () => {
    const first = doneBy('parts', 'first', [{ kind: 'opened', terms }]);
    const some = Array.from({ length: 12 }, (_, n) => traded(99_999 - n));
    const others = doneBy('parts', 'second', some);
    const rest = doneBy('parts', 'third', [traded(1), traded(0)]);
    for (const times of [1, 2]) {
      await record([...first, ...others]);
      await record(rest);
      assert.deepEqual(
        (await toldOf('parts')).map(({ kind, data }) => [kind, data.inputAmount, data.outputAmount]),
        [
          ['order.opened', '100000', '100000'],
          ['order.partly_filled', '12', '12'],
          ['order.filled', '2', '2'],
        ],
        `${times}`,
      );
    }
  });

  it('tells nothing again of which each part was told', async () => {
    const before = [
      ...doneBy('told', 'opening', [{ kind: 'opened', terms }]),
      ...doneBy('told', 'two', [traded(9), traded(8)]),
    ];
    await record(before);
    const names = ['opened opening told', 'partly_filled two told', 'partly_filled two told 2'];
    await store.query('delete from told_once');
    await store.query(
      `insert into told_once (name, at) select 'maker order.' || name, $2 from unnest($1::text[]) as name`,
      [names, new Date(START)],
    );
    await store.query('delete from event_outbox');
    for (const isKnown of [true, false]) {
      if (!isKnown) await store.query(`delete from limit_orders where order_key = 'told'`);
      await record(before);
      assert.deepEqual(await toldOf('told'), []);
    }
    await record(doneBy('told', 'three', [traded(7), traded(0)]));
    assert.deepEqual(
      (await toldOf('told')).map(({ kind, data }) => [kind, data.inputAmount]),
      [['order.filled', '2']],
    );
  });

  it('keeps all or nothing of what one transaction has filled', () => {
    const parts = doneBy(
      'whole',
      'many parts',
      Array.from({ length: 30 }, (_, n) => traded(1_000 - n)),
    );
    const later = Array.from({ length: MOST_EVENTS_OF_ADDRESS - 1 }, (_, n) =>
      doneBy('whole', `${n}`, [traded(500 - n)]),
    );
    const events = [...doneBy('whole', 'before', [traded(2_000)]), ...parts, ...later.flat()];
    assert.equal(eventsToKeep(events).kept.length, MOST_EVENTS_OF_ADDRESS - 1 + parts.length);
    const more = [...events, ...doneBy('whole', 'last', [traded(1)])];
    assert.equal(eventsToKeep(more).kept.length, MOST_EVENTS_OF_ADDRESS);
  });

  it('attack: a stranger on the chain fills an order in more parts than are kept, all read at once: what others have filled before is told', async () => {
    const parts = Array.from({ length: MOST_EVENTS_OF_ADDRESS + 100 }, (_, n) => traded(90_000 - n));
    const honest: LimitOrderEvent = { ...traded(90_001), makingAmount: '5000' } as LimitOrderEvent;
    await add('many parts', { kind: 'opened', terms }, honest, ...parts);
    const told = await toldOf('many parts');
    assert.ok(told.some(({ kind, data }) => kind === 'order.partly_filled' && data.inputAmount === '5000'));
    assert.equal(told.length, 2 + parts.length, 'the opening, and each part');
    await add('many parts', traded(1));
    assert.equal((await toldOf('many parts')).length, told.length + 1);
    assert.equal(await kept('many parts'), MOST_EVENTS_OF_ADDRESS + 1);
  });
});
