import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainUnavailable, type Rpc, Throttled } from '../chain/index.js';
import { patientRpc } from './patient-rpc.js';

function refusing(times: number, refusal: Error): { rpc: Rpc; calls: () => number } {
  let calls = 0;
  const call = async () => {
    calls += 1;
    if (calls <= times) throw refusal;
    return 'answer' as never;
  };
  return { rpc: { name: 'test', call }, calls: () => calls };
}

test('a command asks again what a node refuses because it is asked too much, as late as that wants, and for half a minute', async () => {
  const pauses: number[] = [];
  const pause = async (milliseconds: number) => pauses.push(milliseconds);
  assert.equal(await patientRpc(refusing(2, new Throttled('429', 400)).rpc, pause).call('getSlot', []), 'answer');
  assert.deepEqual(pauses.splice(0), [400, 500]);
  const always = refusing(100, new Throttled('429', 0));
  await assert.rejects(patientRpc(always.rpc, pause).call('getSlot', []), Throttled);
  assert.deepEqual(pauses.splice(0), [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000]);
  const hours = refusing(100, new Throttled('429', 3_600_000));
  await assert.rejects(patientRpc(hours.rpc, pause).call('getSlot', []), Throttled);
  assert.deepEqual(pauses.splice(0), [2_000, 2_000, 2_000, 2_000, 4_000, 8_000, 16_000]);
  const away = refusing(1, new ChainUnavailable('away'));
  await assert.rejects(patientRpc(away.rpc, pause).call('getSlot', []), ChainUnavailable);
  assert.deepEqual([pauses, away.calls()], [[], 1]);
});
