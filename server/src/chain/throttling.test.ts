import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { createCallBudget, createHttpRpc, PURPOSES, type Purpose, type Rpc, statusesOf } from './index.js';
import { LEAST_CALLS } from './purposes.js';
import { Throttled } from './rpc.js';
import { COMMON, LIMIT, setUp } from './testing.js';

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
afterEach(() => mock.timers.reset());

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

  it('at random, a few calls whatever they are, as one of several behind an address may: most quotes are answered', async () => {
    for (const oneIn of [500, 300]) {
      const isRefused = byChance(oneIn);
      const { budget, pass } = setUp(() => {
        if (isRefused()) throw new Throttled('429', 0);
        return 1;
      }, 3 * LIMIT);
      const quotes = budget.rpcFor('quotes');
      const quote = async () => {
        await quotes.call('getMultipleAccounts', ['quotes']);
        await quotes.call('simulateTransaction', ['quotes']);
      };
      const answers: Promise<unknown>[] = [];
      for (let round = 0; round < 2_400; round++) {
        for (let each = 0; each < 4; each++) answers.push(quote().catch((error: unknown) => error));
        await pass(100);
      }
      await pass(10_000);
      const count = (await Promise.all(answers)).filter((answer) => !(answer instanceof Error)).length;
      assert.ok(count >= 0.9 * answers.length, `${count} of ${answers.length} where one in ${oneIn} is refused`);
    }
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

/** True once in so many times on average; the same each run. */
function byChance(oneIn: number): () => boolean {
  let state = oneIn;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32 < 1 / oneIn;
  };
}
