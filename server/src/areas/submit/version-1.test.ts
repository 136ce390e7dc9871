import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestServer } from '../../http/testing.js';
import { registerSubmitTransaction } from './submit.js';

test('submit says which transactions it takes to who posts one of version 1, and refuses what none can be as long as', async (t) => {
  const { app } = await startTestServer((server) => registerSubmitTransaction(server, {} as never));
  t.after(() => app.close());
  const submit = async (signedTransaction: string) => {
    const headers = { 'x-api-key': 'good-key' };
    const answer = await app.inject({ method: 'POST', url: '/tx/v1/submit', headers, payload: { signedTransaction } });
    return [answer.statusCode, answer.json().error];
  };
  const takes = 'transactions of version 1 are not taken; expected a legacy one, or one of version 0';
  for (const bytes of [200, 4_096]) {
    const wire = Buffer.alloc(bytes, 1);
    wire[0] = 0x81;
    assert.deepEqual(await submit(wire.toString('base64')), [400, `signedTransaction: ${takes}`]);
  }
  assert.deepEqual(await submit('A'.repeat(5_468)), [400, 'signedTransaction: expected at most 5464 characters']);
  const [status, error] = await submit(Buffer.alloc(1_233).toString('base64'));
  assert.deepEqual([status, error], [400, 'signedTransaction: the transaction has 1233 bytes, more than 1232']);
});
