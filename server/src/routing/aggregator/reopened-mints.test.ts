import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Address, addressToBytes, encodeMint, TOKEN_2022_PROGRAM, WRAPPED_SOL_MINT } from '@slipway/wire';
import { isRefused } from '../router.js';
import { newAddress, openAggregator, openWorld, type World, WRAPPED_SOL } from './testing.js';

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
    AbortSignal.timeout(10_000),
  );
  assert.ok(!isRefused(quote) && quote.outAmount > 900n);
});
