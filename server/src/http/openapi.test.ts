import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { after, before, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { expressError } from '../areas/express/error-shape.js';
import { triggerV1Error } from '../areas/trigger-v1/error-shape.js';
import { loadConfig } from '../config/index.js';
import { plainError } from '../errors/index.js';
import { addRecordedCalls } from './examples.js';
import { startTestServer } from './testing.js';

interface Operation {
  parameters?: { name: string; in: string; required?: boolean; schema: object; example?: unknown }[];
  requestBody?: { content: Record<string, { schema: object; example?: unknown }> };
  responses: Record<
    string,
    {
      description?: string;
      content?: Record<string, { schema: { $ref?: string; anyOf?: { $ref: string }[] }; example?: unknown }>;
    }
  >;
  security: object[];
}

interface Document {
  openapi: string;
  info: { title: string; version: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object>; securitySchemes: Record<string, object> };
}

let app: FastifyInstance;
let document: Document;
const registered: [method: string, url: string][] = [];

before(async () => {
  ({ app } = await startTestServer(
    (server) => {
      server.addHook('onRoute', ({ method, url }) => {
        registered.push([String(method).toLowerCase(), url]);
      });
      const Receipt = Type.Object({ signature: Type.String() }, { $id: 'Receipt' });
      const Order = Type.Object(
        {
          side: Type.Union([Type.Literal('buy'), Type.Literal('sell')]),
          wallet: Type.Optional(Type.String()),
          terms: Type.Optional(Type.Object({ amount: Type.String() })),
        },
        { $id: 'Order', description: 'An order' },
      );
      server.get('/area/:orderId', {
        config: { errorShape: triggerV1Error, auth: 'key' },
        schema: {
          summary: 'One order',
          params: Type.Object({ orderId: Type.String({ minLength: 1 }) }),
          querystring: Type.Object({
            limit: Type.Optional(Type.Integer({ minimum: 1 })),
            wallet: Type.String(),
            state: Type.Optional(Type.Union([Type.Literal('open'), Type.Literal('past')], { description: 'Which' })),
          }),
          response: { 200: Receipt },
        },
        handler: () => ({ signature: 'x' }),
      });
      server.post('/area/orders', {
        config: { errorShape: expressError, auth: 'key' },
        schema: {
          body: Order,
          response: {
            200: Type.Object({ receipt: Type.Ref('Receipt'), at: Type.Union([Type.String(), Type.Null()]) }),
          },
        },
        handler: () => ({ receipt: { signature: 'x' }, at: null }),
      });
      server.put('/area/orders', {
        config: { errorShape: expressError, auth: 'none' },
        schema: { body: Order, response: { 200: Receipt } },
        handler: () => ({ signature: 'x', secret: 'y' }),
      });
      server.post('/area/sent', {
        config: { errorShape: expressError, auth: 'key' },
        schema: { body: Type.Object({ signedTransaction: Type.String() }), response: { 200: Receipt } },
        handler: () => ({ signature: 'x' }),
      });
      server.delete('/admin/things/:id', { config: { errorShape: plainError, auth: 'admin' }, handler: () => ({}) });
      server.get('/internal', {
        config: { errorShape: plainError, auth: 'none' },
        schema: { hide: true },
        handler: () => ({}),
      });
    },
    {
      examples: () => ({ wallet: 'alice', '/area/{orderId} orderId': '7' }),
      recordedCalls: () => ({
        'GET /area/{orderId}': { parameters: { orderId: '8' }, answer: { signature: 'recorded' } },
        'POST /area/gone': { answer: {} },
        'POST /area/sent': { body: { signedTransaction: 'sent' }, answer: { signature: 'recorded' } },
      }),
    },
  ));
  document = (await app.inject({ url: '/openapi.json' })).json();
});
after(() => app.close());

function* refsIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (key === '$ref') yield String(member);
    else yield* refsIn(member);
  }
}

const operations = (): [string, string, Operation][] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, string, Operation] => [method, path, operation]),
  );

test('the document is OpenAPI 3.1 and has every route that is not hidden', () => {
  assert.equal(document.openapi, '3.1.0');
  assert.match(document.info.version, /^\d+\.\d+\.\d+/);
  const listed = operations().map(([method, path]) => `${method} ${path}`);
  for (const [method, url] of registered.filter(([, path]) => path !== '/internal')) {
    const expected = `${method} ${url.replace(/:(\w+)/g, '{$1}')}`;
    assert.ok(listed.includes(expected), expected);
  }
  for (const path of ['/livez', '/readyz', '/metrics']) assert.ok(listed.includes(`get ${path}`));
  for (const path of ['/internal', '/openapi.json', '/docs']) {
    assert.equal(
      listed.some((entry) => entry.includes(path)),
      false,
      path,
    );
  }
});

test('every operation declares its path parameters and describes every answer', () => {
  for (const [method, path, operation] of operations()) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
    assert.deepEqual(
      declared.map(({ name }) => name),
      inPath,
      `${method} ${path}`,
    );
    assert.ok(declared.every(({ required }) => required));
    assert.ok(Object.keys(operation.responses).length > 0);
    for (const [status, response] of Object.entries(operation.responses)) {
      assert.match(status, /^(?:[1-5]\d\d|[1-5]XX|default)$/);
      assert.equal(typeof response.description, 'string', `${method} ${path} ${status}`);
    }
  }
});

test('a union of fixed values is an enum, so that a page offers all of them', async () => {
  const state = document.paths['/area/{orderId}']!.get!.parameters!.find(({ name }) => name === 'state');
  assert.deepEqual(state?.schema, { type: 'string', enum: ['open', 'past'] });
  const { Order } = document.components.schemas as { Order: { properties: { side: object } } };
  assert.deepEqual(Order.properties.side, { type: 'string', enum: ['buy', 'sell'] });
});

test('what is required has an example, by its name and where it stands', () => {
  const examples = document.paths['/area/{orderId}']!.get!.parameters!.map(({ name, example }) => [name, example]);
  assert.deepEqual(Object.fromEntries(examples), { orderId: '7', limit: undefined, wallet: 'alice', state: undefined });
  const body = document.paths['/area/orders']!.post!.requestBody!.content['application/json'];
  assert.deepEqual(body?.example, { side: 'buy' });
});

test('an answer has the example that was recorded, and what has no example the one that was sent then', () => {
  const { get } = document.paths['/area/{orderId}']!;
  const { post } = document.paths['/area/sent']!;
  for (const operation of [get, post])
    assert.deepEqual(operation?.responses[200]?.content?.['application/json']?.example, { signature: 'recorded' });
  assert.equal(get?.parameters?.find(({ name }) => name === 'orderId')?.example, '7');
  assert.deepEqual(post?.requestBody?.content['application/json']?.example, { signedTransaction: 'sent' });
});

test('outside of a sandbox nobody is shown what was sent in one', () => {
  const content = () => ({ 'application/json': {} as { example?: unknown } });
  const operation = { requestBody: { content: content() }, responses: { 200: { content: content() } } };
  const recorded = { 'POST /sent': { body: { wallet: 'alice' }, answer: { landed: true } } };
  addRecordedCalls({ paths: { '/sent': { post: operation } } }, recorded, { asked: false });
  assert.deepEqual(operation.requestBody.content, { 'application/json': {} });
  assert.deepEqual(operation.responses[200].content, { 'application/json': { example: { landed: true } } });
});

test('every schema is valid JSON Schema 2020-12, has a name of ours, and every reference leads somewhere', () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    assert.doesNotMatch(name, /^def-/);
    assert.equal(ajv.validateSchema(schema), true, name);
  }
  const names = Object.keys(document.components.schemas);
  assert.ok(names.includes('Receipt') && names.includes('GatewayError'));
  for (const ref of refsIn(document)) {
    assert.match(ref, /^#\/components\/schemas\//);
    assert.ok(names.includes(ref.replace('#/components/schemas/', '')), ref);
  }
});

test('a schema with a name is shared by the routes that use it, and still checks and shapes', async () => {
  const put = document.paths['/area/orders']!.put!;
  assert.deepEqual(put.requestBody?.content['application/json']?.schema, { $ref: '#/components/schemas/Order' });
  const answer = await app.inject({ method: 'PUT', url: '/area/orders', payload: { side: 'buy' } });
  assert.deepEqual(answer.json(), { signature: 'x' });
  const refused = await app.inject({ method: 'PUT', url: '/area/orders', payload: { side: 'hold' } });
  assert.equal(refused.json().message, 'side: expected one of buy, sell');
});

test('two schemas of one name are refused', async () => {
  await assert.rejects(
    startTestServer((server) => {
      for (const field of ['a', 'b']) {
        const body = Type.Object({ [field]: Type.String() }, { $id: 'Same' });
        server.post(`/${field}`, {
          config: { errorShape: plainError, auth: 'none' },
          schema: { body },
          handler: () => ({}),
        });
      }
    }),
    /Two schemas have the \$id Same/,
  );
});

test('security and error bodies follow from what the route says of itself', () => {
  const order = document.paths['/area/{orderId}']!.get!;
  assert.deepEqual(order.security, [{ apiKey: [] }]);
  assert.deepEqual(bodiesOf(order, '200'), ['Receipt']);
  for (const status of ['401', '500']) assert.deepEqual(bodiesOf(order, status), ['TriggerV1Error'], status);
  const removal = document.paths['/admin/things/{id}']!.delete!;
  assert.deepEqual(removal.security, [{ adminToken: [] }]);
  assert.deepEqual(document.paths['/livez']!.get!.security, []);
  assert.ok(document.components.securitySchemes.apiKey && document.components.securitySchemes.adminToken);
});

/** The names of the schemas that the body of an answer may have. */
function bodiesOf({ responses }: Operation, status: string): (string | undefined)[] {
  const schema = responses[status]?.content?.['application/json']?.schema;
  return (schema?.anyOf ?? [schema]).map((each) => each?.$ref?.split('/').at(-1));
}

test('where what stands before an area refuses in its own shape, the document says so', async () => {
  const order = document.paths['/area/{orderId}']!.get!;
  const either = ['GatewayError', 'TriggerV1Error'];
  for (const status of ['400', '403', '4XX', '5XX']) assert.deepEqual(bodiesOf(order, status), either, status);
  assert.deepEqual(bodiesOf(order, '429'), ['GatewayError']);
  // Only a parameter of the path can make it none.
  assert.deepEqual(bodiesOf(document.paths['/area/orders']!.put!, '400'), ['ExpressError']);
  const removal = document.paths['/admin/things/{id}']!.delete!;
  for (const status of ['403', '503']) assert.deepEqual(bodiesOf(removal, status), ['GatewayError', 'PlainError']);
  assert.deepEqual(bodiesOf(removal, '429'), ['GatewayError'], 'after too many wrong tokens');
  const { statusCode, body } = await app.inject({ url: '/area/%zz' });
  assert.deepEqual([statusCode, JSON.parse(body).code], [400, 400]);
});

test('the documentation page and all that it loads come from this service', async () => {
  const page = await app.inject({ url: '/docs' });
  assert.equal(page.statusCode, 200);
  assert.match(String(page.headers['content-type']), /^text\/html/);
  assert.match(String(page.headers['content-security-policy']), /default-src 'none'/);
  assert.equal(page.headers['x-content-type-options'], 'nosniff');
  const links = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);
  assert.ok(links.length >= 5);
  for (const link of links) {
    assert.match(link, /^\/docs\/static\//);
    const asset = await app.inject({ url: link });
    assert.equal(asset.statusCode, 200, link);
    if (link.endsWith('.css')) assert.equal(/@import|url\(\s*["']?(?:https?:)?\/\//.test(asset.body), false, link);
  }
  assert.match(page.body, /<meta name="viewport" content="width=device-width, initial-scale=1">/);
  const initializer = (await app.inject({ url: '/docs/static/swagger-initializer.js' })).body;
  const code = initializer.replace(/^\s*\/\/.*$/gm, '');
  assert.equal(/https?:\/\//.test(code), false, 'the page must not name another server');
  for (const setting of ['"validatorUrl":null', '"persistAuthorization":true', '"filter":true']) {
    assert.ok(code.includes(setting), setting);
  }
  assert.ok(code.includes(`ui.preauthorizeApiKey('apiKey', "sandbox")`));
});

test('attack: a page at the origin of the documentation, as at the end of a tunnel that has another one, reads the admin token that was typed there: a browser keeps none', async (t) => {
  const config = { ...loadConfig({ SLIPWAY_ADMIN_TOKEN: 'admin-secret-token' }, { cwd: tmpdir() }), sandbox: false };
  const { app: production } = await startTestServer(() => {}, { config });
  t.after(() => production.close());
  const { body } = await production.inject({ url: '/docs/static/swagger-initializer.js' });
  assert.match(body, /"persistAuthorization":false/);
  assert.match(
    body,
    /"onComplete":function \(\) \{ localStorage\.removeItem\('authorized'\); \}/,
    'also what was kept before',
  );
  assert.doesNotMatch(body, /preauthorizeApiKey/);
});

test('attack: a caller without a key asks for the API document by its other names, over and over: it is written down once', async () => {
  for (const url of ['/docs/json', '/docs/yaml']) {
    const { statusCode, headers } = await app.inject({ url });
    const { pathname } = new URL(String(headers.location), `http://localhost${url}`);
    assert.deepEqual([statusCode, pathname], [302, '/openapi.json']);
  }
});
