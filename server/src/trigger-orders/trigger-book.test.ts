import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Leg } from './order.js';
import { SlotHeap } from './slot-heap.js';
import { TrailingGroup } from './trailing-group.js';
import { type Fired, type Trigger, TriggerBook } from './trigger-book.js';

const SOL = 'SOL';
const price = (usd: number, condition: 'above' | 'below' = 'above', leg: Leg = 'entry', mint = SOL): Trigger => ({
  leg,
  mint,
  condition,
  usd,
});
const trail = (trailingBps: number, mark: number, condition: 'above' | 'below' = 'below'): Trigger => ({
  leg: 'entry',
  mint: SOL,
  condition,
  trailingBps,
  mark,
});
const ids = (fired: Fired[]) => fired.map(({ order }) => order).sort();

function bookOf(orders: Record<string, Trigger[]>): TriggerBook {
  const book = new TriggerBook();
  for (const [order, triggers] of Object.entries(orders)) book.add(order, triggers);
  return book;
}

describe('a tick', () => {
  test('fires at the threshold and beyond, not before', () => {
    const book = bookOf({ up: [price(100)], down: [price(50, 'below')] });
    assert.deepEqual(book.tick(SOL, 99.999), []);
    assert.deepEqual(book.tick(SOL, 50.001), []);
    assert.deepEqual(ids(book.tick(SOL, 50)), ['down']);
    assert.deepEqual(ids(book.tick(SOL, 100)), ['up']);
  });

  test('fires all that a jump has left behind, each once', () => {
    const book = bookOf({ a: [price(101)], b: [price(102)], c: [price(150)], d: [price(90, 'below')] });
    assert.deepEqual(ids(book.tick(SOL, 149)), ['a', 'b']);
    assert.deepEqual(book.tick(SOL, 149), []);
    assert.deepEqual(ids(book.tick(SOL, 1)), ['d']);
    assert.deepEqual(ids(book.tick(SOL, 1e9)), ['c']);
    assert.equal(book.size, 0);
  });

  test('fires no more than it may, and the next one fires the rest, if the price is still there', () => {
    const orders = { up: [price(100)], down: [price(300, 'below')], one: [trail(100, 300)], two: [trail(100, 300)] };
    const book = bookOf(orders);
    assert.equal(book.tick(SOL, 200, { most: 0 }).length, 0);
    assert.equal(book.size, 4);
    const [first, second] = [book.tick(SOL, 200, { most: 1 }), book.tick(SOL, 200, { most: 2 })];
    assert.deepEqual([first.length, second.length, book.size], [1, 2, 1]);
    assert.deepEqual(ids([...first, ...second, ...book.tick(SOL, 200, { most: 9 })]), Object.keys(orders).sort());
  });

  test('moves the marks of trailing orders, though none may fire', () => {
    const book = bookOf({ a: [trail(100, 10)] });
    assert.deepEqual(book.tick(SOL, 20, { most: 0 }), []);
    assert.equal(book.mark('a'), 20);
  });

  test('keeps nothing that has fired, and fires all the rest, where a part of it throws', (t) => {
    const book = bookOf({ a: [trail(100, 10)], b: [trail(200, 10)], c: [trail(300, 10)], d: [price(9, 'below')] });
    const { lineOf } = TrailingGroup.prototype;
    const broken = t.mock.method(TrailingGroup.prototype, 'lineOf', function (this: TrailingGroup, slot: number) {
      if (this.thresholdOf(100) === 98) throw new Error('broken');
      return lineOf.call(this, slot);
    });
    const reasons: string[] = [];
    const failed = ({ message }: Error) => reasons.push(message);
    assert.deepEqual(ids(book.tick(SOL, 9, { failed })), ['a', 'c', 'd']);
    assert.deepEqual(reasons, ['broken']);
    broken.mock.restore();
    assert.deepEqual(ids(book.tick(SOL, 9)), ['b']);
  });

  test('attack: a free key lets 150,000 trailing orders fire at one price: more than the arguments of a call may be, and all fire', () => {
    const book = new TriggerBook();
    for (let i = 0; i < 150_000; i++) book.add(`o${i}`, [trail(500, 100)]);
    assert.equal(book.tick(SOL, 90).length, 150_000);
  });

  test('of another mint fires nothing', () => {
    const book = bookOf({ a: [price(1)] });
    assert.deepEqual(book.tick('USDC', 5), []);
    assert.equal(book.size, 1);
  });

  test('that is no price fires nothing and moves no mark', () => {
    const book = bookOf({ a: [price(1)], b: [price(1, 'below')], c: [trail(100, 10)] });
    for (const usd of [0, -0, -1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      assert.deepEqual(book.tick(SOL, usd), [], String(usd));
    }
    assert.equal(book.mark('c'), 10);
  });

  test('fires an order that came in with its threshold crossed already', () => {
    const book = new TriggerBook();
    book.tick(SOL, 200);
    book.add('late', [price(100)]);
    assert.deepEqual(ids(book.tick(SOL, 200)), ['late']);
  });
});

describe('a pair of legs', () => {
  const pair = [price(120, 'above', 'take_profit'), price(80, 'below', 'stop_loss')];

  test('fires by one of them, and the other is gone in the same step', () => {
    const book = bookOf({ oco: pair });
    assert.deepEqual(book.tick(SOL, 130), [
      { order: 'oco', leg: 'take_profit', line: { condition: 'above', usd: 120 } },
    ]);
    assert.deepEqual(book.tick(SOL, 10), []);
    const other = bookOf({ oco: pair });
    assert.deepEqual(other.tick(SOL, 10), [{ order: 'oco', leg: 'stop_loss', line: { condition: 'below', usd: 80 } }]);
    assert.deepEqual(other.tick(SOL, 130), []);
  });

  test('fires once even where both are crossed', () => {
    const book = bookOf({ odd: [price(80, 'above', 'take_profit'), price(120, 'below', 'stop_loss')] });
    assert.equal(book.tick(SOL, 100).length, 1);
  });

  test('is replaced whole when the order is edited', () => {
    const book = bookOf({ oco: pair });
    book.add('oco', [price(200, 'above', 'take_profit'), price(20, 'below', 'stop_loss')]);
    assert.equal(book.size, 1);
    assert.deepEqual(book.tick(SOL, 130), []);
    assert.deepEqual(book.tick(SOL, 75), []);
    assert.deepEqual(book.tick(SOL, 20), [{ order: 'oco', leg: 'stop_loss', line: { condition: 'below', usd: 20 } }]);
  });
});

test('an order that was taken out does not fire, and can be put in again', () => {
  const book = bookOf({ a: [price(100)], b: [price(100)] });
  assert.equal(book.remove('a'), true);
  assert.equal(book.remove('a'), false);
  assert.deepEqual(ids(book.tick(SOL, 100)), ['b']);
  book.add('b', [price(100)]);
  assert.deepEqual(ids(book.tick(SOL, 100)), ['b']);
});

describe('an order that is added again', () => {
  test('stays where it is if its triggers are as they were', (t) => {
    const orders = {
      up: [price(100)],
      pair: [price(120, 'above', 'take_profit'), price(80, 'below', 'stop_loss')],
      trailing: [trail(1_000, 90)],
    };
    const book = bookOf(orders);
    book.tick(SOL, 95);
    const removals = [SlotHeap, TrailingGroup].map(({ prototype }) => t.mock.method(prototype, 'remove'));
    for (const [id, triggers] of Object.entries({ ...orders, trailing: [trail(1_000, 95)] })) book.add(id, triggers);
    assert.deepEqual(
      removals.map((each) => each.mock.callCount()),
      [0, 0],
    );
    assert.deepEqual([ids(book.tick(SOL, 130)), book.mark('trailing')], [['pair', 'up'], 130]);
  });

  test('attack: a free key opens and cancels trailing orders at one distance after the other: a price then costs no more than before', (t) => {
    const book = bookOf({ other: [trail(1_000, 100)] });
    for (let bps = 50; bps < 250; bps += 1) book.add(String(bps), [trail(bps, 100), trail(bps, 100, 'above')]);
    for (let bps = 50; bps < 150; bps += 1) book.remove(String(bps));
    for (let bps = 150; bps < 250; bps += 1) book.add(String(bps), [price(200)]);
    const ticks = t.mock.method(TrailingGroup.prototype, 'tick');
    book.tick(SOL, 100);
    assert.equal(ticks.mock.callCount(), 1);
    ticks.mock.restore();
    book.add('again', [trail(50, 100)]);
    assert.deepEqual(ids(book.tick(SOL, 99)), ['again']);
  });

  test('fires by its new triggers alone, whatever of them has changed', () => {
    const [stop, take] = [price(80, 'below', 'stop_loss'), price(120, 'above', 'take_profit')];
    const changes: [Trigger[], Trigger[]][] = [
      [[price(100)], [price(101)]],
      [[price(100)], [price(100, 'below')]],
      [[price(100)], [price(100, 'above', 'entry', 'JUP')]],
      [[price(100)], [price(100, 'above', 'take_profit')]],
      [[price(100)], []],
      [[price(100)], [trail(1_000, 100)]],
      [[trail(1_000, 100)], [price(90, 'below')]],
      [[trail(1_000, 100)], [trail(1_000, 90)]],
      [[trail(1_000, 100)], [trail(2_000, 100)]],
      [[trail(1_000, 100)], [trail(1_000, 100, 'above')]],
      [[take, stop], [take]],
      [[take, stop], [stop]],
      [[stop], [take, stop]],
      [
        [take, stop],
        [stop, take],
      ],
    ];
    for (const [before, then] of changes) {
      const [book, fresh] = [bookOf({ it: before }), bookOf({ it: then })];
      book.add('it', then);
      assert.deepEqual([book.size, book.mark('it')], [fresh.size, fresh.mark('it')]);
      for (const usd of [100.5, 89, 95, 105, 79, 130]) {
        for (const mint of [SOL, 'JUP']) assert.deepEqual(book.tick(mint, usd), fresh.tick(mint, usd));
      }
    }
  });
});

describe('a trailing order', () => {
  test('below follows the highest price and fires at its distance from it', () => {
    const book = bookOf({ stop: [trail(1_000, 100)] });
    for (const usd of [95, 110, 120, 108.01]) assert.deepEqual(book.tick(SOL, usd), [], String(usd));
    assert.equal(book.mark('stop'), 120);
    assert.deepEqual(ids(book.tick(SOL, 108)), ['stop']);
  });

  test('above follows the lowest price', () => {
    const book = bookOf({ buy: [trail(1_000, 100, 'above')] });
    for (const usd of [105, 80, 87.9]) assert.deepEqual(book.tick(SOL, usd), [], String(usd));
    assert.equal(book.mark('buy'), 80);
    assert.deepEqual(ids(book.tick(SOL, 88)), ['buy']);
  });

  test('that comes in later has not seen the prices before', () => {
    const book = bookOf({ early: [trail(1_000, 100)] });
    book.tick(SOL, 200);
    book.add('late', [trail(1_000, 150)]);
    assert.equal(book.mark('early'), 200);
    assert.equal(book.mark('late'), 150);
    assert.deepEqual(ids(book.tick(SOL, 180)), ['early']);
    assert.equal(book.mark('late'), 180);
    assert.deepEqual(ids(book.tick(SOL, 162)), ['late']);
  });
});

/** The book as one would write it without a thought for speed. */
class PlainBook {
  private readonly orders = new Map<string, (Trigger & { mark?: number })[]>();

  add(order: string, triggers: readonly Trigger[]): void {
    this.orders.set(
      order,
      triggers.map((trigger) => ({ ...trigger })),
    );
  }

  remove(order: string): boolean {
    return this.orders.delete(order);
  }

  tick(mint: string, usd: number): string[] {
    const fired: string[] = [];
    for (const [order, triggers] of this.orders) {
      const hits = triggers.map((trigger) => trigger.mint === mint && this.hits(trigger, usd));
      if (hits.includes(true)) fired.push(order);
    }
    for (const order of fired) this.orders.delete(order);
    return fired.sort();
  }

  private hits(trigger: Trigger & { mark?: number }, usd: number): boolean {
    const above = trigger.condition === 'above';
    if (!('trailingBps' in trigger)) return above ? usd >= trigger.usd : usd <= trigger.usd;
    trigger.mark = above ? Math.min(trigger.mark, usd) : Math.max(trigger.mark, usd);
    const share = trigger.trailingBps / 10_000;
    return above ? usd >= trigger.mark * (1 + share) : usd <= trigger.mark * (1 - share);
  }

  mark(order: string): number | undefined {
    return this.orders.get(order)?.[0]?.mark;
  }
}

const mint = fc.constantFrom('SOL', 'JUP');
const usd = fc.integer({ min: 1, max: 60 });
const condition = fc.constantFrom('above' as const, 'below' as const);
const order = fc.integer({ min: 0, max: 25 }).map(String);
const triggers = fc.oneof(
  fc.record({ mint, condition, usd }).map((one): Trigger[] => [{ leg: 'entry', ...one }]),
  fc
    .record({ mint, condition, mark: usd, trailingBps: fc.constantFrom(50, 1_000, 1_000, 9_000) })
    .map((one): Trigger[] => [{ leg: 'entry', ...one }]),
  fc.record({ mint, low: usd, gap: fc.integer({ min: 1, max: 20 }) }).map(({ mint, low, gap }): Trigger[] => [
    { leg: 'take_profit', mint, condition: 'above', usd: low + gap },
    { leg: 'stop_loss', mint, condition: 'below', usd: low },
  ]),
);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('add' as const), order, triggers }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), order }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('tick' as const), mint, usd }) },
);

test('a price that is not a number is refused, and leaves the book as it was', () => {
  const book = bookOf({ one: [price(100)], other: [price(110)] });
  const withoutPrice = [price(120), price(Number.NaN, 'below')];
  assert.throws(() => book.add('one', withoutPrice), RangeError);
  assert.throws(() => book.add('new', [price(90), trail(500, Number.NaN)]), RangeError);
  assert.deepEqual([book.size, ids(book.tick(SOL, 100)), ids(book.tick(SOL, 200))], [2, ['one'], ['other']]);
  const table = { key: [1, Number.NaN, 2], position: [0, 0, 0] };
  const heap = new SlotHeap(table);
  heap.add(2);
  assert.throws(() => heap.add(1), RangeError);
  heap.add(0);
  assert.deepEqual([heap.first, [...heap.upTo(() => true)].sort()], [0, [0, 2]]);
});

test('whatever happens, the book fires what a plain list of orders would, and keeps its marks', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const [book, plain] = [new TriggerBook(), new PlainBook()];
      for (const each of steps) {
        if (each.do === 'add') {
          book.add(each.order, each.triggers);
          plain.add(each.order, each.triggers);
        } else if (each.do === 'remove') {
          assert.equal(book.remove(each.order), plain.remove(each.order));
        } else {
          assert.deepEqual(ids(book.tick(each.mint, each.usd)), plain.tick(each.mint, each.usd));
        }
        for (let n = 0; n <= 25; n += 1) assert.equal(book.mark(String(n)), plain.mark(String(n)));
      }
    }),
    { numRuns: 1_500 },
  );
});

test('many orders, more than the first tables hold, leave in the right order of prices', () => {
  const book = new TriggerBook();
  const count = 5_000;
  for (let n = 0; n < count; n += 1) book.add(`up ${n}`, [price(1 + ((n * 7919) % count))]);
  for (let n = 0; n < count; n += 2) book.remove(`up ${n}`);
  let left = book.size;
  assert.equal(left, count / 2);
  for (let usd = 1; usd <= count; usd += 50) {
    const fired = book.tick(SOL, usd);
    for (const { order } of fired) assert.ok(1 + ((Number(order.slice(3)) * 7919) % count) <= usd);
    left -= fired.length;
  }
  left -= book.tick(SOL, count).length;
  assert.deepEqual([left, book.size], [0, 0]);
});
