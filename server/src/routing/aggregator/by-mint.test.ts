import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import { type Address, TOKEN_PROGRAM, WRAPPED_SOL_MINT } from '@slipway/wire';
import { Registry } from 'prom-client';
import { type Rpc, RpcError } from '../../chain/index.js';
import { RAYDIUM_CPMM_PROGRAM } from '../../crafting/venue-swaps.js';
import { isRefused, type Quote, type QuoteRequest, type Token } from '../router.js';
import type { Aggregator } from './index.js';
import { fees, newAddress, openAggregator, openWorld, type World, WRAPPED_SOL } from './testing.js';

const DEEP = 10n ** 12n;

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

const ask = (aggregator: Aggregator, input: Token, output: Token, amount = 1_000_000n) => {
  const request: QuoteRequest = { mode: 'exact-in', input, output, amount, excludeVenues: new Set() };
  return aggregator.quote(request, AbortSignal.timeout(10_000));
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

describe('pools by mint', { timeout: 60_000 }, () => {
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
});
