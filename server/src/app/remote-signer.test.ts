import assert from 'node:assert/strict';
import { it } from 'node:test';
import { until } from '../keeper/testing.js';
import { silent } from '../routing/aggregator/testing.js';
import type { RemoteSigner } from '../signer/index.js';
import type { Stop } from '../store/stops.js';
import { passStopsOn } from './remote-signer.js';

type Said = Parameters<RemoteSigner['hearStops']>[0];

it('a stop that another copy said again just after it was over, before it ended, is taken back', async () => {
  const stop = { what: 'all', why: 'upgrade' } as Stop;
  let [stopped, now, asked]: [Stop[], number, number] = [[stop], 0, 0];
  /** What the signer holds of all copies of this caller, and what this one has said. */
  let held: Said = {};
  const said: Said[] = [];
  const passing = passStopsOn({
    signer: {
      async hearStops(each) {
        said.push(each);
        held = each;
        return held;
      },
    },
    stops: {
      async list() {
        asked++;
        return stopped;
      },
    },
    steadyNow: () => now,
    log: silent,
  });
  const turns = (count: number, from = asked) => until(async () => asked > from + count);
  const all = { all: 'upgrade' };
  await turns(2);
  assert.deepEqual(said, [all]);
  now += 5_000;
  await turns(2);
  now += 5_000;
  await turns(2);
  assert.deepEqual(said, [all, all, all], 'a stop is said again and again');
  stopped = [];
  await turns(2);
  assert.deepEqual(held, {});
  held = all;
  now += 5_000;
  await turns(2);
  assert.deepEqual(held, {});
  now += 5_000;
  await turns(2);
  assert.deepEqual(said, [all, all, all, {}, {}], 'and no more');
  await passing.close();
});
