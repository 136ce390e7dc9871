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

test('attack: a stranger on the chain opens many small orders at the price that others wait for, whose pool is free in every second turn only: few of his come before each, and his have a turn', async () => {
  const [SMALL, MOST] = [40, 25];
  for (const turnsBefore of [1, 2]) {
    const [a, b, pool] = await w.pair([MILLION, (MILLION * 8n) / 10n]);
    for (const token of [a, b]) await w.holding(token, w.taker, 77n);
    const small = new Set<TestOrder>();
    for (let i = 0; i < SMALL; i++) small.add(await w.open(a, b, 450_000n, { makingAmount: 500_000n }));
    let now = 1_000_000;
    // What is sent lands when the test says so.
    let letGo: (() => void) | undefined;
    const landing = w.newLanding();
    const execute: typeof landing.execute = async (...args) => {
      await new Promise<void>((resolve) => {
        letGo = resolve;
      });
      return landing.execute(...args).finally(() => {
        letGo = undefined;
      });
    };
    const keeper = w.newKeeper({ steadyNow: () => now, landing: { execute } });
    assert.equal(await keeper.tick(), 0);
    now += 3_600_000;
    const other = await w.open(a, b, 900_000_000n);
    for (let turn = 0; turn < turnsBefore; turn++) assert.equal(await keeper.tick(), 0);
    now += 5_000;
    await w.moveTo(pool, [MILLION, MILLION]);
    for (let isFilled = false; !isFilled || small.size === SMALL; ) {
      await until(async () => (await keeper.tick()) === 1);
      await until(async () => letGo !== undefined);
      now += 1_000;
      assert.equal(await keeper.tick(), 0, 'one at a time trades with a pool');
      letGo!();
      await until(async () => letGo === undefined);
      for (const order of small) if (!(await w.stateOf(order))) small.delete(order);
      isFilled = !(await w.stateOf(other));
      assert.ok(isFilled || SMALL - small.size < MOST, `${SMALL - small.size} before the other one`);
    }
    // What is left of these waits while others do.
    await w.moveTo(pool, [MILLION, (MILLION * 8n) / 10n]);
    await keeper.close();
  }
});
