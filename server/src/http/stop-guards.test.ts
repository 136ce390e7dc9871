import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { test } from 'node:test';
import { Outage, plainError } from '../errors/index.js';
import { startTestServer } from './testing.js';

test('attack: a free key keeps requests under way until crafting is stopped: none is handed a transaction', async (t) => {
  let isStopped = false;
  const require = async () => {
    if (isStopped) throw new Outage('STOPPED', 'Stopped by the operator (crafts): prices', { told: 'prices' });
  };
  const under = new EventEmitter();
  const [begun, crafted] = [once(under, 'begun'), once(under, 'crafted')];
  const { app } = await startTestServer(
    (server) =>
      server.post('/craft', {
        config: { errorShape: plainError, auth: 'key', crafts: true },
        handler: async () => {
          under.emit('begun');
          await crafted;
          return { transaction: 'AQ==' };
        },
      }),
    { stops: { require } },
  );
  t.after(() => app.close());
  const headers = { 'x-api-key': 'good-key' };
  const post = () => app.inject({ method: 'POST', url: '/craft', headers, payload: {} });
  const answer = post();
  await begun;
  isStopped = true;
  under.emit('crafted');
  const { statusCode, body, headers: answered } = await answer;
  assert.deepEqual([statusCode, answered['retry-after']], [503, '30'], body);
  assert.doesNotMatch(body, /AQ==/);
  assert.match(body, /prices/);
  isStopped = false;
  assert.deepEqual((await post()).json(), { transaction: 'AQ==' });
});
