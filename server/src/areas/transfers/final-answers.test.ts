import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { generateKeypair, type Keypair } from '@slipway/wire';
import { lamportsOf, newWallet, openTransfersWorld, signed, type TransfersWorld } from './testing.js';

const SOL = 1_000_000_000n;
const HOUR_MS = 3_600_000;

/** Called before the chain is asked what has become of a transaction. */
let beforeStatuses = async () => {};
let world: TransfersWorld;
let sender: Keypair;
before(async () => {
  world = await openTransfersWorld((rpc) => ({
    name: rpc.name,
    async call<T>(method: string, params: unknown[]) {
      if (method === 'getSignatureStatuses') await beforeStatuses();
      return rpc.call<T>(method, params);
    },
  }));
  sender = await newWallet(world, 10n * SOL);
});
after(() => world.close());

async function craft() {
  const receiver = generateKeypair().address;
  const query = { senderAddress: sender.address, receiverAddress: receiver, amount: `${SOL}` };
  const { requestId, transaction } = (await world.craftNative(query)).body;
  return { receiver, post: { requestId, signedTransaction: signed(transaction, sender) } };
}

it('what was posted is told as it has ended also where it is posted again long after its id has expired', async () => {
  const { receiver, post } = await craft();
  const landed = await world.execute(post);
  assert.equal(landed.body.status, 'Success');
  const unposted = await craft();
  world.clock.setOffset(HOUR_MS);
  const [again, late] = [await world.execute(post), await world.execute(unposted.post)];
  world.clock.setOffset(0);
  assert.deepEqual(again, landed);
  assert.deepEqual([late.status, late.body.error?.split(':')[0]], [400, 'requestId']);
  assert.equal(await lamportsOf(world, receiver), SOL);
});

it('attack: an operator by mistake has a standby take over that lacks the last second: what was sent is not told as unsent, and lands once', async () => {
  const { receiver, post } = await craft();
  let isLost = false;
  beforeStatuses = async () => {
    if (isLost) return;
    isLost = true;
    await world.store.single((tx) =>
      tx.query(
        `update ledger set state = 'crafted', signature = null, wire = null, sent_at = null, lease_until = null
         where id = $1 and state = 'sending'`,
        [post.requestId],
      ),
    );
  };
  const lost = await world.execute(post);
  assert.deepEqual([isLost, lost.status], [true, 503], JSON.stringify(lost.body));
  const again = await world.execute(post);
  assert.deepEqual([again.status, again.body.status], [200, 'Success'], JSON.stringify(again.body));
  assert.equal(await lamportsOf(world, receiver), SOL);
});
