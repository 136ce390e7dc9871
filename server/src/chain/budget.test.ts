import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import type { Guest } from '../lib/places.js';
import {
  ChainUnavailable,
  createCallBudget,
  createHttpRpc,
  PURPOSES,
  type Purpose,
  type Rpc,
  statusesOf,
} from './index.js';
import { LEAST_CALLS } from './purposes.js';
import { Throttled } from './rpc.js';

const LIMIT = 100;
/** Whoever refuses both limits all that he is asked. */
const COMMON = ['getAccountInfo', 'getMultipleAccounts'] as const;

/** An RPC behind a budget, on a clock that only the test moves. */
function setUp(answer: (purpose: Purpose, method: string) => unknown = () => 1, limit = LIMIT) {
  let now = 1_000_000;
  let called = 0;
  const started: { at: number; purpose: string }[] = [];
  const rpc: Rpc = {
    name: 'test',
    async call<T>(method: string, [purpose]: [Purpose]): Promise<T> {
      started.push({ at: now, purpose });
      return answer(purpose, method) as T;
    },
  };
  const budget = createCallBudget({ rpc, callsPerSecond: limit, steadyNow: () => now });
  const rpcs = Object.fromEntries(PURPOSES.map((purpose) => [purpose, budget.rpcFor(purpose)])) as Record<Purpose, Rpc>;
  const outcomes: Promise<unknown>[] = [];
  return {
    budget,
    /** Calls for a caller. */
    callFor(caller: Guest, purpose: Purpose, times = 1) {
      const rpc = budget.rpcFor(purpose, caller);
      return Array.from({ length: times }, () =>
        rpc.call('getAccountInfo', [purpose]).catch((error: unknown) => error),
      );
    },
    /** Calls of this method, or of the common ones by turns; each resolves with the error if it fails. */
    call(purpose: Purpose, times = 1, method?: string) {
      const calls = Array.from({ length: times }, () =>
        rpcs[purpose].call(method ?? COMMON[++called % 2]!, [purpose]).catch((error) => error),
      );
      outcomes.push(...calls);
      return calls;
    },
    async pass(milliseconds: number) {
      for (let step = 0; step < milliseconds; step += 10) {
        now += 10;
        mock.timers.tick(10);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    /** Time passes, and no timer is told. */
    lag(milliseconds: number) {
      now += milliseconds;
    },
    now: () => now,
    startedOf: (purpose: Purpose) => started.filter((call) => call.purpose === purpose).length,
    /** The most calls that started within any second. */
    busiestSecond: () =>
      Math.max(...started.map(({ at }) => started.filter((call) => call.at >= at && call.at < at + 1_000).length)),
  };
}

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

describe('attack: a node limits a method by itself, or leaves it out, with 429 each time', () => {
  const METHODS = [
    ...COMMON,
    'getLatestBlockhash',
    'getSignatureStatuses',
    'simulateTransaction',
    'sendTransaction',
    'isBlockhashValid',
    'getSignaturesForAddress',
    'getTransaction',
    'getBlockTime',
    'getRecentPrioritizationFees',
    'getProgramAccounts',
    'getTokenAccountsByOwner',
    'getHealth',
  ];

  it('whichever it is and whoever asks: all else starts at once, also of the same purpose, while many of that method wait', async () => {
    for (const limited of METHODS) {
      const refuse = (_purpose: Purpose, method: string) => {
        if (method === limited) throw new Throttled('429', 4_000);
        return 1;
      };
      const { budget, call, pass } = setUp(refuse, 10 * LIMIT);
      const others = METHODS.filter((method) => method !== limited);
      const answers: Promise<unknown>[] = [];
      for (let round = 0; round < 6; round++) {
        for (const purpose of PURPOSES) {
          call(purpose, 15, limited);
          const { waited } = budget.counts(purpose);
          const calls = budget.counts(purpose).calls;
          for (const method of others.slice(0, 4)) answers.push(...call(purpose, 1, method));
          const now = budget.counts(purpose);
          assert.deepEqual([now.calls - calls, budget.limit(purpose)], [4, 10 * LIMIT], `${limited} for ${purpose}`);
          assert.ok(now.waited - waited <= 4);
        }
        await pass(500);
        others.push(others.shift()!);
      }
      assert.deepEqual(new Set(await Promise.all(answers)), new Set([1]), limited);
    }
  });

  it('that it gives often enough, but for once, when it asks to be left alone: soon all are answered again', async () => {
    for (const [given, asked] of [
      [10, 7],
      [30, 20],
      [100, 75],
    ] as const) {
      let refuses = false;
      let left = { tokens: given as number, at: 0 };
      const { budget, now, pass } = setUp(() => {
        left = { tokens: Math.min(given, left.tokens + ((now() - left.at) / 1_000) * given), at: now() };
        const isRefused = refuses || left.tokens < 1;
        refuses = false;
        if (isRefused) throw new Throttled('429', 5_000);
        return left.tokens--;
      }, 3 * LIMIT);
      const quotes = budget.rpcFor('quotes');
      const late: Promise<unknown>[] = [];
      let due = 0;
      for (let round = 0; round < 600; round++) {
        if (round === 50) refuses = true;
        for (due += asked / 10; due >= 1; due--) {
          const answer = quotes.call('simulateTransaction', ['quotes']).catch((error: unknown) => error);
          if (round >= 400) late.push(answer);
        }
        await pass(100);
      }
      await pass(5_000);
      const failed = (await Promise.all(late)).filter((answer) => answer instanceof Error).length;
      assert.equal(failed, 0, `${failed} of ${late.length} where ${given} are given`);
    }
  });

  it('of what it has kept of old transactions only: the latest statuses are read as before', async () => {
    const rpc: Rpc = {
      name: 'test',
      async call<T>(_method: string, [, { searchTransactionHistory }]: [string[], Record<string, boolean>]) {
        if (searchTransactionHistory) throw new Throttled('429', 0);
        return { context: { slot: 7 }, value: [null] } as T;
      },
    };
    const budget = createCallBudget({ rpc, callsPerSecond: LIMIT, steadyNow: () => 0 });
    const landing = budget.rpcFor('landing');
    for (let times = 0; times < 2 * LEAST_CALLS; times++) {
      void statusesOf(landing, ['signature'], true).catch(() => {});
      assert.equal((await statusesOf(landing, ['signature'], false)).slot, 7n);
    }
    assert.ok(budget.waiting('landing') > 0, 'the others wait');
  });

  it('that it gives twenty times a second, of which strangers ask for more: what is for landing goes first', async () => {
    const given: number[] = [];
    const { call, now, pass } = setUp((_purpose, method) => {
      if (method !== 'isBlockhashValid') return 1;
      while (given[0]! <= now() - 1_000) given.shift();
      if (given.length < 20) return given.push(now());
      throw new Throttled('429', 0);
    });
    const asked: Promise<unknown>[] = [];
    for (let round = 0; round < 600; round++) {
      call('strangers', 5, 'isBlockhashValid');
      if (round % 5 === 0) asked.push(...call('landing', 1, 'isBlockhashValid'));
      await pass(100);
    }
    await pass(5_000);
    const told = (await Promise.all(asked)).filter((answer) => typeof answer === 'number').length;
    assert.ok(told >= asked.length * 0.95, `${told} of ${asked.length}`);
  });
});

describe('attack: a node throttles its callers', () => {
  const throttling = (purposes: Purpose[], retryAfterMs = 0) => {
    const answering = { purposes };
    const answer = (purpose: Purpose) => {
      if (answering.purposes.includes(purpose)) throw new Throttled('429', retryAfterMs);
      return 1;
    };
    return { answering, ...setUp(answer) };
  };

  it('it is asked half as much, down to 10 calls a second, and has all back after a minute without it', async () => {
    const { answering, call, pass, budget } = throttling([...PURPOSES]);
    for (let second = 0; second < 10; second++) {
      call('landing', LIMIT);
      await pass(1_000);
    }
    const least = budget.limit('landing');
    assert.ok(least <= 2 * LEAST_CALLS, `${least}`);
    answering.purposes = [];
    await pass(60_000);
    assert.equal(budget.limit('landing'), LIMIT);
  });

  it('whose plan is far smaller than the budget, while clients ask for all that they get: few calls of keepers are refused', async () => {
    const given: number[] = [];
    const { call, now, pass } = setUp(() => {
      while (given[0]! <= now() - 1_000) given.shift();
      if (given.length < 20) return given.push(now());
      throw new Throttled('429', 0);
    }, 3 * LIMIT);
    const asked: Promise<unknown>[] = [];
    for (let round = 0; round < 1_200; round++) {
      for (const method of [...COMMON, 'getTokenAccountsByOwner']) call('quotes', 3, method);
      if (round % 2 === 0) asked.push(...call('landing'), ...call('keeper'));
      await pass(100);
    }
    const answers = await Promise.all(asked);
    const refused = answers.filter((answer) => answer instanceof Throttled).length;
    assert.ok(refused < 0.1 * answers.length, `${refused} of ${answers.length}`);
  });

  it('because of submitted transactions only: nobody else is slowed', async () => {
    const { call, pass, budget } = throttling(['strangers']);
    for (let second = 0; second < 10; second++) {
      call('strangers', LIMIT);
      await pass(1_000);
    }
    assert.ok(budget.limit('strangers') <= 2 * LEAST_CALLS);
    for (const purpose of ['landing', 'keeper', 'quotes', 'reads'] as const) assert.equal(budget.limit(purpose), LIMIT);
  });

  it('and asks to be left alone for a year, whatever it is asked: it is, for 2 s, but for landing, the ends of what is posted, 10 calls a second of keepers, and a few of those that list besides', async () => {
    const { answering, call, pass, startedOf } = throttling([...PURPOSES], 365 * 86_400_000);
    for (const purpose of PURPOSES) call(purpose, 2);
    await pass(10);
    answering.purposes = [];
    for (const purpose of PURPOSES) call(purpose, 40);
    const started = () => Object.fromEntries(PURPOSES.map((purpose) => [purpose, startedOf(purpose)]));
    await pass(1_900);
    const { landing, ends, keeper, searches, histories, ...others } = started();
    assert.ok(landing! > 2 + LEAST_CALLS, `${landing}`);
    assert.ok(ends! > 2, `${ends}`);
    assert.ok(keeper! > 2 && keeper! <= 2 * (1 + 2 * LEAST_CALLS), `${keeper}`);
    assert.ok(searches! > 2 && searches! <= 2 * (1 + 2), `${searches}`);
    assert.ok(histories! > 2 && histories! <= 2 * (1 + 2 * 2), `${histories}`);
    assert.deepEqual(new Set(Object.values(others)), new Set([2]));
    await pass(200);
    for (const purpose of PURPOSES) call(purpose);
    await pass(1_000);
    for (const [purpose, count] of Object.entries(started())) assert.ok(count > 2, purpose);
  });

  it('and asks one purpose to leave it alone: no other waits', async () => {
    for (const purpose of PURPOSES) {
      const { call, pass, startedOf } = throttling([purpose], 365 * 86_400_000);
      call(purpose, 1, 'getAccountInfo');
      await pass(10);
      for (const each of PURPOSES) {
        call(each, 1, 'getAccountInfo');
        const waits = each === purpose && !['landing', 'ends', 'keeper', 'histories'].includes(each);
        assert.equal(startedOf(each), each === purpose && !waits ? 2 : 1, `${each} beside ${purpose}`);
      }
    }
  });

  it('and says so with 429 and Retry-After, or inside of an answer', async () => {
    const answers = [
      new Response('slow down', { status: 429, headers: { 'retry-after': '1' } }),
      Response.json({ error: { code: 429, message: 'slow down' } }),
      Response.json({ error: { code: -32005, message: 'daily request limit reached' } }),
    ];
    const rpc = createHttpRpc({ url: 'https://rpc.example.com', post: async () => answers.shift()! });
    for (const expected of [1_000, 0, 0]) {
      await assert.rejects(rpc.call('getSlot', []), (error) => {
        assert.ok(error instanceof Throttled, String(error));
        assert.equal(error.retryAfterMs, expected);
        return true;
      });
    }
    answers.push(Response.json({ error: { code: -32002, message: 'memo: too many requests' } }));
    await assert.rejects(rpc.call('sendTransaction', []), { name: 'RpcError' });
  });
});
