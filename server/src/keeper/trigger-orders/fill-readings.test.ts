import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { RefreshOptions } from '../../chain/live-accounts.js';
import { openTriggerWorld } from './testing.js';

const WHOLE = 1_000_000n;

let world: Awaited<ReturnType<typeof openTriggerWorld>>;
before(async () => {
  world = await openTriggerWorld();
});
after(() => world?.close());

it('attack: a free key lets orders fire that no market takes, or in parts alone: each attempt reads a pool once, however many amounts it asks for', async (t) => {
  const keeper = await world.newKeeper();
  const refresh = t.mock.method(world.live, 'refresh');
  const isOfFill = ({ arguments: [, options] }: { arguments: [unknown, RefreshOptions?] }) => options?.first === true;
  const quote = t.mock.method(world.aggregator, 'quote');
  for (const [reserves, state] of [
    [400n, 'partial_fill_success'],
    [80n, 'open'],
  ] as const) {
    await world.world.setReserves(world.pool, [reserves * WHOLE, reserves * WHOLE]);
    const { id } = await world.deposit(world.newClient(), { slippageBps: 500 });
    refresh.mock.resetCalls();
    quote.mock.resetCalls();
    await keeper.runDue();
    assert.equal((await world.rowOf(id)).progress.state, state);
    assert.ok(quote.mock.callCount() > 1);
    assert.equal(refresh.mock.calls.filter(isOfFill).length, 1);
  }
});
