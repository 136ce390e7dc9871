import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decodeTransaction, encodeTransaction, generateKeypair, sign } from '@slipway/wire';
import { documentOf, operationsOf } from './openapi-document.js';
import { request, type Service, startService } from './service.js';
import {
  cancel,
  confirm,
  create,
  deposit,
  newOrder,
  newUser,
  orderBody,
  post,
  type Refused,
  type Row,
  refuses,
  rowOf,
  tokensAt,
  USDC,
} from './trigger-user.js';
import { asWallet, TRIGGER } from './trigger-wallet.js';
import { JUP, signTransaction } from './wallet.js';

/** Less than a withdrawal lives. */
const LIFE_MS = 50_000;

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service?.close());

describe('a cancellation', () => {
  it('gives a fresh withdrawal each time, of which one moves the funds', async () => {
    const user = await newUser(service);
    const { id } = await newOrder(user);
    const [first, second] = [await cancel(user, id), await cancel(user, id)];
    assert.notEqual(first.requestId, second.requestId);
    const answers = await Promise.all([confirm(user, id, first), confirm(user, id, second), confirm(user, id, first)]);
    assert.ok(answers.some(({ status }) => status === 200));
    assert.equal((await rowOf(user, id)).rawState, 'cancelled');
  });

  it('attack: a free key confirms with something else than the withdrawal that was crafted: refused', async () => {
    const user = await newUser(service);
    const [mine, other] = [await newOrder(user), await newOrder(user)];
    const [withdrawal, elsewhere] = [await cancel(user, mine.id), await cancel(user, other.id)];
    const thief = generateKeypair();
    const { decoded: _, ...unsigned } = decodeTransaction(Buffer.from(withdrawal.transaction, 'base64'));
    const forged = encodeTransaction({
      ...unsigned,
      signatures: unsigned.signatures.map((empty, index) => (index ? empty : sign(thief, unsigned.message))),
    });
    const good = signTransaction(withdrawal.transaction, user.wallet);
    const path = `/orders/price/confirm-cancel/${mine.id}`;
    const cases: [Record<string, unknown>, RegExp][] = [
      [{ signedTransaction: good }, /cancelRequestId/],
      [{ cancelRequestId: withdrawal.requestId }, /signedTransaction/],
      [{ signedTransaction: 'AAAA', cancelRequestId: withdrawal.requestId }, /Invalid transaction format/],
      [{ signedTransaction: good, cancelRequestId: 'unknown' }, /not found in cache. Please initiate cancel again/],
      [{ signedTransaction: good, cancelRequestId: elsewhere.requestId }, /not found in cache/],
      [{ signedTransaction: withdrawal.transaction, cancelRequestId: withdrawal.requestId }, /missing/],
      [
        { signedTransaction: Buffer.from(forged).toString('base64'), cancelRequestId: withdrawal.requestId },
        /does not match/,
      ],
      [
        {
          signedTransaction: signTransaction(elsewhere.transaction, user.wallet),
          cancelRequestId: withdrawal.requestId,
        },
        /Invalid withdrawal transaction/,
      ],
    ];
    for (const [body, says] of cases) refuses(await post(user, path, body), 400, says, JSON.stringify(body));
    assert.equal((await confirm(user, mine.id, withdrawal)).status, 200);
  });
});

describe("somebody else's order", () => {
  it("attack: a free key sees, edits, cancels or withdraws somebody else's order: refused", async () => {
    const [user, other] = [await newUser(service), await newUser(service)];
    const { id } = await newOrder(user);
    const withdrawal = await cancel(user, id);
    const asOther = <T>(method: string, path: string, body?: unknown) =>
      asWallet<T & Partial<Refused>>(service, other.token, path, { method, ...(body !== undefined && { body }) });
    const edit = { orderType: 'single', triggerPriceUsd: 1 };
    const signed = {
      signedTransaction: signTransaction(withdrawal.transaction, user.wallet),
      cancelRequestId: withdrawal.requestId,
    };
    /** By route: the body, and the answers for an order of somebody else and for one that there is not. */
    const answers: Record<string, [body: object | undefined, foreign: number, says: RegExp]> = {
      'GET /orders/history/{orderId}': [undefined, 403, /Forbidden/],
      'GET /orders/history/{orderId}/explanation': [undefined, 403, /Forbidden/],
      'PATCH /orders/price/{orderId}': [edit, 404, /Order not found/],
      'POST /orders/price/cancel/{orderId}': [undefined, 403, /Forbidden/],
      'POST /orders/price/confirm-cancel/{orderId}': [signed, 404, /Order not found/],
    };
    const routes = operationsOf(await documentOf(service)).filter(({ path }) => path.startsWith(TRIGGER));
    for (const { method, path } of routes.filter(({ path }) => path.includes('{'))) {
      const route = path.slice(TRIGGER.length);
      const expected = answers[`${method} ${route}`];
      assert.ok(expected, `${method} ${route} is not tried with somebody else's order: add it here`);
      const [body, foreign, says] = expected;
      refuses(await asOther(method, route.replace('{orderId}', id), body), foreign, says);
      refuses(await asOther(method, route.replace('{orderId}', 'nothing'), body), 404, /Order not found/);
      delete answers[`${method} ${route}`];
    }
    assert.deepEqual(answers, {}, 'a route is gone');
    refuses(await asOther('GET', `/orders/history?id=${id}`), 403, /Forbidden/);
    refuses(await asOther('GET', '/orders/history?id=nothing'), 404, /Order not found/);
    refuses(await post(other, '/orders/price', orderBody(user, await deposit(user))), 403, /userPubkey must match/);
    const mine = orderBody(other, await deposit(user), {}, user.wallet);
    refuses(await post(other, '/orders/price', mine), 400, /not found in cache/);
    const list = await asWallet<{ orders: unknown[] }>(service, other.token, '/orders/history');
    assert.deepEqual(list.body.orders, []);
  });
});

describe('the history', () => {
  it('lists by state and mint, in pages', async () => {
    const user = await newUser(service);
    const [first, second, third] = [await newOrder(user), await newOrder(user), await newOrder(user)];
    await confirm(user, second.id, await cancel(user, second.id));
    const list = async (query: string) => {
      const path = `/orders/history?${query}`;
      const { status, body } = await asWallet<{ orders: Row[]; pagination: object }>(service, user.token, path);
      assert.equal(status, 200, JSON.stringify(body));
      return { ids: body.orders.map(({ id }) => id), pagination: body.pagination };
    };
    assert.deepEqual((await list('state=active&sort=created_at&dir=asc')).ids, [first.id, third.id]);
    assert.deepEqual((await list('state=past')).ids, [second.id]);
    assert.deepEqual((await list('')).ids, [second.id, third.id, first.id]);
    assert.deepEqual(await list('limit=1&offset=1&sort=created_at'), {
      ids: [second.id],
      pagination: { total: 3, limit: 1, offset: 1 },
    });
    assert.deepEqual((await list(`mint=${JUP}`)).ids, []);
    assert.deepEqual((await list(`mint=${USDC}`)).ids.length, 3);
    const { body } = await asWallet<Row>(service, user.token, `/orders/history?id=${first.id}`);
    assert.equal(body.id, first.id);
    for (const query of ['state=all', 'limit=0', 'limit=101', 'offset=-1', 'sort=price', 'dir=up', 'mint=x']) {
      const { status } = await asWallet(service, user.token, `/orders/history?${query}`);
      assert.equal(status, 400, query);
    }
  });
});

it('an order expires at its time, and its funds can still be taken out', async () => {
  const user = await newUser(service);
  const crafted = await deposit(user);
  const now = (await request<{ unixTimestamp: number }>(`${service.url}/sandbox/info`)).body.unixTimestamp * 1000;
  const { id } = await create(user, crafted, { expiresAt: now + 600_000 });
  await request(`${service.url}/sandbox/clock`, { body: { seconds: 300 } });
  assert.equal((await rowOf(user, id)).orderState, 'open');
  await request(`${service.url}/sandbox/clock`, { body: { seconds: 301 } });
  const row = await rowOf(user, id);
  assert.deepEqual([row.orderState, row.rawState, row.events[0]?.type], ['expired', 'expired', 'expired']);
  const listed = async (state: string) => {
    const { body } = await asWallet<{ orders: Row[] }>(service, user.token, `/orders/history?state=${state}`);
    return body.orders.map((order) => order.id);
  };
  assert.deepEqual([await listed('active'), await listed('past')], [[id], []]);
  assert.equal((await tokensAt(service, crafted.inputTokenAccount))?.amount, 1_000_000_000n);
  const edit = { method: 'PATCH', body: { orderType: 'single', triggerPriceUsd: 1 } };
  refuses(await asWallet<Partial<Refused>>(service, user.token, `/orders/price/${id}`, edit), 400, /open/);
  assert.equal((await confirm(user, id, await cancel(user, id))).status, 200);
  assert.equal((await rowOf(user, id)).rawState, 'cancelled');
  assert.deepEqual([await listed('active'), await listed('past')], [[], [id]]);
});

it('orders and their funds outlive kill -9', async () => {
  const first = await startService();
  const main = service;
  try {
    service = first;
    const user = await newUser(service);
    const { id } = await newOrder(user);
    const from = performance.now();
    const withdrawal = await cancel(user, id);
    await first.kill();
    service = await startService({ dataDir: first.dataDir });
    user.service = service;
    assert.equal((await rowOf(user, id)).rawState, 'ready_to_cancel');
    let confirmed = await confirm(user, id, withdrawal);
    // A start may take longer than a withdrawal lives.
    const isLate = performance.now() - from > LIFE_MS;
    if (isLate && /(?:expired|not found in cache)\. Please initiate cancel/.test(confirmed.body.error ?? ''))
      confirmed = await confirm(user, id, await cancel(user, id));
    assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
    assert.equal((await rowOf(user, id)).rawState, 'cancelled');
  } finally {
    await service.close();
    service = main;
    await first.close();
  }
});

it('is what the contract calls it: every path stands under /trigger/v2', async () => {
  const slash = await request(`${service.url}${TRIGGER}/orders/price/`, { body: {} });
  assert.equal(slash.status, 404);
});
