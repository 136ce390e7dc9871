import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ChainUnavailable } from '../chain/index.js';
import { BackOffs } from '../lib/back-offs.js';
import { silent } from '../routing/aggregator/testing.js';
import type { Store } from '../store/sql.js';
import { OwnTime } from './own-time.js';
import { type InFlight, MOST_UNDER_WAY, MOST_WITH_SENT, type Work, Worker, type WorkerOptions } from './worker.js';

type Begin = WorkerOptions['begin'];

/** Work whose items are sent once the test lets them. */
class TestWork implements Work<string, string> {
  items: string[] = [];
  readonly prepared: string[] = [];
  readonly sent: string[] = [];
  readonly ended: string[] = [];
  readonly failures: [string, string, number][] = [];
  readonly turns: number[] = [];
  /** Items that fail, and where. */
  readonly broken = new Map<string, 'isDue' | 'prepare' | 'send' | 'away'>();
  readonly #held = new Map<string, () => void>();
  /** How many turns have run at the same time at most. */
  mostTurns = 0;
  mostUnderWay = 0;
  isHolding = false;
  /** Whether others have the places of what is sent. */
  isLeaving = false;
  turnsRunning = 0;
  inFlight: InFlight | undefined;

  idOf = (item: string) => item;
  async due(inFlight: InFlight) {
    this.inFlight = inFlight;
    this.mostTurns = Math.max(this.mostTurns, ++this.turnsRunning);
    await new Promise(setImmediate);
    this.turnsRunning--;
    return this.items;
  }
  async isDue(item: string) {
    this.#breakAt(item, 'isDue');
    return true;
  }
  async prepare(item: string): Promise<string | undefined> {
    this.prepared.push(item);
    this.#breakAt(item, 'prepare');
    return item;
  }
  async send(item: string, _: string, isSent: () => void) {
    this.sent.push(item);
    if (this.isLeaving) isSent();
    this.mostUnderWay = Math.max(this.mostUnderWay, this.sent.length - this.ended.length);
    if (this.isHolding) await new Promise<void>((resolve) => this.#held.set(item, resolve));
    this.items = this.items.filter((each) => each !== item);
    this.ended.push(item);
    this.#breakAt(item, 'send');
  }
  failed(item: string, reason: string, tries: number) {
    this.failures.push([item, reason, tries]);
  }
  async turned(begun: number) {
    this.turns.push(begun);
  }
  letGo(item: string) {
    this.#held.get(item)?.();
    this.#held.delete(item);
  }
  letAllGo() {
    this.isHolding = false;
    for (const item of [...this.#held.keys()]) this.letGo(item);
  }
  #breakAt(item: string, step: string) {
    if (this.broken.get(item) === 'away' && step === 'prepare') throw new ChainUnavailable('away');
    if (this.broken.get(item) === step) throw new Error(`broken at ${step}`);
  }
}

const some = (count: number, prefix = 'item') => Array.from({ length: count }, (_, index) => `${prefix} ${index}`);
const settled = async () => {
  for (let i = 0; i < 20; i++) await new Promise(setImmediate);
};

// A worker keeps no process alive while it waits for what was sent; a service has other things that do.
let alive: NodeJS.Timeout;
before(() => {
  alive = setInterval(() => {}, 60_000);
});
after(() => clearInterval(alive));

function newWorker(begin: Begin, options: Partial<WorkerOptions> = {}) {
  const work = new TestWork();
  const worker = new Worker(work, { begin, intervalMs: 1_000, log: silent, failure: 'failed', ...options });
  return { work, worker };
}

for (const begin of ['serially', 'together'] as const) {
  it(`begins the others, and an item again, whose end no node tells, where it begins them ${begin}`, async () => {
    const backOffs = new BackOffs({ firstMs: 0, longestMs: 0 }, () => 0);
    const { work, worker } = newWorker(begin, { backOffs, longestSendMs: 50 });
    work.isHolding = true;
    work.items = some(MOST_UNDER_WAY);
    await worker.tick();
    while (work.failures.length < MOST_UNDER_WAY) await new Promise(setImmediate);
    assert.equal(work.failures[0]![1], 'no node can tell yet how it has ended');
    assert.equal(work.ended.length, 0);
    work.isHolding = false;
    work.items = ['item 0', 'another'];
    await worker.tick();
    await settled();
    assert.deepEqual(work.ended, ['item 0', 'another']);
    await worker.close();
  });
}

for (const begin of ['serially', 'together', 'queued'] as const) {
  describe(`a worker that begins its items ${begin}`, () => {
    it('runs one turn at a time', async () => {
      const { work, worker } = newWorker(begin);
      work.items = some(3);
      await Promise.all([worker.tick(), worker.tick(), worker.tick()]);
      assert.equal(work.mostTurns, 1);
      assert.equal(work.turns.length, 3);
      await worker.close();
    });

    it('has no more under way than its bound, and does all in the end', async () => {
      const { work, worker } = newWorker(begin);
      work.items = some(MOST_UNDER_WAY + 10);
      work.isHolding = true;
      const turn = worker.tick();
      await settled();
      assert.equal(work.sent.length, MOST_UNDER_WAY);
      work.letAllGo();
      await turn;
      await worker.runDue();
      assert.equal(work.mostUnderWay, MOST_UNDER_WAY);
      assert.deepEqual(new Set(work.ended), new Set(some(MOST_UNDER_WAY + 10)));
      assert.equal(work.ended.length, MOST_UNDER_WAY + 10);
      await worker.close();
    });

    it('goes on with the others when one fails, wherever that is', async () => {
      for (const step of ['prepare', 'send'] as const) {
        const { work, worker } = newWorker(begin, { backOffs: new BackOffs({ firstMs: 1, longestMs: 1 }, () => 0) });
        work.items = some(5);
        work.broken.set('item 1', step);
        await worker.tick();
        await settled();
        assert.deepEqual(work.failures, [['item 1', `broken at ${step}`, 1]]);
        assert.equal(new Set(work.sent).size, step === 'send' ? 5 : 4);
        await worker.close();
      }
    });

    it('begins nothing after it was closed, not even what it has prepared', async () => {
      const { work, worker } = newWorker(begin);
      work.items = some(4);
      let tell = () => {};
      const preparing = new Promise<void>((resolve) => {
        tell = resolve;
      });
      let letGo = () => {};
      work.prepare = (item) => {
        tell();
        return new Promise((resolve) => {
          const before = letGo;
          letGo = () => {
            before();
            resolve(item);
          };
        });
      };
      const turn = worker.tick();
      await preparing;
      const closing = worker.close();
      letGo();
      await Promise.all([turn, closing]);
      await settled();
      assert.deepEqual(work.sent, []);
      assert.equal(await worker.tick(), 0);
      await worker.runDue();
      assert.deepEqual(work.sent, []);
    });
  });
}

describe('a worker that begins its items serially', () => {
  it('prepares one after the other, and leaves what it has no room for to another turn', async () => {
    const { work, worker } = newWorker('serially');
    work.items = some(MOST_UNDER_WAY + 1);
    work.isHolding = true;
    assert.equal(await worker.tick(), MOST_UNDER_WAY);
    work.letGo('item 3');
    await settled();
    assert.equal(work.sent.length, MOST_UNDER_WAY);
    assert.equal(await worker.tick(), 1);
    assert.equal(work.sent.at(-1), `item ${MOST_UNDER_WAY}`);
    work.letAllGo();
    await worker.close();
  });

  it('does not begin an item that is under way', async () => {
    const { work, worker } = newWorker('serially');
    work.items = ['only'];
    work.isHolding = true;
    assert.deepEqual([await worker.tick(), await worker.tick()], [1, 0]);
    assert.deepEqual(work.prepared, ['only']);
    work.letAllGo();
    await worker.close();
  });

  it('goes on with the others when looking at one fails', async () => {
    const { work, worker } = newWorker('serially');
    work.items = some(3);
    work.broken.set('item 0', 'isDue');
    assert.equal(await worker.tick(), 2);
    assert.deepEqual(work.failures, [['item 0', 'broken at isDue', 1]]);
    await worker.close();
  });
});

describe('a worker that begins its items together', () => {
  it('ends its turn when all of them have ended', async () => {
    const { work, worker } = newWorker('together');
    work.items = some(3);
    work.isHolding = true;
    const turn = worker.tick();
    await settled();
    assert.deepEqual([work.sent.length, work.turns.length], [3, 0]);
    work.letAllGo();
    assert.equal(await turn, 3);
    assert.deepEqual(work.turns, [3]);
    await worker.close();
  });

  it('waits no longer than it may when it is closed while busy', async () => {
    const { work, worker } = newWorker('together', { longestCloseMs: 20 });
    work.items = ['endless'];
    work.isHolding = true;
    const turn = worker.tick();
    await settled();
    await worker.close();
    assert.deepEqual(work.ended, []);
    work.letAllGo();
    await turn;
  });
});

describe('a worker that queues its items', () => {
  it('begins the next as soon as there is room, and knows what is in flight', async () => {
    const { work, worker } = newWorker('queued');
    work.items = some(MOST_UNDER_WAY + 2);
    work.isHolding = true;
    await worker.tick();
    const last = `item ${MOST_UNDER_WAY + 1}`;
    const { inFlight } = work;
    assert.deepEqual([inFlight!.isUnderWay('item 0'), inFlight!.isQueued('item 0')], [true, false]);
    assert.deepEqual([inFlight!.isUnderWay(last), inFlight!.isQueued(last)], [false, true]);
    inFlight!.dequeue(last);
    work.letGo('item 5');
    work.letGo('item 6');
    await settled();
    assert.equal(work.sent.length, MOST_UNDER_WAY + 1);
    assert.ok(!work.sent.includes(last));
    work.letAllGo();
    await worker.close();
  });
});

describe('a worker whose items leave their places once they are sent', () => {
  it('begins others meanwhile, up to its second bound, of which half is left to other owners', async () => {
    const { work, worker } = newWorker('queued');
    Object.assign(work, { ownersOf: (item: string) => [item.split(' ')[0]] });
    [work.isLeaving, work.isHolding] = [true, true];
    work.items = some(MOST_WITH_SENT, 'one');
    await worker.tick();
    await settled();
    assert.equal(work.sent.length, MOST_UNDER_WAY);
    work.items = some(3, 'other');
    await worker.tick();
    await settled();
    assert.equal(work.sent.length, MOST_UNDER_WAY + 3);
    assert.ok(work.inFlight!.isUnderWay('one 0'), 'it is not begun again');
    work.letGo('one 0');
    await settled();
    assert.equal(work.sent.at(-1), `one ${MOST_UNDER_WAY}`);
    work.letAllGo();
    await worker.runDue();
    assert.deepEqual([work.ended.length, new Set(work.ended).size], [MOST_WITH_SENT + 3, MOST_WITH_SENT + 3]);
    await worker.close();
  });

  it('looks again soon where something is left, woken or not', async () => {
    const { work, worker } = newWorker('queued', { intervalMs: 3_600_000, soonMs: 0 });
    const left = [some(2, 'first'), some(2, 'next'), some(2, 'last')];
    const due = async () => {
      work.items = left.shift()!;
      return work.items;
    };
    Object.defineProperty(Object.assign(work, { due }), 'hasMore', { get: () => left.length > 0 });
    const all = left.flat();
    worker.start();
    while (work.sent.length < all.length) await new Promise(setImmediate);
    await worker.close();
    assert.deepEqual(work.sent, all);
  });

  it('keeps to its second bound, whoever they are of', async () => {
    const { work, worker } = newWorker('queued');
    Object.assign(work, { ownersOf: (item: string) => [item] });
    [work.isLeaving, work.isHolding] = [true, true];
    work.items = some(MOST_WITH_SENT + 20);
    await worker.tick();
    await settled();
    assert.equal(work.sent.length, MOST_WITH_SENT);
    work.letAllGo();
    await worker.runDue();
    assert.equal(new Set(work.ended).size, MOST_WITH_SENT + 20);
    await worker.close();
  });
});

describe('items that fail', () => {
  it('rest twice as long each time, until they succeed', async () => {
    let now = 0;
    const backOffs = new BackOffs({ firstMs: 100, longestMs: 1_000 }, () => now);
    const { work, worker } = newWorker('serially', { backOffs });
    const begunAt: number[] = [];
    work.broken.set('item', 'prepare');
    for (; now < 4_000; now += 50) {
      const before = work.prepared.length;
      work.items = ['item'];
      await worker.tick();
      if (work.prepared.length > before) begunAt.push(now);
    }
    assert.deepEqual(begunAt, [0, 100, 300, 700, 1_500, 2_500, 3_500]);
    assert.deepEqual(
      work.failures.map(([, , tries]) => tries),
      [1, 2, 3, 4, 5, 6, 7],
    );
    work.broken.clear();
    now += 1_000;
    await worker.runDue();
    assert.equal(backOffs.triesOf('item'), 0);
    await worker.close();
  });

  it('attack: a node answers nothing for an hour: half a minute later at most each item is tried again, which then fails as one that has failed five times', async () => {
    let now = 0;
    const backOffs = new BackOffs({ firstMs: 2_000, longestMs: 3_600_000 }, () => now);
    const { work, worker } = newWorker('serially', { backOffs });
    const begunAt: number[] = [];
    work.broken.set('item', 'away');
    const pass = async (until: number) => {
      for (; now <= until; now += 1_000) {
        const before = work.prepared.length;
        work.items = ['item'];
        await worker.tick();
        if (work.prepared.length > before) begunAt.push(now);
      }
    };
    await pass(3_600_000);
    assert.ok(now - begunAt.at(-1)! <= 33_000);
    work.broken.set('item', 'prepare');
    await pass(now + 120_000);
    assert.equal(begunAt.at(-1)! - begunAt.at(-2)!, 64_000);
    await worker.close();
  });

  it('are tried once more when all that is due is asked for', async () => {
    const { work, worker } = newWorker('serially', {
      backOffs: new BackOffs({ firstMs: 100, longestMs: 100 }, () => 0),
    });
    work.items = ['item'];
    work.broken.set('item', 'prepare');
    await worker.tick();
    await worker.tick();
    assert.equal(work.prepared.length, 1);
    await worker.runDue();
    assert.equal(work.prepared.length, 2);
    await worker.close();
  });

  it('are forgotten when nobody waits for them any more', () => {
    const backOffs = new BackOffs({ firstMs: 100, longestMs: 100 }, () => 7);
    backOffs.fail('gone');
    backOffs.fail('here');
    backOffs.wait('here', { firstMs: 10, longestMs: 10 });
    backOffs.keepOnly(new Set(['here']));
    assert.deepEqual([backOffs.triesOf('gone'), backOffs.triesOf('here')], [0, 1]);
    assert.deepEqual([backOffs.resting(), backOffs.lastAt('here'), backOffs.lastAt('gone')], [['here'], 7, 0]);
  });
});

describe('a lease', () => {
  /** A store that knows one holder of each lease. */
  function leaseStore() {
    const holders = new Map<string, string>();
    const query = async (text: string, [name, holder]: string[]) => {
      if (text.startsWith('delete')) {
        if (holders.get(name!) === holder) holders.delete(name!);
        return { rows: [], rowCount: 0 };
      }
      const isFree = (holders.get(name!) ?? holder) === holder;
      if (isFree) holders.set(name!, holder!);
      return { rows: [], rowCount: isFree ? 1 : 0 };
    };
    const store = { transaction: (work: (tx: unknown) => unknown) => work({ query }) } as unknown as Store;
    return { holders, lease: { store, nameOf: (id: string) => `the ${id}` } };
  }

  it('lets one of two copies work on an item, and is given back whatever comes of it', async () => {
    for (const step of [undefined, 'prepare', 'send'] as const) {
      const { holders, lease } = leaseStore();
      const [first, second] = [newWorker('serially', { lease }), newWorker('serially', { lease })];
      for (const { work } of [first, second]) work.items = ['item'];
      if (step) first.work.broken.set('item', step);
      first.work.isHolding = true;
      await first.worker.tick();
      if (step !== 'prepare') {
        assert.deepEqual([...holders.keys()], ['lease.the item']);
        assert.equal(await second.worker.tick(), 0);
        assert.deepEqual(second.work.prepared, []);
      }
      first.work.letAllGo();
      await settled();
      assert.equal(holders.size, 0);
      assert.equal(await second.worker.tick(), 1);
      await Promise.all([first.worker.close(), second.worker.close()]);
    }
  });
});

describe('a wallet with too little', () => {
  it('pays for nothing', async () => {
    for (const begin of ['serially', 'together'] as const) {
      let hasEnough = false;
      const { work, worker } = newWorker(begin, { wallet: { canPay: async () => hasEnough } });
      work.items = some(3);
      for (let i = 0; i < 3; i++) assert.equal(await worker.tick(), 0);
      assert.deepEqual(work.prepared, []);
      hasEnough = true;
      assert.equal(await worker.tick(), 3);
      await worker.close();
    }
  });
});

function sharingWorker(
  items: readonly string[],
  steps: Partial<Work<string, string>>,
  sharing: NonNullable<WorkerOptions['sharing']>,
) {
  const work: Work<string, string> = {
    idOf: (item) => item,
    due: async () => items,
    prepare: async (item) => item,
    send: async () => {},
    failed: () => {},
    ...steps,
  };
  return new Worker(work, { begin: 'serially', intervalMs: 1_000, log: silent, failure: 'x', sharing });
}

describe('a worker whose looks at items are work for the processor', () => {
  it('attack: a stranger on the chain opens ever more orders that no market pays for: others have the processor for as long, in slices', async () => {
    let [now, longest, since] = [0, 0, 0];
    const slept: number[] = [];
    const sleep = async (ms: number) => {
      longest = Math.max(longest, now - since);
      slept.push(ms);
      now += ms;
      since = now;
    };
    const isDue = async () => {
      now += 0.5;
      return false;
    };
    const worker = sharingWorker(some(2_000), { isDue }, { busyNow: () => now, sleep });
    await worker.tick();
    assert.equal(
      slept.reduce((sum, ms) => sum + ms, 0),
      1_000,
    );
    assert.equal(longest, 5);
    await worker.close();
  });

  it('attack: a stranger on the chain opens orders over pools that are long looked at: after each, others have the processor for as long', async () => {
    let now = 0;
    const slept: number[] = [];
    const sleep = async (ms: number) => {
      slept.push(ms);
    };
    const isDue = async () => {
      now += 400;
      return false;
    };
    const worker = sharingWorker(some(3), { isDue }, { busyNow: () => now, sleep });
    await worker.tick();
    assert.deepEqual(slept, [400, 400, 400]);
    await worker.close();
  });

  it('attack: a stranger on the chain opens orders that are long prepared in vain: after each, others have the processor for as long, and what is to be sent does not wait for that', async () => {
    let now = 0;
    const done: (string | number)[] = [];
    const sleep = async (ms: number) => done.push(ms);
    const prepare = async (item: string) => {
      now += 400;
      if (item === 'item 1') throw new Error('in vain');
      return item === 'item 0' ? undefined : item;
    };
    const send = async (item: string) => void done.push(item);
    const worker = sharingWorker(some(3), { prepare, send }, { busyNow: () => now, sleep });
    await worker.tick();
    assert.deepEqual(done, [400, 400, 'item 2', 400]);
    await worker.close();
  });

  it('counts no less than nothing of an item during which waits of several end that have begun before', async () => {
    let now = 1_000;
    const slept: number[] = [];
    const isDue = async (item: string) => {
      now += item === 'item 0' ? -600 : 10;
      return false;
    };
    const sleep = async (ms: number) => slept.push(ms);
    const worker = sharingWorker(some(2), { isDue }, { busyNow: () => now, sleep });
    await worker.tick();
    assert.deepEqual(slept, [10]);
    await worker.close();
  });

  it('attack: a free key keeps the process busy with its calls: what they take while an order is looked at keeps the next one waiting no longer', async () => {
    const own = new OwnTime();
    const slept: number[] = [];
    const busyFor = (ms: number) => {
      for (const end = performance.now() + ms; performance.now() < end; );
    };
    const isDue = async (item: string) => {
      setImmediate(() => busyFor(item === 'item 0' ? 200 : 20));
      await own.turnOfOthers();
      if (item === 'item 1') busyFor(20);
      return false;
    };
    const sleep = async (ms: number) => slept.push(ms);
    const worker = sharingWorker(some(2), { isDue }, { busyNow: () => own.now(), sleep });
    await worker.tick();
    const last = slept.at(-1)!;
    assert.ok(last >= 20, `${last} ms`);
    const all = slept.reduce((sum, ms) => sum + ms, 0);
    assert.ok(all < 150, `${all} ms`);
    await worker.close();
  });
});
