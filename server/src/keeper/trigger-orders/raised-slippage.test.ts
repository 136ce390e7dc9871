import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { FREE, type TestPool } from '../../routing/aggregator/testing.js';
import { AMOUNT, openTriggerWorld } from './testing.js';

let world: Awaited<ReturnType<typeof openTriggerWorld>>;
beforeEach(async () => {
  world = await openTriggerWorld();
});
afterEach(() => world?.close());

type Reserves = [bigint, bigint];
/** In a thousandth of what the order sells. */
const reserves = (x: number, y: number): Reserves => [(AMOUNT * BigInt(x)) / 1_000n, (AMOUNT * BigInt(y)) / 1_000n];

/** What an order with automatic slippage brings, of its amount, beside free pools that change as its fill is sent. */
async function sellBeside(changing: readonly { there: Reserves; later: Reserves }[]): Promise<number> {
  const { world: on, sold, bought } = world;
  const { wallet, id } = await world.deposit(world.newClient());
  const his: { pool: TestPool; later: Reserves }[] = [];
  for (const { there, later } of changing) his.push({ pool: await on.pool(sold, bought, there, FREE), later });
  await world.aggregator.discover();
  const call = on.rpc.call.bind(on.rpc);
  let isSent = false;
  on.rpc.call = async (method, params) => {
    if (method === 'sendTransaction' && !isSent) {
      isSent = true;
      for (const { pool, later } of his) await on.setReserves(pool, later);
    }
    return call(method, params);
  };
  const keeper = await world.newKeeper();
  for (let turn = 0; turn < 2; turn++) {
    await keeper.runDue();
    if ((await world.rowOf(id)).progress.state === 'fill_success') break;
    world.clock.setOffset(world.clock.offsetMs + 60_000);
    for (const { mint } of [sold, bought]) world.setPrice(mint, 1);
  }
  assert.equal((await world.rowOf(id)).progress.state, 'fill_success');
  assert.ok(isSent);
  return Number(await world.held(wallet.address)) / Number(AMOUNT);
}

it('attack: somebody who moves pools has two small ones give their part at the price, from far above it, and takes them away as a fill is sent: automatic slippage leaves him 1 % at most', async () => {
  const small = { there: reserves(80, 120), later: reserves(1, 1) };
  const brought = await sellBeside([small, small]);
  assert.ok(brought > 0.99, `${brought}`);
});

it('attack: somebody who moves pools takes the larger part of a fill from far above the price, and moves that down as it is sent: automatic slippage leaves him 1 % at most', async () => {
  const brought = await sellBeside([{ there: reserves(5_765, 6_918), later: reserves(5_765, 5_850) }]);
  assert.ok(brought > 0.99, `${brought}`);
});
