import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainError } from '../errors/index.js';
import type { ApiKey } from './ports.js';
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
  const key: ApiKey = { id: 'key-1', tier: 'unlimited', prefixes: [], origins: [] };
  const { app } = await startTestServer(
    (server) => {
      server.get('/orders', { config, handler: () => ({ ok: true }) });
      server.post('/execute', { config: { ...config, bucket: 'execute' }, handler: () => ({ ok: true }) });
      server.get('/free', { config: { ...config, auth: 'none' }, handler: () => ({ ok: true }) });
    },
    {
      keys: () => key,
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

test('attack: a free key keeps calls that do not end, as with bodies that never come: half of the places, and no other key is refused', async () => {
  const never = new Promise<object>(() => {});
  let begun = 0;
  const keyOf = (id: string): ApiKey => ({
    id,
    tier: id === 'operator' ? 'unlimited' : 'free',
    prefixes: [],
    origins: id === 'page' ? ['http://localhost:3000'] : [],
  });
  const { app } = await startTestServer(
    (server) => {
      server.get('/orders', {
        config,
        handler: () => {
          begun++;
          return never;
        },
      });
      server.get('/prices', { config, handler: () => ({ ok: true }) });
    },
    { keys: keyOf },
  );
  /** Has so many calls begin, or fewer; how many are kept. */
  async function keep(id: string, count: number, more: object = {}): Promise<number> {
    const before = begun;
    let refused = 0;
    for (let i = 0; i < count; i++) {
      void app.inject({ url: '/orders', headers: { 'x-api-key': id }, ...more }).then((answer) => {
        assert.equal(answer.statusCode, 429, answer.body);
        refused++;
      });
    }
    while (begun - before + refused < count) await new Promise(setImmediate);
    return begun - before;
  }
  const asked = async (id: string, more: object = {}) =>
    (await app.inject({ url: '/prices', headers: { 'x-api-key': id }, ...more })).statusCode;

  assert.equal(await keep('one', MOST_WAITING.main), MOST_WAITING.main / 2);
  assert.equal(await asked('one'), 429);
  assert.equal(await asked('other'), 200);
  // The next one has half of what is left, and of those who share a key none has more than a fifth of that.
  assert.equal(await keep('two', MOST_WAITING.main), 250);
  const page = { remoteAddress: '203.0.113.1', headers: { 'x-api-key': 'page', origin: 'http://localhost:3000' } };
  assert.equal(await keep('page', 100, page), Math.floor(250 / 6));
  assert.equal(await asked('page', page), 429);
  assert.equal(await asked('page', { ...page, remoteAddress: '203.0.113.2' }), 200);
  assert.equal(await keep('three', 200), Math.floor((250 - 41) / 2));
  assert.deepEqual([await asked('other'), await asked('operator')], [200, 200]);
  // The calls above never end, and the server would wait for them.
  void app.close();
});
