import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { associatedTokenAddress } from '@slipway/wire';
import { AppError } from '../../errors/index.js';
import { AMOUNT, openTriggerWorld } from './testing.js';

let world: Awaited<ReturnType<typeof openTriggerWorld>>;
before(async () => {
  world = await openTriggerWorld();
});
after(() => world?.close());

const trailing = {
  triggerCondition: 'below',
  triggerPriceUsd: undefined,
  trailingBps: 2_000,
  slippageBps: 500,
} as const;

test('attack: a price feed is wrong while a trailing order is made: it begins at no price that moves no mark later, and its deposit stays where it is', async () => {
  const { sold, bought } = world;
  const prices = { ...world.priced, poolWitness: () => 1 };
  const client = world.newClient(world.newLanding(), prices);
  const wallet = await client.register();
  const account = associatedTokenAddress(wallet.address, sold.mint, sold.tokenProgram);
  await world.fund(wallet.address, sold, AMOUNT);
  const pair = { inputMint: sold.mint, outputMint: bought.mint, triggerMint: sold.mint, orderType: 'single' } as const;
  const open = () => client.open(wallet, AMOUNT, { ...pair, ...trailing });
  const wrong = [
    ['another price than deep pools', 1.4, {}, /the pools say another price/],
    ['a price that it is not sure of', 1, { confidence: 0.03 }, /too uncertain/],
    ['a time that is to come', 1, { publishedAt: world.clock.now() + 60_000 }, /ahead of the service/],
  ] as const;
  for (const [what, usd, more, why] of wrong) {
    world.setPrice(sold.mint, usd, more);
    await assert.rejects(open(), (error) => {
      assert.ok(error instanceof AppError && error.code === 'EXECUTION_FAILED', what);
      assert.equal(error.message, 'Market price is unavailable for trailing order');
      assert.match(String(error.details?.triggerMint), why);
      return true;
    });
    assert.equal(await world.world.amount(account), AMOUNT, what);
  }
  world.setPrice(sold.mint, 1);
  const id = await open();
  const keeper = await world.newKeeper({ prices });
  await keeper.runDue();
  const { progress, highWatermark } = await world.rowOf(id);
  assert.deepEqual([progress.state, highWatermark], ['open', 1]);
});
