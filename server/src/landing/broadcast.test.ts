import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeTransaction, generateKeypair, systemTransfer, transactionSignature } from '@slipway/wire';
import { readPosted, submit } from '../areas/submit/submit.js';
import { ChainUnavailable, type Rpc, RpcError } from '../chain/index.js';
import { AppError } from '../errors/index.js';
import { findBySignature } from '../store/ledger.js';
import { broadcastFirst, type NotAccepted } from './broadcast.js';
import { log, openWorld, signedBy } from './testing.js';

const WIRE = new Uint8Array(10);
const FAILED = new RpcError(-32002, 'Transaction simulation failed');
const WRONG = new RpcError(-32602, 'invalid transaction');
const DONE = new RpcError(-32002, 'This transaction has already been processed');
const BROKEN = new RpcError(-32603, 'Internal error');

/** Posts a transaction for a client. */
async function post(world: Awaited<ReturnType<typeof openWorld>>, signed: ReturnType<typeof signedBy>) {
  const signedTransaction = Buffer.from(encodeTransaction(signed.transaction)).toString('base64');
  const deps = { ...world, minTipLamports: 0n, tipAccounts: [] };
  return submit(deps, readPosted({ signedTransaction }), { id: 'k' });
}

/** Sends to one address, whose nodes answer one after the other: with such an error, or that they have taken it. */
async function sendTo(...answers: (Error | 'taken')[]) {
  const pauses: number[] = [];
  let asked = 0;
  const rpc: Rpc = {
    name: 'nodes',
    async call<T>(): Promise<T> {
      const answer = answers[asked++];
      if (answer instanceof Error) throw answer;
      return 'signature' as T;
    },
  };
  const pause = async (milliseconds: number) => pauses.push(milliseconds);
  const end = await broadcastFirst([rpc], WIRE, log, pause).then(
    () => 'sent',
    (error: NotAccepted) => (error.definite ? 'refused' : 'unknown'),
  );
  return { end, asked, pauses };
}

it('what is refused three times in a row was not sent', async () => {
  const { end, asked, pauses } = await sendTo(FAILED, WRONG, FAILED);
  assert.deepEqual([end, asked], ['refused', 3]);
  assert.deepEqual(pauses, [300, 300]);
});

describe('attack: a node refuses what it has taken: that is followed, and nobody is told to sign it anew', () => {
  it('once or twice, where the same is taken the next time, was processed already, or is answered with another error', async () => {
    for (const refusals of [[FAILED], [FAILED, WRONG]]) {
      assert.equal((await sendTo(...refusals, 'taken')).end, 'sent');
      assert.equal((await sendTo(...refusals, DONE)).end, 'sent');
      for (const other of [BROKEN, new ChainUnavailable('no answer')])
        assert.equal((await sendTo(...refusals, other)).end, 'unknown');
    }
  });

  it('of what a client submits: it has a row, and lands', async (t) => {
    const world = await openWorld();
    t.after(() => world.close());
    let lies = 2;
    world.node.instead = async (method, params) => {
      if (method !== 'sendTransaction' || lies-- <= 0) return undefined;
      await world.rpc.call(method, params);
      throw FAILED;
    };
    const [payer, payee] = [await world.wallet(1_000_000_000), generateKeypair().address];
    const transfer = systemTransfer({ from: payer.address, to: payee, lamports: 10_000_000n });
    const signed = signedBy([transfer], await world.blockhash(), payer);
    const signature = transactionSignature(signed.transaction);
    assert.deepEqual(await post(world, signed), { signature });
    await world.haveEnded(1);
    assert.equal((await findBySignature(world.store, signature))?.state, 'landed');
    assert.equal((await world.chain.account(payee))?.lamports, 10_000_000n);
  });
});

it('what every node refuses that a client submits has no row, and he is told so', async (t) => {
  const world = await openWorld();
  t.after(() => world.close());
  world.node.instead = (method) => {
    if (method === 'sendTransaction') throw WRONG;
    return undefined;
  };
  const payer = await world.wallet(1_000_000_000);
  const signed = signedBy([], await world.blockhash(), payer);
  await assert.rejects(post(world, signed), (error) => error instanceof AppError && error.code === 'INVALID_REQUEST');
  assert.equal(await findBySignature(world.store, transactionSignature(signed.transaction)), undefined);
  assert.equal(world.calls.get('sendTransaction'), 3);
});
