import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { associatedTokenAddress, generateKeypair, TOKEN_PROGRAM, WRAPPED_SOL_MINT } from '@slipway/wire';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { type ApiKey, admin, newKey } from './admin.js';
import {
  createAnswerCheck,
  documentedStatus,
  documentOf,
  type JsonSchema,
  nullFields,
  type OpenapiDocument,
  type Operation,
  operationsOf,
} from './openapi-document.js';
import { eventually } from './rounds.js';
import { type Answer, request, type Service, startService } from './service.js';
import { addressesOf, createPool, feesOf, indie, putPool } from './studio.js';
import { askOrder, type Order, postExecute, USDC } from './swap.js';
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
    const config = await createConfig({ extends: ['recommended-strict'] });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    assert.deepEqual(
      problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`),
      [],
    );
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
        assert.deepEqual(schema, { $ref: `#/components/schemas/${shape}` }, `${nameOf(operation)} ${status}`);
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
    // The admin API is ours alone.
    const said = [...fields.keys()].filter((field) => !/^[A-Z]+ \/admin\//.test(field));
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
      ...['history', 'history/{orderId}'].map(orders2),
      ...['createOrder', 'cancelOrder', 'cancelOrders', 'execute', 'getTriggerOrders'].map(trigger1),
      ...['dbc-pool/create-tx', 'dbc-pool/submit', 'dbc-pool/addresses/{mint}', 'dbc/fee', 'dbc/fee/create-tx'].map(
        studio,
      ),
      ...['craft-send', 'craft-clawback', 'craft-claim', 'execute-claim', 'pending-invites', 'invite-history'].map(
        send1,
      ),
      ...['info', 'airdrop', 'prices', 'clock'].map((name) => `/sandbox/${name}`),
      ...['keys', 'keys/{id}', 'keys/{id}/rotate', 'verifications', 'verifications/{id}/approve'].map(admin1),
      ...['verifications/{id}/reject', 'scores/{eventId}', 'makers', 'makers/{id}', 'orders/{id}/explanation'].map(
        admin1,
      ),
      ...['overview', 'orders', 'requests/{id}', 'launches', 'invites', 'invites/rebuild', 'webhooks'].map(admin1),
      ...['stops', 'stops/{what}', 'logins/{wallet}', 'admins', 'admins/{name}', 'acts'].map(admin1),
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

it('every operation answers 200 as it is documented', async () => {
  const check = createAnswerCheck(document);
  const seen = new Set<string>();
  /** Checks an answer of the operation at `path`, and answers its body. */
  const expect = <T>(method: string, path: string, { status, body }: Answer<T>): T => {
    const operation = operations.find((each) => each.method === method && each.path === path);
    assert.ok(operation, path);
    assert.equal(status, 200, `${method} ${path}: ${JSON.stringify(body)}`);
    assert.equal(check(operation, status, body), undefined, `${method} ${path}: ${JSON.stringify(body)}`);
    seen.add(nameOf(operation));
    return body;
  };
  const at = <T = Record<string, unknown>>(path: string, body?: unknown) =>
    request<T>(`${service.url}${path}`, { ...(body !== undefined && { body }) });

  for (const path of ['/livez', '/readyz', '/metrics', '/sandbox/info']) expect('GET', path, await at(path));
  const { wallets } = await infoOf(service);
  const wallet = wallets[0]!.address;
  expect('POST', '/sandbox/airdrop', await at('/sandbox/airdrop', { wallet, amount: '1' }));
  expect('POST', '/sandbox/prices', await at('/sandbox/prices', { mint: JUP, usd: 0.5 }));

  const express = '/tokens/v2/verify/express';
  const sender = await newWallet(service);
  const tokenId = await newToken(service);
  expect('GET', `${express}/craft-txn`, await at(`${express}/craft-txn?senderAddress=${sender.address}`));
  const poor = await at(`${express}/craft-txn?senderAddress=${tokenId}`);
  expect('GET', `${express}/craft-txn`, poor);
  const eligibility = `${express}/check-eligibility`;
  expect('GET', eligibility, await at(`${eligibility}?tokenId=${tokenId}`));
  expect('GET', eligibility, await at(`${eligibility}?tokenId=${sender.address}`));
  const metadata = { tokenMetadata: { tokenId, name: 'Name', icon: null } };
  const paid = await execute(service, await craft(service, sender.address), sender, { tokenId, ...metadata });
  expect('POST', `${express}/execute`, paid);
  expect('GET', eligibility, await at(`${eligibility}?tokenId=${tokenId}`));

  const held = { path: '/ultra/v1/holdings/{address}', at: `/ultra/v1/holdings/${wallet}` };
  expect('GET', held.path, await at(held.at));
  expect('GET', `${held.path}/native`, await at(`${held.at}/native`));
  expect('GET', '/ultra/v1/balances/{address}', await at(`/ultra/v1/balances/${wallet}`));
  expect('GET', '/ultra/v1/order/routers', await at('/ultra/v1/order/routers'));
  expect('GET', '/ultra/v1/shield', await at(`/ultra/v1/shield?mints=${JUP},${tokenId},${wallet}`));
  for (const path of ['/ultra/v1/search', '/tokens/v2/search']) {
    for (const query of ['JUP', 'sol', tokenId]) {
      const found = expect('GET', path, await at<unknown[]>(`${path}?query=${query}`));
      assert.ok(found.length > 0);
    }
  }

  const mover = await newWallet(service);
  const source = associatedTokenAddress(mover.address, JUP);
  const sol = { senderAddress: mover.address, receiverAddress: sender.address, amount: '1' };
  const ofJup = { mint: JUP, tokenDecimals: '6', tokenProgramId: TOKEN_PROGRAM, senderTokenAccountAddress: source };
  const everything = { ...sol, ...ofJup, amount: '5000000000' };
  const postSigned = (path: string, { requestId, transaction }: { requestId: string; transaction: string }) =>
    at(path, { requestId, signedTransaction: signTransaction(transaction, mover) });
  for (const [path, query] of [
    [ultra('transfer/craft-native'), sol],
    [ultra('transfer/craft-token'), everything],
  ] as const) {
    const crafted = await at<{ requestId: string; transaction: string }>(`${path}?${new URLSearchParams(query)}`);
    const transfer = expect('GET', path, crafted);
    expect('POST', ultra('transfer/execute'), await postSigned(ultra('transfer/execute'), transfer));
  }
  const closing = await at<{ transactions: { requestId: string; transaction: string }[] }>(ultra('reclaim/craft'), {
    owner: mover.address,
    mints: [JUP, USDC],
  });
  const [reclaim] = expect('POST', ultra('reclaim/craft'), closing).transactions;
  expect('POST', ultra('reclaim/execute'), await postSigned(ultra('reclaim/execute'), reclaim!));

  const pair = { inputMint: JUP, outputMint: USDC, amount: 1_000_000n };
  const takers = [undefined, generateKeypair().address, sender.address];
  for (const router of ['metis', 'jupiterz']) {
    const excludeRouters = router === 'metis' ? 'jupiterz' : 'metis';
    const orders = [];
    for (const taker of takers) {
      const answer = await askOrder(service, { ...pair, taker, excludeRouters });
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
  for (const status of ['active', 'history']) {
    const opened = expect('POST', '/trigger/v1/createOrder', await postTrigger1('createOrder', limitOrder));
    const open = { requestId: opened.requestId, signedTransaction: signTransaction(opened.transaction, sender) };
    expect('POST', '/trigger/v1/execute', await postTrigger1('execute', open));
    expect('POST', '/trigger/v1/cancelOrder', await postTrigger1('cancelOrder', { maker: user, order: opened.order }));
    const all = expect('POST', '/trigger/v1/cancelOrders', await postTrigger1('cancelOrders', { maker: user }));
    const { requestId, transactions } = all;
    const cancel = { requestId, signedTransaction: signTransaction(transactions[0]!, sender) };
    if (status === 'history') expect('POST', '/trigger/v1/execute', await postTrigger1('execute', cancel));
    const listed = await at<TriggerAnswer>(`/trigger/v1/getTriggerOrders?user=${user}&orderStatus=${status}`);
    assert.ok(expect('GET', '/trigger/v1/getTriggerOrders', listed).orders.length > 0);
  }

  expect('POST', studio('dbc-pool/create-tx'), await createPool(service, indie(sender.address)));
  const pool = await putPool(service, sender.address);
  expect('GET', studio('dbc-pool/addresses/{mint}'), await addressesOf(service, pool.baseMint));
  expect('POST', studio('dbc/fee'), await feesOf(service, pool.pool));
  const [giver, inviteKeys] = [sender.address, [generateKeypair(), generateKeypair()]];
  const submitted = (signedTransaction: string) => at('/tx/v1/submit', { signedTransaction });
  for (const inviteKey of inviteKeys) {
    const invite = { inviteSigner: inviteKey.address, sender: giver, amount: '1000000' };
    const { tx } = expect('POST', send1('craft-send'), await at<{ tx: string }>(send1('craft-send'), invite));
    await submitted(signTransaction(tx, sender, inviteKey));
  }
  type Invites = { invites: { invite_pda: string }[] };
  const listed = (list: string) => at<Invites>(`${send1(list)}?address=${giver}`);
  await eventually('the invites are listed', async () => (await listed('pending-invites')).body.invites[1]);
  const [{ invite_pda: invitePDA }] = expect('GET', send1('pending-invites'), await listed('pending-invites'))
    .invites as [{ invite_pda: string }];
  const clawback = { invitePDA, sender: giver };
  const { tx: backTx } = expect(
    'POST',
    send1('craft-clawback'),
    await at<{ tx: string }>(send1('craft-clawback'), clawback),
  );
  const claim = { inviteSigner: inviteKeys[0]!.address, receiver: generateKeypair().address };
  const { tx: claimTx, requestId: claimId } = expect(
    'POST',
    send1('craft-claim'),
    await at<{ tx: string; requestId: string }>(send1('craft-claim'), claim),
  );
  await submitted(signTransaction(backTx, sender));
  const signedClaim = { requestId: claimId, signedTransaction: signTransaction(claimTx, inviteKeys[0]!) };
  expect('POST', send1('execute-claim'), await at(send1('execute-claim'), signedClaim));
  await eventually('both have ended', async () => (await listed('invite-history')).body.invites[1]);
  expect('GET', send1('invite-history'), await listed('invite-history'));
  expect('POST', '/admin/v1/invites/rebuild', await admin(service, 'POST', '/invites/rebuild', {}));

  const signedTransaction = signTransaction((await craft(service, sender.address)).transaction, sender);
  const { signature } = expect('POST', '/tx/v1/submit', await at('/tx/v1/submit', { signedTransaction }));
  expect('GET', '/tx/v1/status/{signature}', await at(`/tx/v1/status/${signature}`));
  expect('GET', '/tx/v1/status/{signature}', await at(`/tx/v1/status/${paid.body.signature}`));

  const type = 'transaction';
  const asked = expect('POST', '/trigger/v2/auth/challenge', await challengeOf(service, sender.address, type));
  const login = { type, walletPubkey: sender.address, signedTransaction: signTransaction(asked.transaction!, sender) };
  const { token } = expect('POST', '/trigger/v2/auth/verify', await postVerify(service, login));
  for (const path of ['/vault/register', '/vault'])
    expect('GET', `/trigger/v2${path}`, await asWallet(service, token, path));
  const pay = { inputMint: JUP, outputMint: WRAPPED_SOL_MINT, userAddress: sender.address, amount: '100000000' };
  const trigger = (method: string, path: string, body?: unknown) =>
    asWallet<Record<string, string>>(service, token, path, { method, ...(body !== undefined && { body }) });
  const price = { orderType: 'price', orderSubType: 'single' };
  const crafted = expect(
    'POST',
    '/trigger/v2/deposit/craft',
    await trigger('POST', '/deposit/craft', { ...pay, ...price }),
  );
  const wanted = {
    orderType: 'single',
    depositRequestId: crafted.requestId,
    userPubkey: sender.address,
    inputMint: JUP,
    depositSignedTx: signTransaction(crafted.transaction!, sender),
    inputAmount: pay.amount,
    outputMint: pay.outputMint,
    triggerMint: JUP,
    triggerCondition: 'above',
    triggerPriceUsd: 9,
    expiresAt: 4e12,
  };
  const order = expect('POST', orders2('price'), await trigger('POST', '/orders/price', wanted));
  const edit = { orderType: 'single', triggerPriceUsd: 8 };
  expect('PATCH', orders2('price/{orderId}'), await trigger('PATCH', `/orders/price/${order.id}`, edit));
  expect('GET', orders2('history'), await trigger('GET', '/orders/history?state=active'));
  expect('GET', orders2('history'), await trigger('GET', `/orders/history?id=${order.id}`));
  const cancelled = await trigger('POST', `/orders/price/cancel/${order.id}`);
  const withdrawal = expect('POST', orders2('price/cancel/{orderId}'), cancelled);
  const confirmed = await trigger('POST', `/orders/price/confirm-cancel/${order.id}`, {
    signedTransaction: signTransaction(withdrawal.transaction!, sender),
    cancelRequestId: withdrawal.requestId,
  });
  expect('POST', orders2('price/confirm-cancel/{orderId}'), confirmed);
  expect('GET', orders2('history/{orderId}'), await trigger('GET', `/orders/history/${order.id}`));

  const explanation = await admin(service, 'GET', `/orders/${order.id}/explanation`);
  expect('GET', '/admin/v1/orders/{id}/explanation', explanation);

  expect('GET', '/admin/v1/orders', await admin(service, 'GET', `/orders?wallet=${sender.address}&limit=1`));
  expect('GET', '/admin/v1/requests/{id}', await admin(service, 'GET', `/requests/${crafted.requestId}`));
  expect('GET', '/admin/v1/launches', await admin(service, 'GET', '/launches'));
  expect('GET', '/admin/v1/invites', await admin(service, 'GET', '/invites'));
  const stop = '/admin/v1/stops/{what}';
  expect('PUT', stop, await admin(service, 'PUT', '/stops/crafts', { why: 'a test' }));
  expect('GET', '/admin/v1/stops', await admin(service, 'GET', '/stops'));
  expect('DELETE', stop, await admin(service, 'DELETE', '/stops/crafts'));
  const alice = await admin<object>(service, 'POST', '/admins', { name: 'alice', roles: ['read'] });
  expect('POST', '/admin/v1/admins', alice);
  expect('GET', '/admin/v1/admins', await admin(service, 'GET', '/admins'));
  expect('DELETE', '/admin/v1/admins/{name}', await admin(service, 'DELETE', '/admins/alice'));
  expect('GET', '/admin/v1/acts', await admin(service, 'GET', '/acts'));
  expect('POST', '/trigger/v2/auth/logout', await trigger('POST', '/auth/logout'));
  expect('DELETE', '/admin/v1/logins/{wallet}', await admin(service, 'DELETE', `/logins/${sender.address}`));
  expect('GET', '/admin/v1/overview', await admin(service, 'GET', '/overview'));

  const made = expect('POST', '/admin/v1/keys', await admin<ApiKey>(service, 'POST', '/keys', { name: 'x' }));
  const rotate = '/admin/v1/keys/{id}/rotate';
  expect('POST', rotate, await admin(service, 'POST', `/keys/${made.id}/rotate`));
  expect('DELETE', '/admin/v1/keys/{id}', await admin(service, 'DELETE', `/keys/${made.id}`));
  await newKey(service, { prefixes: ['/tx'] });
  expect('GET', '/admin/v1/keys', await admin(service, 'GET', '/keys'));
  type Page = { verifications: { id: string }[] };
  const list = await admin<Page>(service, 'GET', '/verifications?state=pending&limit=10');
  const { verifications } = expect('GET', '/admin/v1/verifications', list);
  assert.equal(verifications.length, 2);
  for (const [index, verb] of ['approve', 'reject'].entries()) {
    const decided = await admin(service, 'POST', `/verifications/${verifications[index]!.id}/${verb}`, { note: 'why' });
    expect('POST', `/admin/v1/verifications/{id}/${verb}`, decided);
  }
  expect('GET', '/admin/v1/verifications', await admin(service, 'GET', '/verifications'));
  const score = {
    gameId: 'g',
    live: false,
    ended: true,
    updatedAt: '2026-01-01T00:00:00Z',
    leagueAbbreviation: 'L',
    homeTeam: 'h',
    awayTeam: 'a',
    score: '1-0',
    period: 'FT',
    elapsed: '90',
    status: 'Final',
  };
  expect('PUT', '/admin/v1/scores/{eventId}', await admin(service, 'PUT', '/scores/E-1', score));
  // Without end: its own test reads it.
  seen.add('GET /events/v1/stream');
  const hooks = '/events/v1/webhooks';
  const hook = await at(hooks, { url: 'http://127.0.0.1:9/' });
  const { id: hookId } = expect('POST', hooks, hook) as { id: string };
  expect('GET', hooks, await at(hooks));
  expect('POST', `${hooks}/{id}/test`, await at(`${hooks}/${hookId}/test`, {}));
  expect('GET', `${hooks}/{id}/attempts`, await at(`${hooks}/${hookId}/attempts`));
  expect('POST', `${hooks}/{id}/redeliver`, await at(`${hooks}/${hookId}/redeliver`, {}));
  expect('GET', '/admin/v1/webhooks', await admin(service, 'GET', '/webhooks'));
  expect('POST', `${hooks}/{id}/rotate-secret`, await at(`${hooks}/${hookId}/rotate-secret`, {}));
  expect('DELETE', `${hooks}/{id}`, await request(`${service.url}${hooks}/${hookId}`, { method: 'DELETE' }));
  const events = '/prediction/v1/events';
  for (const eventId of ['SIM-1', 'SIM-2', 'E-1', 'none']) {
    expect('GET', `${events}/{eventId}/score`, await at(`${events}/${eventId}/score`));
  }
  expect('GET', `${events}/scores`, await at(`${events}/scores?eventIds=SIM-1,E-1,none`));
  const maker = await admin<{ id: string }>(service, 'POST', '/makers', { name: 'm', url: 'https://maker.example' });
  const { id } = expect('POST', '/admin/v1/makers', maker);
  expect('GET', '/admin/v1/makers', await admin(service, 'GET', '/makers'));
  expect('DELETE', '/admin/v1/makers/{id}', await admin(service, 'DELETE', `/makers/${id}`));
  expect('POST', '/sandbox/clock', await at('/sandbox/clock', { seconds: 1 }));

  assert.deepEqual(
    operations.map(nameOf).filter((name) => !seen.has(name)),
    // These need programs that a sandbox does not have by itself.
    ['dbc/fee/create-tx', 'dbc-pool/submit'].map((name) => `POST ${studio(name)}`),
    'operations that were not tried',
  );
});
