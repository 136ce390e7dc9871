import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { plainError } from '../errors/index.js';
import type { Store } from '../store/sql.js';
import { openAnyStore } from '../store/testing.js';
import { createAdminSessions, PROOF_HEADER } from './admin-sessions.js';
import { MOST_WRONG_TOKENS } from './guards.js';
import { startTestServer } from './testing.js';

const TOKEN = 'admin-secret-token';
const SESSION = '/admin/v1/session';
const HOST = 'localhost:8080';
let now = 1_800_000_000_000;
let steady = 0;
let store: Store;
let app: FastifyInstance;
/** A second copy, on the same database. */
let other: FastifyInstance;

before(async () => {
  store = await openAnyStore();
});
beforeEach(async () => {
  [app, other] = await Promise.all([open(TOKEN), open(TOKEN)]);
});
after(() => store.close());

async function open(adminToken: string, publicUrl = 'http://localhost:8080', from = store): Promise<FastifyInstance> {
  const clock = { now: () => now };
  const steadyNow = () => steady;
  const log = pino({ level: 'silent' });
  const adminSessions = createAdminSessions({ adminToken, publicUrl, store: from, clock, steadyNow, log });
  const env = { SLIPWAY_ADMIN_TOKEN: adminToken, SLIPWAY_PUBLIC_URL: publicUrl };
  const { app: server } = await startTestServer(
    (routes) => {
      const config = { errorShape: plainError, auth: 'admin' } as const;
      routes.get('/admin/v1/things', { config, handler: () => ({ things: [] }) });
      routes.post('/admin/v1/things', { config, handler: () => ({ made: true }) });
      routes.delete('/admin/v1/things', { config, handler: () => ({ made: false }) });
    },
    { adminSessions, steadyNow, env },
  );
  return server;
}

interface Login {
  cookie: string;
  proof: string;
  rules: string;
}

async function logIn(server = app, headers: Record<string, string> = {}): Promise<Login> {
  const authorization = `Bearer ${TOKEN}`;
  const answer = await server.inject({
    method: 'POST',
    url: SESSION,
    headers: { host: HOST, authorization, ...headers },
  });
  assert.equal(answer.statusCode, 200, answer.body);
  const [, cookie, rules] = /^(slipway_admin=[^;]+); (.*)$/.exec(String(answer.headers['set-cookie']))!;
  return { cookie: cookie!, rules: rules!, proof: answer.json().proof };
}

async function call(
  method: 'GET' | 'POST' | 'DELETE',
  headers: Record<string, string>,
  { server = app, url = '/admin/v1/things' } = {},
): Promise<number> {
  return (await server.inject({ method, url, headers: { host: HOST, ...headers } })).statusCode;
}
const asPage = ({ cookie, proof }: Login) => ({ cookie, [PROOF_HEADER]: proof });

test('a page that has shown the admin token reads and acts with its session, in every copy, until it ends it', async () => {
  const login = await logIn();
  for (const server of [app, other]) {
    assert.equal(await call('GET', { cookie: login.cookie }, { server }), 200);
    assert.equal(await call('POST', asPage(login), { server }), 200);
  }
  const again = await app.inject({ url: SESSION, headers: { host: HOST, cookie: login.cookie } });
  assert.equal(again.json().proof, login.proof);
  assert.equal(again.headers['cache-control'], 'no-store');

  assert.equal(await call('DELETE', asPage(login), { url: SESSION }), 200);
  assert.equal(await call('GET', { cookie: login.cookie }), 401);
  steady += 2_001;
  assert.equal(await call('GET', { cookie: login.cookie }, { server: other }), 401);
  assert.equal(await call('GET', { cookie: (await logIn()).cookie }), 200);
});

test('attack: a thief of a login has the cookie of a session of the console that was ended, and the clock of a machine jumps ahead for a moment: it stays ended', async () => {
  const stolen = await logIn();
  assert.equal(await call('DELETE', asPage(stolen), { url: SESSION }), 200);
  now += 3 * 3_600_000;
  // What is ended there must not take the other with it.
  const later = await logIn(other);
  assert.equal(await call('DELETE', asPage(later), { url: SESSION, server: other }), 200);
  steady += 2_001;
  await call('GET', { cookie: later.cookie });
  now -= 3 * 3_600_000;
  for (const wait of [0, 2_001]) {
    steady += wait;
    for (const server of [app, other]) assert.equal(await call('GET', { cookie: stolen.cookie }, { server }), 401);
  }
});

test('attack: a page reads no session from a script: the cookie is HttpOnly, SameSite=Strict, for the admin API only, and Secure behind https', async () => {
  const { rules } = await logIn();
  assert.equal(rules, 'Path=/admin/v1; Max-Age=7200; HttpOnly; SameSite=Strict');
  const secure = await open(TOKEN, 'https://api.example.com');
  assert.equal((await logIn(secure)).rules, `${rules}; Secure`);
  const origin = 'https://localhost:8080';
  assert.equal((await logIn(app, { origin })).rules, `${rules}; Secure`);
  assert.equal((await logIn(app, { origin: 'http://localhost:99999' })).rules, rules, 'though it is no origin');
});

test('attack: a caller without a key sends a thousand cookies as sessions, each to be compared: 20 are looked at', async () => {
  const { cookie } = await logIn();
  const behind = (others: number) => `${'slipway_admin=; '.repeat(others)}${cookie}`;
  assert.equal(await call('GET', { cookie: behind(19) }), 200);
  assert.equal(await call('GET', { cookie: behind(20) }), 401);
});

test('attack: a page of another site makes the browser of the operator act: nothing is done without the proof of the session', async () => {
  const login = await logIn();
  const { cookie } = login;
  const second = await logIn();
  for (const method of ['POST', 'DELETE'] as const) {
    assert.equal(await call(method, { cookie }), 403);
    assert.equal(await call(method, { cookie, [PROOF_HEADER]: '' }), 403);
    assert.equal(await call(method, { cookie, [PROOF_HEADER]: `${login.proof}x` }), 403);
    // The proof of one session is none for another.
    assert.equal(await call(method, { cookie, [PROOF_HEADER]: second.proof }), 403);
    assert.equal(await call(method, asPage(login)), 200);
  }
});

test('attack: a page of another port or of a subdomain, to which the cookie is sent as well, is refused', async () => {
  const login = await logIn();
  const foreign: Record<string, string>[] = [
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'none' },
    { origin: 'http://localhost:3000' },
    { origin: 'http://app.localhost:8080' },
    { origin: 'null' },
  ];
  for (const headers of foreign) {
    for (const method of ['GET', 'POST'] as const) {
      assert.equal(await call(method, { ...asPage(login), ...headers }), 403, JSON.stringify(headers));
    }
  }
  const own = { origin: `http://${HOST}`, 'sec-fetch-site': 'same-origin' };
  assert.equal(await call('POST', { ...asPage(login), ...own }), 200);
});

test('attack: a caller without a key makes up sessions, changes the end of one, or guesses the token: nothing passes', async () => {
  const { cookie } = await logIn();
  const [id, expiry, mac] = cookie.slice('slipway_admin='.length).split('.') as [string, string, string];
  for (const text of [
    '',
    'x',
    `${id}.${expiry}`,
    `${id}.${Number(expiry) + 1}.${mac}`,
    `${id}.${expiry}.${mac.slice(0, -1)}A`,
    `${id}x.${expiry}.${mac}`,
    `${id}.NaN.${mac}`,
    'a'.repeat(10_000),
  ].filter((each) => `slipway_admin=${each}` !== cookie)) {
    assert.equal(await call('GET', { cookie: `slipway_admin=${text}` }), 401, text.slice(0, 60));
  }
  // One that somebody has set beside the right one does not log out.
  assert.equal(await call('GET', { cookie: `slipway_admin=x; ${cookie}` }), 200);

  const authorization = 'Bearer not-the-token-of-the-operator';
  const guess = () => call('POST', { authorization }, { url: SESSION });
  for (let number = 0; number < MOST_WRONG_TOKENS; number++) assert.equal(await guess(), 401);
  assert.equal(await guess(), 429);
  // Whoever guesses from the operator's address ends no session of his.
  assert.equal(await call('GET', { cookie }), 200);
  assert.equal(await call('GET', {}), 429);
});

test('attack: a page keeps its session: it ends after two hours, makes no other one, and ends with another admin token', async () => {
  const login = await logIn();
  assert.equal(await call('POST', asPage(login), { url: SESSION }), 401);
  assert.equal(await call('GET', { cookie: login.cookie }, { server: await open(`${TOKEN}-2`) }), 401);
  now += 7_199_000;
  assert.equal(await call('GET', { cookie: login.cookie }), 200);
  now += 1_000;
  assert.equal(await call('GET', { cookie: login.cookie }), 401);
  assert.equal(await call('POST', asPage(login)), 401);
});

test('while the database is away, who is logged in still sees that, and a session that has ended here stays so', async () => {
  let isAway = false;
  const failing: Store = {
    ...store,
    query: (text, params) => (isAway ? Promise.reject(new Error('away')) : store.query(text, params)),
    transaction: (work) => store.transaction(work),
  };
  const server = await open(TOKEN, undefined, failing);
  const [login, ended] = [await logIn(server), await logIn(server)];
  assert.equal(await call('DELETE', asPage(ended), { server, url: SESSION }), 200);
  isAway = true;
  steady += 10_000;
  assert.equal(await call('GET', { cookie: login.cookie }, { server }), 200);
  assert.equal(await call('GET', { cookie: ended.cookie }, { server }), 401);
});
