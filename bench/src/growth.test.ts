import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exponentOf, type Growth } from './growth.js';
import { growthChart } from './growth-chart.js';

const sizes = [100, 1_000, 10_000];
const costing = (cost: (size: number) => number) => ({ sizes, costs: sizes.map(cost) });

test('the exponent of a cost is the power by which it grows', () => {
  const near = (cost: (size: number) => number, power: number) =>
    assert.ok(Math.abs(exponentOf(costing(cost)) - power) < 1e-9, `${exponentOf(costing(cost))}`);
  near(() => 5, 0);
  near((size) => 3 * size, 1);
  near((size) => size ** 2 / 7, 2);
  near((size) => Math.sqrt(size), 0.5);
});

test('the chart draws a cost that grows with its size along the dashed line, and others apart from it', () => {
  const growth = (of: string, cost: (size: number) => number): Growth => ({ of, deed: 'read', ...costing(cost) });
  const chart = growthChart([growth('rows', (size) => size), growth('pools', () => 2)]);
  const [dashed, rows, pools] = [...chart.matchAll(/<path [^>]*d="([^"]+)"/g)].map(([, d]) => d);
  assert.equal(rows, dashed);
  assert.notEqual(pools, dashed);
  assert.match(chart, /read, by rows/);
  assert.match(chart, /read, by pools/);
});
