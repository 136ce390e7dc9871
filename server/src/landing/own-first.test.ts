import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateKeypair } from '@slipway/wire';
import { type Chain, type Rpc, Throttled } from '../chain/index.js';
import { PATIENCE_MS, runningNow } from '../lib/testing.js';
import { lifetimeByHeight } from './lifetime.js';
import { ownFirst } from './own-first.js';
import { CLOSE, OWN, posted } from './pace.js';
import { emptyWire, log } from './testing.js';
import { createTracker } from './tracker.js';

const TOO_MANY = new Throttled('a plan', 1_000);

it('attack: a free key posts ever more where a plan takes few sends in a second: while some of the keepers are refused, one in a second of what clients post is sent, and all of it while only clients are', async () => {
  for (const hasKeepers of [true, false]) {
    let [now, isFull] = [0, false];
    const sent: string[] = [];
    const rpc: Rpc = {
      name: 'plan',
      async call<T>(_method: string, [name]: unknown[]): Promise<T> {
        sent.push(name as string);
        if (isFull) throw TOO_MANY;
        return '' as T;
      },
    };
    const { own, others } = ownFirst(rpc, () => now);
    const send = (by: Rpc, name: string) => by.call('sendTransaction', [name]).catch(() => {});
    for (let each = 0; each < 5; each++) await send(others, 'before');
    isFull = true;
    for (; now < 6_000; now += 100) {
      if (hasKeepers && now % 400 === 0) await send(own, 'fill');
      for (let each = 0; each < 10; each++) await send(others, 'post');
    }
    isFull = false;
    now += 600;
    for (let each = 0; each < 5; each++) await send(others, 'after');
    const counts = ['before', 'fill', 'post', 'after'].map((name) => sent.filter((each) => each === name).length);
    assert.deepEqual(counts, hasKeepers ? [5, 15, 5, 5] : [5, 0, 600, 5]);
  }
});

it('what the keepers send and a plan refuses is sent again with each poll, what clients post two seconds later', async () => {
  const [blockhash, mine, posts] = [generateKeypair().address, 'mine', 'post'];
  const sends = new Map<string, number>();
  const chain = {
    rpc: { name: 'node', call: async () => [] },
    statuses: async (signatures: string[]) => ({ slot: 1n, found: signatures.map(() => undefined) }),
    latestBlockhash: async () => ({ blockhash, lastValidBlockHeight: 150n, slot: 1n }),
  } as unknown as Chain;
  const rpcOf = (name: string): Rpc => ({
    name,
    async call() {
      sends.set(name, (sends.get(name) ?? 0) + 1);
      throw TOO_MANY;
    },
  });
  const ways = { sendRpcs: [rpcOf(posts)], ownRpcs: [rpcOf(mine)] };
  let now = 0;
  const tracker = createTracker({ chain, ...ways, log, steadyNow: () => now, pace: { ...CLOSE, pollMs: 1 } });
  const flight = (signature: string) => {
    const wire = emptyWire(blockhash);
    return { signature, wire, lifetime: lifetimeByHeight(wire, 150n) };
  };
  const ends = [
    tracker.track({ ...flight(mine), resending: OWN, takenOver: true }),
    tracker.track({ ...flight(posts), resending: posted(chain), takenOver: true }),
  ].map((end) => end.catch(() => {}));
  for (const end = runningNow() + PATIENCE_MS; (sends.get(posts) ?? 0) < 2; await sleep(1)) {
    assert.ok(runningNow() < end);
    // In few steps, each of which may take its time.
    now += 20;
  }
  assert.ok(sends.get(mine)! > 10, `${sends.get(mine)}`);
  tracker.close();
  await Promise.all(ends);
});
