import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { generateKeypair } from '@slipway/wire';
import { ChainUnavailable, createChain, type Rpc } from '../chain/index.js';
import { leisurely } from './pace.js';
import { FEES, log } from './testing.js';
import { createTracker } from './tracker.js';

const SLOT_MS = 400;
const STEP_MS = 100;
/** How long a node is waited for. */
const TIMEOUT_MS = 10_000;

/** A node to which all have landed, and that needs long to tell how those ended whose signature begins with `slow`; a time of its own. */
function openWorld() {
  const begun = 1_000_000;
  let now = begun;
  const counts = { slow: 0, underWay: 0, most: 0 };
  let isStalled = false;
  const ended = new Map<string, { event: string; afterMs: number }>();
  const later = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));
  async function tellSlowly() {
    counts.slow += 1;
    counts.underWay += 1;
    counts.most = Math.max(counts.most, counts.underWay);
    await later(TIMEOUT_MS);
    counts.underWay -= 1;
    throw new ChainUnavailable('no answer in 10000 ms');
  }
  const slot = () => 9 + Math.floor((now - begun) / SLOT_MS);
  const rpc: Rpc = {
    name: 'test',
    async call<T>(method: string, [asked]: unknown[]): Promise<T> {
      const context = { slot: slot() };
      if (method === 'isBlockhashValid') return { context, value: true } as T;
      if (method === 'getTransaction') {
        if (String(asked).startsWith('slow')) return tellSlowly() as T;
        if (isStalled) await later(7_000);
        return { slot: 8, meta: { err: null } } as T;
      }
      assert.equal(method, 'getSignatureStatuses');
      const value = (asked as string[]).map(() => ({ slot: 8, err: null, confirmationStatus: 'confirmed' }));
      return { context, value } as T;
    },
  };
  const chain = createChain({ rpc, steadyNow: () => now, fees: FEES });
  const tracker = createTracker({ chain, sendRpcs: [], log, steadyNow: () => now, pace: leisurely(chain) });
  const lifetime = { kind: 'blockhash', blockhash: generateKeypair().address, aliveAt: 1n } as const;
  return {
    counts,
    ended,
    follow(signature: string, caller: string) {
      const at = now;
      const flight = { signature, wire: new Uint8Array(1), lifetime, caller: { id: caller } };
      tracker.track(flight).then(
        ({ event }) => ended.set(signature, { event, afterMs: now - at }),
        () => {},
      );
      tracker.pollNow();
    },
    async pass(seconds: number, each: (second: number) => void = () => {}) {
      for (let passed = 0; passed < seconds * 1_000; passed += STEP_MS) {
        if (passed % 1_000 === 0) each(passed / 1_000);
        now += STEP_MS;
        mock.timers.tick(STEP_MS);
        for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
      }
    },
    stall(is: boolean) {
      isStalled = is;
    },
    close: () => tracker.close(),
  };
}

describe('attack: a free key submits what lands, and what a node needs ten seconds to tell the end of', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  it('100 of them: few are asked for, eight at first and then one at a time; those of another key end as fast as alone; and all have landed in the end', async () => {
    const world = openWorld();
    for (let index = 0; index < 100; index++) world.follow(`slow ${index}`, 'attacker');
    await world.pass(190, (second) => world.follow(`honest ${second}`, 'honest'));
    assert.ok(world.counts.most <= 8, `${world.counts.most} at the same time`);
    assert.ok(world.counts.slow <= 28, `${world.counts.slow} calls`);
    const honest = [...world.ended.values()];
    assert.equal(honest.length, 190, 'nothing is said of those that the node does not tell');
    assert.ok(honest.every(({ event, afterMs }) => event === 'landed' && afterMs <= 1_000));
    // By then, nodes know it by all of its signature.
    await world.pass(20);
    const slow = [...world.ended].filter(([signature]) => signature.startsWith('slow'));
    assert.equal(slow.length, 100);
    assert.ok(slow.every(([, { event }]) => event === 'landed'));
    world.close();
  });

  it('one alone is asked for less and less often', async () => {
    const world = openWorld();
    world.follow('slow', 'attacker');
    await world.pass(190);
    assert.ok(world.counts.slow <= 6, `${world.counts.slow} calls`);
    world.close();
  });

  it('with 20 keys that have quick ones in between: those of another key are late for a minute at most', async () => {
    const world = openWorld();
    for (let index = 0; index < 160; index++) world.follow(`slow ${index}`, `attacker ${index % 20}`);
    await world.pass(180, (second) => {
      for (let key = 0; key < 20; key++)
        if (second % 10 === key % 10) world.follow(`quick ${second} ${key}`, `attacker ${key}`);
      for (let index = 0; index < 5; index++) world.follow(`honest ${second} ${index}`, 'honest');
    });
    const late = [...world.ended].filter(([signature, { afterMs }]) => {
      const [who, second] = signature.split(' ');
      return who === 'honest' && Number(second) >= 60 && afterMs > 2_000;
    });
    const told = [...world.ended.keys()].filter((signature) => signature.startsWith('honest'));
    assert.ok(told.length >= 890, `${told.length} of 900`);
    assert.equal(late.length, 0);
    world.close();
  });

  it('a node that is slow with all for a second keeps nobody waiting for long after', async () => {
    const world = openWorld();
    await world.pass(60, (second) => {
      world.stall(second === 20);
      for (let index = 0; index < 5; index++) world.follow(`honest ${second} ${index}`, 'honest');
    });
    world.stall(false);
    await world.pass(10);
    const told = [...world.ended].map(([signature, { afterMs }]) => ({
      second: Number(signature.split(' ')[1]),
      afterMs,
    }));
    assert.equal(told.length, 300);
    assert.ok(told.every(({ afterMs }) => afterMs <= 15_000));
    assert.ok(told.every(({ second, afterMs }) => second < 35 || afterMs <= 1_000));
    world.close();
  });

  it('with 20 keys: 16 are asked for at the same time at first, then four, and those of another key end as fast as alone', async () => {
    const world = openWorld();
    for (let index = 0; index < 500; index++) world.follow(`slow ${index}`, `attacker ${index % 20}`);
    await world.pass(45);
    assert.ok(world.counts.most <= 16, `${world.counts.most} at the same time`);
    const before = world.counts.slow;
    await world.pass(60, (second) => world.follow(`honest ${second}`, 'honest'));
    assert.ok(world.counts.slow - before <= 6 * 4 + 4, `${world.counts.slow - before} calls in a minute`);
    const honest = [...world.ended.values()];
    assert.equal(honest.length, 60);
    assert.ok(honest.every(({ event, afterMs }) => event === 'landed' && afterMs <= 1_000));
    world.close();
  });
});
