import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { advanceNonce, encodeTransaction, generateKeypair, systemTransfer } from '@slipway/wire';
import { status } from '../areas/submit/status.js';
import { readPosted, submit } from '../areas/submit/submit.js';
import { PATIENCE_MS, runningNow } from '../lib/testing.js';
import { nonceIn } from './lifetime.js';
import { openWorld, signedBy } from './testing.js';

it('attack: a wallet keeps a payment with a durable nonce from landing until it is given up, to be paid anew and to land it then: its payer reads that it may', async (t) => {
  const world = await openWorld();
  t.after(() => world.close());
  const [payer, payee] = [await world.wallet(1_000_000_000), generateKeypair()];
  const { nonce, value } = await world.nonce(payer);
  const payment = [
    advanceNonce({ nonce, authority: payer.address }),
    systemTransfer({ from: payer.address, to: payee.address, lamports: 10_000_000n }),
  ];
  const signed = signedBy(payment, value, payer);

  world.node.swallows = true;
  const signature = await world.landing.submit(signed, { id: 'somebody' });
  world.time.ahead += 6 * 60_000;
  await world.haveEnded(2);
  assert.equal(world.ended[1]!.state, 'expired');
  const told = await status(world as never, { signature });
  assert.equal(told.status, 'expired');
  assert.match(told.error ?? 'it never will', /may as long as its nonce stands/);
  const { rows } = await world.store.query<{ pages: string }>(
    `select pages::text from event_outbox where pages::text like '%transaction.expired%'`,
  );
  assert.match(rows[0]!.pages, /may as long as its nonce stands/);

  // So it does.
  const wire = Buffer.from(encodeTransaction(signed.transaction)).toString('base64');
  await world.rpc.call('sendTransaction', [wire, { encoding: 'base64' }]);
  const held = async () => (await world.chain.account(payee.address))?.lamports;
  for (const until = runningNow() + PATIENCE_MS; (await held()) === undefined && runningNow() < until; )
    await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(await held(), 10_000_000n);
  // Its nonce is another one by that: whoever were told to sign again would pay twice.
  const post = readPosted({ signedTransaction: wire });
  const deps = { ...world, minTipLamports: 0n, tipAccounts: [] };
  assert.deepEqual(await submit(deps, post, { id: 'somebody' }), { signature });
});

describe('of two nodes behind one address, one is behind', () => {
  /** A payment with a durable nonce, before it is posted. */
  async function open(t: TestContext) {
    const world = await openWorld();
    t.after(() => world.close());
    const [payer, payee] = [await world.wallet(1_000_000_000), generateKeypair().address];
    const { nonce, value } = await world.nonce(payer);
    const advance = advanceNonce({ nonce, authority: payer.address });
    const pay = (held: string) =>
      signedBy([advance, systemTransfer({ from: payer.address, to: payee, lamports: 10_000_000n })], held, payer);
    const asked = (method: string) => world.calls.get(method) ?? 0;
    const until = async (what: () => boolean | Promise<boolean>) => {
      for (const end = runningNow() + PATIENCE_MS; !(await what()); await new Promise((next) => setTimeout(next, 20)))
        assert.ok(runningNow() < end);
    };
    const isPaid = async () => (await world.chain.account(payee)) !== undefined;
    return { ...world, payer, nonce, value, advance, pay, asked, until, isPaid };
  }

  it('a payment with a durable nonce that the one has, and the other does not have yet, is not called dead', async (t) => {
    const world = await open(t);
    const behind = await world.rpc.call<{ context: unknown }>('getLatestBlockhash', [{ commitment: 'confirmed' }]);
    world.node.instead = (method) => {
      if (method === 'getLatestBlockhash') return behind;
      return method === 'getSignatureStatuses' ? { context: behind.context, value: [null] } : undefined;
    };
    world.chain.forget();
    await world.landing.submit(world.pay(world.value), { id: 'owner' });
    await world.until(world.isPaid);
    const [readings, statuses] = [world.asked('getMultipleAccounts'), world.asked('getSignatureStatuses')];
    world.time.ahead += 60_000;
    // Its nonce is found to be gone, and then its status is asked for.
    await world.until(
      () => world.asked('getMultipleAccounts') > readings && world.asked('getSignatureStatuses') > statuses + 1,
    );
    world.node.instead = () => undefined;
    await world.haveEnded(2);
    assert.equal(world.ended[1]!.state, 'landed');
  });

  it('a payment with a nonce that was advanced a moment before, of which the one that is behind has the last, is not called dead', async (t) => {
    const world = await open(t);
    const options = { encoding: 'base64', commitment: 'confirmed' };
    type Answer = { context: { slot: number } };
    const before = await world.rpc.call<Answer>('getMultipleAccounts', [[world.nonce], options]);
    const current = async () => nonceIn((await world.chain.account(world.nonce))!.data)!;
    await world.until(async () => {
      const { context } = await world.rpc.call<Answer>('getMultipleAccounts', [[], options]);
      return context.slot > before.context.slot;
    });
    await world.landing.submit(signedBy([world.advance], world.value, world.payer), { id: 'owner' });
    await world.haveEnded(2);

    world.node.swallows = true;
    await world.landing.submit(world.pay(await current()), { id: 'owner' });
    world.node.instead = (method) => (method === 'getMultipleAccounts' ? before : undefined);
    const [readings, statuses] = [world.asked('getMultipleAccounts'), world.asked('getSignatureStatuses')];
    world.time.ahead += 60_000;
    await world.until(
      () => world.asked('getMultipleAccounts') > readings && world.asked('getSignatureStatuses') > statuses + 1,
    );
    world.node.instead = () => undefined;
    world.node.swallows = false;
    world.time.ahead += 60_000;
    await world.haveEnded(3);
    assert.equal(world.ended[2]!.state, 'landed');
    assert.ok(await world.isPaid());
  });
});

it('attack: a node loses what is posted with a durable nonce until it is given up: whoever posts the same again has it sent again', async (t) => {
  const world = await openWorld();
  t.after(() => world.close());
  const [payer, payee] = [await world.wallet(1_000_000_000), generateKeypair()];
  const { nonce, value } = await world.nonce(payer);
  const transfer = systemTransfer({ from: payer.address, to: payee.address, lamports: 10_000_000n });
  const signed = signedBy([advanceNonce({ nonce, authority: payer.address }), transfer], value, payer);
  const signedTransaction = Buffer.from(encodeTransaction(signed.transaction)).toString('base64');
  const post = (key: string) =>
    submit({ ...world, minTipLamports: 0n, tipAccounts: [] }, readPosted({ signedTransaction }), { id: key }, key);

  world.node.swallows = true;
  const { signature } = await post('first');
  world.time.ahead += 6 * 60_000;
  await world.haveEnded(2);
  assert.equal((await status(world as never, { signature })).status, 'expired');

  world.node.swallows = false;
  const again = await Promise.all([post('second'), post('third')]);
  assert.deepEqual(again, [{ signature }, { signature }]);
  await world.haveEnded(3);
  assert.deepEqual([world.ended[2]!.state, world.ended[2]!.apiKey], ['landed', 'first']);
  assert.equal((await world.chain.account(payee.address))?.lamports, 10_000_000n);
  // What has landed is not sent again.
  const sent = world.calls.get('sendTransaction');
  assert.deepEqual(await post('second'), { signature });
  assert.equal(world.calls.get('sendTransaction'), sent);
});

it('a nonce is advanced with a recent blockhash, as is told of one that was given up, or it ends as that blockhash does', async (t) => {
  const world = await openWorld();
  t.after(() => world.close());
  const payer = await world.wallet(1_000_000_000);
  const { nonce, value } = await world.nonce(payer);
  const advanceIn = async (lamports: bigint) => {
    const more = systemTransfer({ from: payer.address, to: payer.address, lamports });
    return signedBy([advanceNonce({ nonce, authority: payer.address }), more], await world.blockhash(), payer);
  };
  await world.landing.submit(await advanceIn(1n), { id: 'owner' });
  await world.haveEnded(2);
  assert.equal(world.ended[1]!.state, 'landed');
  assert.notEqual(nonceIn((await world.chain.account(nonce))!.data), value);

  world.node.swallows = true;
  await world.landing.submit(await advanceIn(2n), { id: 'owner' });
  const statuses = world.calls.get('getSignatureStatuses') ?? 0;
  world.time.ahead += 60_000;
  for (const end = runningNow() + PATIENCE_MS; (world.calls.get('getSignatureStatuses') ?? 0) < statuses + 3; ) {
    assert.ok(runningNow() < end);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.equal(world.ended.length, 2, 'it may yet land, though the nonce of the account is another one');
  await world.rpc.call('localnet_advanceClock', [240]);
  world.chain.forget();
  world.time.ahead += 60_000;
  await world.haveEnded(3);
  assert.deepEqual([world.ended[2]!.state, world.ended[2]!.error], ['expired', null]);
});
