import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import type { Guest } from '../lib/places.js';
import { ChainUnavailable, type Purpose } from './index.js';
import { Throttled } from './rpc.js';
import { LIMIT, setUp } from './testing.js';

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
afterEach(() => mock.timers.reset());

describe('attack: a free key makes the service flood its node, with submitted transactions or with quotes', () => {
  it('no second has more calls than the budget, and what is for landing starts at once', async () => {
    const { call, pass, startedOf, busiestSecond, budget } = setUp();
    for (let round = 0; round < 40; round++) {
      call('strangers', 20);
      call('reads', 20);
      call('quotes', 20);
      const landed = startedOf('landing');
      call('landing');
      // No time has passed.
      await Promise.resolve();
      assert.equal(startedOf('landing'), landed + 1, `round ${round}`);
      await pass(100);
    }
    assert.ok(busiestSecond() <= LIMIT * 0.9, 'the last tenth is kept free for landing');
    assert.equal(budget.counts('landing').waited, 0);
  });

  it('posts that fail when they are tried out, round and round: landing waits for none, and every call of a keeper is made', async () => {
    const { call, pass, startedOf, budget } = setUp();
    for (let round = 0; round < 60; round++) {
      call('posts', 30);
      call('keeper', 2);
      call('landing');
      await pass(100);
    }
    await pass(1_000);
    assert.equal(budget.counts('landing').waited, 0);
    assert.equal(budget.counts('keeper').refused, 0);
    assert.equal(startedOf('keeper'), 120);
    assert.ok(budget.counts('posts').refused > 0);
  });

  it('searches for what makers may have sent, however many: half of the budget, and what clients read starts at once', async () => {
    const { call, pass, startedOf, budget } = setUp();
    for (let round = 0; round < 40; round++) {
      call('searches', 50);
      const read = startedOf('reads');
      call('reads', 2);
      await Promise.resolve();
      assert.equal(startedOf('reads'), read + 2, `round ${round}`);
      await pass(100);
    }
    assert.equal(budget.counts('reads').waited, 0);
    assert.ok(startedOf('searches') <= 5 * LIMIT * 0.5, `${startedOf('searches')}`);
  });

  it('strangers alone get 40 % of the budget', async () => {
    const { call, pass, startedOf } = setUp();
    call('strangers', 200);
    await pass(900);
    assert.equal(startedOf('strangers'), LIMIT * 0.4);
  });

  it('what waits is bounded: further calls fail at once, as if the node were away, and others after 5 s', async () => {
    const { call, pass, budget } = setUp();
    const calls = call('strangers', 1_000);
    assert.equal(budget.waiting('strangers'), 2 * LIMIT);
    assert.equal(budget.counts('strangers').refused, 1_000 - 2 * LIMIT - 0.4 * LIMIT);
    assert.ok((await calls.at(-1)) instanceof ChainUnavailable);
    call('landing', 10_000);
    await pass(6_000);
    assert.equal(budget.waiting('strangers'), 0);
    assert.equal(budget.waiting('landing'), 0);
  });

  it('none starves: each purpose has at least 2 % of the budget, whatever those before it do', async () => {
    const { call, pass, startedOf, busiestSecond } = setUp();
    call('strangers', 10);
    for (let round = 0; round < 50; round++) {
      call('landing', 20);
      if (round === 0) call('strangers', 90);
      await pass(100);
    }
    assert.ok(startedOf('strangers') >= 10, `${startedOf('strangers')}`);
    assert.ok(busiestSecond() <= LIMIT);
  });
});

describe('attack: a free key and eleven others post and ask for quotes far more than the node is asked', () => {
  const hostile = Array.from({ length: 12 }, (_, number): Guest => ({ id: `hostile ${number}` }));
  const shared = Array.from({ length: 50 }, (_, number): Guest => ({ id: `page ${number}`, together: 'page' }));

  it('each of the few posts and quotes of another key is made, and one key alone has all that waits', async () => {
    for (const purpose of ['posts', 'quotes'] as const) {
      const { callFor, pass, budget } = setUp();
      const answers: Promise<unknown>[] = [];
      callFor(hostile[0]!, purpose, 500);
      assert.equal(budget.waiting(purpose), 2 * LIMIT);
      for (let round = 0; round < 100; round++) {
        for (const key of hostile) callFor(key, purpose, 30);
        for (const client of shared) callFor(client, purpose);
        if (round % 10 === 0) answers.push(...callFor({ id: 'honest' }, purpose, 4));
        assert.ok(budget.waiting(purpose) <= 2 * LIMIT);
        await pass(100);
      }
      await pass(3_000);
      assert.deepEqual(await Promise.all(answers), Array(40).fill(1));
    }
  });

  it('those who come just as there is room go after those who wait for it', async () => {
    const { callFor, lag, pass, budget } = setUp();
    for (const key of hostile) callFor(key, 'quotes', 30);
    const [honest] = callFor({ id: 'honest' }, 'quotes');
    lag(1_000);
    const { calls } = budget.counts('quotes');
    for (const key of hostile) callFor(key, 'quotes', 30);
    assert.equal(await Promise.race([honest, pass(10).then(() => 'waits')]), 1);
    assert.equal(budget.counts('quotes').calls - calls, LIMIT * 0.8);
  });

  it('posts of all of them leave half to quotes, which others ask for', async () => {
    const { callFor, pass } = setUp();
    const answers: Promise<unknown>[] = [];
    for (let round = 0; round < 100; round++) {
      for (const key of hostile) callFor(key, 'posts', 30);
      if (round % 10 === 0) answers.push(...callFor({ id: 'honest' }, 'quotes', 20));
      await pass(100);
    }
    await pass(3_000);
    assert.deepEqual(await Promise.all(answers), Array(200).fill(1));
  });

  it('all that share a page have one part, and in that each has a turn', async () => {
    const { callFor, pass } = setUp();
    callFor(hostile[0]!, 'posts', 200);
    const many = shared.slice(1).flatMap((client) => callFor(client, 'posts'));
    const [one] = callFor(shared[0]!, 'posts');
    const [honest] = callFor({ id: 'honest' }, 'posts');
    await pass(5_500);
    assert.deepEqual([await one, await honest], [1, 1]);
    assert.deepEqual(await Promise.all(many), Array(49).fill(1));
  });
});

it('attack: a free key posts more than the node lets be sent, which asks to be left alone then: nobody waits but those who post so, though what is landed for others is refused as well', async () => {
  const sent: number[] = [];
  let refused = 0;
  const { budget, call, now, pass } = setUp((_purpose, method) => {
    if (method !== 'sendTransaction') return 1;
    while (sent[0]! <= now() - 1_000) sent.shift();
    if (sent.length < 10) return sent.push(now());
    refused++;
    throw new Throttled('429', 5_000);
  });
  const send = (purpose: Purpose) => void call(purpose, 1, 'sendTransaction');
  const others = ['keeper', 'posts', 'quotes', 'reads'] as const;
  const answers: Promise<unknown>[] = [];
  for (let round = 0; round < 600; round++) {
    for (let n = 0; n < 5; n++) send('strangers');
    send('landing');
    for (const purpose of others) answers.push(...call(purpose));
    await pass(100);
  }
  assert.ok(refused > 0);
  for (const purpose of ['landing', ...others] as const) {
    assert.deepEqual([purpose, budget.counts(purpose).waited, budget.limit(purpose)], [purpose, 0, LIMIT]);
  }
  assert.deepEqual(new Set(await Promise.all(answers)), new Set([1]));
});

it('attack: a free key has more ends looked up than the node lists in a second: nothing else is slowed for that, and as many as it lists are', async () => {
  const LISTS = 25;
  const listed: number[] = [];
  const { budget, call, now, pass } = setUp((_purpose, method) => {
    if (method !== 'getSignaturesForAddress') return 1;
    while (listed[0]! <= now() - 1_000) listed.shift();
    if (listed.length < LISTS) return listed.push(now());
    throw new Throttled('429', 5_000);
  });
  let told = 0;
  const others = ['landing', 'keeper', 'posts', 'quotes', 'reads'] as const;
  const answers: Promise<unknown>[] = [];
  for (let round = 0; round < 600; round++) {
    for (let n = 0; n < 15; n++)
      void call('ends', 1, 'getSignaturesForAddress')[0]!.then((answer) => (told += answer instanceof Error ? 0 : 1));
    for (const purpose of others) answers.push(...call(purpose));
    await pass(100);
  }
  for (const purpose of others) assert.deepEqual([purpose, budget.limit(purpose)], [purpose, LIMIT]);
  await pass(5_000);
  assert.deepEqual(new Set(await Promise.all(answers)), new Set([1]));
  assert.ok(told >= (60 * LISTS) / 3, `${told}`);
});

it('attack: a free key has more ends looked up than the node lists in a second, which asks to be left alone then: what is listed for programs, and for what others were given to send, goes on', async () => {
  for (const lists of [4, 10]) {
    const listed: number[] = [];
    const { call, now, pass } = setUp(() => {
      while (listed[0]! <= now() - 1_000) listed.shift();
      if (listed.length < lists) return listed.push(now());
      throw new Throttled('429', 5_000);
    });
    const told = { ends: 0, histories: 0, searches: 0 };
    const asking = { histories: false, searches: false };
    for (let round = 0; round < 1_200; round++) {
      for (const list of call('ends', 2, 'getSignaturesForAddress'))
        void list.then((answer) => (told.ends += typeof answer === 'number' ? 1 : 0));
      for (const purpose of ['histories', 'searches'] as const) {
        if (asking[purpose]) continue;
        asking[purpose] = true;
        void call(purpose, 1, 'getSignaturesForAddress')[0]!.then((answer) => {
          asking[purpose] = false;
          if (typeof answer === 'number') told[purpose] += 1;
        });
      }
      await pass(100);
    }
    // Of 120 seconds.
    assert.ok(
      told.ends >= 25 * lists && told.histories >= 60 && told.searches >= 50,
      `${lists}: ${JSON.stringify(told)}`,
    );
  }
});

it('attack: a stranger on the chain lands transactions that name the programs of limit orders and invites, however many: to read them takes a third of the calls, or a tenth while others take all, and what clients ask starts at once', async () => {
  const { call, pass, startedOf, budget } = setUp();
  for (let round = 0; round < 50; round++) {
    call('histories', 50);
    call('quotes');
    call('reads');
    await pass(100);
  }
  assert.deepEqual([budget.counts('quotes').waited, budget.counts('reads').waited], [0, 0]);
  assert.ok(startedOf('histories') <= 6 * LIMIT * 0.35, `${startedOf('histories')}`);
  const before = startedOf('histories');
  for (let round = 0; round < 50; round++) {
    call('histories', 50);
    call('keeper', 20);
    await pass(100);
  }
  const during = startedOf('histories') - before;
  assert.ok(during >= 5 * LIMIT * 0.09 && during <= 6 * LIMIT * 0.35, `${during}`);
});
