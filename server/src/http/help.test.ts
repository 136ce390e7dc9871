import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { plainError, requireAddress } from '../errors/index.js';
import { startTestServer } from './testing.js';

const MINT = 'So11111111111111111111111111111111111111112';
const config = { errorShape: plainError, auth: 'none' } as const;
const schema = {
  querystring: Type.Object({ slippageBps: Type.Optional(Type.Integer()), amount: Type.Optional(Type.String()) }),
};

let app: FastifyInstance;
let strict: FastifyInstance;
before(async () => {
  const open = (env: Record<string, string>) =>
    startTestServer(
      (server) => {
        server.get('/ultra/v1/order', { config, schema, handler: () => ({}) });
        server.get('/key', { config: { ...config, auth: 'key' }, handler: () => ({}) });
        server.post('/orders', {
          config,
          schema: {
            body: Type.Object({
              inputMint: Type.String(),
              params: Type.Object({ makingAmount: Type.String(), takingAmount: Type.Optional(Type.String()) }),
              legs: Type.Optional(Type.Array(Type.Object({ mint: Type.Optional(Type.String()) }))),
              more: Type.Optional(Type.Record(Type.String(), Type.String())),
            }),
          },
          handler: ({ body }) => ({ mint: requireAddress('inputMint', body.inputMint) }),
        });
        server.post('/forms', {
          config,
          schema: {
            body: Type.Object({
              deposit: Type.Union([
                Type.Object({ amount: Type.String() }),
                Type.Object({ id: Type.String() }),
                Type.Null(),
              ]),
            }),
          },
          handler: () => ({}),
        });
        server.post('/heard', {
          config,
          schema: {
            querystring: Type.Object({ a: Type.Optional(Type.String()) }),
            body: Type.Object({
              a: Type.Optional(Type.String()),
              list: Type.Optional(Type.Array(Type.Object({ a: Type.Optional(Type.String()) }))),
              more: Type.Optional(Type.Record(Type.String(), Type.String())),
            }),
          },
          handler: ({ query, body }) => ({ query, body }),
        });
        server.get('/orders/:id', {
          config,
          schema: { params: Type.Object({ id: Type.String() }) },
          handler: () => ({}),
        });
      },
      { env, mintOf: (symbol) => (symbol.toUpperCase() === 'SOL' ? MINT : undefined) },
    );
  ({ app } = await open({}));
  ({ app: strict } = await open({ SLIPWAY_STRICT: '1' }));
});
after(() => Promise.all([app.close(), strict.close()]));

const warning = 'x-slipway-warning';
const post = (payload: object, url = '/orders', headers = {}) => app.inject({ method: 'POST', url, payload, headers });
const body = { inputMint: MINT, params: { makingAmount: '1' } };

test('a parameter that is not known is told, with the nearest, and refused only where that is wanted', async () => {
  const url = '/ultra/v1/order?slipageBps=50&xyz=1&amount=1';
  const said = 'slipageBps: unknown; did you mean slippageBps?; xyz: unknown';
  const answer = await app.inject({ url });
  assert.deepEqual([answer.statusCode, answer.headers[warning]], [200, said]);
  assert.equal((await app.inject({ url: '/ultra/v1/order?slippageBps=50' })).headers[warning], undefined);
  const refusals = [await app.inject({ url, headers: { 'x-slipway-strict': '1' } }), await strict.inject({ url })];
  for (const { statusCode, json } of refusals) assert.deepEqual([statusCode, json()], [400, { error: said }]);
});

test('so are fields of a body, however deep, and only where its schema names all', async () => {
  const given = { ...body, foo: 1, more: { any: 'x' }, legs: [{ mint: 'a' }, { mnt: 'b' }] };
  const answer = await post({ ...given, params: { makingAmount: '1', takingAmont: '2' } });
  assert.equal(answer.statusCode, 200);
  assert.deepEqual(String(answer.headers[warning]).split('; ').sort(), [
    'did you mean legs.mint?',
    'did you mean params.takingAmount?',
    'foo: unknown',
    'legs.mnt: unknown',
    'params.takingAmont: unknown',
  ]);
  assert.equal((await post(body)).headers[warning], undefined);
});

test('whatever a client calls a field, the header can carry it', async () => {
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`field-\r\n\u0000é${index}`, 1]));
  const header = String((await post({ ...body, ...many, ['x'.repeat(5_000)]: 1 })).headers[warning]);
  assert.match(header, /^[\x20-\x7e]{1,600}$/);
});

test('attack: a free key sends fields that no schema names, which nothing checks: no handler sees one of them, however many came before', async () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`field${index}`, 'NaN']));
  const named = { a: '1', list: [{ a: '2' }], more: { any: 'x' } };
  const sent = { ...many, ...named, list: [{ ...many, a: '2', b: 'NaN' }], highWatermark: 'NaN' };
  assert.deepEqual((await post(sent, '/heard?b=1&a=3')).json(), { query: { a: '3' }, body: named });
});

test('attack: a free key sends thousands of field names that are shown alike: 50 of them are compared with ours', async () => {
  // Each is another name, but a header can carry the same of all.
  const signs = ['!', '$', '%', '&', '(', ')', '*', '+', ',', '/'];
  const name = (index: number) =>
    String(index)
      .padStart(4, '0')
      .replace(/\d/g, (digit) => signs[Number(digit)]!);
  const alike = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), 1]));
  const said = async (count: number) => (await post({ ...body, ...alike(count), other: 1 })).headers[warning];
  assert.equal(await said(49), '????: unknown; other: unknown');
  // What comes after those that were compared is not looked at.
  assert.equal(await said(1_000), '????: unknown');
  const answer = await post({ ...body, legs: Array.from({ length: 1_000 }, () => ({ mnt: 1 })), other: 1 });
  assert.equal(answer.headers[warning], 'legs.mnt: unknown; did you mean legs.mint?');
});

test('everything that is missing is said at once, nested fields too', async () => {
  assert.deepEqual((await post({})).json(), { error: 'inputMint: required; params: required' });
  assert.deepEqual((await post({ params: {} })).json(), {
    error: 'inputMint: required; params.makingAmount: required',
  });
});

test('an amount as a number, and a body of none of the forms, are told what is expected', async () => {
  assert.deepEqual((await post({ inputMint: MINT, params: { makingAmount: 1_000_000_000 } })).json(), {
    error: 'params.makingAmount: expected the amount as a decimal string, such as "1000000000"',
  });
  assert.deepEqual((await post({ inputMint: 5, params: { makingAmount: '1' } })).json(), {
    error: 'inputMint: expected a string, in quotes',
  });
  assert.deepEqual((await post({ deposit: 5 }, '/forms')).json(), {
    error: 'deposit: expected one of these forms: {amount}, {id}, null',
  });
});

test('a symbol in place of a mint is answered with the mint', async () => {
  assert.deepEqual((await post({ ...body, inputMint: 'sol' })).json(), {
    error: `inputMint: expected a public key in base58 (32 bytes); sol is a symbol: its mint is ${MINT}`,
  });
  assert.deepEqual((await post({ ...body, inputMint: 'NONE' })).json(), {
    error: 'inputMint: expected a public key in base58 (32 bytes)',
  });
});

test('a key sent as a Bearer token is told where it belongs', async () => {
  const answer = await app.inject({ url: '/key', headers: { authorization: 'Bearer good-key' } });
  assert.equal(answer.statusCode, 401);
  assert.match(answer.json().error, /x-api-key is missing; send the key as "x-api-key: <key>", not as Authorization/);
  assert.doesNotMatch(answer.body, /good-key/);
  assert.doesNotMatch((await app.inject({ url: '/key' })).body, /Authorization/);
});

test('the wrong method of a path is 404 with the right ones', async () => {
  for (const [method, url, allow] of [
    ['POST', '/ultra/v1/order', 'GET'],
    ['GET', '/orders', 'POST'],
    ['DELETE', '/orders/7?x=1', 'GET'],
  ] as const) {
    const answer = await app.inject({ method, url });
    const path = url.split('?')[0];
    assert.deepEqual([answer.statusCode, answer.headers.allow], [404, allow]);
    assert.equal(answer.json().message, `Cannot ${method}:${path}. This path takes ${allow}`);
  }
});

test('a path that is not served is told what there is in its place', async () => {
  const cases: [string, RegExp | string][] = [
    ['/ultra/v2/order', 'Cannot GET:/ultra/v2/order. Did you mean /ultra/v1/order?'],
    ['/ultra/v1/order/', 'Cannot GET:/ultra/v1/order/. Did you mean /ultra/v1/order?'],
    ['/price/v3?ids=x', /Slipway serves no prices; GET \/tokens\/v2\/search/],
    ['/swap/v1/quote', /GET \/ultra\/v1\/order/],
    ['/recurring/v1/createOrder', /does not serve recurring orders\. \/coverage\.txt tells/],
    ['/prediction/v1/events/POLY-1/markets', /scores of events only/],
    ['/tokens/v2/toptrending/24h', /GET \/tokens\/v2\/search/],
    ['/nothing/like/it', 'Cannot GET:/nothing/like/it'],
  ];
  for (const [url, expected] of cases) {
    const { headers, statusCode, json } = await app.inject({ url });
    const { message } = json();
    assert.deepEqual([statusCode, headers.allow], [404, undefined], url);
    if (typeof expected === 'string') assert.equal(message, expected);
    else assert.match(message, expected);
  }
});

test('a page tells which operations of the hosted API are served', async () => {
  const { body } = await app.inject({ url: '/coverage.txt' });
  assert.match(body, /^1 of the \d{3} operations/);
  assert.match(body, /^served {2}GET {4}\/ultra\/v1\/order$/m);
  assert.match(body, /^ {8}GET {4}\/price\/v3 {2}\(Slipway serves no prices/m);
});
