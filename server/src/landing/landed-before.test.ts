import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import {
  advanceNonce,
  decodeMessage,
  encodeTransaction,
  generateKeypair,
  type Instruction,
  nonceAccountOf,
  systemTransfer,
  transactionSignature,
} from '@slipway/wire';
import { status } from '../areas/submit/status.js';
import { readPosted, submit } from '../areas/submit/submit.js';
import { ChainUnavailable } from '../chain/index.js';
import { NoPlace } from '../lib/places.js';
import { PATIENCE_MS, runningNow } from '../lib/testing.js';
import type { Landing } from './index.js';
import { nonceIn } from './lifetime.js';
import { openWorld, signedBy } from './testing.js';

type Signed = ReturnType<typeof signedBy>;

/** A payer with a nonce account, and what he pays with it or without. */
async function open(t: TestContext) {
  const world = await openWorld();
  const other = world.newLanding(world.clock);
  t.after(async () => {
    other.close();
    await world.close();
  });
  const [payer, payee] = [await world.wallet(1_000_000_000), generateKeypair().address];
  const { nonce } = await world.nonce(payer);
  const pay = (): Instruction => systemTransfer({ from: payer.address, to: payee, lamports: 10_000_000n });
  const held = async () => nonceIn((await world.chain.account(nonce))!.data)!;
  const wireOf = ({ transaction }: Signed) => Buffer.from(encodeTransaction(transaction)).toString('base64');
  const isThere = async (signed: Signed) => {
    const signature = transactionSignature(signed.transaction);
    return (await world.chain.statuses([signature], { history: true })).found[0]?.confirmed === true;
  };
  return {
    ...world,
    other,
    payee,
    async withNonce(more: number[] = []) {
      const advance = advanceNonce({ nonce, authority: payer.address });
      return signedBy([{ ...advance, data: Uint8Array.of(...advance.data, ...more) }, pay()], await held(), payer);
    },
    /** By a payer who keeps nothing: he could not pay its fee again. */
    async withAll() {
      const from = await world.wallet(10_000_000);
      const transfer = systemTransfer({ from: from.address, to: payee, lamports: 9_995_000n });
      return signedBy([transfer], await world.blockhash(), from);
    },
    withBlockhash: async () => signedBy([pay()], await world.blockhash(), payer),
    post: (landing: Landing, signed: Signed) =>
      submit(
        { ...world, landing, minTipLamports: 0n, tipAccounts: [] },
        readPosted({ signedTransaction: wireOf(signed) }),
        { id: 'k' },
      ),
    /** By a way that the service knows nothing of. */
    async sendElsewhere(signed: Signed) {
      await world.rpc.call('sendTransaction', [wireOf(signed), { encoding: 'base64' }]);
      for (
        const end = runningNow() + PATIENCE_MS;
        !(await isThere(signed));
        await new Promise((next) => setTimeout(next, 20))
      )
        assert.ok(runningNow() < end);
    },
  };
}

it('a payment with a durable nonce that comes to two copies is taken by both, however late the node answers one of them', async (t) => {
  const world = await open(t);
  const payment = await world.withNonce();
  const signature = transactionSignature(payment.transaction);
  let answer = () => {};
  const late = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const asked = new Promise<void>((resolve) => {
    world.node.instead = (method) => {
      if (method !== 'getMultipleAccounts') return undefined;
      resolve();
      return late;
    };
  });
  const second = world.post(world.other, payment);
  await asked;
  world.node.instead = () => undefined;
  assert.deepEqual(await world.post(world.landing, payment), { signature });
  await world.haveEnded(2);
  answer();
  assert.deepEqual(await second, { signature });
  assert.equal((await world.chain.account(world.payee))?.lamports, 10_000_000n);
});

it('what has landed by another way is not refused: nobody is told to sign it again, but how it has ended', async (t) => {
  const world = await open(t);
  const isTold = async (each: Signed, count: number) => {
    const signature = transactionSignature(each.transaction);
    assert.deepEqual(await world.post(world.landing, each), { signature });
    await world.haveEnded(count);
    assert.equal((await status(world as never, { signature })).status, 'landed');
  };
  const sent = world.calls.get('sendTransaction');
  const all = await world.withAll();
  await world.sendElsewhere(all);
  await isTold(all, 2);
  const payments = [await world.withNonce(), await world.withBlockhash()];
  for (const each of payments) await world.sendElsewhere(each);
  await world.rpc.call('localnet_advanceClock', [120]);
  world.chain.forget();
  for (const [index, each] of payments.entries()) await isTold(each, 3 + index);
  assert.equal(world.calls.get('sendTransaction'), sent, 'it is not sent again');
});

it('what has landed by another way is not told as expired by the word of a node that is behind', async (t) => {
  const world = await open(t);
  const payment = await world.withBlockhash();
  await world.sendElsewhere(payment);
  let told = 0;
  world.node.instead = (method) => {
    const context = { slot: 1 };
    if (method === 'isBlockhashValid') return { context, value: false };
    return method === 'getSignatureStatuses' && ++told > 1 ? { context, value: [null] } : undefined;
  };
  await world.post(world.landing, payment);
  world.time.ahead += 60_000;
  for (const end = runningNow() + PATIENCE_MS; told < 3; await new Promise((next) => setTimeout(next, 20)))
    assert.ok(runningNow() < end);
  world.node.instead = () => undefined;
  await world.haveEnded(2);
  assert.equal(world.ended[1]!.state, 'landed');
});

it('what is dead and has not landed is refused, but not by the word of a node that is behind', async (t) => {
  const world = await open(t);
  const [payment, refusal] = [await world.withBlockhash(), /its blockhash is unknown or has expired; sign again/];
  await world.rpc.call('localnet_advanceClock', [120]);
  world.chain.forget();
  world.node.instead = (method) =>
    method === 'getSignatureStatuses' ? { context: { slot: 1 }, value: [null] } : undefined;
  await assert.rejects(world.post(world.landing, payment), ChainUnavailable);
  world.node.instead = () => undefined;
  await assert.rejects(world.post(world.landing, payment), refusal);
});

it('an advance of a nonce with bytes after it, or with the sysvar out of a lookup table, is one, as validators take it', async (t) => {
  const world = await open(t);
  const payment = await world.withNonce([0]);
  await world.post(world.landing, payment);
  await world.haveEnded(2);
  assert.equal((await world.chain.account(world.payee))?.lamports, 10_000_000n);
  const decoded = decodeMessage(payment.transaction.message);
  const [nonce] = decoded.instructions[0]!.accountIndexes;
  const sysvar = decoded.accounts.length;
  const lookups = [{ table: world.payee, writable: [], readonly: [0] }];
  const advance = { ...decoded.instructions[0]!, accountIndexes: [nonce!, sysvar, 0] };
  const account = decoded.accounts[nonce!];
  assert.equal(nonceAccountOf({ ...decoded, lookups, instructions: [advance] }), account);
  const lookedUp = [{ ...lookups[0]!, writable: [0] }];
  const from = { ...advance, accountIndexes: [sysvar] };
  assert.equal(nonceAccountOf({ ...decoded, lookups: lookedUp, instructions: [from] }), undefined);
});

it('attack: a free key posts what others have landed, which costs it no fee: each keeps its place for 90 s', async (t) => {
  const world = await open(t);
  const payments: Signed[] = [];
  for (let count = 0; count < 4; count++) {
    const payment = await world.withNonce();
    await world.sendElsewhere(payment);
    payments.push(payment);
  }
  for (const [index, each] of payments.slice(0, 3).entries()) {
    await world.landing.submit(each, { id: 'attacker' });
    await world.haveEnded(2 + index);
  }
  await assert.rejects(world.landing.submit(payments[3]!, { id: 'attacker' }), NoPlace);
  world.time.ahead += 90_000;
  await world.landing.submit(payments[3]!, { id: 'attacker' });
});
