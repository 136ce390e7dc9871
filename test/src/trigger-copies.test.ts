import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { generateKeypair } from '@slipway/wire';
import { type Fleet, startFleet } from './fleet.js';
import type { Answer } from './service.js';
import {
  type Created,
  cancel,
  confirm,
  create,
  deposit,
  feeOf,
  hasDied,
  lamportsOf,
  newUser,
  orderBody,
  post,
  RENT,
  type Row,
  refuses,
  rowOf,
  type User,
} from './trigger-user.js';
import { asWallet, challengeOf, postVerify, signText } from './trigger-wallet.js';
import { type Behavior, faithful, startUpstreamProxy, type UpstreamProxy } from './upstream-proxy.js';
import { rpc } from './wallet.js';

const MOST_CUTS = 5;

/** The bodies of answers that all name one order, once it has been created. */
function sameOrder(answers: readonly Answer<Created>[]): Created[] {
  const bodies = answers.map(({ status, body }) => {
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  });
  for (const each of ['id', 'txSignature'] as const) assert.equal(new Set(bodies.map((body) => body[each])).size, 1);
  return bodies;
}

describe('copies of the service on one PostgreSQL and one chain', () => {
  let fleet: Fleet;
  before(async () => {
    fleet = await startFleet(['api', 'api', 'api,keeper']);
  });
  after(() => fleet?.close());

  const copy = (index: number) => fleet.copies[index % fleet.copies.length]!;
  /** The same user, who talks to another copy. */
  const at = (user: User, index: number): User => ({ ...user, service: copy(index) });

  it('take a login that another copy has asked for, once, and its token everywhere', async () => {
    const wallet = generateKeypair();
    const text = (await challengeOf(copy(0), wallet.address)).body.challenge!;
    const body = { type: 'message', walletPubkey: wallet.address, signature: signText(wallet, text) };
    const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => postVerify(copy(index), body)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(11).fill(400)]);
    const { token } = answers.find(({ status }) => status === 200)!.body;
    const vaults = await Promise.all(
      Array.from({ length: 12 }, (_, index) => asWallet(copy(index), token, '/vault/register')),
    );
    assert.deepEqual(vaults.map(({ status }) => status).sort(), [200, ...Array(11).fill(409)]);
    assert.equal(new Set(vaults.map(({ body: vault }) => JSON.stringify(vault.details ?? vault))).size, 1);
  });

  it('make one order of one deposit, however many creates race on all of them', async () => {
    const user = await newUser(copy(0));
    const before = await lamportsOf(copy(0), user.wallet.address);
    const body = orderBody(user, await deposit(at(user, 1)));
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => post<Created>(at(user, index), '/orders/price', body)),
    );
    const [made] = sameOrder(answers);
    const spent = before - (await lamportsOf(copy(0), user.wallet.address));
    assert.equal(spent, 1_000_000_000n + RENT + (await feeOf(copy(0), made!.txSignature)));
    for (const [index] of fleet.copies.entries()) {
      assert.equal((await rowOf(at(user, index), made!.id)).orderState, 'open');
    }
  });

  it('withdraw an order once, though it is cancelled and confirmed on all of them', async () => {
    const user = await newUser(copy(1));
    const before = await lamportsOf(copy(1), user.wallet.address);
    const { id, txSignature } = await create(at(user, 2), await deposit(user));
    const withdrawals = await Promise.all(fleet.copies.map((_, index) => cancel(at(user, index), id)));
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => confirm(at(user, index), id, withdrawals[index % 2]!)),
    );
    const signatures = new Set(answers.flatMap(({ status, body }) => (status === 200 ? [body.txSignature] : [])));
    assert.ok(signatures.size >= 1);
    assert.equal((await rowOf(user, id)).rawState, 'cancelled');
    // A second withdrawal that was sent at the same moment costs its fee, and moves nothing.
    const spent = before - (await lamportsOf(copy(1), user.wallet.address));
    const withdrawalFee = await feeOf(copy(1), [...signatures][0]!);
    const fees = (await feeOf(copy(1), txSignature)) + withdrawalFee;
    assert.ok(spent === fees || spent === fees + withdrawalFee, `${spent} lamports for ${fees} of fees`);
  });
});

describe('a create whose copy is killed while its deposit is under way', () => {
  let fleet: Fleet;
  let proxy: UpstreamProxy;
  before(async () => {
    fleet = await startFleet(['api', 'api'], async (rpcUrl) => {
      proxy = await startUpstreamProxy(rpcUrl);
      return proxy.url;
    });
  });
  after(async () => {
    await fleet?.close();
    await proxy?.close();
  });

  /** Nothing that is sent arrives. */
  const swallowing: Behavior = async (call, forward) =>
    call.method === 'sendTransaction' ? 'hang' : faithful(call, forward);

  /** A user of the copy that lives, and the body that the other one died over. */
  async function cutOff(): Promise<{ user: User; body: ReturnType<typeof orderBody> }> {
    const user = await newUser(fleet.copies[1]!);
    const body = orderBody(user, await deposit(user));
    proxy.behavior = swallowing;
    const sent = proxy.next('sendTransaction');
    const answer = post<Created>({ ...user, service: fleet.copies[0]! }, '/orders/price', body).catch(() => undefined);
    await sent;
    await fleet.restart(0);
    assert.equal(await answer, undefined, 'the client has its answer already');
    return { user, body };
  }

  /** What both copies answer to posts of one body, and to one of another body, once the deposit may land. */
  async function postedAfterCut() {
    for (let tries = 1; ; tries++) {
      const { user, body } = await cutOff();
      const before = await lamportsOf(user.service, user.wallet.address);
      const posts = Array.from({ length: 20 }, (_, index) =>
        post<Created>({ ...user, service: fleet.copies[index % 2]! }, '/orders/price', body),
      );
      const another = await post(user, '/orders/price', { ...body, triggerPriceUsd: 501 });
      proxy.behavior = faithful;
      const answers = await Promise.all(posts);
      // The restart may have taken longer than a deposit lives: what is answered then is tested below.
      if (tries === MOST_CUTS || !answers.every(hasDied)) return { user, before, answers, another };
    }
  }

  it('is answered by other copies when the deposit has landed, with one order, and only to the same body', async () => {
    const { user, before, answers, another } = await postedAfterCut();
    refuses(another, 400, /Duplicate deposit/);
    const [made] = sameOrder(answers);
    const spent = before - (await lamportsOf(user.service, user.wallet.address));
    assert.equal(spent, 1_000_000_000n + RENT + (await feeOf(user.service, made!.txSignature)));
    assert.equal((await rowOf(user, made!.id)).orderState, 'open');
    const { orders } = (await asWallet<{ orders: Row[] }>(user.service, user.token, '/orders/history')).body;
    assert.deepEqual(
      orders.map(({ id }) => id),
      [made!.id],
    );
  });

  it('is refused by other copies when the deposit is dead, and nothing has moved', async () => {
    const { user, body } = await cutOff();
    const before = await lamportsOf(user.service, user.wallet.address);
    const posted = post<Created>(user, '/orders/price', body);
    // Nobody sends it any more where the restart has taken longer than it lives.
    await Promise.race([proxy.next('sendTransaction'), posted]);
    await rpc(user.service, 'localnet_advanceClock', 120);
    refuses(await posted, 400, /^Invalid signed deposit transaction: .*craft a new deposit/);
    refuses(await post(user, '/orders/price', body), 400, /craft a new deposit/);
    assert.equal(await lamportsOf(user.service, user.wallet.address), before);
    proxy.behavior = faithful;
    await create(user, await deposit(user));
  });
});
