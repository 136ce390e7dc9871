import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openWorld } from '../../routing/aggregator/testing.js';
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
