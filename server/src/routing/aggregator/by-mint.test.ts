import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { RAYDIUM_CPMM_PROGRAM } from '@slipway/checks';
import { TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import { type Address, TOKEN_PROGRAM, WRAPPED_SOL_MINT } from '@slipway/wire';
import { Registry } from 'prom-client';
import { ChainUnavailable, createLiveAccounts, type Rpc, RpcError } from '../../chain/index.js';
import { PATIENCE_MS, runningNow } from '../../lib/testing.js';
import { isRefused, type Quote, type QuoteRequest, type Token } from '../router.js';
import type { Aggregator } from './index.js';
import type { Memory, Remembered } from './memory.js';
import { fees, newAddress, openAggregator, openWorld, silent, type World, WRAPPED_SOL } from './testing.js';

const DEEP = 10n ** 12n;

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

const ask = (aggregator: Aggregator, input: Token, output: Token, amount = 1_000_000n) => {
  const request: QuoteRequest = { mode: 'exact-in', input, output, amount, excludeVenues: new Set() };
  return aggregator.quote(request, AbortSignal.timeout(PATIENCE_MS));
};
/** Asks until there is a route; the test's own time limit ends it if there never is one. */
async function found(aggregator: Aggregator, input: Token, output: Token): Promise<Quote> {
  for (;;) {
    const answer = await ask(aggregator, input, output);
    if (!isRefused(answer)) return answer;
    await sleep(5);
  }
}
const venuesOf = ({ hops }: Quote) => hops.map(({ venue }) => venue);
const watched = (aggregator: Aggregator) => aggregator.venues().reduce((sum, { pools }) => sum + pools, 0);

const never = () => new Promise<never>(() => {});
const away = () => Promise.reject(new ChainUnavailable('no answer'));

/** A memory, and what is in it. */
function memoryOf() {
  const rows = new Map<string, Remembered>();
  const memory: Memory = {
    load: async () => [...rows.values()],
    save: async (asked) => {
      for (const { mints, pools } of asked) rows.set(mints.join(' '), { mints, pools });
    },
  };
  return { memory, saved: () => [...rows.values()] };
}

interface Scan {
  program: string;
  mints: string[];
}

/** The world's, with what was scanned. `refuses` says which scans fail. */
function scannedRpc(refuses: (scan: Scan) => boolean = () => false) {
  const scans: Scan[] = [];
  const load = { now: 0, most: 0 };
  const rpc: Rpc = {
    name: 'scanned',
    async call<T>(method: string, params: unknown[]): Promise<T> {
      if (method !== 'getProgramAccounts') return world.rpc.call<T>(method, params);
      type Options = { filters: ({ dataSize: number } | { memcmp: { offset: number; bytes: string } })[] };
      const [program, { filters }] = params as [string, Options];
      const scan = { program, mints: filters.flatMap((one) => ('memcmp' in one ? [one.memcmp.bytes] : [])) };
      scans.push(scan);
      if (refuses(scan)) throw new RpcError(-32010, 'excluded from account secondary indexes');
      load.now++;
      load.most = Math.max(load.most, load.now);
      try {
        return await world.rpc.call<T>(method, params);
      } finally {
        load.now--;
      }
    },
  };
  return { rpc, scans, load };
}

describe('pools by mint', { timeout: 300_000 }, () => {
  it('are found after the first question, to the unit, and those of other mints are not watched', async (t) => {
    const [token, other] = [await world.token(), await world.token()];
    const pool = await world.pool(token, WRAPPED_SOL, [DEEP, DEEP], fees([25n, 10_000n]));
    const unasked = await world.pool(other, WRAPPED_SOL, [DEEP, DEEP]);
    const { rpc, scans } = scannedRpc();
    const { aggregator, live, close } = await openAggregator(world, { rpc, byMint: true });
    t.after(close);
    assert.equal(scans.length, 0, 'nothing is looked for before somebody asks');
    const first = await ask(aggregator, token, WRAPPED_SOL);
    assert.ok(isRefused(first));
    assert.match(first.reason, /ask again/);
    const quote = await found(aggregator, token, WRAPPED_SOL);
    assert.deepEqual(venuesOf(quote), [pool.address]);
    const paid = 1_000_000n - 2_500n;
    // What stays in the pool is rounded up.
    assert.equal(quote.outAmount, DEEP - (DEEP * DEEP + DEEP + paid - 1n) / (DEEP + paid));
    assert.equal(watched(aggregator), 1);
    assert.equal(live.get(unasked.address), undefined);
    assert.ok(scans.every(({ mints }) => mints.length === 1 && mints[0] === token.mint));
    assert.equal(scans.length, 13, 'two for each of seven programs, one where the other mint is in another account');
  });

  it('come and go with the next look', async (t) => {
    const token = await world.token();
    const old = await world.pool(token, WRAPPED_SOL, [DEEP, DEEP]);
    const { aggregator, close } = await openAggregator(world, { byMint: true });
    t.after(close);
    assert.deepEqual(venuesOf(await found(aggregator, token, WRAPPED_SOL)), [old.address]);
    const better = await world.pool(WRAPPED_SOL, token, [DEEP, 2n * DEEP]);
    await aggregator.discover();
    assert.deepEqual(venuesOf(await found(aggregator, token, WRAPPED_SOL)), [old.address]);
    assert.deepEqual(venuesOf(await found(aggregator, WRAPPED_SOL, token)), [better.address]);
    await world.remove(better.address);
    await aggregator.discover();
    assert.deepEqual(venuesOf(await found(aggregator, WRAPPED_SOL, token)), [old.address]);
  });

  it('of two hubs are those between them, and lead on from a mint to all hubs', async (t) => {
    const [token, usdc, other] = [await world.token(), await world.token(), await world.token()];
    const near = await world.pool(token, WRAPPED_SOL, [DEEP, DEEP]);
    const far = await world.pool(usdc, WRAPPED_SOL, [DEEP, DEEP]);
    const unasked = await world.pool(usdc, other, [DEEP, DEEP]);
    const { rpc, scans } = scannedRpc();
    const { aggregator, live, close } = await openAggregator(world, { rpc, byMint: true, hubs: [usdc.mint] });
    t.after(close);
    assert.deepEqual(venuesOf(await found(aggregator, token, usdc)), [near.address, far.address]);
    assert.equal(live.get(unasked.address), undefined);
    assert.deepEqual(venuesOf(await found(aggregator, usdc, WRAPPED_SOL)), [far.address]);
    const ofHubs = scans.filter(({ program, mints }) => program === TOKEN_SWAP_PROGRAM && mints[0] !== token.mint);
    const pair = [WRAPPED_SOL_MINT, usdc.mint];
    assert.deepEqual(
      ofHubs.map(({ mints }) => mints),
      [pair, pair.toReversed()],
    );
  });

  it('of one venue that the RPC refuses cost only that venue, and are counted', async (t) => {
    const token = await world.token();
    const pool = await world.pool(token, WRAPPED_SOL, [DEEP, DEEP]);
    const registry = new Registry();
    const { rpc } = scannedRpc(({ program }) => program === RAYDIUM_CPMM_PROGRAM);
    const { aggregator, close } = await openAggregator(world, { rpc, byMint: true, registry });
    t.after(close);
    assert.deepEqual(venuesOf(await found(aggregator, token, WRAPPED_SOL)), [pool.address]);
    const { values } = await registry.getSingleMetric('slipway_pool_scans_failed_total')!.get();
    assert.deepEqual(
      values.map(({ labels, value }) => [labels.venue, value]),
      [['Raydium CP', 1]],
    );
  });

  it('are those of a venue whose list the RPC refuses', async (t) => {
    const [token, other] = [await world.token(), await world.token()];
    const pool = await world.pool(token, WRAPPED_SOL, [DEEP, DEEP]);
    const unasked = await world.pool(other, WRAPPED_SOL, [DEEP, DEEP]);
    const { rpc, scans } = scannedRpc(({ program, mints }) => program === TOKEN_SWAP_PROGRAM && mints.length === 0);
    const { aggregator, live, close } = await openAggregator(world, { rpc });
    t.after(close);
    assert.deepEqual(venuesOf(await found(aggregator, token, WRAPPED_SOL)), [pool.address]);
    assert.equal(live.get(unasked.address), undefined);
    assert.ok(scans.every(({ program, mints }) => mints.length === 0 || program === TOKEN_SWAP_PROGRAM));
  });

  it('are given up when nobody has asked for ten minutes, and configured ones are not', async (t) => {
    const [token, other] = [await world.token(), await world.token()];
    const pool = await world.pool(token, WRAPPED_SOL, [DEEP, DEEP]);
    const configured = await world.pool(other, WRAPPED_SOL, [DEEP, DEEP]);
    const time = { now: 0 };
    const options = { byMint: true, pools: [configured.address], steadyNow: () => time.now };
    const { aggregator, live, close } = await openAggregator(world, options);
    t.after(close);
    await ask(aggregator, token, WRAPPED_SOL);
    for (const [now, isKept] of [
      [600_000, true],
      [600_001, false],
    ] as const) {
      time.now = now;
      await aggregator.discover();
      assert.equal(live.get(pool.address) !== undefined, isKept);
      assert.ok(live.get(configured.address));
    }
  });

  it('are those of a hundred mints, few at once; a price drives out none', async (t) => {
    const [token, priced] = [await world.token(), await world.token()];
    const pool = await world.pool(token, WRAPPED_SOL, [DEEP, DEEP]);
    const pricedPool = await world.pool(priced, WRAPPED_SOL, [DEEP, DEEP]);
    const { rpc, load } = scannedRpc();
    const { aggregator, live, close } = await openAggregator(world, { rpc, byMint: true });
    t.after(close);
    const isWatched = (address: Address) => live.get(address) !== undefined;
    const strange = () =>
      ask(aggregator, { mint: newAddress(), tokenProgram: TOKEN_PROGRAM, decimals: 6 }, WRAPPED_SOL);
    await ask(aggregator, token, WRAPPED_SOL);
    for (let i = 1; i < 100; i++) await strange();
    aggregator.spot(priced.mint, WRAPPED_SOL_MINT);
    await aggregator.discover();
    assert.deepEqual([pool.address, pricedPool.address].map(isWatched), [true, false]);
    await strange();
    await aggregator.discover();
    assert.equal(isWatched(pool.address), false);
    assert.ok(load.most >= 2 && load.most <= 4, `${load.most} calls at once`);
  });

  it('that were in use are quoted over from the first question on after a start, by a node that lists none', async (t) => {
    const token = await world.token();
    const pool = await world.pool(token, WRAPPED_SOL, [DEEP, DEEP]);
    const { memory, saved } = memoryOf();
    const before = await openAggregator(world, { byMint: true, memory });
    t.after(before.close);
    const quote = await found(before.aggregator, token, WRAPPED_SOL);
    await before.aggregator.discover();
    assert.deepEqual(saved(), [{ mints: [token.mint], pools: [pool.address] }]);

    const hanging: Rpc = {
      name: 'hanging',
      call: (method, params) => (method === 'getProgramAccounts' ? never() : world.rpc.call(method, params)),
    };
    const after = await openAggregator(world, { rpc: hanging, byMint: true, memory });
    t.after(after.close);
    const again = await ask(after.aggregator, token, WRAPPED_SOL);
    assert.ok(!isRefused(again), 'it has no quote');
    assert.deepEqual([again.outAmount, venuesOf(again)], [quote.outAmount, venuesOf(quote)]);
    // Of anything else it does not know yet whether there are pools.
    const other = await ask(after.aggregator, await world.token(), WRAPPED_SOL);
    assert.equal(isRefused(other) && other.refused, 'unavailable');
  });

  it('that were in use are looked for where they cannot be read', async (t) => {
    const token = await world.token();
    const pool = await world.pool(token, WRAPPED_SOL, [DEEP, DEEP]);
    const isAway = { now: true };
    const rpc: Rpc = {
      name: 'slow',
      call: (method, params) =>
        isAway.now && method === 'getMultipleAccounts' ? away() : world.rpc.call(method, params),
    };
    const asked = { mints: [token.mint] as const, pools: [pool.address] };
    const memory: Memory = { load: async () => [asked], save: async () => {} };
    const live = createLiveAccounts({ rpc, steadyNow: runningNow, log: silent });
    const { aggregator, close } = await openAggregator(world, { rpc, live, byMint: true, memory });
    t.after(close);
    const cold = await ask(aggregator, token, WRAPPED_SOL);
    assert.equal(isRefused(cold) && cold.refused, 'unavailable');
    isAway.now = false;
    assert.deepEqual(venuesOf(await found(aggregator, token, WRAPPED_SOL)), [pool.address]);
  });

  it('are not called missing before the RPC has answered, and are then', async (t) => {
    const [token, without] = [await world.token(), await world.token()];
    const pool = await world.pool(token, WRAPPED_SOL, [DEEP, DEEP]);
    const time = { now: 0 };
    const is = { away: true };
    const rpc: Rpc = {
      name: 'slow',
      call: (method, params) => (is.away && method === 'getProgramAccounts' ? away() : world.rpc.call(method, params)),
    };
    const { aggregator, close } = await openAggregator(world, { rpc, byMint: true, steadyNow: () => time.now });
    t.after(close);
    for (const each of [token, without]) {
      for (let tries = 0; tries < 3; tries++) {
        const answer = await ask(aggregator, each, WRAPPED_SOL);
        assert.equal(isRefused(answer) && answer.refused, 'unavailable');
        // All scans have failed by then.
        await aggregator.discover();
      }
    }
    is.away = false;
    time.now += 2_000;
    assert.deepEqual(venuesOf(await found(aggregator, token, WRAPPED_SOL)), [pool.address]);
    await ask(aggregator, without, WRAPPED_SOL);
    await aggregator.discover();
    const answer = await ask(aggregator, without, WRAPPED_SOL);
    assert.equal(isRefused(answer) && answer.refused, 'no-route');
  });

  it('are not called missing while those that were found cannot be read', async (t) => {
    const token = await world.token();
    await world.pool(token, WRAPPED_SOL, [DEEP, DEEP]);
    const rpc: Rpc = {
      name: 'slow',
      call: (method, params) => (method === 'getMultipleAccounts' ? away() : world.rpc.call(method, params)),
    };
    const live = createLiveAccounts({ rpc, steadyNow: runningNow, log: silent });
    const { aggregator, close } = await openAggregator(world, { rpc, live, byMint: true });
    t.after(close);
    for (let tries = 0; tries < 3; tries++) {
      const answer = await ask(aggregator, token, WRAPPED_SOL);
      assert.equal(isRefused(answer) && answer.refused, 'unavailable');
      await aggregator.discover();
    }
  });
});
