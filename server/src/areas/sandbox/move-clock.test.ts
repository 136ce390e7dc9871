import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClock } from '../../lib/clock.js';
import { openWorld } from '../../routing/aggregator/testing.js';
import { openAnyStore } from '../../store/testing.js';
import type { SandboxDeps } from './deps.js';
import { moveClock } from './move-clock.js';

const TEN_YEARS = 315_360_000;

test('a move of time that the chain refuses is told as what it is', async (t) => {
  const { rpc, close } = await openWorld();
  t.after(close);
  await assert.rejects(async () => {
    for (;;) await rpc.call('localnet_advanceClock', [TEN_YEARS]);
  }, /year 3000/);
  // Nothing else is asked once the chain has refused.
  const deps = { chain: { rpc } } as SandboxDeps;
  await assert.rejects(moveClock(deps, { seconds: TEN_YEARS }), {
    code: 'INVALID_REQUEST',
    message: /^The chain refused to move time: .*year 3000; start over/,
  });
});

test('time that is moved a little at a time is moved for the service as far as for the chain', async (t) => {
  const { rpc, close } = await openWorld();
  const store = await openAnyStore();
  t.after(async () => {
    await store.close();
    await close();
  });
  const clock = createClock();
  const deps = {
    chain: { rpc, forget() {} },
    store,
    clock,
    stored: { stamp: async () => {} },
    runDue: async () => {},
  } as unknown as SandboxDeps;
  for (let move = 0; move < 20; move++) await moveClock(deps, { seconds: 0.1 });
  // A slot each.
  assert.equal(clock.offsetMs, 20 * 400);
  await moveClock(deps, { seconds: 1 });
  assert.equal(clock.offsetMs, 20 * 400 + 1_200);
});
