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

/**
 * How many of a stranger's orders of half a dollar are filled before one of 1,000 that came after them, where a pool takes one at a
 * time and is free in every second turn.
 */
async function smallOnesFirst({ turnsBefore = 1, isPriced = true, wasTouched = false, asks = {} }) {
  const [a, b, pool] = await w.pair([MILLION, (MILLION * 8n) / 10n]);
  if (!isPriced) w.usd.delete(a.mint);
  for (const token of [a, b]) await w.holding(token, w.taker, 77n);
  const small = new Set<TestOrder>();
  const terms = { takingAmount: 450_000n, makingAmount: 500_000n, ...asks };
  for (let i = 0; i < SMALL; i++) small.add(await w.open(a, b, terms.takingAmount, terms));
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
  const land = async () => {
    letGo!();
    await until(async () => letGo === undefined);
    for (const order of small) if (!(await w.stateOf(order))) small.delete(order);
  };
  const keeper = w.newKeeper({ steadyNow: () => now, landing: { execute } });
  assert.equal(await keeper.tick(), 0);
  if (wasTouched) {
    now += 60_000;
    await w.moveTo(pool, [MILLION, MILLION]);
    await until(async () => (await keeper.tick()) === 1);
    await until(async () => letGo !== undefined);
    // All others find the pool in use.
    for (let turn = 0; turn < SMALL / 8; turn++) {
      now += 250;
      assert.equal(await keeper.tick(), 0);
    }
    await w.moveTo(pool, [MILLION, (MILLION * 8n) / 10n]);
    await land();
  }
  const open = small.size;
  now += 3_600_000;
  const other = await w.open(a, b, 900_000_000n, { makingAmount: 1_000_000_000n });
  for (let turn = 0; turn < turnsBefore; turn++) assert.equal(await keeper.tick(), 0);
  now += 5_000;
  await w.moveTo(pool, [MILLION, MILLION]);
  let first: number | undefined;
  while (first === undefined || small.size === open) {
    await until(async () => (await keeper.tick()) === 1);
    await until(async () => letGo !== undefined);
    now += 1_000;
    assert.equal(await keeper.tick(), 0, 'one at a time trades with a pool');
    await land();
    if (small.size === 0 || !(await w.stateOf(other))) first ??= open - small.size;
  }
  await keeper.close();
  await w.reset();
  return first;
}
const SMALL = 40;
/** By chance it is one, and more than so many once in 30 million times. */
const MOST = 25;

test('attack: a stranger on the chain opens many small orders at the price that others wait for, whose pool is free in every second turn only: few of his come before each, and his have a turn', async () => {
  for (const turnsBefore of [1, 2]) {
    const first = await smallOnesFirst({ turnsBefore });
    assert.ok(first < MOST, `${first} before the other one`);
  }
});

test('attack: a stranger on the chain sells half a dollar of a token without a price for 900, and accepts 0.45: it is worth what he accepts', async () => {
  for (const turnsBefore of [1, 2]) {
    const asks = { takingAmount: 900_000_000n, slippageBps: 9_995 };
    const first = await smallOnesFirst({ turnsBefore, isPriced: false, asks });
    assert.ok(first < MOST, `${first} before the other one`);
  }
});

test('attack: a stranger on the chain has the price reach his many small orders for a moment: they wait for no pool any more once it has left them, and come before others as those that never did', async () => {
  for (const turnsBefore of [1, 2]) {
    const first = await smallOnesFirst({ turnsBefore, wasTouched: true });
    assert.ok(first < MOST, `${first} before the other one`);
  }
});
