import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { plainError } from '../errors/index.js';
import { openAnyStore } from '../store/testing.js';
import { createAdminSessions } from './admin-sessions.js';
import { startTestServer } from './testing.js';

const TOKEN = 'admin-secret-token';

/** Admins by their tokens, each with the least role, and a route that answers when the test says so. */
async function start(t: { after(end: () => Promise<void>): void }) {
  const store = await openAnyStore();
  const clock = { now: () => 1_800_000_000_000 };
  let steady = 0;
  const steadyNow = () => steady;
  const log = pino({ level: 'silent' });
  const adminSessions = createAdminSessions({ adminToken: TOKEN, publicUrl: 'http://a', store, clock, steadyNow, log });
  const acts: string[] = [];
  const waiting: (() => void)[] = [];
  const wait = () =>
    new Promise<object>((resolve) => {
      waiting.push(() => resolve({ ok: true }));
    });
  const { app } = await startTestServer(
    (routes) => {
      const config = { errorShape: plainError, auth: 'admin', role: 'read' } as const;
      routes.get('/admin/v1/things', { config, handler: wait });
      routes.get('/admin/v1/others', { config, handler: () => ({ ok: true }) });
    },
    {
      adminSessions,
      steadyNow,
      admins: { byToken: async (name) => ({ name, roles: ['read'] }), byName: async () => undefined },
      recordAct: async ({ who, what }) => void acts.push(`${who} ${what}`),
    },
  );
  t.after(async () => {
    await app.close();
    await store.close();
  });
  const call = async (token: string, url = '/admin/v1/others', method: 'GET' | 'POST' | 'DELETE' = 'GET') => {
    const answer = await app.inject({ method, url, headers: { authorization: `Bearer ${token}` } });
    return answer.statusCode;
  };
  return {
    call,
    acts,
    waiting,
    later: () => {
      steady += 61_000;
    },
  };
}

test('attack: an admin who may only read has two thousand calls wait for the database at once: 16 do, half as many of each other admin, and the operator goes first', async (t) => {
  const { call, waiting } = await start(t);
  const many = (token: string) => Array.from({ length: 100 }, () => call(token, '/admin/v1/things'));
  const calls = ['one', 'two', 'three'].map(many);
  const isOver = Promise.all(calls.flat());
  while (waiting.length < 28) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual([await call('one'), await call('four'), await call(TOKEN)], [429, 200, 200]);
  assert.equal(waiting.length, 28);
  for (const end of waiting) end();
  const ended = await isOver;
  assert.deepEqual(
    [200, 429].map((status) => ended.filter((each) => each === status).length),
    [28, 272],
  );
  assert.deepEqual([await call('one'), await call('four')], [200, 200]);
});

test('attack: an admin who may only read begins and ends sessions of the console without end: 30 a minute are written into the record', async (t) => {
  const { call, acts, later } = await start(t);
  for (let i = 0; i < 50; i++) await call('one', '/admin/v1/session', i % 2 ? 'DELETE' : 'POST');
  assert.equal(acts.length, 30);
  assert.deepEqual(
    [await call('one', '/admin/v1/session', 'POST'), await call('two', '/admin/v1/session', 'POST')],
    [429, 200],
  );
  assert.equal(await call(TOKEN, '/admin/v1/session', 'POST'), 200);
  later();
  assert.equal(await call('one', '/admin/v1/session', 'POST'), 200);
});
