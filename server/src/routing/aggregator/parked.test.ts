import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { Address } from '@slipway/wire';
import { PATIENCE_MS } from '../../lib/testing.js';
import { isRefused, type Quote, type QuoteRequest, type Token } from '../router.js';
import { FREE, fees, openAggregator, openWorld, tableOf, type World, WRAPPED_SOL } from './testing.js';

const DEEP = 10n ** 11n;
const HALF = fees([1n, 2n]);

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

async function quoted(
  t: TestContext,
  request: Omit<QuoteRequest, 'excludeVenues'>,
  lookupTables: Address[] = [],
): Promise<Quote> {
  const { aggregator, close } = await openAggregator(world, { lookupTables });
  t.after(close);
  const answer = await aggregator.quote({ ...request, excludeVenues: new Set() }, AbortSignal.timeout(PATIENCE_MS));
  if (isRefused(answer)) assert.fail(answer.reason);
  return answer;
}
const twoTokens = () => Promise.all([world.token(), world.token()]);
const times = <T>(count: number, make: () => Promise<T>) => Promise.all(Array.from({ length: count }, make));
/** The tokens over which a route leads. */
const betweenOf = ({ hops }: Quote) => hops.slice(1).map(({ inputMint }) => inputMint);

describe('tokens that lie in pools with which nobody wants to trade', { timeout: 300_000 }, () => {
  for (const [what, reserves, terms] of [
    ['keep half of a trade', [(DEEP * 12n) / 10n, (DEEP * 6n) / 10n], HALF],
    ['keep more than all of it', [10n * DEEP, 10n * DEEP], fees([9n, 10n], [9n, 10n])],
    ['hold little of the output', [100n * DEEP, DEEP / 100n], FREE],
  ] as const) {
    it(`do not keep pools of the pair from being used, where they ${what}`, async (t) => {
      const [a, b] = await twoTokens();
      const honest = await world.pool(a, b, [DEEP, DEEP], fees([30n, 10_000n]));
      await times(8, () => world.pool(a, b, [...reserves], terms));
      for (const amount of [1_000_000n, DEEP / 10n]) {
        for (const mode of ['exact-in', 'exact-out'] as const) {
          const { hops } = await quoted(t, { mode, input: a, output: b, amount });
          assert.equal(hops[0]!.venue, honest.address, `${mode} ${amount}`);
        }
      }
    });
  }

  it('do not keep an amount from being dealt out over shallow pools that keep less', async (t) => {
    const [a, b] = await twoTokens();
    const shallow = await times(3, () => world.pool(a, b, [DEEP / 10n, DEEP / 10n], fees([30n, 10_000n])));
    await times(8, () => world.pool(a, b, [10n * DEEP, 10n * DEEP], fees([8n, 100n])));
    const { hops } = await quoted(t, { mode: 'exact-in', input: a, output: b, amount: DEEP / 100n });
    assert.deepEqual(hops.map(({ venue }) => venue).sort(), shallow.map(({ address }) => address).sort());
  });

  for (const mode of ['exact-in', 'exact-out'] as const) {
    it(`do not keep a way over one token from being found: ${mode}`, async (t) => {
      const [a, b] = await twoTokens();
      const good = await world.token();
      await times(12, async () => {
        const worthless = await world.token();
        await world.pool(a, worthless, [100n * DEEP, DEEP], HALF);
        await world.pool(worthless, b, [DEEP, 100n * DEEP], HALF);
      });
      await world.pool(a, good, [DEEP, DEEP]);
      await world.pool(good, b, [DEEP, DEEP]);
      const quote = await quoted(t, { mode, input: a, output: b, amount: 1_000_000n });
      assert.deepEqual(betweenOf(quote), [good.mint]);
    });

    it(`do not keep a way over two tokens from being found: ${mode}`, async (t) => {
      const [a, b] = await twoTokens();
      const [first, second] = await twoTokens();
      const worthless = await world.token();
      await world.pool(a, worthless, [100n * DEEP, DEEP], HALF);
      await times(36, async () => {
        const other = await world.token();
        await world.pool(worthless, other, [DEEP, DEEP], HALF);
        await world.pool(other, b, [DEEP, 100n * DEEP], HALF);
      });
      const honest = [
        await world.pool(a, first, [DEEP, DEEP]),
        await world.pool(first, second, [DEEP, DEEP]),
        await world.pool(second, b, [DEEP, DEEP]),
      ];
      const lookupTables = [await world.lookupTable(tableOf(honest))];
      const quote = await quoted(t, { mode, input: a, output: b, amount: 1_000_000n }, lookupTables);
      assert.deepEqual(betweenOf(quote), [first.mint, second.mint]);
    });
  }
});

describe('more pools than are watched', { timeout: 300_000 }, () => {
  it('leave out the shallow ones, and those between worthless tokens, but none that is configured or watched', async (t) => {
    const crowded = await openWorld();
    t.after(() => crowded.close());
    const bare = await openAggregator(crowded);
    const maxPools = bare.aggregator.venues()[0]!.pools + 3;
    bare.close();
    const [a, b] = await Promise.all([crowded.token(), crowded.token()]);
    const good = await crowded.pool(a, WRAPPED_SOL, [DEEP, DEEP]);
    const other = await crowded.pool(b, WRAPPED_SOL, [DEEP, DEEP / 2n]);
    const configured = await crowded.pool(a, b, [1_000n, 1_000_000n]);
    const spam = async () => {
      const [first, second] = await Promise.all([crowded.token(), crowded.token()]);
      await crowded.pool(first, second, [1_000_000n * DEEP, 1_000_000n * DEEP]);
      await crowded.pool(first, WRAPPED_SOL, [1_000n * DEEP, 1_000n]);
      await crowded.pool(second, WRAPPED_SOL, [1n, 1_000n]);
    };
    await spam();
    const { aggregator, close } = await openAggregator(crowded, { maxPools, pools: [configured.address] });
    t.after(close);
    const venueOf = async (input: Token, output: Token) => {
      const request = { mode: 'exact-in' as const, input, output, amount: 100n, excludeVenues: new Set<string>() };
      const answer = await aggregator.quote(request, AbortSignal.timeout(PATIENCE_MS));
      return isRefused(answer) ? answer.reason : answer.hops[0]!.venue;
    };
    const check = async () => {
      assert.equal(aggregator.venues()[0]!.pools, maxPools);
      assert.equal(await venueOf(a, b), configured.address);
      assert.equal(await venueOf(a, WRAPPED_SOL), good.address);
      assert.equal(await venueOf(b, WRAPPED_SOL), other.address);
    };
    await check();
    await crowded.pool(a, WRAPPED_SOL, [100n * DEEP, 100n * DEEP]);
    await spam();
    await aggregator.discover();
    await check();
  });
});

describe('the price of a token by the pools', { timeout: 300_000 }, () => {
  async function spot(t: TestContext, mint: Token, inMint: Token) {
    const { aggregator, close } = await openAggregator(world);
    t.after(close);
    return aggregator.spot(mint.mint, inMint.mint);
  }
  const near = (price: number | undefined, wanted: number) =>
    assert.ok(price !== undefined && Math.abs(price / wanted - 1) < 0.01, `${price}, not ${wanted}`);

  it('is not that of pools with a high fee, or with little on one side', async (t) => {
    const [a, b] = await twoTokens();
    await world.pool(a, b, [DEEP, 2n * DEEP]);
    await world.pool(a, b, [100n * DEEP, 900n * DEEP], HALF);
    await world.pool(a, b, [100n * DEEP, DEEP / 1_000n], FREE);
    await world.pool(a, b, [DEEP / 1_000n, 100n * DEEP], FREE);
    near(await spot(t, a, b), 2);
    near(await spot(t, b, a), 0.5);
  });

  it('is the one on which most depth agrees, though another pool is the deepest', async (t) => {
    const [a, b] = await twoTokens();
    await world.pool(a, b, [(DEEP * 11n) / 10n, 4n * DEEP]);
    for (const more of [0n, 1n, 2n]) await world.pool(a, b, [DEEP, 2n * DEEP + more * 1_000_000n]);
    near(await spot(t, a, b), 2);
  });

  it('is not that of a shallow pool of the pair, nor of a worthless token between', async (t) => {
    const [a, b] = await twoTokens();
    const [honest, worthless] = await twoTokens();
    await world.pool(a, honest, [DEEP, DEEP]);
    await world.pool(honest, b, [DEEP, 2n * DEEP]);
    await world.pool(a, b, [1_000n, 900_000n]);
    await world.pool(a, worthless, [1_000n, 10_000n * DEEP]);
    await world.pool(worthless, b, [DEEP, 10n * DEEP]);
    near(await spot(t, a, b), 2);
  });

  it('is unknown where no pool follows the market', async (t) => {
    const [a, b] = await twoTokens();
    await world.pool(a, b, [DEEP, DEEP], HALF);
    assert.equal(await spot(t, a, b), undefined);
  });
});
