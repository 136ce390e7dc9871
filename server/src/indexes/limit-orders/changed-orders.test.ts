import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LimitOrderRow } from '../../store/limit-orders.js';
import { changesOf } from './changed-orders.js';
import type { FoldedOrder } from './orders-of.js';

/** An order that this transaction opened. */
const order = (openTx: string, closeTx = 'end'): FoldedOrder => ({ openTx, closeTx }) as unknown as FoldedOrder;
const numbersOf = (rows: readonly LimitOrderRow[]) => rows.map(({ openTx, number }) => [openTx, number]);

/** The rows of an address that has had these orders, one list after the other, and how many each of the lists has written. */
function rowsAfter(...lists: FoldedOrder[][]) {
  let rows: LimitOrderRow[] = [];
  const written = lists.map((orders) => {
    const { gone, made } = changesOf(rows, orders);
    const stay = rows.filter((row) => !gone.includes(row));
    assert.equal(stay.length + gone.length, rows.length);
    rows = [...stay, ...made].sort((one, other) => one.number - other.number);
    assert.equal(new Set(rows.map(({ number }) => number)).size, rows.length, 'two have a number');
    assert.deepEqual(
      rows.map(({ number: _, ...row }) => row),
      orders,
    );
    return made.length;
  });
  return { rows, written };
}

test('an order keeps its row while others come after it, and those before it are forgotten', () => {
  const [a, b, c, d] = [order('a'), order('b'), order('c'), order('d')];
  const { rows, written } = rowsAfter([a, b], [a, b, c], [b, c, d], [b, c, d], [c, d], [d]);
  assert.deepEqual(written, [2, 1, 1, 0, 0, 0]);
  assert.deepEqual(numbersOf(rows), [['d', 3]]);
});

test('what changes is written, and nothing else', () => {
  const [a, b, c] = [order('a'), order('b', ''), order('c')];
  assert.deepEqual(
    rowsAfter([a, b], [a, order('b')], [a, order('b'), c], [order('a', 'other'), order('b'), c]).written,
    [...[2, 1, 1, 1]],
  );
});

test('of those that one transaction opened, the oldest are forgotten first', () => {
  const all = [1, 2, 3, 4].map((n) => order('same', `end ${n}`));
  const { rows, written } = rowsAfter(all, all.slice(1), [...all.slice(2), order('next')]);
  assert.deepEqual(written, [4, 0, 1]);
  assert.deepEqual(numbersOf(rows), [
    ['same', 2],
    ['same', 3],
    ['next', 4],
  ]);
});

test('older orders that are found later come before those that are there, and have them written again only where there is no room', () => {
  const [a, b, c, d] = [order('a'), order('b'), order('c'), order('d')];
  const { rows, written } = rowsAfter([d], [b, d], [a, b, d], [a, b, c, d], [c, d], [a, c, d]);
  assert.deepEqual(written, [1, 1, 1, 3, 0, 1]);
  assert.deepEqual(numbersOf(rows), [
    ['a', -2],
    ['c', -1],
    ['d', 0],
  ]);
});

test('an order that comes to stand elsewhere takes its place there', () => {
  const [a, b, seen] = [order('a'), order('b'), order('')];
  assert.deepEqual(rowsAfter([seen, a, b], [a, b, seen], [a, seen], [seen, a], []).rows, []);
});
