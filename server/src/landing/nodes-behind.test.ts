import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeTransaction, generateKeypair, systemTransfer } from '@slipway/wire';
import { readPosted, submit } from '../areas/submit/submit.js';
import { execute } from '../areas/transfers/execute.js';
import { ChainUnavailable } from '../chain/index.js';
import { hashMessage } from '../crafting/transaction.js';
import { steadyNow } from '../lib/clock.js';
import { PATIENCE_MS, runningNow } from '../lib/testing.js';
import { testSigner } from '../sandbox/maker/testing.js';
import { findRequest, insertCrafted } from '../store/ledger.js';
import { Landing } from './index.js';
import { newRequest } from './request.js';
import { sealed } from './seal.js';
import { log, openWorld, signedBy } from './testing.js';

/** A payment that its payer has sent by another way, posted where a node answers that has not got so far. */
async function open(t: TestContext) {
  const world = await openWorld();
  const { rpc, store, clock, chain, node } = world;
  const signer = testSigner();
  const parts = { store, clock, steadyNow, log, signer, settlements: {}, chain, sendRpcs: [rpc], observe() {} };
  const landing = new Landing(parts);
  t.after(async () => {
    landing.close();
    await world.close();
  });
  const [payer, payee] = [await world.wallet(1_000_000_000), generateKeypair().address];
  const slotNow = () => rpc.call<number>('getSlot', []);
  const until = async (is: () => Promise<boolean>) => {
    for (const end = runningNow() + PATIENCE_MS; !(await is()); await sleep(20)) assert.ok(runningNow() < end);
  };
  const behind = await slotNow();
  await until(async () => (await slotNow()) > behind);
  const { blockhash, lastValidBlockHeight } = await chain.latestBlockhash();
  const signed = signedBy(
    [systemTransfer({ from: payer.address, to: payee, lamports: 10_000_000n })],
    blockhash,
    payer,
  );
  const signedTransaction = Buffer.from(encodeTransaction(signed.transaction)).toString('base64');
  const crafted = { messageHash: hashMessage(signed.transaction.message) };
  const made = { area: 'transfer', wallet: payer.address, crafted, lastValidBlockHeight, cosigners: [], payload: {} };
  const request = await sealed(signer, newRequest(made, clock));
  await store.transaction((tx) => insertCrafted(tx, [request]));
  await rpc.call('sendTransaction', [signedTransaction, { encoding: 'base64' }]);
  await until(async () => (await chain.account(payee)) !== undefined);
  const deps = { clock, chain, landing, findRequest: (id: string) => findRequest(store, id) };
  const post = () => execute(deps as never, 'transfer', { signedTransaction, requestId: request.id });
  return {
    ...world,
    /** What such a node says, for a while. */
    fallBehind(values: Record<string, unknown>) {
      node.instead = (method) => (method in values ? { context: { slot: behind }, value: values[method] } : undefined);
    },
    catchUp() {
      node.instead = () => undefined;
    },
    execute: post,
    /** As a client does after 503. */
    async executeAgain() {
      let answer: Awaited<ReturnType<typeof post>> | undefined;
      await until(async () => {
        answer = await post().catch((error: unknown) => {
          assert.ok(error instanceof ChainUnavailable, `${error}`);
          return undefined;
        });
        return answer !== undefined;
      });
      return answer!;
    },
    submit: () =>
      submit({ ...world, minTipLamports: 0n, tipAccounts: [] }, readPosted({ signedTransaction }), { id: 'k' }),
    state: async () => (await findRequest(store, request.id))?.state,
  };
}

const UNKNOWN = { getSignatureStatuses: [null] };

it('what has landed by another way has not ended as failed by the word of a node that is behind: posted again, it has landed', async (t) => {
  const world = await open(t);
  world.fallBehind({ ...UNKNOWN, simulateTransaction: { err: 'AccountNotFound', logs: [] } });
  await assert.rejects(world.execute(), ChainUnavailable);
  assert.equal(await world.state(), 'crafted');
  world.catchUp();
  assert.equal((await world.executeAgain()).status, 'Success');
});

it('what has landed by another way is not told as expired by the word of a node that is behind the one that tells the height', async (t) => {
  const world = await open(t);
  await world.rpc.call('localnet_advanceClock', [120]);
  world.chain.forget();
  world.fallBehind(UNKNOWN);
  await assert.rejects(world.execute(), ChainUnavailable);
  world.catchUp();
  assert.equal((await world.executeAgain()).status, 'Success');
});

it('nobody is told to sign anew whose blockhash, or whose money, a node that is behind does not know yet', async (t) => {
  const world = await open(t);
  for (const values of [{ isBlockhashValid: false }, { getMultipleAccounts: [null] }]) {
    world.chain.forget();
    world.fallBehind({ ...UNKNOWN, ...values });
    await assert.rejects(world.submit(), ChainUnavailable);
  }
  world.catchUp();
  world.chain.forget();
  await world.submit();
});
