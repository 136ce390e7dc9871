import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address, WRAPPED_SOL_MINT } from '@slipway/wire';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { expressError } from '../areas/express/error-shape.js';
import { predictionError } from '../areas/prediction/error-shape.js';
import { studioError } from '../areas/studio/error-shape.js';
import { triggerV1Error } from '../areas/trigger-v1/error-shape.js';
import { triggerV2Error } from '../areas/trigger-v2/error-shape.js';
import { gatewayError, plainError } from '../errors/index.js';
import { MOST_WRONG_TOKENS, mayUse } from './guards.js';
import type { Bucket, LimitState } from './ports.js';
import { plentyLeft, startTestServer, testKeys } from './testing.js';

const LIMIT_HEADERS = ['x-ratelimit-remaining', 'x-ratelimit-current', 'x-ratelimit-reset'] as const;

const shapes = {
  express: expressError,
  'trigger-v1': triggerV1Error,
  'trigger-v2': triggerV2Error,
  studio: studioError,
  plain: plainError,
  prediction: predictionError,
  gateway: gatewayError,
};

function registerAreas(app: FastifyInstance): void {
  for (const [name, errorShape] of Object.entries(shapes)) {
    app.post(`/${name}`, {
      config: { errorShape, auth: 'key' },
      schema: { body: Type.Object({ owner: Type.String() }) },
      handler: () => ({ ok: true }),
    });
  }
  app.get('/tx/v1/status', { config: { errorShape: plainError, auth: 'key' }, handler: () => ({ ok: true }) });
  app.post('/execute', {
    config: { errorShape: plainError, auth: 'key', bucket: 'execute' },
    handler: () => ({ ok: true }),
  });
  app.get('/created', {
    config: { errorShape: plainError, auth: 'key' },
    handler: (_request, reply) => reply.code(201).send({ ok: true }),
  });
  app.get('/who', {
    config: { errorShape: plainError, auth: 'key' },
    handler: (request) => ({ id: request.apiKey?.id }),
  });
  app.get('/admin', { config: { errorShape: plainError, auth: 'admin' }, handler: () => ({ ok: true }) });
  app.get('/open', { config: { errorShape: plainError, auth: 'none' }, handler: () => ({ ok: true }) });
}

test('without a known key every area answers 401 in its shape, before it looks at the body', async () => {
  const { app } = await startTestServer(registerAreas);
  const missing = 'Unauthorized: the header x-api-key is missing';
  const unknown = 'Unauthorized: the API key is not known';
  const bodies: Record<keyof typeof shapes, (text: string) => object> = {
    express: (text) => ({ status: 401, message: text, error: text, code: 'UNAUTHORIZED' }),
    'trigger-v1': (text) => ({ error: text, code: 401 }),
    'trigger-v2': (text) => ({ error: text }),
    studio: (text) => ({ error: text }),
    plain: (text) => ({ error: text }),
    prediction: (text) => ({ type: 'authentication_error', message: text, code: 'unauthorized' }),
    gateway: (text) => ({ code: 401, message: text }),
  };
  for (const [shape, body] of Object.entries(bodies)) {
    for (const [key, text] of [
      [undefined, missing],
      ['', missing],
      ['wrong', unknown],
      ['constructor', unknown],
    ] as const) {
      const answer = await app.inject({
        method: 'POST',
        url: `/${shape}`,
        headers: { ...(key !== undefined && { 'x-api-key': key }), 'content-type': 'application/json' },
        payload: '{not json',
      });
      assert.equal(answer.statusCode, 401, `${shape} ${key}`);
      const { request_id, ...rest } = answer.json();
      assert.deepEqual(rest, body(text));
      assert.equal(request_id !== undefined, shape === 'prediction');
      for (const header of LIMIT_HEADERS) assert.equal(answer.headers[header], undefined);
    }
  }
  await app.close();
});

test('a key limited to prefixes gets 403 in the shape of the gateway elsewhere, however the path is written', async () => {
  const { app } = await startTestServer(registerAreas);
  const headers = { 'x-api-key': 'submit-only' };
  assert.equal((await app.inject({ url: '/tx/v1/status', headers })).statusCode, 200);
  assert.equal((await app.inject({ url: '/t%78/v1/status', headers })).statusCode, 200);
  for (const url of ['/who', '/wh%6f', '/created']) {
    const answer = await app.inject({ url, headers });
    assert.equal(answer.statusCode, 403, url);
    assert.deepEqual(answer.json(), { code: 403, message: 'API key does not have access to this endpoint' });
    for (const header of LIMIT_HEADERS) assert.equal(answer.headers[header], undefined);
  }
  await app.close();
});

test('a prefix covers whole path segments and minds case', () => {
  assert.equal(mayUse([], '/anything'), true);
  assert.equal(mayUse(['/tx/v1'], '/tx/v1'), true);
  assert.equal(mayUse(['/tx/v1/'], '/tx/v1/submit'), true);
  assert.equal(mayUse(['/tx/v1'], '/tx/v10/submit'), false);
  assert.equal(mayUse(['/TX'], '/tx/v1/submit'), false);
  assert.equal(mayUse(['/ultra', '/tx'], '/tx/v1/submit'), true);
  assert.equal(mayUse(['/'], '/tx/v1/submit'), true);
});

for (const kind of ['at once', 'by a promise'] as const) {
  test(`limits whose answer comes ${kind}: headers on 200 and 429 only, and the gateway's 429`, async () => {
    let left = 4;
    const asked: [string, Bucket, string][] = [];
    const later = <T>(value: T): T | Promise<T> => (kind === 'at once' ? value : Promise.resolve(value));
    const { app } = await startTestServer(registerAreas, {
      keys: (key) => later(Object.hasOwn(testKeys, key) ? testKeys[key] : undefined),
      limiter: {
        take(id, bucket, tier): LimitState | Promise<LimitState> {
          asked.push([id, bucket, tier]);
          left -= 1;
          return later({ ...plentyLeft, allowed: left >= 0, remaining: left, current: 4 - left });
        },
      },
    });
    const headers = { 'x-api-key': 'good-key' };
    const limitHeaders = (answer: { headers: Record<string, unknown> }) =>
      LIMIT_HEADERS.map((header) => answer.headers[header]);

    const ok = await app.inject({ url: '/who', headers });
    assert.deepEqual(ok.json(), { id: 'key-1' });
    assert.deepEqual(limitHeaders(ok), ['3', '1', '1800000000']);
    const bad = await app.inject({ method: 'POST', url: '/express', headers, payload: { owner: 5 } });
    assert.equal(bad.statusCode, 400);
    assert.deepEqual(limitHeaders(bad), [undefined, undefined, undefined]);
    const created = await app.inject({ url: '/created', headers });
    assert.equal(created.statusCode, 201);
    assert.deepEqual(limitHeaders(created), [undefined, undefined, undefined]);
    await app.inject({ method: 'POST', url: '/execute', headers });

    const limited = await app.inject({ method: 'POST', url: '/express', headers, payload: { owner: 5 } });
    assert.equal(limited.statusCode, 429);
    const limit = { bucket: 'main', requests: 60, windowSeconds: 60, retryAfterSeconds: 12 };
    assert.deepEqual(limited.json(), { code: 429, message: '[API Gateway] Too many requests', limit });
    assert.equal(limited.headers['retry-after'], '12');
    assert.equal(ok.headers['retry-after'], undefined);
    assert.deepEqual(limitHeaders(limited), ['-1', '5', '1800000000']);

    assert.deepEqual(
      asked.map(([, bucket]) => bucket),
      ['main', 'main', 'main', 'execute', 'main'],
    );
    assert.deepEqual(asked[0], ['key-1', 'main', 'free']);
    await app.close();
  });
}

test('a limiter or key store that fails is a 500 of the area, not a way in', async () => {
  const failing = () => Promise.reject(new Error('connection to postgres://u:p@db lost'));
  for (const overrides of [{ keys: failing }, { limiter: { take: failing } }]) {
    const { app } = await startTestServer(registerAreas, overrides);
    const answer = await app.inject({ url: '/who', headers: { 'x-api-key': 'good-key' } });
    assert.equal(answer.statusCode, 500);
    assert.deepEqual(answer.json(), { error: 'Internal error' });
    await app.close();
  }
});

test('the admin API takes its Bearer token and nothing else', async () => {
  const { app } = await startTestServer(registerAreas);
  const call = (authorization?: string) =>
    app.inject({ url: '/admin', headers: { 'x-api-key': 'good-key', ...(authorization && { authorization }) } });
  assert.equal((await call('Bearer admin-secret-token')).statusCode, 200);
  for (const wrong of [
    undefined,
    'Bearer',
    'Bearer wrong',
    'admin-secret-token',
    'Basic admin-secret-token',
    'Bearer admin-secret-token x',
  ]) {
    const answer = await call(wrong);
    assert.equal(answer.statusCode, 401, wrong);
    assert.deepEqual(answer.json(), { error: 'Unauthorized: the admin token is missing or wrong' });
  }
  await app.close();
});

test('what an admin asks for is recorded by its route, however the URL is written', async () => {
  const acts: string[] = [];
  const { app } = await startTestServer(
    (server) => {
      const config = { errorShape: plainError, auth: 'admin' } as const;
      server.post('/admin/v1/things/:id/end', { config, handler: () => ({ ok: true }) });
    },
    { recordAct: async ({ what }) => void acts.push(what) },
  );
  const written = ['/admin/v1/things/a b/end', '/admin/v1/%74hings/a%20b/end?x', '/admin/v1/things/%61%20b/end#/admin'];
  for (const url of written) {
    const headers = { authorization: 'Bearer admin-secret-token' };
    assert.equal((await app.inject({ method: 'POST', url, headers })).statusCode, 200);
  }
  assert.deepEqual(acts, Array(3).fill('POST /admin/v1/things/a%20b/end'));
});

test('without an admin token nobody passes, also not with an empty one', async () => {
  const { app } = await startTestServer(registerAreas, { env: { SLIPWAY_ADMIN_TOKEN: '' } });
  for (const authorization of ['Bearer ', 'Bearer undefined', 'Bearer admin-secret-token']) {
    assert.equal((await app.inject({ url: '/admin', headers: { authorization } })).statusCode, 401);
  }
  await app.close();
});

test('a route without auth asks for nothing and counts nowhere', async () => {
  const { app } = await startTestServer(registerAreas, {
    limiter: { take: () => ({ ...plentyLeft, allowed: false }) },
  });
  const answer = await app.inject({ url: '/open' });
  assert.equal(answer.statusCode, 200);
  assert.equal(answer.headers['x-ratelimit-remaining'], undefined);
  await app.close();
});

test('a route for wallets needs an API key first, and then a login that its lookup knows', async () => {
  const wallets = async (token: string): Promise<Address | undefined> => {
    if (token === 'broken') throw new Error('the lookup failed');
    return token === 'good' ? WRAPPED_SOL_MINT : undefined;
  };
  const routes = (app: FastifyInstance) =>
    app.post('/mine', {
      config: { errorShape: triggerV2Error, auth: 'wallet' },
      schema: { body: Type.Object({ owner: Type.String() }) },
      handler: (request) => ({ wallet: request.wallet }),
    });
  const { app } = await startTestServer(routes, { wallets });
  const post = (headers: Record<string, string>) =>
    app.inject({
      method: 'POST',
      url: '/mine',
      headers: { 'content-type': 'application/json', ...headers },
      payload: '{',
    });
  const key = { 'x-api-key': 'good-key' };

  assert.deepEqual((await post({ authorization: 'Bearer good' })).json(), {
    error: 'Unauthorized: the header x-api-key is missing',
  });
  for (const authorization of [
    undefined,
    '',
    'good',
    'Bearer',
    'Bearer ',
    'Bearer bad',
    'Basic good',
    'Bearer good bad',
  ]) {
    const refused = await post({ ...key, ...(authorization !== undefined && { authorization }) });
    assert.equal(refused.statusCode, 401, authorization);
    assert.equal(refused.json().error, 'Unauthorized', authorization);
  }
  assert.equal((await post({ ...key, authorization: 'Bearer broken' })).statusCode, 500);
  assert.equal((await post({ ...key, authorization: 'Bearer good' })).statusCode, 400);
  const answer = await app.inject({
    method: 'POST',
    url: '/mine',
    headers: { ...key, authorization: 'bearer good' },
    payload: { owner: 'x' },
  });
  assert.deepEqual(answer.json(), { wallet: WRAPPED_SOL_MINT });
  assert.equal(answer.headers['x-ratelimit-current'], '1');
  await assert.rejects(startTestServer(routes), /needs to know the logged-in wallets/);
});

test('attack: a caller without a key tries admin tokens: thirty wrong ones a minute from an address, and the operator at the same one is not locked out', async () => {
  let steady = 0;
  const { app } = await startTestServer(registerAreas, { steadyNow: () => steady });
  const from = async (remoteAddress: string, token?: string) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return (await app.inject({ url: '/admin', remoteAddress, headers })).statusCode;
  };
  const stranger = '203.0.113.7';
  for (let number = 0; number < MOST_WRONG_TOKENS; number++) {
    assert.equal(await from(stranger), 401, 'none is no try');
    assert.equal(await from(stranger, `wrong-${number}`), 401);
  }
  assert.equal(await from(stranger, 'wrong'), 429);
  assert.equal(await from(stranger, 'admin-secret-token'), 200);
  assert.equal(await from('203.0.113.8', 'wrong'), 401, 'another address is not concerned');
  steady += 59_999;
  assert.equal(await from(stranger, 'wrong'), 429);
  steady += 1;
  assert.equal(await from(stranger, 'wrong'), 401);
  await app.close();
});
