import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { generateKeypair } from '@slipway/wire';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { admin, adminTokenOf, newKey } from './admin.js';
import { takeTour } from './api-tour.js';
import {
  createAnswerCheck,
  documentedStatus,
  documentOf,
  type JsonSchema,
  nullFields,
  type OpenapiDocument,
  type Operation,
  type OperationObject,
  operationsOf,
} from './openapi-document.js';
import { type Answer, request, type Service, startService } from './service.js';
import { unstripped } from './stripped-shapes.js';
import { askOrderAgain, type Order, postExecute, USDC } from './swap.js';
import { asWallet, challengeOf, postVerify } from './trigger-wallet.js';
import { craft, execute, infoOf, JUP, newToken, newWallet, signTransaction } from './wallet.js';

let service: Service;
let document: OpenapiDocument;
let operations: Operation[];
before(async () => {
  service = await startService();
  document = await documentOf(service);
  operations = operationsOf(document);
});
after(() => service?.close());

/** Whatever one of the answers of trigger v1 has. */
interface TriggerAnswer {
  requestId: string;
  transaction: string;
  transactions: string[];
  order: string;
  orders: object[];
}

const nameOf = ({ method, path }: Operation): string => `${method} ${path}`;

function* refsIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (key === '$ref' && typeof member === 'string') yield member;
    else yield* refsIn(member);
  }
}

function* fieldsIn(value: unknown, path = ''): Generator<{ path: string; field: JsonSchema }> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    // A field that is called `properties` is a schema, and no list of them.
    if (key === 'properties' && typeof member === 'object' && member !== null && !('type' in member)) {
      for (const [name, field] of Object.entries(member)) yield { path: `${path} ${name}`, field: field as JsonSchema };
    }
    yield* fieldsIn(member, `${path}/${key}`);
  }
}

function resolve(ref: string): unknown {
  return ref
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>(
      (value, step) => (value as Record<string, unknown>)?.[step.replaceAll('~1', '/').replaceAll('~0', '~')],
      document,
    );
}

const example = (subject: string, where: object[]) => ({
  subject: { type: subject },
  where,
  assertions: { required: ['example'] },
  severity: 'error' as const,
});
const inside = (type: string, more: object = {}) => ({ subject: { type, ...more }, assertions: { defined: true } });

/** The strict rules of the linter, and its rules for examples. */
const LINTER = {
  extends: ['recommended-strict'],
  rules: {
    'no-invalid-media-type-examples': 'error',
    'no-invalid-parameter-examples': 'error',
    'rule/body-example': example('MediaType', [inside('RequestBody')]),
    'rule/answer-example': example('MediaType', [inside('Response', { filterInParentKeys: ['200'] })]),
    'rule/parameter-example': example('Parameter', [
      { subject: { type: 'Parameter', property: 'required' }, assertions: { const: true } },
    ]),
  },
};

async function problemsOf(source: OpenapiDocument): Promise<string[]> {
  const config = await createConfig(LINTER as Parameters<typeof createConfig>[0]);
  const problems = await lintFromString({ source: JSON.stringify(source), config });
  return problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`);
}

describe('the document', () => {
  it('is served without a key as OpenAPI 3.1, with all that the standard requires', async () => {
    const { status, headers } = await request(`${service.url}/openapi.json`, { headers: { 'x-api-key': undefined } });
    assert.equal(status, 200);
    assert.match(headers.get('content-type') ?? '', /^application\/json/);
    assert.match(document.openapi, /^3\.1\.\d+$/);
    assert.ok(document.info.title && document.info.version);
    assert.equal(document.info.license.identifier, 'Apache-2.0');
    const known = ['openapi', 'info', 'servers', 'paths', 'components', 'tags', 'security', 'externalDocs'];
    assert.deepEqual(
      Object.keys(document).filter((key) => !known.includes(key)),
      [],
    );
    for (const name of Object.keys(document.components.schemas)) assert.match(name, /^[\w.-]+$/);
    for (const ref of refsIn(document)) assert.notEqual(resolve(ref), undefined, ref);
    assert.deepEqual(document.servers, [{ url: service.url }]);
  });

  it('describes every operation whole', () => {
    assert.ok(operations.length >= 20);
    const ids = operations.map(({ operationId }) => operationId).filter((id) => id !== undefined);
    assert.equal(new Set(ids).size, ids.length);
    for (const operation of operations) {
      const name = nameOf(operation);
      assert.ok(operation.path.startsWith('/'), name);
      assert.ok(operation.summary, name);
      assert.ok(operation.description, name);
      assert.equal(operation.tags?.length, 1, name);
      assert.ok(
        document.tags?.some((tag) => tag.name === operation.tags![0] && tag.description),
        name,
      );
      assert.notEqual(operation.security, undefined, name);
      for (const [scheme, scopes] of operation.security!.flatMap(Object.entries)) {
        assert.ok(document.components.securitySchemes[scheme], name);
        assert.deepEqual(scopes, [], name);
      }
      checkParameters(operation);
      for (const [status, response] of Object.entries(operation.responses)) {
        assert.match(status, /^([1-5]\d\d|[1-5]XX|default)$/, name);
        assert.ok(response.description, `${name} ${status}`);
        assert.ok(Object.values(response.content ?? {})[0]?.schema, `${name} ${status}`);
      }
      for (const status of [200, 400, 401, 404, 500]) {
        assert.ok(documentedStatus(operation, status), `${name} ${status}`);
      }
    }
  });

  it('describes every parameter and every field', () => {
    const silent = [...fieldsIn(document.components.schemas), ...fieldsIn(document.paths)].filter(
      ({ field }) => field.description === undefined && field.$ref === undefined,
    );
    for (const operation of operations) {
      for (const { name, schema, description } of operation.parameters ?? [])
        if ((description ?? schema.description) === undefined)
          silent.push({ path: `${nameOf(operation)} ${name}`, field: {} });
    }
    assert.deepEqual(
      silent.map(({ path }) => path),
      [],
      'describe them in their schema, or in server/src/app/field-descriptions.ts',
    );
  });

  it('has nothing that the strict rules of a public linter find wrong', async () => {
    assert.deepEqual(await problemsOf(document), []);
  });

  it('would have them where an operation has no example of what it takes or answers, or one that is none', async () => {
    const spoilt = async (spoil: (operation: OperationObject) => unknown, path: string, method = 'post') => {
      const copy = structuredClone(document);
      spoil(copy.paths[path]![method]!);
      return (await problemsOf(copy)).map((problem) => problem.split(' ')[0]);
    };
    const json = 'application/json';
    const swap = '/ultra/v1/execute';
    const login = '/admin/v1/logins/{wallet}';
    assert.deepEqual(await spoilt((of) => delete of.requestBody!.content[json]!.example, swap), ['rule/body-example']);
    assert.deepEqual(await spoilt((of) => delete of.responses['200']!.content![json]!.example, swap), [
      'rule/answer-example',
    ]);
    assert.deepEqual(await spoilt((of) => delete of.parameters![0]!.example, login, 'delete'), [
      'rule/parameter-example',
    ]);
    const wrong = { code: 'none' };
    const problems = await spoilt(
      (of) => Object.assign(of.responses['200']!.content![json]!, { example: wrong }),
      swap,
    );
    assert.ok(
      problems.length > 0 && problems.every((rule) => rule === 'no-invalid-media-type-examples'),
      `${problems}`,
    );
  });

  it('has no secret of the sandbox among its examples', async () => {
    const text = JSON.stringify(document);
    const { wallets } = await infoOf(service);
    for (const secret of [adminTokenOf(service), ...wallets.map(({ secretKey }) => secretKey)])
      assert.equal(text.includes(secret), false);
    assert.doesNotMatch(text, /[?&](?:X-Amz-S|s)ignature=(?!\.\.\.)|"eyJ/);
  });

  it('says for each operation how large a body may be', () => {
    const limits = new Map([
      ['/tokens/v2/verify/express/execute', '262,144'],
      ['/studio/v1/dbc-pool/submit', (5 * 1024 * 1024 + 128 * 1024).toLocaleString('en-US')],
    ]);
    for (const operation of operations.filter(({ requestBody }) => requestBody)) {
      const most = limits.get(operation.path) ?? '16,384';
      assert.equal(operation.responses['413']?.description, `The body has more than ${most} bytes`, nameOf(operation));
    }
    assert.match(document.info.description, /at most 16 levels deep/);
  });

  it('says for each error which shape it has', () => {
    const shapes: [RegExp, string][] = [
      [/^\/tokens\/v2\/verify\/express\//, 'ExpressError'],
      [/^\/prediction\//, 'PredictionError'],
      [/^\/trigger\/v1\//, 'TriggerV1Error'],
      [/^\/trigger\/v2\//, 'TriggerV2Error'],
      [/^\/studio\//, 'StudioError'],
      [/^\/(?:ultra|tokens\/v2\/search|tx|send|events|sandbox|admin|livez|readyz|metrics)/, 'PlainError'],
    ];
    for (const operation of operations) {
      const shape = shapes.find(([path]) => path.test(operation.path))?.[1];
      for (const status of ['4XX', '5XX']) {
        const schema = operation.responses[status]?.content?.['application/json']?.schema;
        // What stands before the area refuses as well.
        const anyOf = ['GatewayError', shape].map((name) => ({ $ref: `#/components/schemas/${name}` }));
        assert.deepEqual(schema?.anyOf, anyOf, `${nameOf(operation)} ${status}`);
      }
    }
  });

  it('has schemas that a validator of JSON Schema 2020-12 takes', () => {
    const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false });
    addFormats.default(ajv);
    ajv.addVocabulary(['example', 'discriminator', 'xml', 'externalDocs']);
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      ajv.addSchema(schema, `#/components/schemas/${name}`);
    }
    for (const operation of operations) {
      const schemas = [
        ...(operation.parameters ?? []).map(({ schema }) => schema),
        ...Object.values(operation.requestBody?.content ?? {}).map(({ schema }) => schema),
        ...Object.values(operation.responses).flatMap(({ content }) =>
          Object.values(content ?? {}).map((c) => c.schema),
        ),
      ];
      for (const schema of schemas) assert.doesNotThrow(() => ajv.compile(schema), nameOf(operation));
    }
  });

  it('has only bodies of shapes out of which the service takes what it does not know', () => {
    assert.deepEqual(unstripped(document), []);
  });

  const named = { type: 'object', properties: { amount: { type: 'string' } } };
  const ref = { $ref: '#/components/schemas/Named' };
  const [free, text] = [{ type: 'object' }, { type: 'string' }];
  const unfit: [why: string, field: object][] = [
    ['items in a union', { anyOf: [text, { type: 'array', items: ref }] }],
    ['a list that is something else, too', { anyOf: [named], items: ref }],
    ['fields of fields of any name', { type: 'object', additionalProperties: ref }],
    ['fields of fields of any name', { type: 'object', patternProperties: { '^a': { type: 'array', items: named } } }],
    ['fields of any name beside named ones', { ...named, additionalProperties: text }],
    ['prefixItems', { type: 'array', prefixItems: [ref] }],
    ['a tuple', { type: 'array', items: [ref] }],
    ['a free object in a union with named fields', { anyOf: [ref, free] }],
    ['a free object in a union with named fields', { oneOf: [{}, named] }],
    [
      'list differs in a union',
      { anyOf: [{ properties: { list: ref } }, { properties: { list: { type: 'array', items: ref } } }] },
    ],
  ];
  for (const [why, field] of unfit) {
    it(`would not have one with ${JSON.stringify(field)}`, () => {
      const body = { type: 'object', properties: { whole: { type: 'array', items: { properties: { field } } } } };
      const schemas = { Named: named, Body: body } as unknown as Record<string, JsonSchema>;
      const content = { 'application/json': { schema: { $ref: '#/components/schemas/Body' } } };
      const paths = { '/things': { post: { requestBody: { content }, responses: {} } } };
      const components = { ...document.components, schemas };
      assert.ok(unstripped({ ...document, paths, components }).includes(`POST /things whole[] field: ${why}`));
    });
  }

  it('says null only where the contract does; any other field without a value is left out', () => {
    const fields = nullFields(document);
    const optional = [...fields].filter(([, presence]) => presence === 'optional').map(([field]) => field);
    assert.deepEqual(optional, []);
    const of = (schema: string, ...names: string[]) => names.map((name) => `${schema}.${name}`);
    const unfired = ['triggeredAt', 'outputAmount', 'inputUsed', 'trailingBps', 'highWatermark', 'lowWatermark'];
    const payers = ['signatureFeePayer', 'prioritizationFeePayer', 'rentFeePayer'];
    const expected = [
      ...of('SwapOrder', 'taker', 'transaction', ...payers),
      ...of('TriggerOrders.orders[]', 'expiredAt', 'trades[].productMeta'),
      ...['TriggerOrder', 'TriggerHistory', 'TriggerHistory.orders[]'].flatMap((order) => of(order, ...unfired)),
      ...of('PoolAddresses.data', 'dbcPoolAddress', 'dammv2PoolAddress', 'configKey'),
      ...of('Invites.invites[]', 'receiver', 'deletion_tx', 'action', 'deletion_time', 'mint', 'confirmed'),
      ...of('GameScore', 'leagueAbbreviation', 'homeTeam', 'awayTeam', 'score', 'period', 'elapsed', 'status'),
      ...of('TransactionStatus', 'slot'),
    ];
    // The admin API and the sandbox's are ours alone.
    const said = [...fields.keys()].filter((field) => !/^[A-Z]+ \/(admin|sandbox)\//.test(field));
    assert.deepEqual(said.sort(), expected.sort());
  });

  it('names every route that there is', async () => {
    const paths = new Set(operations.map(({ path }) => path));
    const expected = [
      ...['/livez', '/readyz', '/metrics', '/tx/v1/submit', '/tx/v1/status/{signature}'],
      ...['craft-txn', 'check-eligibility', 'execute'].map((name) => `/tokens/v2/verify/express/${name}`),
      ...['{eventId}/score', 'scores'].map((name) => `/prediction/v1/events/${name}`),
      '/events/v1/stream',
      ...['', '/{id}', '/{id}/rotate-secret', '/{id}/test', '/{id}/attempts', '/{id}/redeliver'].map(
        (name) => `/events/v1/webhooks${name}`,
      ),
      ...['order/routers', 'holdings/{address}', 'holdings/{address}/native', 'balances/{address}'].map(ultra),
      ...['order', 'execute', 'shield', 'search'].map(ultra),
      ...['craft-native', 'craft-token', 'execute'].map((name) => ultra(`transfer/${name}`)),
      ...['craft', 'execute'].map((name) => ultra(`reclaim/${name}`)),
      '/tokens/v2/search',
      ...['auth/challenge', 'auth/verify', 'auth/logout', 'vault', 'vault/register', 'deposit/craft'].map(trigger2),
      ...['price', 'price/{orderId}', 'price/cancel/{orderId}', 'price/confirm-cancel/{orderId}'].map(orders2),
      ...['history', 'history/{orderId}', 'history/{orderId}/explanation'].map(orders2),
      ...['createOrder', 'cancelOrder', 'cancelOrders', 'execute', 'getTriggerOrders'].map(trigger1),
      ...['dbc-pool/create-tx', 'dbc-pool/submit', 'dbc-pool/addresses/{mint}', 'dbc/fee', 'dbc/fee/create-tx'].map(
        studio,
      ),
      ...['craft-send', 'craft-clawback', 'craft-claim', 'execute-claim', 'pending-invites', 'invite-history'].map(
        send1,
      ),
      ...['info', 'airdrop', 'prices', 'clock', 'pools'].map((name) => `/sandbox/${name}`),
      ...['keys', 'keys/{id}', 'keys/{id}/rotate', 'verifications', 'verifications/{id}/approve'].map(admin1),
      ...['verifications/{id}/reject', 'scores/{eventId}', 'makers', 'makers/{id}', 'orders/{id}/explanation'].map(
        admin1,
      ),
      ...['overview', 'orders', 'requests/{id}', 'launches', 'pools', 'invites', 'invites/rebuild', 'webhooks'].map(
        admin1,
      ),
      ...['stops', 'stops/{what}', 'logins/{wallet}', 'admins', 'admins/{name}', 'acts', 'logs'].map(admin1),
    ];
    assert.deepEqual([...paths].sort(), expected.sort());
  });
});

const trigger1 = (name: string): string => `/trigger/v1/${name}`;
const send1 = (name: string): string => `/send/v1/${name}`;
const ultra = (name: string): string => `/ultra/v1/${name}`;
const trigger2 = (name: string): string => `/trigger/v2/${name}`;
const orders2 = (name: string): string => trigger2(`orders/${name}`);
const studio = (name: string): string => `/studio/v1/${name}`;
const admin1 = (name: string): string => `/admin/v1/${name}`;

function checkParameters({ path, parameters = [], requestBody, method }: Operation): void {
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  assert.deepEqual(inPath.map(({ name }) => name).sort(), named.sort(), path);
  for (const { name, required, schema, in: place } of parameters) {
    assert.ok(['path', 'query', 'header', 'cookie'].includes(place), `${path} ${name}`);
    assert.ok(schema, `${path} ${name}`);
    if (place === 'path') assert.equal(required, true, `${path} ${name}`);
  }
  assert.equal(new Set(parameters.map(({ name, in: place }) => `${place} ${name}`)).size, parameters.length, path);
  if (requestBody) {
    assert.notEqual(method, 'GET');
    const [type, content] = Object.entries(requestBody.content)[0] ?? [];
    assert.ok(type === 'application/json' || type === 'multipart/form-data', path);
    assert.ok(content?.schema, path);
  }
}

interface Documented {
  $ref?: string;
  anyOf?: { $ref: string }[];
}

/** Areas that also bound what is under way, and say so in their own shape. */
const OWN_BOUNDS: Readonly<Record<string, string[]>> = {
  '/events/v1/stream': ['#/components/schemas/PlainError'],
  '/tx/v1/submit': ['#/components/schemas/PlainError'],
  '/studio/v1/dbc-pool/create-tx': ['#/components/schemas/StudioError'],
};

it('what the gateway refuses is documented for every operation with a key', async () => {
  const check = createAnswerCheck(document);
  const narrow = await newKey(service, { prefixes: ['/nowhere'] });
  for (const operation of operations.filter(({ security }) => security?.some((scheme) => 'apiKey' in scheme))) {
    const { method } = operation;
    const path = operation.path.replace(/\{\w+\}/, 'x');
    const refused = await request(`${service.url}${path}`, {
      method,
      headers: { 'x-api-key': narrow.key },
      ...(operation.requestBody && { body: {} }),
    });
    assert.equal(refused.status, 403);
    assert.equal(check(operation, 403, refused.body), undefined, nameOf(operation));
    const documented = operation.responses['429']?.content?.['application/json']?.schema;
    const { $ref, anyOf } = (documented ?? {}) as Documented;
    const own = OWN_BOUNDS[operation.path] ?? [];
    assert.deepEqual(
      (anyOf ?? [{ $ref }]).map((schema) => schema.$ref),
      ['#/components/schemas/GatewayError', ...own],
    );
  }
});

it('every operation answers its example 200, as it is documented', async () => {
  const check = createAnswerCheck(document);
  const calls = await takeTour(service, document);
  for (const { operation, name, status, answer, body } of calls) {
    assert.equal(check(operation, status, answer), undefined, `${name}: ${JSON.stringify(answer)}`);
    const [content] = Object.values(operation.requestBody?.content ?? {});
    const unsent = Object.keys((content?.example ?? {}) as object).filter((field) => !(field in (body ?? {})));
    assert.deepEqual(unsent, [], `${name}: run scripts/record-calls.mjs again`);
  }
  const called = new Set(calls.map(({ name }) => name));
  const missing = operations.map(nameOf).filter((name) => !called.has(name));
  assert.deepEqual(missing, [], 'call them in api-tour.ts');
});

it('answers of other kinds are as documented, too', async () => {
  const check = createAnswerCheck(document);
  /** Checks an answer of the operation at `path`, and answers its body. */
  const expect = <T>(method: string, path: string, { status, body }: Answer<T>): T => {
    const operation = operations.find((each) => each.method === method && each.path === path);
    assert.ok(operation, path);
    assert.equal(status, 200, `${method} ${path}: ${JSON.stringify(body)}`);
    assert.equal(check(operation, status, body), undefined, `${method} ${path}: ${JSON.stringify(body)}`);
    return body;
  };
  const at = <T = Record<string, unknown>>(path: string, body?: unknown) =>
    request<T>(`${service.url}${path}`, { ...(body !== undefined && { body }) });
  const wallet = (await infoOf(service)).wallets[0]!.address;

  const express = '/tokens/v2/verify/express';
  const sender = await newWallet(service);
  const tokenId = await newToken(service);
  const poor = await at(`${express}/craft-txn?senderAddress=${tokenId}`);
  expect('GET', `${express}/craft-txn`, poor);
  const eligibility = `${express}/check-eligibility`;
  expect('GET', eligibility, await at(`${eligibility}?tokenId=${tokenId}`));
  expect('GET', eligibility, await at(`${eligibility}?tokenId=${sender.address}`));
  const metadata = { tokenMetadata: { tokenId, name: 'Name', icon: null } };
  const paid = await execute(service, await craft(service, sender.address), sender, { tokenId, ...metadata });
  expect('POST', `${express}/execute`, paid);
  expect('GET', eligibility, await at(`${eligibility}?tokenId=${tokenId}`));
  expect('GET', '/tx/v1/status/{signature}', await at(`/tx/v1/status/${paid.body.signature}`));

  expect('GET', '/ultra/v1/shield', await at(`/ultra/v1/shield?mints=${JUP},${tokenId},${wallet}`));
  for (const path of ['/ultra/v1/search', '/tokens/v2/search']) {
    for (const query of ['JUP', 'sol', tokenId]) {
      const found = expect('GET', path, await at<unknown[]>(`${path}?query=${query}`));
      assert.ok(found.length > 0);
    }
  }

  const pair = { inputMint: JUP, outputMint: USDC, amount: 1_000_000n };
  const takers = [undefined, generateKeypair().address, sender.address];
  for (const router of ['metis', 'jupiterz']) {
    const excludeRouters = router === 'metis' ? 'jupiterz' : 'metis';
    const orders = [];
    for (const taker of takers) {
      const answer = await askOrderAgain(service, { ...pair, taker, excludeRouters });
      orders.push(expect('GET', '/ultra/v1/order', answer));
    }
    const [quoted, poorly, { transaction, requestId }] = orders as [Order, Order, Order];
    assert.deepEqual([quoted.transaction, poorly.transaction, quoted.router], [null, '', router]);
    const signed = { signedTransaction: signTransaction(transaction!, sender), requestId };
    const executed = expect('POST', '/ultra/v1/execute', await postExecute(service, signed));
    assert.equal(executed.status, 'Success', executed.error);
  }

  const postTrigger1 = (name: string, body: object) => at<TriggerAnswer>(`/trigger/v1/${name}`, body);
  const user = sender.address;
  const terms = { makingAmount: '20000000', takingAmount: '100000000' };
  const limitOrder = { inputMint: JUP, outputMint: USDC, maker: user, payer: user, params: terms };
  const opened = (await postTrigger1('createOrder', limitOrder)).body;
  const open = { requestId: opened.requestId, signedTransaction: signTransaction(opened.transaction, sender) };
  expect('POST', '/trigger/v1/execute', await postTrigger1('execute', open));
  const { requestId, transactions } = (await postTrigger1('cancelOrders', { maker: user })).body;
  const cancel = { requestId, signedTransaction: signTransaction(transactions[0]!, sender) };
  expect('POST', '/trigger/v1/execute', await postTrigger1('execute', cancel));
  const past = await at<TriggerAnswer>(`/trigger/v1/getTriggerOrders?user=${user}&orderStatus=history`);
  assert.ok(expect('GET', '/trigger/v1/getTriggerOrders', past).orders.length > 0);

  const type = 'transaction';
  const asked = expect('POST', '/trigger/v2/auth/challenge', await challengeOf(service, sender.address, type));
  const login = { type, walletPubkey: sender.address, signedTransaction: signTransaction(asked.transaction!, sender) };
  const { token } = expect('POST', '/trigger/v2/auth/verify', await postVerify(service, login));
  expect('GET', orders2('history'), await asWallet(service, token, '/orders/history?state=active'));
  expect('GET', '/admin/v1/orders', await admin(service, 'GET', `/orders?wallet=${sender.address}&limit=1`));
  await newKey(service, { prefixes: ['/tx'] });
  expect('GET', '/admin/v1/keys', await admin(service, 'GET', '/keys'));
  expect('GET', '/admin/v1/verifications', await admin(service, 'GET', '/verifications?state=pending&limit=10'));
  const events = '/prediction/v1/events';
  for (const eventId of ['SIM-1', 'SIM-2', 'none'])
    expect('GET', `${events}/{eventId}/score`, await at(`${events}/${eventId}/score`));
  expect('GET', `${events}/scores`, await at(`${events}/scores?eventIds=SIM-1,none`));
});
