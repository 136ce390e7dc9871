import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Address, addressToBytes, encodeMint, TOKEN_2022_PROGRAM, WRAPPED_SOL_MINT } from '@slipway/wire';
import { createLiveAccounts } from '../../chain/index.js';
import { PATIENCE_MS, runningNow } from '../../lib/testing.js';
import { isRefused } from '../router.js';
import { KnownMints } from './known-mints.js';
import { newAddress, openAggregator, openWorld, silent, type World, WRAPPED_SOL } from './testing.js';

const DEEP = 10n ** 12n;
const NOBODY = new Uint8Array(32);

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

/** The extension that says who may close a mint. */
function closedBy(authority: Uint8Array): Uint8Array {
  const extension = Buffer.alloc(36);
  extension.writeUInt16LE(3, 0);
  extension.writeUInt16LE(32, 2);
  extension.set(authority, 4);
  return new Uint8Array(extension);
}

test('attack: an issuer of a token closes its mint and opens it anew with other decimals: no pool says what it is worth', async (t) => {
  const token = (authority: Uint8Array) =>
    world.token({ program: TOKEN_2022_PROGRAM, decimals: 6, extensions: closedBy(authority) });
  const [closable, lasting] = [await token(addressToBytes(newAddress())), await token(NOBODY)];
  for (const each of [closable, lasting]) await world.pool(each, WRAPPED_SOL, [DEEP, DEEP]);
  const { aggregator, close } = await openAggregator(world);
  t.after(close);
  const pricesOf = (mint: Address) => aggregator.quotesOf(mint, [WRAPPED_SOL_MINT]).map(({ price }) => price);
  assert.deepEqual(pricesOf(lasting.mint), [0.001], 'one token of 6 decimals is a thousandth of a SOL');
  const reopened = { decimals: 0, supply: 2n ** 63n, initialized: true };
  await world.put(closable.mint, TOKEN_2022_PROGRAM, encodeMint(reopened));
  await aggregator.discover();
  // The same price would say that one of its smallest units is worth as much as a million were.
  assert.deepEqual(pricesOf(closable.mint), []);
  // Swaps count in the smallest units.
  const quote = await aggregator.quote(
    { mode: 'exact-in', input: WRAPPED_SOL, output: closable, amount: 1_000n, excludeVenues: new Set() },
    AbortSignal.timeout(PATIENCE_MS),
  );
  assert.ok(!isRefused(quote) && quote.outAmount > 900n);
});

test('attack: an issuer of a token opens its mint anew with other decimals, so that nobody can close it again: it has no price before all here have read it since', async () => {
  const token = (decimals: number, authority: Uint8Array) =>
    world.token({ program: TOKEN_2022_PROGRAM, decimals, extensions: closedBy(authority) });
  const [before, after] = [await token(6, addressToBytes(newAddress())), await token(0, NOBODY)];
  let now = 0;
  const live = createLiveAccounts({ rpc: world.rpc, steadyNow: runningNow, log: silent });
  // The chain of a test closes no mint: the second one stands for the first, reopened.
  const refresh = async (asked: readonly Address[]) => {
    const [reading] = (await live.refresh([now > 0 ? after.mint : before.mint])).values();
    return new Map(asked.map((mint) => [mint, reading!]));
  };
  const mints = new KnownMints({ live: { ...live, refresh }, steadyNow: () => now });
  const readings = [];
  for (const at of [0, 60_000, 119_999, 120_000]) {
    now = at;
    await mints.read([before.mint]);
    const { decimals, mayReopen } = mints.get(before.mint)!;
    readings.push([decimals, mayReopen]);
  }
  live.close();
  const closable = [true, true, true, undefined];
  assert.deepEqual(
    readings,
    [6, 0, 0, 0].map((decimals, i) => [decimals, closable[i]]),
  );
});

test('reads known mints again after those that are not known, a few at a time, and for a second at most', async () => {
  const live = createLiveAccounts({ rpc: world.rpc, steadyNow: runningNow, log: silent });
  const [reading] = (await live.refresh([(await world.token()).mint])).values();
  live.close();
  const asked: number[] = [];
  let now = 0;
  const refresh = async (mints: readonly Address[]) => {
    if (mints.length > 0) asked.push(mints.length);
    now += 300;
    return new Map(mints.map((mint) => [mint, reading!]));
  };
  const mints = new KnownMints({ live: { ...live, refresh }, steadyNow: () => now });
  const many = Array.from({ length: 2_000 }, newAddress);
  await mints.read(many);
  now += 60_000;
  await mints.read([newAddress(), ...many]);
  await mints.read(many);
  await mints.read(many);
  assert.deepEqual(asked, [2_000, 1, 400, 400, 400, 400, 400]);
});

test('reads all known mints again in turn, also where more than come soon are gone', async () => {
  const live = createLiveAccounts({ rpc: world.rpc, steadyNow: runningNow, log: silent });
  const [reading] = (await live.refresh([(await world.token()).mint])).values();
  live.close();
  const many = Array.from({ length: 2_000 }, newAddress);
  const gone = new Set<Address>();
  const again = new Set<Address>();
  let now = 0;
  const refresh = async (mints: readonly Address[]) => {
    for (const mint of mints) again.add(mint);
    now += 300;
    return new Map(mints.map((mint) => [mint, gone.has(mint) ? { slot: 1, account: undefined } : reading!]));
  };
  const mints = new KnownMints({ live: { ...live, refresh }, steadyNow: () => now });
  await mints.read(many);
  for (const mint of many.slice(0, 1_600)) gone.add(mint);
  again.clear();
  const read = [];
  for (let times = 0; times < 2; times++) {
    now += 60_000;
    await mints.read(many);
    read.push(again.size);
  }
  assert.deepEqual(read, [1_600, 2_000]);
  assert.equal(mints.get(many[0]!)?.decimals, mints.get(many.at(-1)!)?.decimals);
});
