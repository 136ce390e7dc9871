import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { expressError } from '../areas/express/error-shape.js';
import { AppError, plainError } from '../errors/index.js';
import { startTestServer } from './testing.js';

const SECRETS = {
  knownKey: 'good-key',
  unknownKey: 'jup_CANARYunknownkey',
  adminToken: 'admin-secret-token',
  wrongToken: 'CANARYwrongtoken',
  jwt: 'eyJCANARY.jwt.token',
  body: 'CANARYbody',
  query: 'CANARYquery',
  path: 'CANARYpath',
  cookie: 'CANARYcookie',
};

test('attack: a caller without a key sends hostile requests: no key, token, body, query or path is in the log, at its most talkative', async () => {
  const { app, logged } = await startTestServer((server) => {
    const body = Type.Object({ secretKey: Type.Integer() });
    server.post('/area/:id', {
      config: { errorShape: plainError, auth: 'key' },
      schema: { body },
      handler: () => ({}),
    });
    server.post('/refuse', {
      config: { errorShape: expressError, auth: 'key' },
      handler: () => {
        throw new AppError('EXECUTION_FAILED', { cause: new Error('rpc answered 503') });
      },
    });
    server.post('/broken', {
      config: { errorShape: expressError, auth: 'key' },
      handler: (request) => {
        const upstream = new Error('upstream failed');
        // Clients of other services attach the whole request to their errors.
        throw Object.assign(upstream, { request: { headers: request.headers, body: request.body } });
      },
    });
    server.get('/admin', { config: { errorShape: plainError, auth: 'admin' }, handler: () => ({}) });
  });

  const payloads = [
    JSON.stringify({ secretKey: SECRETS.body }),
    `{"secretKey": ${SECRETS.body}`,
    SECRETS.body,
    JSON.stringify(SECRETS.body.repeat(200_000)),
    '',
  ];
  const types = ['application/json', 'text/plain', `application/${SECRETS.body}`];
  const keys = [SECRETS.knownKey, SECRETS.unknownKey, undefined];
  for (const url of ['/area/', '/refuse', '/broken', '/admin', '/%zz', '/nothing/', '/readyz']) {
    for (const payload of payloads) {
      for (const type of types) {
        for (const key of keys) {
          await app.inject({
            method: url === '/admin' || url === '/readyz' ? 'GET' : 'POST',
            url: `${url}${url.endsWith('/') ? SECRETS.path : ''}?token=${SECRETS.query}`,
            headers: {
              ...(key !== undefined && { 'x-api-key': key }),
              authorization: `Bearer ${key === undefined ? SECRETS.wrongToken : SECRETS.jwt}`,
              cookie: SECRETS.cookie,
              'content-type': type,
            },
            payload,
          });
        }
      }
    }
  }
  await app.inject({ url: '/admin', headers: { authorization: `Bearer ${SECRETS.adminToken}` } });

  const log = logged();
  assert.ok(log.includes('upstream failed') && log.includes('rpc answered 503'), 'failures must be logged');
  assert.ok(log.includes('"request answered"'), 'the level must be the most talkative');
  for (const [name, secret] of Object.entries(SECRETS)) assert.equal(log.includes(secret), false, name);
  await app.close();
});
