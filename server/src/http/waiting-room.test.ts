import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainError } from '../errors/index.js';
import { plentyLeft, startTestServer } from './testing.js';
import { MOST_WAITING } from './waiting-room.js';

const config = { errorShape: plainError, auth: 'key' } as const;
const headers = { 'x-api-key': 'good-key' };

test('attack: a free key makes calls that wait for a node or a database that hangs: beyond so many, further ones are refused at once', async () => {
  let answer = () => {};
  const hanging = new Promise<typeof plentyLeft>((resolve) => {
    answer = () => resolve(plentyLeft);
  });
  let asked = 0;
  const { app } = await startTestServer(
    (server) => {
      server.get('/orders', { config, handler: () => ({ ok: true }) });
      server.post('/execute', { config: { ...config, bucket: 'execute' }, handler: () => ({ ok: true }) });
      server.get('/free', { config: { ...config, auth: 'none' }, handler: () => ({ ok: true }) });
    },
    {
      // The database hangs when the calls are counted.
      limiter: {
        take(_key, bucket) {
          if (bucket === 'execute') return plentyLeft;
          asked++;
          return hanging;
        },
      },
    },
  );
  const waiting = Array.from({ length: MOST_WAITING.main }, () => app.inject({ url: '/orders', headers }));
  while (asked < MOST_WAITING.main) await new Promise(setImmediate);
  const refused = await app.inject({ url: '/orders', headers });
  assert.equal(refused.statusCode, 503);
  assert.ok(Number(refused.headers['retry-after']) >= 1);
  assert.deepEqual(Object.keys(refused.json()), ['code', 'message']);
  assert.equal((await app.inject({ url: '/execute', method: 'POST', headers })).statusCode, 200, 'counted by itself');
  assert.equal((await app.inject({ url: '/free' })).statusCode, 200);
  answer();
  for (const each of await Promise.all(waiting)) assert.equal(each.statusCode, 200);
  // Also calls that fail leave.
  for (let round = 0; round < 2; round++) {
    const wrong = Array.from({ length: MOST_WAITING.main }, () => app.inject({ url: '/orders' }));
    for (const each of await Promise.all(wrong)) assert.equal(each.statusCode, 401);
  }
  assert.equal((await app.inject({ url: '/orders', headers })).statusCode, 200);
  await app.close();
});
