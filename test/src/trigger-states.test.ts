import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Address, decodeTransaction, generateKeypair, transactionSignature } from '@slipway/wire';
import { type Fleet, startFleet } from './fleet.js';
import { startPostgres } from './postgres.js';
import { eventually } from './rounds.js';
import { type Answer, request } from './service.js';
import { setPrice } from './swap.js';
import {
  cancel,
  confirm,
  create,
  type Deposit,
  deposit,
  depositBody,
  newOrder,
  newUser,
  OCO,
  orderBody,
  post,
  type Refused,
  type Row,
  refuses,
  rowOf,
  SOL,
  tokensAt,
  type User,
} from './trigger-user.js';
import { asWallet, challengeOf, logIn, postVerify, signText } from './trigger-wallet.js';
import { type Behavior, faithful, result, startUpstreamProxy, type UpstreamProxy } from './upstream-proxy.js';
import { signTransaction } from './wallet.js';

const PATIENCE_SECONDS = 120;

let proxy: UpstreamProxy;
let fleet: Fleet;
let user: User;
before(async () => {
  const reach = async (rpcUrl: string) => {
    proxy = await startUpstreamProxy(rpcUrl);
    return proxy.url;
  };
  // One of its own: the last test stops it.
  fleet = await startFleet(['api', 'keeper'], reach, startPostgres);
  user = await newUser(fleet.copies[0]!);
});
after(async () => {
  await fleet?.close();
  await proxy?.close();
});

const get = <T>(path: string, token = user.token) => asWallet<T & Partial<Refused>>(user.service, token, path);
const patch = (id: string, body: unknown) =>
  asWallet<Partial<Refused>>(user.service, user.token, `/orders/price/${id}`, { method: 'PATCH', body });
const listed = async (state: string) =>
  (await get<{ orders: Row[] }>(`/orders/history?state=${state}&limit=100`)).body.orders.map(({ id }) => id);

/** The contract's table: what each `rawState` shows as `orderState`, and which list it is in. */
const STATES: Record<string, [shown: string, list: 'active' | 'past']> = {
  pending_deposit: ['pending', 'active'],
  depositing: ['pending', 'active'],
  open: ['open', 'active'],
  ready_execute: ['executing', 'active'],
  ready_expire: ['executing', 'active'],
  executing: ['executing', 'active'],
  execute_success: ['executing', 'active'],
  execute_failed: ['executing', 'active'],
  ready_withdraw_output: ['executing', 'active'],
  withdrawing: ['executing', 'active'],
  partial_fill_success: ['executing', 'active'],
  fill_success: ['filled', 'past'],
  ready_to_cancel: ['pending_withdraw', 'active'],
  cancelled: ['cancelled', 'past'],
  oco_cancelled: ['cancelled', 'past'],
  expired: ['expired', 'active'],
  deposit_failed: ['failed', 'past'],
  withdraw_failed: ['failed', 'past'],
  fill_failed: ['failed', 'past'],
};
/** What an owner may do in which state. */
const CANCELLABLE = new Set([
  'open',
  'partial_fill_success',
  'execute_failed',
  'expired',
  'fill_failed',
  'withdraw_failed',
  'ready_to_cancel',
  // As here, where its account is on the chain.
  'deposit_failed',
]);
const UNDER_WAY = new Set(['ready_execute', 'ready_expire', 'executing', 'execute_success']);

it('each of the 19 raw states is shown, listed, edited and cancelled as the contract says', async () => {
  assert.equal(Object.keys(STATES).length, 19);
  assert.equal(new Set(Object.values(STATES).map(([shown]) => shown)).size, 8);
  const { id } = await newOrder(user);
  const put = (state: string, funded = true) =>
    fleet.store.query('update orders set state = $2, funded = $3, cancel_asked = false where id = $1', [
      id,
      state,
      funded,
    ]);
  for (const [rawState, [orderState, list]] of Object.entries(STATES)) {
    await put(rawState);
    const row = await rowOf(user, id);
    assert.deepEqual([row.rawState, row.orderState], [rawState, orderState]);
    assert.equal((await listed('active')).includes(id), list === 'active', `${rawState} in active`);
    assert.equal((await listed('past')).includes(id), list === 'past', `${rawState} in past`);
    const edited = await patch(id, { orderType: 'single', triggerPriceUsd: 600 });
    if (rawState === 'open') assert.equal(edited.status, 200);
    else refuses(edited, 400, /^Only open orders can be updated/, rawState);
    const cancelled = await post<{ transaction: string }>(user, `/orders/price/cancel/${id}`);
    if (CANCELLABLE.has(rawState))
      assert.equal(cancelled.status, 200, `${rawState}: ${JSON.stringify(cancelled.body)}`);
    else if (UNDER_WAY.has(rawState))
      refuses(cancelled, 400, /not yet marked ready to cancel; retry shortly/, rawState);
    else refuses(cancelled, 400, new RegExp(`Cannot cancel order in '${orderState}' state`), rawState);
  }
  await put('expired', false);
  assert.deepEqual([(await listed('active')).includes(id), (await listed('past')).includes(id)], [false, true]);
});

it('an edit of an order that nobody has is 404, and so is everything else about it', async () => {
  const id = '01a1ff97-bf21-7802-8147-772fc16c4b61';
  const signed = {
    signedTransaction: signTransaction((await deposit(user)).transaction, user.wallet),
    cancelRequestId: id,
  };
  refuses(await patch(id, { orderType: 'single', triggerPriceUsd: 1 }), 404, /^Order not found/);
  refuses(await post(user, `/orders/price/cancel/${id}`), 404, /^Order not found/);
  refuses(await post(user, `/orders/price/confirm-cancel/${id}`, signed), 404, /^Order not found/);
  refuses(await get(`/orders/history/${id}`), 404, /^Order not found/);
  refuses(await get(`/orders/history?id=${id}`), 404, /^Order not found/);
});

it('an order for the vault itself, or by a mint without a price, is refused', async () => {
  const crafted = await deposit(user);
  refuses(await post(user, '/orders/price', orderBody(user, crafted, { userPubkey: user.vault })), 400, /vault/);
  const unpriced = { triggerMint: generateKeypair().address };
  refuses(
    await post(user, '/orders/price', orderBody(user, crafted, unpriced)),
    500,
    /trigger mint price: no source has a price of/,
  );
  const trailing = { ...unpriced, triggerPriceUsd: undefined, triggerCondition: 'below', trailingBps: 500 };
  refuses(await post(user, '/orders/price', orderBody(user, crafted, trailing)), 400, /triggerMint/);
  await create(user, crafted);
});

it('a withdrawal is refused once its order is not in cancellation any more', async () => {
  const { id } = await newOrder(user);
  const { transaction, requestId } = await cancel(user, id);
  await fleet.store.query("update orders set state = 'open' where id = $1", [id]);
  const body = { signedTransaction: signTransaction(transaction, user.wallet), cancelRequestId: requestId };
  refuses(await post(user, `/orders/price/confirm-cancel/${id}`, body), 400, /^Order not in cancellation state/);
});

describe('an order whose fill is under way', () => {
  /** Takes every transaction with that account, and drops it. */
  const dropping =
    (account: Address): Behavior =>
    async (call, forward) => {
      if (call.method !== 'sendTransaction') return { body: await forward() };
      const sent = decodeTransaction(Buffer.from((call.params as [string])[0], 'base64'));
      return sent.decoded.accounts.includes(account) ? result(transactionSignature(sent)) : { body: await forward() };
    };

  const until = (id: string, state: string) =>
    eventually(
      `the order is ${state}`,
      async () => {
        const row = await rowOf(user, id);
        return row.rawState === state ? row : undefined;
      },
      PATIENCE_SECONDS,
    );

  /** An order that a keeper fills with a transaction that never arrives: cancelling is not possible yet. */
  async function cancelUnderWay() {
    const { service } = user;
    await setPrice(service, SOL, 150);
    const { inputTokenAccount, ...crafted } = await deposit(user);
    const { id } = await create(user, { inputTokenAccount, ...crafted }, { triggerPriceUsd: 160 });
    proxy.behavior = dropping(inputTokenAccount);
    await setPrice(service, SOL, 165);
    const { orderState, events } = await until(id, 'executing');
    assert.equal(orderState, 'executing');
    assert.deepEqual([events[0]?.type, events[0]?.state], ['fill', 'pending']);
    const refused = await post(user, `/orders/price/cancel/${id}`);
    refuses(refused, 400, /not yet marked ready to cancel; retry shortly/);
    assert.equal(refused.headers.get('retry-after'), '1');
    return { id, account: inputTokenAccount };
  }

  it('is filled once the fill lands, and then there is nothing to cancel', async () => {
    const { id } = await cancelUnderWay();
    proxy.behavior = faithful;
    const { events } = await until(id, 'fill_success');
    assert.deepEqual([events[0]?.type, events[0]?.state], ['fill', 'success']);
    refuses(await post(user, `/orders/price/cancel/${id}`), 400, /Cannot cancel order in 'filled' state/);
  });

  it('is cancelled as was asked once the fill is lost, and gives everything back', async () => {
    const { id, account } = await cancelUnderWay();
    const { status } = await request(`${user.service.url}/sandbox/clock`, { body: { seconds: 120 } });
    assert.equal(status, 200);
    const { events } = await until(id, 'ready_to_cancel');
    proxy.behavior = faithful;
    assert.deepEqual([events[0]?.type, events[0]?.state], ['fill', 'failed']);
    assert.equal((await tokensAt(user.service, account))?.amount, 1_000_000_000n);
    assert.equal((await confirm(user, id, await cancel(user, id))).status, 200);
    assert.equal((await rowOf(user, id)).orderState, 'cancelled');
  });
});

/** Every request of an order's life, with what is to be signed made beforehand. */
async function everyRequest(): Promise<Record<string, () => Promise<Answer<Partial<Refused>>>>> {
  const { service, wallet } = user;
  const crafted: Deposit = await deposit(user, { orderSubType: 'oco' });
  const order = orderBody(user, crafted, OCO);
  const [{ id }, going] = [await newOrder(user), await newOrder(user)];
  const { transaction, requestId } = await cancel(user, going.id);
  const signed = { signedTransaction: signTransaction(transaction, wallet), cancelRequestId: requestId };
  const text = (await challengeOf(service, wallet.address)).body.challenge!;
  const login = { type: 'message', walletPubkey: wallet.address, signature: signText(wallet, text) };
  const stranger = await logIn(service, generateKeypair());
  return {
    'POST auth/challenge': () => challengeOf(service, wallet.address),
    'POST auth/verify': () => postVerify(service, login),
    'GET vault': () => get('/vault'),
    'GET vault/register': () => get('/vault/register', stranger),
    'POST deposit/craft': () => post(user, '/deposit/craft', depositBody(user)),
    'POST orders/price': () => post(user, '/orders/price', order),
    'PATCH orders/price': () => patch(id, { orderType: 'single', triggerPriceUsd: 600 }),
    'POST cancel': () => post(user, `/orders/price/cancel/${id}`),
    'POST confirm-cancel': () => post(user, `/orders/price/confirm-cancel/${going.id}`, signed),
    'GET history': () => get('/orders/history'),
  };
}

/** Of these the chain is asked. */
const NEED_THE_CHAIN = ['POST deposit/craft', 'POST orders/price', 'POST cancel', 'POST confirm-cancel'];

it('with the chain away, what needs it fails with 500 and moves nothing, and succeeds when it is back', async () => {
  const requests = await everyRequest();
  const total = async () => (await get<{ pagination: { total: number } }>('/orders/history')).body.pagination.total;
  const before = await total();
  proxy.behavior = async () => 'cut';
  for (const [name, send] of Object.entries(requests)) {
    const answer = await send();
    if (NEED_THE_CHAIN.includes(name)) refuses(answer, 500, /chain cannot be reached/i, name);
    else assert.equal(answer.status, 200, `${name}: ${JSON.stringify(answer.body)}`);
  }
  assert.equal(await total(), before);
  proxy.behavior = faithful;
  for (const name of NEED_THE_CHAIN) {
    const { status, body } = await requests[name]!();
    assert.equal(status, 200, `${name}: ${JSON.stringify(body)}`);
  }
});

it('with the database away, every request fails with 500 in the shape of the area, and says no more', async () => {
  const requests = await everyRequest();
  await fleet.postgres.stop();
  for (const [name, send] of Object.entries(requests)) {
    const { status, body } = await send();
    assert.deepEqual([status, body], [500, { error: 'The database cannot be reached at the moment' }], name);
  }
});
