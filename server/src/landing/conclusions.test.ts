import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateKeypair } from '@slipway/wire';
import { createChain, type Rpc, Unanswered } from '../chain/index.js';
import { PATIENCE_MS, runningNow } from '../lib/testing.js';
import { CLOSE, OWN, type Resending } from './pace.js';
import { emptyWire, FEES, log } from './testing.js';
import { createTracker } from './tracker.js';

const lifetime = { kind: 'blockhash', blockhash: generateKeypair().address, aliveAt: 1n } as const;
const NEWEST = 1_000;
const wire = emptyWire(lifetime.blockhash);

/** A node on which nothing of this lifetime lands any more but what is in `landed`, and which answers for all history as `lookUp` does, at the slot that it tells, if any. */
function setUp(t: TestContext, lookUp: (signatures: readonly string[]) => Promise<number | undefined>) {
  let now = 0;
  const landed = new Set<string>();
  const rpc: Rpc = {
    name: 'test',
    async call<T>(method: string, [asked, options]: unknown[]): Promise<T> {
      if (method === 'isBlockhashValid') return { context: { slot: NEWEST }, value: false } as T;
      assert.equal(method, 'getSignatureStatuses');
      const signatures = asked as string[];
      const { searchTransactionHistory: isAll } = options as { searchTransactionHistory: boolean };
      const slot = (isAll ? await lookUp(signatures) : undefined) ?? NEWEST;
      const status = { slot: NEWEST, err: null, confirmationStatus: 'confirmed' };
      return { context: { slot }, value: signatures.map((each) => (landed.has(each) ? status : null)) } as T;
    },
  };
  const steadyNow = () => now;
  const chain = createChain({ rpc, steadyNow, fees: FEES });
  const tracker = createTracker({ chain, sendRpcs: [], log, steadyNow, pace: { ...CLOSE, pollMs: 1 } });
  t.after(() => tracker.close());
  const ends = new Map<string, string>();
  return {
    landed,
    ends,
    track(signature: string, resending?: Resending) {
      // Of ours a status is enough.
      tracker.track({ signature, wire, lifetime, isOurs: true, ...(resending && { resending }) }).then(
        ({ event }) => ends.set(signature, event),
        () => {},
      );
    },
    /** Lets its time go by until this is so. */
    async until(isSo: () => boolean) {
      for (const end = runningNow() + PATIENCE_MS; !isSo(); await sleep(5)) {
        assert.ok(runningNow() < end);
        now += 100;
      }
    },
  };
}

it('attack: a node answers nothing of what it keeps of all history: what lands is told all the same, beside what is dead', async (t) => {
  let lookedUp = 0;
  const { track, landed, ends, until } = setUp(t, () => {
    lookedUp += 1;
    return new Promise(() => {});
  });
  for (let n = 0; n < 300; n++) track(`dead ${n}`);
  await until(() => lookedUp > 0);
  track('lands');
  landed.add('lands');
  await until(() => ends.size > 0);
  assert.deepEqual([...ends], [['lands', 'landed']]);
});

it('attack: a node looks up one signature after the other in what it keeps of all history: two hundred that die together are all told', async (t) => {
  const { track, ends, until } = setUp(t, async (signatures) => {
    if (signatures.length > 16) throw new Unanswered('no answer in 10000 ms to getSignatureStatuses');
    return undefined;
  });
  for (let n = 0; n < 200; n++) track(`dead ${n}`);
  await until(() => ends.size === 200);
  assert.deepEqual(new Set(ends.values()), new Set(['expired']));
});

it('attack: a free key has ever more posts die at a node that answers nothing of them: what keepers have sent is told as expired all the same', async (t) => {
  let lookedUp = 0;
  const { track, ends, until } = setUp(t, (signatures) => {
    lookedUp += 1;
    return signatures.includes('fill') ? Promise.resolve(undefined) : new Promise(() => {});
  });
  for (let n = 0; n < 1_200; n++) track(`post ${n}`);
  await until(() => lookedUp === 4);
  track('fill', OWN);
  await until(() => ends.size > 0);
  assert.deepEqual([...ends], [['fill', 'expired']]);
});

it('attack: a free key has posts die with what keepers have sent, whose first look a node answers that is behind: it is looked up again before them', async (t) => {
  let looked = 0;
  const { track, ends, until } = setUp(t, (signatures) => {
    if (!signatures.includes('fill')) return new Promise(() => {});
    looked += 1;
    return Promise.resolve(looked === 1 ? NEWEST - 1 : NEWEST);
  });
  track('fill', OWN);
  for (let n = 0; n < 100; n++) track(`post ${n}`);
  await until(() => ends.size > 0);
  assert.deepEqual([...ends], [['fill', 'expired']]);
  assert.equal(looked, 2);
});

it('attack: a node does not answer for what a keeper has sent: what clients have posted is looked up as many at once as ever', async (t) => {
  const asked: number[] = [];
  let unanswered = 0;
  const { track, ends, until } = setUp(t, async (signatures) => {
    if (signatures.includes('fill')) {
      unanswered += 1;
      throw new Unanswered('no answer in 10000 ms to getSignatureStatuses');
    }
    asked.push(signatures.length);
    return undefined;
  });
  track('fill', OWN);
  await until(() => unanswered > 0);
  for (let n = 0; n < 200; n++) track(`post ${n}`);
  await until(() => ends.size === 200);
  assert.deepEqual(asked, [200]);
});
