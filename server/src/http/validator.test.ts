import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { plainError } from '../errors/index.js';
import { startTestServer } from './testing.js';

let app: FastifyInstance;
const config = { errorShape: plainError, auth: 'none' } as const;

before(async () => {
  ({ app } = await startTestServer((server) => {
    const querystring = Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
      ratio: Type.Optional(Type.Number()),
      wait: Type.Optional(Type.Boolean()),
      name: Type.Optional(Type.String({ minLength: 1 })),
      ids: Type.Optional(Type.Array(Type.Integer())),
      currency: Type.Optional(Type.Union([Type.Literal('SOL'), Type.Literal('USDC')])),
    });
    const params = Type.Object({ id: Type.String() });
    server.get('/things/:id', { config, schema: { params }, handler: (request) => ({ got: request.params }) });
    server.get('/query', { config, schema: { querystring }, handler: (request) => ({ got: request.query }) });

    const Pair = Type.Object(
      { inAmount: Type.String({ pattern: '^[0-9]+$', description: 'digits' }) },
      { $id: 'TestPair' },
    );
    server.addSchema(Pair);
    const body = Type.Object({
      owner: Type.String(),
      pair: Type.Optional(Type.Ref('TestPair')),
      count: Type.Optional(Type.Integer()),
      on: Type.Optional(Type.Boolean()),
    });
    server.post('/body', { config, schema: { body }, handler: (request) => ({ got: request.body }) });
  }));
});
after(() => app.close());

const query = (text: string) => app.inject({ url: `/query?${text}` });
const post = (payload: unknown) =>
  app.inject({
    method: 'POST',
    url: '/body',
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify(payload),
  });

test('a value of the query or the path that no database can hold is refused by its name', async () => {
  for (const [url, field] of [
    ['/query?limit=7&name=a%00b', 'name'],
    ['/things/a%00b', 'id'],
  ] as const) {
    const answer = await app.inject({ url });
    assert.equal(answer.statusCode, 400);
    assert.equal(answer.json().error, `${field}: expected text without the character U+0000`);
  }
});

test('plainly written query values arrive typed, and defaults are filled in', async () => {
  const answer = await query('limit=7&ratio=-1.5&wait=true&name=7&ids=1&ids=2&unknown=x&currency=SOL');
  assert.deepEqual(answer.json().got, {
    limit: 7,
    ratio: -1.5,
    wait: true,
    name: '7',
    ids: [1, 2],
    currency: 'SOL',
  });
  assert.equal((await query('')).json().got.limit, 10);
  assert.deepEqual((await query('ids=5')).json().got.ids, [5]);
});

const refused: [string, string][] = [
  ['limit=Infinity', 'limit: expected an integer'],
  ['limit=-Infinity', 'limit: expected an integer'],
  ['limit=NaN', 'limit: expected an integer'],
  ['limit=1e400', 'limit: expected an integer'],
  ['limit=1e1', 'limit: expected an integer'],
  ['limit=0x10', 'limit: expected an integer'],
  ['limit=%205', 'limit: expected an integer'],
  ['limit=5%20', 'limit: expected an integer'],
  ['limit=+5', 'limit: expected an integer'],
  ['limit=5.7', 'limit: expected an integer'],
  ['limit=05', 'limit: expected an integer'],
  ['limit=', 'limit: expected an integer'],
  ['limit=null', 'limit: expected an integer'],
  ['limit=%D9%A5', 'limit: expected an integer'],
  ['limit=1&limit=2', 'limit: expected to be given only once'],
  ['limit=0', 'limit: expected at least 1'],
  ['limit=101', 'limit: expected at most 100'],
  ['limit=99999999999999999999', 'limit: expected an integer'],
  ['ratio=Infinity', 'ratio: expected a number'],
  ['ratio=1e400', 'ratio: expected a number'],
  ['ratio=.5', 'ratio: expected a number'],
  ['wait=1', 'wait: expected true or false'],
  ['wait=TRUE', 'wait: expected true or false'],
  ['name=', 'name: expected not to be empty'],
  ['name=a&name=b', 'name: expected to be given only once'],
  ['ids=1&ids=x', 'ids.1: expected an integer'],
  ['currency=EUR', 'currency: expected one of SOL, USDC'],
];

for (const [text, message] of refused) {
  test(`the query ${text} is refused: ${message}`, async () => {
    const answer = await query(text);
    assert.equal(answer.statusCode, 400);
    assert.deepEqual(answer.json(), { error: message });
  });
}

test('body values are never converted', async () => {
  const cases: [unknown, string][] = [
    [null, 'body: expected an object'],
    [[], 'body: expected an object'],
    ['text', 'body: expected an object'],
    [{}, 'owner: required'],
    [{ owner: null }, 'owner: expected a string'],
    [{ owner: 5 }, 'owner: expected a string, in quotes'],
    [{ owner: 'x', count: '5' }, 'count: expected an integer'],
    [{ owner: 'x', count: true }, 'count: expected an integer'],
    [{ owner: 'x', count: 5.5 }, 'count: expected an integer'],
    [{ owner: 'x', on: 'true' }, 'on: expected true or false'],
    [{ owner: 'x', pair: {} }, 'pair.inAmount: required'],
    [{ owner: 'x', pair: { inAmount: '-5' } }, 'pair.inAmount: expected digits'],
  ];
  for (const [payload, message] of cases) {
    const answer = await post(payload);
    assert.equal(answer.statusCode, 400);
    assert.deepEqual(answer.json(), { error: message });
  }
});

test('unknown body fields are passed over', async () => {
  const pair = { inAmount: '5' };
  const answer = await post({ owner: 'x', pair: { ...pair, more: 1 }, extra: { deep: true } });
  assert.deepEqual(answer.json().got, { owner: 'x', pair });
});
