import assert from 'node:assert/strict';
import { it } from 'node:test';
import { associatedTokenAddress, generateKeypair } from '@slipway/wire';
import { worldOver } from '../../routing/aggregator/testing.js';
import { openSwapWorld, signed } from './testing.js';

const AMOUNT = 904_518_118n;

it('attack: somebody who moves pools buys one unit of a token without decimals before an order for two lands: it gets both or nothing moves, however little of the slippage that is', async (t) => {
  const world = await openSwapWorld();
  t.after(() => world.close());
  const holding = worldOver(world.net);
  const [sold, coarse] = [await holding.token(), await holding.token({ decimals: 0 })];
  const pool = await holding.pool(sold, coarse, [450_000_000_000n, 1_000n]);
  await world.aggregator.discover();
  const taker = generateKeypair();
  await world.rpc.call('requestAirdrop', [taker.address, 1_000_000_000]);
  const account = associatedTokenAddress(taker.address, sold.mint, sold.tokenProgram);
  await holding.holding(sold, taker.address, AMOUNT, account);
  const query = { inputMint: sold.mint, outputMint: coarse.mint, amount: `${AMOUNT}`, taker: taker.address };
  const { body: order } = await world.order({ ...query, slippageBps: 50 });
  assert.deepEqual([order.outAmount, order.otherAmountThreshold], ['2', '2']);
  await holding.setReserves(pool, [450_452_000_000n, 999n]);
  const { body } = await world.execute({
    requestId: order.requestId,
    signedTransaction: signed(order.transaction!, taker),
  });
  assert.deepEqual([body.status, body.code], ['Failed', 6001]);
  assert.equal(await holding.amount(account), AMOUNT);
  await holding.setReserves(pool, [449_000_000_000n, 1_000n]);
  const { body: again } = await world.order({ ...query, slippageBps: 50 });
  const landed = await world.execute({
    requestId: again.requestId,
    signedTransaction: signed(again.transaction!, taker),
  });
  assert.equal(landed.body.status, 'Success');
  assert.equal(await holding.amount(associatedTokenAddress(taker.address, coarse.mint, coarse.tokenProgram)), 2n);
});
