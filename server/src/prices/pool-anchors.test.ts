import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Address, generateKeypair } from '@slipway/wire';
import { PoolPrices, type PoolRules } from './pool-prices.js';
import { DEFAULT_PRICES } from './testing.js';

const RULES: PoolRules = { ...DEFAULT_PRICES.pools, everyMs: DEFAULT_PRICES.pools.everySeconds * 1_000 };
const FIVE_MINUTES = 300_000 / RULES.everyMs;
const [usdc, sol, platform, token] = Array.from({ length: 4 }, () => generateKeypair().address) as [
  Address,
  Address,
  Address,
  Address,
];

interface Quote {
  in: Address;
  depth: number;
  price?: number;
  isSilent?: boolean;
}

/** A token with pools over the platform token, which is priced by pools, and over SOL, which has a feed of 1 USD. */
function open(pools: { platform: Quote[]; token: Quote[] }) {
  let now = 1_000_000;
  const ofMint = new Map([
    [platform, pools.platform],
    [token, pools.token],
  ]);
  const prices = new PoolPrices({
    source: {
      quotes: (mint) =>
        (ofMint.get(mint) ?? []).map((quote, i) => ({ pool: `${mint}${i}` as Address, price: 1, ...quote })),
      ask: () => undefined,
      keep: () => undefined,
    },
    rules: RULES,
    anchors: [usdc, sol, platform],
    feedUsd: (mint) => (mint === sol ? 1 : undefined),
    clock: { now: () => now },
    steadyNow: () => now,
    random: () => 0.5,
  });
  prices.follow([token]);
  const world = {
    set: (mint: Address, ...quotes: Quote[]) => ofMint.set(mint, quotes),
    usd(mint = token) {
      const price = prices.settled(mint);
      return 'none' in price ? price.none : price.usd;
    },
    pass(observations: number) {
      for (let i = 0; i < observations; i++) {
        now += RULES.everyMs;
        prices.observe();
      }
    },
  };
  world.pass(2 * RULES.mustHold);
  return world;
}

const overPlatform = (count: number, depth: number): Quote[] =>
  Array.from({ length: count }, () => ({ in: platform, depth }));

describe('attack: somebody who moves pools moves those of a token that others are priced in', () => {
  it('attack: it is shallow, and ten pools are over it: they are no deeper together than it is', () => {
    const { usd } = open({ platform: [{ in: usdc, depth: 9_999 }], token: overPlatform(10, 50_000) });
    assert.equal(usd(), 'shallow');
  });

  it('attack: four pools over it agree with each other, and one over another token has the least depth: nothing fires', () => {
    const { usd, set, pass } = open({
      platform: [{ in: usdc, depth: 20_000 }],
      token: [...overPlatform(4, 50_000), { in: sol, depth: 15_000 }],
    });
    assert.equal(usd(), 1);
    set(platform, { in: usdc, depth: 20_000, price: 0.8 });
    for (let i = 0; i < FIVE_MINUTES; i++) {
      pass(1);
      assert.equal(usd(), 'contradicting');
    }
  });

  it('attack: one over another token is deeper than it: four pools over it move the price by nothing', () => {
    const { usd, set, pass } = open({
      platform: [{ in: usdc, depth: 10_000 }],
      token: [...overPlatform(4, 50_000), { in: sol, depth: 15_000 }],
    });
    set(platform, { in: usdc, depth: 9_000, price: 0.8 });
    pass(FIVE_MINUTES);
    assert.equal(usd(), 1);
  });

  it('attack: he moves one of its two pools: while they contradict each other, the token over it has no price either', () => {
    const { usd, set, pass } = open({
      platform: [
        { in: usdc, depth: 20_000 },
        { in: usdc, depth: 15_000 },
      ],
      token: overPlatform(1, 50_000),
    });
    assert.equal(usd(), 1);
    set(platform, { in: usdc, depth: 18_000, price: 0.8 }, { in: usdc, depth: 15_000 });
    for (let i = 0; i < 2 * FIVE_MINUTES; i++) {
      pass(1);
      assert.deepEqual([usd(), usd(platform)], ['contradicting', 'contradicting']);
    }
  });
});

describe('attack: somebody who moves pools contradicts a token that others are priced in', () => {
  const honest = { in: usdc, depth: 1e6 };
  const contradicting = { in: usdc, depth: 10_000, price: 0.94 };

  it('attack: he has a pool of his own with another token: for as long as he keeps it up, that one is not believed', () => {
    const own = { in: sol, depth: 21_000 };
    const { usd, set, pass } = open({ platform: [honest], token: [...overPlatform(1, 1e5), own] });
    set(platform, honest, contradicting);
    set(token, ...overPlatform(1, 1e5), { ...own, price: 0.5 });
    for (let i = 0; i < 3 * FIVE_MINUTES; i++) {
      pass(1);
      assert.equal(usd(), 'contradicting');
    }
  });

  it('attack: a token that has more than half of its depth with others keeps its price', () => {
    const { usd, set, pass } = open({
      platform: [honest],
      token: [...overPlatform(3, 30_000), { in: sol, depth: 1e5 }],
    });
    set(platform, honest, contradicting);
    pass(1);
    assert.equal(usd(), 1);
  });
});

describe('attack: a price feed says something else of a token that others are priced in than its deep pools', () => {
  const overSol = { in: sol, depth: 1e5 };

  it('attack: what has its pools with that token has no price by it, however long it says so', () => {
    const { usd, set, pass } = open({ platform: [], token: [overSol] });
    set(sol, { in: usdc, depth: 1e6, price: 2 });
    for (let i = 0; i < FIVE_MINUTES; i++) {
      pass(1);
      assert.equal(usd(), 'contradicting');
    }
    set(sol, { in: usdc, depth: 1e6, price: 1.04 });
    pass(2 * RULES.mustHold);
    assert.equal(usd(), 1);
  });

  it('attack: a token that has more than half of its depth with others keeps its price', () => {
    const { usd, set, pass } = open({ platform: [], token: [overSol, { in: usdc, depth: 2e5 }] });
    set(sol, { in: usdc, depth: 1e6, price: 2 });
    pass(1);
    assert.equal(usd(), 1);
  });

  it('attack: somebody who moves pools contradicts it with less than the least depth: that counts for nothing', () => {
    const { usd, set, pass } = open({ platform: [], token: [overSol] });
    set(sol, { in: usdc, depth: 4_999, price: 2 });
    pass(1);
    assert.equal(usd(), 1);
  });
});

describe('attack: somebody who moves pools adds some over the same token as others', () => {
  it('attack: at another price, and with less than the least depth: the others stay as deep as that token is', () => {
    const { usd, set, pass } = open({ platform: [{ in: usdc, depth: 10_500 }], token: overPlatform(2, 50_000) });
    set(token, ...overPlatform(2, 50_000), { in: platform, depth: 9_999, price: 0.5 });
    pass(1);
    assert.equal(usd(), 1);
  });

  it('attack: at another price, each as deep as that token: deeper ones outweigh them', () => {
    const { usd, set, pass } = open({ platform: [{ in: usdc, depth: 30_000 }], token: overPlatform(1, 1e5) });
    const own = { in: platform, depth: 30_000, price: 0.5 };
    set(token, ...overPlatform(1, 1e5), own, own);
    for (let i = 0; i < FIVE_MINUTES; i++) {
      pass(1);
      assert.equal(usd(), 'contradicting');
    }
  });

  it('attack: a very deep one for a moment, and then the others go silent: these are waited for by what they count for alone', () => {
    const own = { in: sol, depth: 21_000 };
    const { usd, set, pass } = open({
      platform: [{ in: usdc, depth: 20_000 }],
      token: [own, ...overPlatform(1, 1e5)],
    });
    assert.equal(usd(), 1);
    set(token, own, ...overPlatform(2, 1e5), { in: platform, depth: 1e7 });
    pass(1);
    set(token, { ...own, price: 0.5 }, { in: platform, depth: 0, price: 0, isSilent: true });
    pass(1);
    assert.equal(usd(), 'unsettled');
  });

  it('attack: he makes a very deep one over a shallow token go silent: it matters no more than that token', () => {
    const honest = { in: sol, depth: 50_000 };
    const { usd, set, pass } = open({
      platform: [{ in: usdc, depth: 10_000 }],
      token: [honest, ...overPlatform(1, 1e6)],
    });
    set(token, honest, { in: platform, depth: 0, price: 0, isSilent: true });
    pass(1);
    assert.equal(usd(), 1);
  });

  it('attack: a token over a deep one keeps its price where a pool over another token contradicts one of many', () => {
    const { usd, set, pass } = open({ platform: [{ in: usdc, depth: 1e6 }], token: overPlatform(3, 50_000) });
    set(token, ...overPlatform(3, 50_000), { in: sol, depth: 49_000, price: 0.5 });
    pass(1);
    assert.equal(usd(), 1);
  });
});
