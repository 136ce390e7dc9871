import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, generateKeypair } from '@slipway/wire';
import pino from 'pino';
import type { Config } from '../config/index.js';
import { listPrices } from '../store/prices.js';
import type { Store } from '../store/sql.js';
import { openTestStore } from '../store/testing.js';
import { tickOf } from '../trigger-orders/tick.js';
import { createSandboxPrices, openPrices, startDrift } from './index.js';
import { DEFAULT_PRICES } from './testing.js';

const log = pino({ level: 'silent' });
const [known, unknown, pegged] = [generateKeypair().address, generateKeypair().address, generateKeypair().address];

function settingsOf(...sources: Config['prices']['sources']): Config['prices'] {
  return { ...DEFAULT_PRICES, sources, hermesUrl: 'http://127.0.0.1:1' };
}

async function openStored(t: TestContext, clock: { now: () => number }) {
  const { store, close } = await openTestStore('embedded');
  const defaults = new Map([
    [known, 150],
    [pegged, 1],
  ]);
  const open = async () => {
    const prices = await createSandboxPrices({ store, clock, defaults });
    t.after(() => prices.close());
    return prices;
  };
  const stored = await open();
  t.after(close);
  return { stored, open };
}

test('attack: a price feed says something else than deep pools: they contradict it also where they price nothing', async (t) => {
  const clock = { now: () => 5_000 };
  const { stored } = await openStored(t, clock);
  const quotes = (mint: Address) => (mint === known ? [{ pool: unknown, in: pegged, price: 75, depth: 1e6 }] : []);
  const source = { quotes, ask: () => {}, keep: () => {} };
  const pools = { source, anchors: [pegged], steadyNow: () => 5_000, repeat: () => () => {} };
  for (const sources of [['fixed', 'pools'], ['fixed']] as const) {
    const settings = settingsOf(...sources);
    const prices = await openPrices({ clock, log, stored, poolPrice: undefined, pools, settings });
    assert.equal(prices.poolWitness(known), 75);
    assert.equal(tickOf({ prices, clock }, known, undefined), 'contradicting');
    await prices.close();
  }
});

test('the first source that has a usable price answers', async (t) => {
  const clock = { now: () => 5_000 };
  const { stored } = await openStored(t, clock);
  const pools = new Map<Address, number>([
    [known, 149],
    [unknown, 3],
  ]);
  const deps = { clock, log, stored, poolPrice: (mint: Address) => pools.get(mint) };
  const fixedFirst = await openPrices({ ...deps, settings: settingsOf('fixed', 'pools') });
  assert.deepEqual(fixedFirst.quote(known), {
    usd: 150,
    confidence: 0,
    publishedAt: 5_000,
    source: 'fixed',
    stale: false,
  });
  assert.deepEqual(fixedFirst.quote(unknown)?.source, 'pools');
  assert.equal(fixedFirst.usd(unknown), 3);
  const poolsFirst = await openPrices({ ...deps, settings: settingsOf('pools', 'fixed') });
  assert.equal(poolsFirst.usd(known), 149);
  for (const usd of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e16, 1e-16]) {
    pools.set(known, usd).set(unknown, usd);
    assert.equal(poolsFirst.usd(known), 150, `${usd}`);
    assert.equal(poolsFirst.quote(unknown), undefined, `${usd}`);
  }
  const poolsOnly = await openPrices({ ...deps, stored: undefined, settings: settingsOf('fixed', 'pools') });
  assert.equal(poolsOnly.usd(known), undefined);
});

test('fixed prices stand however much time goes by, and every copy hears of a new one', async (t) => {
  const clock = { time: 1_000, now: () => clock.time };
  const { stored, open } = await openStored(t, clock);
  const copy = await open();
  const prices = await openPrices({ clock, log, stored: copy, poolPrice: undefined, settings: settingsOf('fixed') });
  clock.time += 10 * 365 * 86_400_000;
  assert.equal(prices.usd(known), 150);
  await stored.set(known, 151);
  await copy.reload();
  assert.equal(prices.usd(known), 151);
  assert.equal(prices.quote(known)?.publishedAt, clock.time);
  clock.time += 1_000;
  await stored.stamp();
  assert.equal(stored.read(known)?.publishedAt, clock.time);
  assert.equal(stored.usd(known), 151);
});

test('a price that is set while an older one is being read stays', async (t) => {
  const { store, close } = await openTestStore('embedded');
  t.after(close);
  let [isSlow, goOn] = [false, () => {}];
  const query: Store['query'] = async (...asked) => {
    const found = await store.query<never>(...asked);
    if (isSlow) {
      isSlow = false;
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
    }
    return found;
  };
  const deaf = { ...store, query, listen: async () => async () => {} };
  const prices = await createSandboxPrices({
    store: deaf,
    clock: { now: () => 1_000 },
    defaults: new Map([[known, 150]]),
  });
  isSlow = true;
  const older = prices.reload();
  const set = prices.set(known, 151);
  while ((await listPrices(store))[0]!.usd !== 151) await sleep(5);
  goOn();
  await Promise.all([older, set]);
  assert.equal(prices.usd(known), 151);
});

/** Lets a drift take its steps, 5 seconds of the clock apart; answers the prices that it set. */
async function drift(t: TestContext, seed: number, steps: number, failing = false) {
  const clock = { time: 0, now: () => clock.time };
  const { stored } = await openStored(t, clock);
  const path: number[] = [];
  let left = steps;
  const done = new Promise<void>((resolve) => {
    const walk = startDrift({
      mints: [known, unknown],
      stored,
      clock,
      log,
      seed,
      move: async (mint, usd) => {
        assert.equal(mint, known, 'a mint without a price cannot drift');
        path.push(usd);
        if (failing) throw new Error('the pools cannot follow');
        await stored.set(mint, usd);
      },
      sleep: async (milliseconds, signal) => {
        clock.time += milliseconds;
        if (left-- > 0 && !signal.aborted) return;
        resolve();
        await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('closed'))));
      },
    });
    t.after(() => walk.close());
  });
  await done;
  return { path, stored };
}

test('a simulated price walks in small steps, the same for the same seed, and the others stand', async (t) => {
  const { path, stored } = await drift(t, 7, 50);
  assert.equal(path.length, 50);
  let before = 150;
  for (const usd of path) {
    assert.ok(Math.abs(usd / before - 1) <= 0.002 + 1e-9, `${before} to ${usd}`);
    before = usd;
  }
  assert.ok(path.some((usd, index) => usd > (path[index - 1] ?? 150)));
  assert.ok(path.some((usd, index) => usd < (path[index - 1] ?? 150)));
  assert.equal(stored.usd(known), path.at(-1));
  assert.equal(stored.usd(pegged), 1);
  assert.deepEqual((await drift(t, 7, 50)).path, path);
  assert.notDeepEqual((await drift(t, 8, 50)).path, path);
});

test('a step that fails leaves the price, and the next is tried', async (t) => {
  const { path, stored } = await drift(t, 7, 3, true);
  assert.equal(path.length, 3);
  assert.equal(stored.usd(known), 150);
});
