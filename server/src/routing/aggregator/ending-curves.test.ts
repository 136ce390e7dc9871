import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { DBC_PROGRAM } from '@slipway/checks';
import type { Address, Keypair } from '@slipway/wire';
import { PATIENCE_MS } from '../../lib/testing.js';
import { type Built, isRefused, type Quote, type SwapParties, type Token } from '../router.js';
import { newAddress, openAggregator, openWorld, tableOf, type World, WRAPPED_SOL } from './testing.js';
import { type EndingCurve, writeEndingCurve } from './venues/testing/ending-curve.js';

const AMOUNT = 100_000_000n;
const DEEP = 10n ** 13n;
/** What a stranger leaves of the curve between a quote and its landing. */
const LEFT = 75_000_000n;
const paidFor = (counted: bigint) => (counted * 100n + 98n) / 99n;

describe('a route into a curve that somebody buys before it lands', () => {
  let world: World;
  let owner: Keypair;
  let payer: Keypair;
  let sold: Token;
  let bought: Token;
  let source: Address;
  let destination: Address;
  before(async () => {
    world = await openWorld();
    [owner, payer] = [await world.wallet(), await world.wallet()];
  });
  after(() => world.close());
  beforeEach(async () => {
    [sold, bought] = [await world.token(), await world.token()];
    source = await world.holding(sold, owner.address, AMOUNT);
    destination = await world.holding(bought, owner.address);
  });

  async function quoteOver(between: Token | undefined): Promise<{ quote: Quote; curve: EndingCurve }> {
    const curve = await writeEndingCurve(world, bought, between ?? sold, AMOUNT);
    const pools = between ? [await world.pool(sold, between, [DEEP, DEEP])] : [];
    const named = [...tableOf(pools), ...curve.written, bought.mint, DBC_PROGRAM];
    const routing = await openAggregator(world, { lookupTables: [await world.lookupTable([...new Set(named)])] });
    const request = { mode: 'exact-in', input: sold, output: bought, amount: AMOUNT } as const;
    const asked = { ...request, owner: owner.address, excludeVenues: new Set<string>() };
    const quote = await routing.aggregator.quote(asked, AbortSignal.timeout(PATIENCE_MS));
    routing.close();
    if (isRefused(quote)) assert.fail(quote.reason);
    assert.equal(quote.inAmount, AMOUNT);
    return { quote, curve };
  }

  /** Lands it after a stranger has bought; the chain's error. */
  async function land(quote: Quote, curve: EndingCurve, more: Partial<SwapParties> = {}): Promise<unknown> {
    const parties = {
      owner: owner.address,
      source,
      destination,
      receiver: owner.address,
      feePayer: payer.address,
      rentPayer: payer.address,
      absentSigners: new Set<Address>(),
      minOut: 1n,
      ...more,
    };
    const built: Built | { reason: string } = await quote.build(parties);
    if (!('instructions' in built)) assert.fail(built.reason);
    await curve.leave(LEFT);
    return world.run([payer, owner], built.instructions, built.lookupTables);
  }

  it('attack: a stranger on the chain buys the curve of a swap whose account is to be emptied: what the curve does not take stays there', async () => {
    const { quote, curve } = await quoteOver(undefined);
    const before = await world.amount(curve.vault);
    assert.equal(await land(quote, curve, { emptySource: true }), null);
    const gained = (await world.amount(curve.vault)) - before;
    assert.equal(gained, paidFor(LEFT));
    assert.equal(await world.amount(source), AMOUNT - gained);
  });

  it('attack: a stranger on the chain buys the curve of a second step: a token that is left fails the swap, and nobody loses anything', async () => {
    const { quote, curve } = await quoteOver(await world.token());
    const before = await world.amount(curve.vault);
    assert.notEqual(await land(quote, curve), null);
    assert.equal(await world.amount(curve.vault), before);
    assert.equal(await world.amount(source), AMOUNT);
  });

  it('attack: a stranger on the chain buys the curve of a second step: SOL that is left goes to its owner, not to who has lent the rent', async () => {
    for (const leftTo of [undefined, newAddress()]) {
      const { quote, curve } = await quoteOver(WRAPPED_SOL);
      const vault = await world.amount(curve.vault);
      const home = leftTo ?? owner.address;
      const [before, rich] = [await world.lamports(home), await world.lamports(payer.address)];
      const more = leftTo && { leftTo };
      assert.equal(await land(quote, curve, { ...more }), null);
      const gained = (await world.amount(curve.vault)) - vault;
      assert.equal(gained, paidFor(LEFT));
      const brought = quote.hops[0]!.outAmount;
      assert.equal((await world.lamports(home)) - before, brought - gained);
      assert.equal(rich - (await world.lamports(payer.address)), 10_000n, 'but the network fee');
      assert.equal(await world.amount(source), 0n);
      await world.holding(sold, owner.address, AMOUNT, source);
    }
  });
});
