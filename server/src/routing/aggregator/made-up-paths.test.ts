import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { PATIENCE_MS } from '../../lib/testing.js';
import { isRefused, type QuoteRequest, type Token } from '../router.js';
import { openAggregator, openWorld, WRAPPED_SOL } from './testing.js';

const DEEP = 10n ** 14n;
/** More than there are places for paths of two steps. */
const TOKENS = 33;
const HONEST_POOLS = 2;

it('attack: a stranger on the chain makes 33 tokens of which pools have one unit each, and another to sell it to: quotes go on over the honest way', async (t) => {
  const world = await openWorld();
  t.after(() => world.close());
  const [sold, bought] = [await world.token(), await world.token()];
  await world.pool(sold, WRAPPED_SOL, [DEEP, DEEP]);
  await world.pool(WRAPPED_SOL, bought, [DEEP, DEEP]);
  const { aggregator, close } = await openAggregator(world, { byMint: true, hubs: [bought.mint] });
  t.after(close);
  const ask = async (input: Token, amount: bigint, mode: QuoteRequest['mode'] = 'exact-in') => {
    const request: QuoteRequest = { mode, input, output: bought, amount, excludeVenues: new Set() };
    const quote = await aggregator.quote(request, AbortSignal.timeout(PATIENCE_MS));
    return isRefused(quote) ? quote.refused : { in: quote.inAmount, out: quote.outAmount };
  };
  const watched = async (pools: number) => {
    while (aggregator.venues().reduce((sum, venue) => sum + venue.pools, 0) < pools) await sleep(20);
    await aggregator.discover();
  };
  const amounts = [10n ** 4n, 10n ** 6n, 10n ** 8n];
  const answers = async () => {
    const all = [];
    for (const amount of amounts) all.push(await ask(sold, amount), await ask(sold, amount, 'exact-out'));
    return all;
  };
  await ask(sold, 1n);
  await watched(HONEST_POOLS);
  const honest = await answers();
  assert.ok(honest.every((answer) => typeof answer === 'object'));

  for (let i = 0; i < TOKENS; i++) {
    const own = await world.token({ decimals: 0 });
    await world.pool(sold, own, [10n ** 7n, 1n]);
    await world.pool(own, bought, [1n, 22n * 10n ** 7n]);
    await ask(own, 1n);
  }
  // He sells there by himself, a third below the price.
  await world.pool(sold, bought, [DEEP, (DEEP * 2n) / 3n]);
  await aggregator.discover();
  await watched(HONEST_POOLS + 2 * TOKENS + 1);
  assert.deepEqual(await answers(), honest);
});
