import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { encodeTransaction, generateKeypair, type Keypair, systemTransfer } from '@slipway/wire';
import { ChainUnavailable, createChain } from '../chain/index.js';
import { hashMessage } from '../crafting/transaction.js';
import { withOtherSignature } from '../lib/other-signature-testing.js';
import { testSigner } from '../sandbox/maker/testing.js';
import { findRequest, insertCrafted } from '../store/ledger.js';
import { isBadTransaction, Landing, readSigned, WouldFail } from './index.js';
import { newRequest } from './request.js';
import { FEES, log, openWorld, signedBy } from './testing.js';

let world: Awaited<ReturnType<typeof openWorld>>;
let landing: Landing;
let now = 0;
const callers: (string | undefined)[] = [];
/** Of what would succeed. */
let refusal: Error | undefined;
before(async () => {
  world = await openWorld();
  const { rpc, store, clock, chain } = world;
  landing = new Landing({
    store,
    clock,
    steadyNow: () => now,
    chain: createChain({ rpc, steadyNow: () => now, fees: FEES }),
    // Counts its calls.
    trialChain: () => ({
      ...chain,
      by(caller) {
        callers.push(caller?.id);
        return this;
      },
    }),
    sendRpcs: [rpc],
    signer: testSigner(),
    settlements: {},
    stops: {
      async require() {
        if (refusal) throw refusal;
      },
    },
    observe() {},
    log,
  });
});
after(async () => {
  landing?.close();
  await world?.close();
});

/** A request for a payment, as its payer posts it. */
async function payment(payer: Keypair) {
  const { store, clock, chain, calls } = world;
  const { blockhash, lastValidBlockHeight } = await chain.latestBlockhash();
  const instruction = systemTransfer({ from: payer.address, to: generateKeypair().address, lamports: 10_000_000n });
  const { transaction } = signedBy([instruction], blockhash, payer);
  const crafted = { messageHash: hashMessage(transaction.message) };
  const made = { area: 'area', wallet: payer.address, crafted, lastValidBlockHeight, cosigners: [], payload: {} };
  const { id } = newRequest(made, clock);
  await store.transaction((tx) => insertCrafted(tx, [newRequest({ ...made, id }, clock)]));
  const post = async (posted = transaction) =>
    landing.execute((await findRequest(store, id))!, posted, undefined, { caller: { id: 'poster' } });
  calls.clear();
  return {
    post,
    /** With a signature that is as good as the other ones. */
    async postOtherwise() {
      const other = readSigned(
        withOtherSignature(Buffer.from(encodeTransaction(transaction)).toString('base64'), payer),
      );
      assert.ok(!isBadTransaction(other));
      return post(other.transaction);
    },
  };
}

const triedOut = () => world.calls.get('simulateTransaction');

it('attack: a free key posts what would fail over and over, also many times at once: it is tried out twice, then once in two seconds, and lands once it would succeed', async () => {
  const payer = generateKeypair();
  const { post } = await payment(payer);
  for (let times = 0; times < 3; times++)
    await Promise.all(Array.from({ length: 20 }, () => assert.rejects(post(), WouldFail)));
  assert.equal(triedOut(), 2);
  now += 2_000;
  await assert.rejects(post(), WouldFail);
  assert.equal(triedOut(), 3);
  await world.rpc.call('requestAirdrop', [payer.address, 1_000_000_000]);
  now += 2_000;
  assert.equal((await post()).state, 'landed');
  assert.equal(triedOut(), 4);
});

it('what has failed once is tried out as soon as its wallet has what it lacked', async () => {
  const payer = generateKeypair();
  const { post } = await payment(payer);
  await assert.rejects(post(), WouldFail);
  await world.rpc.call('requestAirdrop', [payer.address, 1_000_000_000]);
  assert.equal((await post()).state, 'landed');
});

it('attack: a free key posts what would fail with ever other signatures of it: four are tried out', async () => {
  const { postOtherwise } = await payment(generateKeypair());
  for (let times = 0; times < 4; times++) await assert.rejects(postOtherwise(), WouldFail);
  for (let times = 0; times < 10; times++) await assert.rejects(postOtherwise(), ChainUnavailable);
  assert.equal(triedOut(), 4);
});

it('what would succeed is tried out whenever it is posted, and lands though it was refused for another reason before', async () => {
  const { post } = await payment(await world.wallet(1_000_000_000));
  refusal = new Error('stopped');
  await assert.rejects(post(), refusal);
  refusal = undefined;
  assert.equal((await post()).state, 'landed');
  assert.equal(triedOut(), 2);
  assert.deepEqual(new Set(callers), new Set(['poster']));
});
