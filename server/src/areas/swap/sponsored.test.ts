import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decodeTransaction, type Keypair, SYSTEM_PROGRAM, transactionSignature } from '@slipway/wire';
import { isBadTransaction, readSigned } from '../../landing/index.js';
import { withOtherSignature } from '../../lib/other-signature-testing.js';
import { withhold } from '../../store/ledger.js';
import { status } from '../submit/status.js';
import { readPosted, submit } from '../submit/submit.js';
import {
  balances,
  endBlockhashes,
  JUP,
  newWallet,
  openSwapWorld,
  type SwapWorld,
  signed,
  USDC,
  untilTaken,
} from './testing.js';

const SOL_1 = 1_000_000_000n;
const USDC_1 = 1_000_000n;

describe('a swap that a sponsor pays for', () => {
  let world: SwapWorld;
  let taker: Keypair;
  let sponsor: Keypair;
  before(async () => {
    world = await openSwapWorld();
    [taker, sponsor] = [await newWallet(world, SOL_1, [[USDC, 100n * USDC_1]]), await newWallet(world, SOL_1)];
  });
  after(() => world.close());

  /** An order of 10 USDC, signed by both. */
  async function orderOf() {
    const { body } = await world.order({
      inputMint: USDC.mint,
      outputMint: JUP.mint,
      amount: `${10n * USDC_1}`,
      taker: taker.address,
      payer: sponsor.address,
      excludeRouters: 'jupiterz',
    });
    return { requestId: body.requestId, signedTransaction: signed(body.transaction!, taker, sponsor) };
  }
  const signatureIn = (base64: string) => transactionSignature(decodeTransaction(Buffer.from(base64, 'base64')));
  const send = (base64: string) =>
    world.rpc.call('sendTransaction', [base64, { encoding: 'base64', skipPreflight: true }]);
  const usdc = async () => (await balances(world, taker.address)).usdc / USDC_1;
  const put = (lamports: bigint) => {
    const account = { lamports: Number(lamports), owner: SYSTEM_PROGRAM, executable: false, data: '' };
    return world.rpc.call('localnet_setAccount', [sponsor.address, account]);
  };
  /** Until the status of what is followed was asked for so often, in which time what is sent is sent again; or it has ended. */
  async function untilAskedAgain(times: number, answer: Promise<unknown>) {
    const { call } = world.rpc;
    const asked = new Promise<void>((resolve) => {
      let count = 0;
      world.rpc.call = (method, params) => {
        if (method === 'getSignatureStatuses' && ++count === times) resolve();
        return call(method, params);
      };
    });
    await Promise.race([asked, answer]);
    world.rpc.call = call;
  }
  /** Posts an order while it would fail, because the sponsor has no SOL for a moment. */
  async function postWhilePoor() {
    const post = await orderOf();
    await put(0n);
    const answer = world.execute(post);
    await untilTaken(world, post.requestId);
    await put(SOL_1);
    return { post, answer };
  }

  it('attack: a sponsor has a swap fail in its simulation, and lands it when its taker has made another one: it is not told as failed before it can land no more', async () => {
    const { post, answer } = await postWhilePoor();
    const bytes = readSigned(post.signedTransaction);
    assert.ok(!isBadTransaction(bytes));
    const signature = await world.deps.landing.submit(bytes, { id: 'sponsor' });
    const { body } = await answer;
    assert.deepEqual([body.status, body.signature], ['Success', signature]);
    assert.deepEqual((await world.execute(post)).body, body);
    assert.equal(await usdc(), 90n);
  });

  it('attack: a sponsor has a swap fail in its simulation, so that it is not sent: whoever submits its bytes hears that they cannot land, and has them sent once they can', async () => {
    const { post, answer } = await postWhilePoor();
    const deps = { ...world.deps, minTipLamports: 0n, tipAccounts: [] };
    const submitted = () => submit(deps, readPosted(post), { id: 'taker' });
    await put(0n);
    await assert.rejects(submitted(), /has 0 lamports/);
    await put(SOL_1);
    const before = await usdc();
    const { signature } = await submitted();
    assert.deepEqual(await submitted(), { signature });
    const { body } = await answer;
    assert.deepEqual([body.status, body.signature], ['Success', signature]);
    assert.equal((await status(deps, { signature })).status, 'landed');
    assert.equal(before - (await usdc()), 10n);
  });

  it('is not sent where it would fail, and is told as failed for that once it is dead', async () => {
    const sent: string[] = [];
    world.sending.after = async (wire) => void sent.push(wire);
    const { post, answer } = await postWhilePoor();
    const signature = signatureIn(post.signedTransaction);
    assert.deepEqual(await status(world.deps, { signature }), { signature, status: 'pending', slot: null });
    await untilAskedAgain(10, answer);
    await endBlockhashes(world);
    const { body } = await answer;
    assert.deepEqual([body.status, body.code, body.error], ['Failed', -1002, 'transaction failed: AccountNotFound']);
    assert.deepEqual((await world.execute(post)).body, body);
    assert.equal(await usdc(), 80n);
    assert.ok(!sent.includes(post.signedTransaction));
  });

  it('is not sent by a copy that takes it over, either', async () => {
    const { store } = world;
    const sent: string[] = [];
    world.sending.after = async (wire) => void sent.push(wire);
    const post = await orderOf();
    const { requestId: id, signedTransaction } = post;
    const [signature, wire] = [signatureIn(signedTransaction), Buffer.from(signedTransaction, 'base64')];
    const error = 'AccountNotFound';
    await store.transaction((tx) => withhold(tx, { id, signature, wire, error, sentAt: new Date() }));
    assert.equal(await world.deps.landing.resume({ all: true }), 1);
    const answer = world.execute(post);
    await untilAskedAgain(3, answer);
    await endBlockhashes(world);
    const { body } = await answer;
    assert.deepEqual([body.status, body.code, body.error], ['Failed', -1002, 'transaction failed: AccountNotFound']);
    assert.deepEqual((await world.execute(post)).body, body);
    assert.deepEqual(sent, []);
  });

  it('attack: a sponsor lands a swap with another signature than was posted, to have it told as expired: it is found by its message', async () => {
    const post = await orderOf();
    const twin = withOtherSignature(post.signedTransaction, sponsor);
    await send(twin);
    const answer = world.execute(post);
    await untilTaken(world, post.requestId);
    await endBlockhashes(world);
    const { body } = await answer;
    assert.deepEqual([body.status, body.signature], ['Success', signatureIn(twin)]);
    assert.deepEqual((await world.execute(post)).body, body);
    assert.equal(await usdc(), 70n);
  });

  it('attack: a sponsor lands a swap, and gives its taker another signature when it is too late: it is found by its message', async () => {
    const post = await orderOf();
    const twin = withOtherSignature(post.signedTransaction, sponsor);
    await send(twin);
    await endBlockhashes(world);
    const { body } = await world.execute(post);
    assert.deepEqual([body.status, body.signature], ['Success', signatureIn(twin)]);
    assert.equal(await usdc(), 60n);
  });

  it('is told as expired where it was posted too late, and has not landed', async () => {
    const post = await orderOf();
    await endBlockhashes(world);
    const { body } = await world.execute(post);
    assert.deepEqual([body.status, body.code, body.error], ['Failed', -1005, 'Transaction expired']);
    assert.equal(await usdc(), 60n);
  });
});
