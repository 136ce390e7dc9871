import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Address } from '@slipway/wire';
import { tableOf } from '../../routing/aggregator/testing.js';
import { AMOUNT, openTriggerWorld } from './testing.js';

const DEEP = 10n ** 14n;

it('attack: a stranger on the chain makes 33 tokens that seem to bring more than a stop-loss sells for, and a pool just above its floor: it is filled at the honest price', async (t) => {
  const tables: Address[] = [];
  const world = await openTriggerWorld(tables);
  t.after(() => world.close());
  const { sold, bought, pool, aggregator, world: chain } = world;
  for (const account of [pool.address, ...pool.vaults]) await chain.remove(account);
  const between = await chain.token();
  const honest = [await chain.pool(sold, between, [DEEP, DEEP]), await chain.pool(between, bought, [DEEP, DEEP])];
  // Two pools of this kind have no room otherwise.
  tables.push(await chain.lookupTable(tableOf(honest)));
  for (let i = 0; i < 33; i++) {
    const own = await chain.token({ decimals: 0 });
    await chain.pool(sold, own, [10n ** 7n, 1n]);
    await chain.pool(own, bought, [1n, 25n * 10n ** 7n]);
  }
  await chain.pool(sold, bought, [DEEP, (DEEP * 905n) / 1_000n]);
  await aggregator.discover();
  await aggregator.exchangeTables();
  const keeper = await world.newKeeper();
  const { id, wallet } = await world.deposit(world.newClient(), { slippageBps: 1_000 });
  await keeper.runDue();
  assert.equal((await world.rowOf(id)).progress.state, 'fill_success');
  const paid = await world.held(wallet.address);
  assert.ok(paid > (AMOUNT * 99n) / 100n, `${paid} of ${AMOUNT}`);
});
