import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { IMMUTABLE_WHIRLPOOL_PROGRAM, RAYDIUM_CPMM_PROGRAM } from '@slipway/checks';
import { type Address, TOKEN_PROGRAM } from '@slipway/wire';
import { Registry } from 'prom-client';
import { createCallBudget, createLiveAccounts, type Rpc } from '../../chain/index.js';
import { MAX_AGE_MS } from '../../chain/live-accounts.js';
import { PATIENCE_MS, runningNow } from '../../lib/testing.js';
import { FillReadings } from '../fill-readings.js';
import { isRefused, type QuoteRequest } from '../router.js';
import { newAddress, openAggregator, openWorld, silent, type World } from './testing.js';
import { Lab, type LabPool } from './venues/testing/lab.js';
import { writeCpmmPool } from './venues/testing/raydium-cpmm.js';
import { writeWhirlpool } from './venues/testing/whirlpool.js';
import { sqrtPriceAt } from './venues/whirlpool/ticks.js';

const SPACING = 64;
const ARRAY = 88 * SPACING;
const EDGE = 443_584;
const TICK_AT = 81;

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world?.close());

async function put(lab: Lab, pool: LabPool): Promise<void> {
  for (const address of pool.written) {
    const { owner, data, lamports } = lab.account(address)!;
    await world.put(address, owner, data, lamports);
  }
}

const request = ([input, output]: readonly [Address, Address]): QuoteRequest => ({
  input: { mint: input, tokenProgram: TOKEN_PROGRAM, decimals: 6 },
  output: { mint: output, tokenProgram: TOKEN_PROGRAM, decimals: 6 },
  mode: 'exact-in',
  amount: 1_000_000n,
  excludeVenues: new Set(),
});

describe('a pool that is made of other accounts when its price has moved', () => {
  it('is not quoted before those are read, and is followed by them', async (t) => {
    const lab = new Lab();
    const at = (tick: number) => ({ tick, sqrtPrice: sqrtPriceAt(tick) });
    const pool = writeWhirlpool(lab, {
      tickSpacing: SPACING,
      feeRate: 3_000,
      protocolFeeRate: 0,
      ...at(10),
      isDynamic: () => false,
      tokenPrograms: [TOKEN_PROGRAM, TOKEN_PROGRAM] as [Address, Address],
      balances: [10n ** 15n, 10n ** 15n],
      positions: [{ lower: -EDGE, upper: EDGE, liquidity: 10n ** 15n }],
    });
    await put(lab, pool);
    const live = createLiveAccounts({ rpc: world.rpc, steadyNow: runningNow, log: silent });
    const { aggregator, close } = await openAggregator(world, { live });
    t.after(close);
    const ask = () => aggregator.quote(request(pool.mints), AbortSignal.timeout(PATIENCE_MS));
    const first = await ask();
    assert.ok(!isRefused(first) && first.hops[0]!.label === 'Whirlpool');

    const data = lab.account(pool.address)!.data as Buffer;
    const far = at(20 * ARRAY + 5);
    data.writeInt32LE(far.tick, TICK_AT);
    data.writeBigUInt64LE(far.sqrtPrice & (2n ** 64n - 1n), 65);
    data.writeBigUInt64LE(far.sqrtPrice >> 64n, 73);
    await world.put(pool.address, IMMUTABLE_WHIRLPOOL_PROGRAM, data);
    // The answer is there before those of the accounts that it names.
    await live.refresh([pool.address]);
    const meanwhile = await ask();
    assert.ok(isRefused(meanwhile) && meanwhile.refused === 'unavailable');

    let moved = await ask();
    for (let tries = 0; isRefused(moved) && tries < 3_000; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      moved = await ask();
    }
    if (isRefused(moved)) assert.fail(moved.reason);
    assert.ok(moved.outAmount > 1_000n * first.outAmount, 'by the new price');
    await aggregator.discover();
    assert.ok(!isRefused(await ask()));
  });
});

describe('pools that cannot be traded with', () => {
  it('are counted by their reasons, in the metrics too', async (t) => {
    const lab = new Lab();
    const terms = {
      balances: [10n ** 9n, 10n ** 9n] as [bigint, bigint],
      tradeFee: 2_500n,
      openTime: 0n,
      owed: [
        [0n, 0n],
        [0n, 0n],
      ] as [bigint, bigint][],
      tokenPrograms: [TOKEN_PROGRAM, TOKEN_PROGRAM] as [Address, Address],
    };
    const disabled = writeCpmmPool(lab, { ...terms, status: 4 });
    await put(lab, disabled);
    const unknown = lab.account(disabled.address)!.data.slice();
    unknown[390] = 7;
    const other = await world.put(newAddress(), RAYDIUM_CPMM_PROGRAM, unknown);
    const registry = new Registry();
    const { aggregator, close } = await openAggregator(world, { registry });
    t.after(close);
    const counted = aggregator.venues().find(({ label }) => label === 'Raydium CP')!.skipped;
    const reasons = { 'trading is disabled': 1, 'its type of creator fee is unknown': 1 };
    assert.deepEqual(counted, reasons, 'though nobody has asked for them');
    const refused = await aggregator.quote(request(disabled.mints), AbortSignal.timeout(PATIENCE_MS));
    assert.ok(isRefused(refused) && refused.refused === 'no-route');
    assert.ok(refused.reason.endsWith(`Raydium CP ${disabled.address}: trading is disabled`), refused.reason);
    const text = await registry.metrics();
    for (const reason of Object.keys(reasons))
      assert.ok(text.includes(`slipway_pools_skipped{venue="Raydium CP",reason="${reason}"} 1`), text);

    // One that can be traded with again is no longer counted.
    const { data } = lab.account(disabled.address)!;
    data[329] = 0;
    await world.put(disabled.address, RAYDIUM_CPMM_PROGRAM, data);
    await world.remove(other);
    await aggregator.discover();
    for (let tries = 0; tries < 3_000; tries++) {
      if (!isRefused(await aggregator.quote(request(disabled.mints), AbortSignal.timeout(PATIENCE_MS)))) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.deepEqual(aggregator.venues().find(({ label }) => label === 'Raydium CP')!.skipped, {});
  });
});

describe('a pool that is new', () => {
  it('is routed over at once where it was made here, though no search has found it', async (t) => {
    const { aggregator, close } = await openAggregator(world, { byMint: true });
    t.after(close);
    const [a, b] = [await world.token(), await world.token()];
    const { address } = await world.pool(a, b, [10n ** 9n, 10n ** 9n]);
    await aggregator.learn(address);
    const quote = await aggregator.quote(request([a.mint, b.mint]), AbortSignal.timeout(PATIENCE_MS));
    if (isRefused(quote)) assert.fail(quote.reason);
    assert.equal(quote.hops[0]!.venue, address);
    await aggregator.learn(newAddress());
  });

  it('attack: a free key posts a landed launch over and over: its pool is looked for once, not with all others each time', async (t) => {
    const pool = newAddress();
    let asked = 0;
    const rpc: Rpc = {
      name: 'counting',
      call(method, params) {
        if (JSON.stringify(params).includes(pool)) asked += 1;
        return world.rpc.call(method, params);
      },
    };
    const live = createLiveAccounts({ rpc, steadyNow: runningNow, log: silent });
    const { aggregator, close } = await openAggregator(world, { rpc, live, byMint: true });
    t.after(close);
    await aggregator.learn(pool);
    assert.ok(asked > 0);
    for (let post = 0; post < 200; post++) await aggregator.learn(pool);
    // Each minute once, too.
    assert.ok(asked < 20, `${asked} questions`);
  });

  for (const byMint of [false, true]) {
    it(`is looked for when the one before has migrated${byMint ? ', where pools are found by mint' : ''}`, async (t) => {
      const [a, b] = [await world.token(), await world.token()];
      const before = await world.pool(a, b, [10n ** 9n, 10n ** 9n]);
      const live = createLiveAccounts({ rpc: world.rpc, steadyNow: runningNow, log: silent });
      const { aggregator, close } = await openAggregator(world, { live, byMint });
      t.after(close);
      const routedOver = async (address: Address) => {
        for (; ; await new Promise((resolve) => setTimeout(resolve, 20))) {
          const answered = await aggregator.quote(request([a.mint, b.mint]), AbortSignal.timeout(PATIENCE_MS));
          if (!isRefused(answered) && answered.hops[0]!.venue === address) return;
        }
      };
      await routedOver(before.address);
      const after = await world.pool(a, b, [10n ** 9n, 10n ** 9n]);
      await world.remove(before.address);
      await live.refresh([before.address]);
      await routedOver(after.address);
    });
  }
});

/** A world's pool of two tokens, watched within a budget of calls, as many of which as may be made for quotes can be had to wait. */
async function openBusy(t: TestContext) {
  let time = 0;
  const budget = createCallBudget({ rpc: world.rpc, callsPerSecond: 10_000, steadyNow: () => time });
  // Whoever has waited for so long is refused, so that nothing waits for ever.
  t.after(() => {
    time += 60_000;
  });
  const [rpc, firstRpc] = [budget.rpcFor('quotes'), budget.rpcFor('keeper')];
  const [a, b] = [await world.token(), await world.token()];
  await world.pool(a, b, [10n ** 9n, 10n ** 9n]);
  const clock = { ahead: 0 };
  const steadyNow = () => runningNow() + clock.ahead;
  const live = createLiveAccounts({ rpc, firstRpc, steadyNow, log: silent });
  const { aggregator, close } = await openAggregator(world, { live, steadyNow, hubs: [b.mint] });
  t.after(close);
  const flood = () => {
    while (budget.waiting('quotes') < 100) rpc.call('getHealth', []).catch(() => {});
  };
  return { aggregator, clock, flood, mints: [a.mint, b.mint] as const };
}

it('attack: a free key has as many calls wait as may be made for quotes: what the fill of a due order reads of its pools goes before them', async (t) => {
  const { aggregator, flood, mints } = await openBusy(t);
  flood();
  const asked = { ...request(mints), owner: newAddress() };
  const ofClient = await aggregator.quote(asked, AbortSignal.timeout(100));
  assert.ok(isRefused(ofClient) && ofClient.refused === 'timeout');
  const ofFill = await aggregator.quote({ ...asked, forFill: new FillReadings() }, AbortSignal.timeout(PATIENCE_MS));
  if (isRefused(ofFill)) assert.fail(ofFill.reason);
});

it('attack: a free key has calls wait for quotes for longer than pools stay fresh: those of open orders are read before them', async (t) => {
  const { aggregator, clock, flood, mints } = await openBusy(t);
  const [token, hub] = mints;
  const says = () => aggregator.quotesOf(token, [hub]).some(({ isSilent }) => !isSilent);
  aggregator.keep([token]);
  flood();
  clock.ahead += MAX_AGE_MS + 1_000;
  assert.equal(says(), false);
  const ask = () => {
    const asked = { ...request(mints), owner: newAddress(), forFill: new FillReadings() };
    return aggregator.quote(asked, AbortSignal.timeout(PATIENCE_MS));
  };
  let quote = await ask();
  for (let tries = 0; isRefused(quote) && tries < 1_000; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    quote = await ask();
  }
  if (isRefused(quote)) assert.fail(quote.reason);
  assert.ok(says(), 'the token has its price again');
});
