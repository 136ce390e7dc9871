import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from '../testing.js';
import { openKeeperWorld, type TestOrder } from './testing.js';

const MILLION = 10n ** 15n;

let w: Awaited<ReturnType<typeof openKeeperWorld>>;
before(async () => {
  w = await openKeeperWorld();
});
after(() => w?.close());

test('attack: a stranger on the chain opens many small orders at the price that others wait for: one of his at most comes before each, and his have a turn', async () => {
  const [a, b, pool] = await w.pair([MILLION, (MILLION * 8n) / 10n]);
  for (const token of [a, b]) await w.holding(token, w.taker, 77n);
  const open = new Set<TestOrder>();
  for (let i = 0; i < 8; i++) open.add(await w.open(a, b, 450_000n, { makingAmount: 500_000n }));
  let now = 1_000_000;
  // What is sent lands when the test says so.
  let letGo = () => {};
  const landing = w.newLanding();
  const execute: typeof landing.execute = async (...args) => {
    await new Promise<void>((resolve) => {
      letGo = resolve;
    });
    return landing.execute(...args);
  };
  const keeper = w.newKeeper({ steadyNow: () => now, landing: { execute } });
  assert.equal(await keeper.tick(), 0);
  now += 3_600_000;
  const other = await w.open(a, b, 900_000_000n);
  open.add(other);
  assert.equal(await keeper.tick(), 0);
  now += 5_000;
  await w.moveTo(pool, [MILLION, MILLION]);
  assert.equal(await keeper.tick(), 1, 'one at a time trades with a pool');
  let before: number | undefined;
  while (open.size > 0) {
    await until(async () => {
      letGo();
      now += 1_000;
      for (const order of open) if (!(await w.stateOf(order))) open.delete(order);
      if (!open.has(other)) before ??= 8 - open.size;
      return open.size === 0 || (await keeper.tick()) === 1;
    });
  }
  assert.ok(before! <= 1, `${before} before the other one`);
});
