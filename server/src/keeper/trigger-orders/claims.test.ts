import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createFillWrites } from './fill-writes.js';
import { releaseAbandoned } from './recovery.js';
import { openTriggerWorld } from './testing.js';

const MINUTE_MS = 60_000;

let world: Awaited<ReturnType<typeof openTriggerWorld>>;
before(async () => {
  world = await openTriggerWorld();
});
after(() => world?.close());

/** What a keeper does whose clock is ahead by so much. */
function keeperAhead(ms: number) {
  const deps = { store: world.store, clock: { now: () => world.clock.now() + ms } };
  const writes = createFillWrites(deps);
  return {
    claim: async () => (await writes.claim({ id: (await world.open(0.9)).id, leg: 'entry' }))!,
    releaseAbandoned: () => releaseAbandoned(deps, { alone: false }),
  };
}

const stateOf = async (id: string) => (await world.rowOf(id)).progress.state;

it('attack: an operator by mistake lets the clock of one of two keepers run half a minute ahead: it takes no claims from the other, whose fills would be signed for nothing', async () => {
  const { id } = await keeperAhead(0).claim();
  await keeperAhead(MINUTE_MS / 2).releaseAbandoned();
  assert.equal(await stateOf(id), 'ready_execute');
});

it('attack: an operator by mistake runs a keeper whose clock is an hour ahead: orders that it has claimed go on when it is gone, not an hour later', async () => {
  const keeper = keeperAhead(0);
  const [ahead, before] = [await keeperAhead(60 * MINUTE_MS).claim(), await keeper.claim()];
  await keeper.releaseAbandoned();
  assert.deepEqual([await stateOf(ahead.id), await stateOf(before.id)], ['ready_execute', 'ready_execute']);
  const pass = (time: string) =>
    world.store.query('update orders set lease_until = lease_until + $1::interval where id = any($2)', [
      time,
      [ahead.id, before.id],
    ]);
  await pass('-20 seconds');
  await world.store.query(`update orders set lease_until = lease_until + interval '1 hour' where id = $1`, [before.id]);
  await keeper.releaseAbandoned();
  assert.deepEqual([await stateOf(ahead.id), await stateOf(before.id)], ['open', 'open']);
});

it('releases nothing that a keeper has claimed again since', async () => {
  const keeper = keeperAhead(0);
  const { id } = await keeper.claim();
  await world.store.query(`update orders set lease_until = 'epoch' where id = $1`, [id]);
  const [{ leaseUntil: again }] = (
    await world.store.query<{ leaseUntil: Date }>(
      `select statement_timestamp() + interval '10 seconds' as "leaseUntil"`,
    )
  ).rows as [{ leaseUntil: Date }];
  const { store } = world;
  const claimedAgain = {
    ...store,
    query: async (...args: Parameters<typeof store.query>) => {
      const found = await store.query(...args);
      await store.query('update orders set lease_until = $2 where id = $1', [id, again]);
      return found;
    },
  } as typeof store;
  await releaseAbandoned({ store: claimedAgain, clock: world.clock }, { alone: false });
  assert.equal(await stateOf(id), 'ready_execute');
});
