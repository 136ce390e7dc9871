import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newAddress } from '@slipway/programs/testing';
import { type Address, TOKEN_PROGRAM } from '@slipway/wire';
import type { QuoteRequest, Token } from '../router.js';
import type { Room } from './found.js';
import type { Pool } from './legs.js';
import { createMarket } from './market.js';
import { search } from './search.js';
import { noteShort } from './short.js';
import type { PoolState, Side, Venue } from './venue.js';

const DEEP = 1e13;
const AMOUNT = 10n ** 8n;
/** For all that a transaction may be. */
const ROOM: Room = {
  excess: () => 0,
  weigh: () => 0,
  base: () => 0,
  named: () => [],
  kindOf: () => 'pool',
  slack: 0,
};

interface Terms {
  /** Output per unit of input, in this order of its mints. */
  price?: number;
  /** The share of its estimates that it pays for an amount; for 0 it refuses. */
  pays?: (amount: number) => number;
  /** What an exact quote takes, in microseconds. */
  takes?: number;
}

/** A pool of a kind that nobody knows yet, whose estimates may promise anything. */
function poolOf([a, b]: readonly [Address, Address], { price = 1, pays = () => 1, takes = 0 }: Terms = {}): Pool {
  const reserves: [number, number] = [DEEP, DEEP * price];
  const [of, to] = [(side: Side) => reserves[side], (side: Side) => reserves[side === 0 ? 1 : 0]];
  const token = (mint: Address) => ({ mint, tokenProgram: TOKEN_PROGRAM, vault: newAddress() });
  const estimateOut = (from: Side, amount: number) => (to(from) * amount) / (of(from) + amount);
  const state: PoolState = {
    tokens: [token(a), token(b)],
    reserves,
    feeShare: 0,
    estimateOut,
    estimateIn: (from, out) => (out < to(from) ? (of(from) * out) / (to(from) - out) : Number.POSITIVE_INFINITY),
    quote(from, amount, effort) {
      if (effort) effort.left -= takes;
      const received = BigInt(Math.floor(estimateOut(from, Number(amount)) * pays(Number(amount))));
      return received > 0n ? { paid: amount, received, fee: 0n } : undefined;
    },
    price: (from) => to(from) / of(from),
    swap: () => assert.fail('nothing is built'),
  };
  const venue = { label: 'Unknown' } as Venue;
  const address = newAddress();
  return { address, venue, mints: [a, b], accounts: [address], state: () => state, refusal: () => undefined };
}

const [sold, bought, hub] = [newAddress(), newAddress(), newAddress()] as const;
const tokenOf = (mint: Address): Token => ({ mint, tokenProgram: TOKEN_PROGRAM, decimals: 6 });

/** What comes out for `AMOUNT`, and goes in for it. */
function tradeOver(pools: readonly Pool[], hubs: readonly Address[] = []) {
  const market = createMarket(pools, new Set(hubs));
  const [input, output] = [tokenOf(sold), tokenOf(bought)];
  const of = (mode: QuoteRequest['mode']) => {
    const request: QuoteRequest = { mode, input, output, amount: AMOUNT, excludeVenues: new Set() };
    return search({ market, request, now: 0, routed: true, maxPools: 5, room: ROOM })?.outcome;
  };
  return { out: of('exact-in')?.outAmount, in: of('exact-out')?.inAmount };
}

/** Nearly as well as over the honest pools alone. */
function assertHonest(honest: readonly Pool[], others: readonly Pool[], hubs: readonly Address[] = []): void {
  const [alone, beside] = [tradeOver(honest, hubs), tradeOver([...others, ...honest], hubs)];
  const told = `${beside.out} and ${beside.in}, in place of ${alone.out} and ${alone.in}`;
  assert.ok(beside.out! * 1_000n >= alone.out! * 999n && beside.in! * 999n <= alone.in! * 1_000n, told);
}

/** By so much it looks better than the honest one. */
const better = (nth: number) => 1.01 + nth / 1_000;
const LIES = {
  nothing: () => 0,
  half: () => 0.5,
  // What the ranking of an amount's size asks for is paid.
  'half of this very amount': (amount: number) => (Math.abs(amount / Number(AMOUNT) - 1) < 0.2 ? 0.5 : 1),
};

describe('pools that pay less than they seem to, whatever their kind', () => {
  for (const [what, pays] of Object.entries(LIES)) {
    it(`of the same pair, that pay ${what}, hide no other`, () => {
      const others = Array.from({ length: 60 }, (_, nth) => poolOf([sold, bought], { price: better(nth), pays }));
      assertHonest([poolOf([sold, bought])], [...others, poolOf([sold, bought], { price: 0.6 })]);
    });

    it(`over tokens of their own, that pay ${what}, hide no path over another`, () => {
      const over = (between: Address, terms?: Terms) => [poolOf([sold, between]), poolOf([between, bought], terms)];
      const others = Array.from({ length: 60 }, (_, nth) => over(newAddress(), { price: better(nth), pays })).flat();
      assertHonest(over(hub), [...others, poolOf([sold, bought], { price: 0.6 })], [hub]);
    });
  }

  it('are told from those that are rounded: of the best of them, all that a few units give', () => {
    for (const mode of ['exact-in', 'exact-out'] as const) {
      const pools = Array.from({ length: 8 }, (_, nth) => poolOf([sold, bought], { price: 1 - nth / 100 }));
      const [input, output] = [tokenOf(sold), tokenOf(bought)];
      const request: QuoteRequest = { mode, input, output, amount: 3n, excludeVenues: new Set() };
      const found = search({ market: createMarket(pools), request, now: 0, routed: true, maxPools: 5, room: ROOM });
      assert.equal(found?.outcome.outAmount, mode === 'exact-in' ? 2n : 3n);
    }
  });
});

it('attack: a stranger on the chain makes many tokens with pools that have a part of an output: each counts for that part, and the path that has all of it is found', () => {
  const over = (between: Address, deep: boolean) => [
    poolOf([sold, between]),
    deep ? poolOf([between, bought]) : shallow(between),
  ];
  const shallow = (between: Address): Pool => {
    const pool = poolOf([between, bought], { price: 1.01 });
    const state = pool.state(0)!;
    const most = Math.floor(Number(AMOUNT) / 3);
    const ends: PoolState = {
      ...state,
      estimateOut: (from, amount) => (amount > most ? 0 : state.estimateOut(from, amount)),
      estimateIn: (from, out) => (out > most ? Number.POSITIVE_INFINITY : state.estimateIn(from, out)),
      quote: (from, amount) => (Number(amount) > most ? undefined : state.quote(from, amount)),
    };
    return { ...pool, state: () => ends };
  };
  assertHonest(over(hub, true), Array.from({ length: 40 }, () => over(newAddress(), false)).flat());
});

it('attack: a stranger on the chain has many tokens with pools that pay a little more than an honest path while paths are ranked, and then, all but one of little depth, much less: they are ranked again', () => {
  let isPaying = true;
  const little = newAddress();
  const ofLittle = { price: 1.0002, pays: (amount: number) => (amount <= Number(AMOUNT) / 2 ? 1 : 0) };
  const others = Array.from({ length: 33 }, () => newAddress()).flatMap((between) => {
    const [good, bad] = [1.0001, 0.5].map((price) => poolOf([between, bought], { price }));
    return [poolOf([sold, between]), { ...good!, state: () => (isPaying ? good : bad)!.state(0) }];
  });
  const honest = newAddress();
  const kept = [poolOf([sold, little]), poolOf([little, bought], ofLittle)];
  const pools = [
    ...others,
    ...kept,
    poolOf([sold, honest]),
    poolOf([honest, bought]),
    poolOf([sold, bought], { price: 0.6 }),
  ];
  for (const mode of ['exact-in', 'exact-out'] as const) {
    isPaying = true;
    const market = createMarket(pools);
    const request: QuoteRequest = {
      mode,
      input: tokenOf(sold),
      output: tokenOf(bought),
      amount: AMOUNT,
      excludeVenues: new Set(),
    };
    const priceAt = (now: number) => {
      const { inAmount, outAmount } = search({ market, request, now, routed: true, maxPools: 5, room: ROOM })!.outcome;
      return Number(outAmount) / Number(inAmount);
    };
    assert.ok(priceAt(0) > 1);
    isPaying = false;
    const price = priceAt(5_000);
    assert.ok(price > 0.999, `${mode}: ${price}`);
  }
});

/** Tokens of a stranger that fill the list of paths, at this price. */
const fillers = (price: number) =>
  Array.from({ length: 33 }, () => newAddress()).flatMap((between) => [
    poolOf([sold, between]),
    poolOf([between, bought], { price }),
  ]);
const requestOf = (amount = AMOUNT): QuoteRequest => ({
  mode: 'exact-in',
  input: tokenOf(sold),
  output: tokenOf(bought),
  amount,
  excludeVenues: new Set(),
});

it('attack: a stranger on the chain moves the pool of an honest path while paths are ranked, and back: it is found again, though all that are listed pay as before', () => {
  let isMoved = true;
  const honest = newAddress();
  const [moved, back] = [0.97, 1].map((price) => poolOf([honest, bought], { price }));
  const pool = { ...back!, state: () => (isMoved ? moved : back)!.state(0) };
  const market = createMarket([...fillers(0.98), poolOf([sold, honest]), pool]);
  const outAt = (now: number) => {
    const found = search({ market, request: requestOf(), now, routed: true, maxPools: 5, room: ROOM });
    return Number(found!.outcome.outAmount) / Number(AMOUNT);
  };
  assert.ok(outAt(0) < 0.981);
  isMoved = false;
  const out = outAt(10_000);
  assert.ok(out > 0.999, `${out}`);
});

it('attack: a stranger on the chain makes rankings slow by tokens of his own: for those that nothing else asks for a twentieth of the time is spent', () => {
  let rankings = 0;
  const unlisted = newAddress();
  const worse = poolOf([unlisted, bought], { price: 0.5 });
  const counted: Pool = {
    ...worse,
    state(now) {
      rankings += 1;
      return worse.state(now);
    },
  };
  let time = 0;
  const clock = () => {
    time += 100;
    return time;
  };
  const market = createMarket([...fillers(1), poolOf([sold, unlisted]), counted], new Set(), clock);
  const requests = [requestOf(), requestOf(AMOUNT * 8n), requestOf(AMOUNT * 64n)];
  const rankedAt = (now: number) => {
    const before = rankings;
    for (const request of requests) market.paths(request, now);
    return rankings - before;
  };
  const times = [0, 9_999, 10_000, 11_999, 12_000, 14_000, 16_000, 20_000];
  assert.deepEqual(times.map(rankedAt), [3, 0, 1, 0, 1, 1, 0, 1]);
});

it('attack: a stranger on the chain makes a thousand pools of one pair that look best, pay less, and take long to calculate: the path over another token is found', () => {
  for (const takes of [0, 20, 100, 1_000])
    for (const share of [0, 0.5]) {
      const terms = { pays: () => share, takes };
      const others = Array.from({ length: 1_000 }, (_, nth) =>
        poolOf([sold, bought], { price: better(nth), ...terms }),
      );
      assertHonest([poolOf([sold, hub]), poolOf([hub, bought])], others);
    }
});

/** The same pool, which takes long to calculate, with another answer; `asked` is called for each. */
function slow(pool: Pool, asked: () => void, quote: PoolState['quote'] = pool.state(0)!.quote): Pool {
  const state: PoolState = {
    ...pool.state(0)!,
    quote(from, amount, effort) {
      asked();
      if (effort) effort.left -= 1_000;
      return quote(from, amount);
    },
  };
  return { ...pool, state: () => state };
}

it('attack: a stranger on the chain makes a thousand pools that take long to calculate beside those of a path: of few of them is asked what they pay, and the path is listed', () => {
  let quotes = 0;
  const others = Array.from({ length: 1_000 }, (_, nth) =>
    slow(poolOf([hub, bought], { price: better(nth), pays: () => 0 }), () => quotes++),
  );
  const market = createMarket([...others, poolOf([sold, hub]), poolOf([sold, bought])]);
  const paths = market.paths(requestOf(), 0);
  assert.deepEqual([paths.length, paths[1]?.mints], [2, [sold, hub, bought]]);
  assert.ok(quotes < 200, `${quotes} quotes`);
});

it('attack: a stranger on the chain makes a thousand pools that take a part of an amount, and long to calculate: few of them are asked, the best of them first', () => {
  let quotes = 0;
  const most = Math.floor(Number(AMOUNT) / 3);
  const partOf = (nth: number) => {
    const pool = poolOf([sold, bought], { price: nth });
    const state = pool.state(0)!;
    const ends: PoolState = {
      ...state,
      estimateOut: (from, amount) => (amount > most ? 0 : state.estimateOut(from, amount)),
      estimateIn: () => Number.POSITIVE_INFINITY,
    };
    const quote: PoolState['quote'] = (from, amount) => state.quote(from, BigInt(Math.min(Number(amount), most)));
    return slow({ ...pool, state: () => ends }, () => quotes++, quote);
  };
  const pools = Array.from({ length: 1_000 }, (_, nth) => partOf(1 + nth));
  const market = createMarket(pools);
  const found = search({ market, request: requestOf(), now: 0, routed: true, maxPools: 5, room: ROOM });
  assert.equal(found!.plan.steps[0]!.parts[0]!.pool, pools.at(-1));
  assert.ok(quotes < 200, `${quotes} quotes`);
});

it('looks for pools that pay too little only as long as the effort suffices, and holds none for one that it has not looked at', () => {
  const pools = Array.from({ length: 100 }, () => poolOf([sold, bought], { pays: () => 0.5 }));
  const request = requestOf();
  const [first] = pools.map((pool) => ({ pool, from: 0 as const, state: pool.state(0)!, bps: 10_000 }));
  const plan = { steps: [{ input: sold, output: bought, parts: [first!] }], pools: 1 };
  const shortWith = (left: number) => {
    const short = new Set<Address>();
    const look = { guess: 0, estimate: 1, exact: undefined };
    noteShort(plan, look, { market: createMarket(pools), request, now: 0 }, short, { left });
    return short.size;
  };
  assert.deepEqual([0, 1, 21, 1_000].map(shortWith), [0, 1, 11, 100]);
});
