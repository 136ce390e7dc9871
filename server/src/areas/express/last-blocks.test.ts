import assert from 'node:assert/strict';
import { afterEach, beforeEach, it, type TestContext } from 'node:test';
import { signed } from '../trigger-v1/testing.js';
import type { CraftTxnAnswer } from './schema.js';
import { openExpressWorld, PRICE } from './testing.js';

let world: Awaited<ReturnType<typeof openExpressWorld>>;
beforeEach(async () => {
  world = await openExpressWorld(false);
});
afterEach(() => world.close());

function leave(t: TestContext, blocks: bigint, { lastValidBlockHeight }: CraftTxnAnswer) {
  const height = BigInt(lastValidBlockHeight!) - blocks;
  return t.mock.method(world.chain, 'blockHeight', async () => height).mock;
}

const REFUSED = /^Not sent: it has fewer than 15 blocks left\. Post it again in ten seconds/;

it('attack: a wallet posts payments that it pays for itself in their last blocks, where they land nowhere and cost nothing, to keep the token of a rival taken: none is reserved', async (t) => {
  const [attacker, rival] = [await world.newWallet(PRICE), await world.newWallet(PRICE)];
  const [mint, other] = [await world.newMint(), await world.newMint()];
  const crafted = await world.craft(attacker.address);
  const height = leave(t, 14n, crafted);
  const { status, body } = await world.execute(attacker, crafted, mint);
  assert.equal(status, 500, JSON.stringify(body));
  assert.match(body.message!, REFUSED);
  assert.equal(await world.mayVerify(mint), true);
  height.restore();
  const paid = await world.execute(rival, await world.craft(rival.address), mint);
  assert.deepEqual([paid.body.status, paid.body.verificationCreated], ['Success', true], JSON.stringify(paid));
  leave(t, 15n, crafted);
  assert.equal((await world.execute(attacker, crafted, other)).body.status, 'Success');
});

it('a payment in its last blocks has a code of its own, is to be posted again when they are over, and is no failure in the log', async (t) => {
  const payer = await world.newWallet(PRICE);
  const crafted = await world.craft(payer.address);
  leave(t, 14n, crafted);
  const { retryAfter, body } = await world.execute(payer, crafted, await world.newMint());
  assert.deepEqual([retryAfter, body.code], ['10', 'LAST_BLOCKS']);
  assert.doesNotMatch(world.logged(), /request failed/);
});

it('a payment that its payer sends by another way in its last blocks is not told as failed, and is taken as soon as it has landed', async (t) => {
  const payer = await world.newWallet(PRICE);
  const mint = await world.newMint();
  const crafted = await world.craft(payer.address);
  leave(t, 14n, crafted);
  assert.match((await world.execute(payer, crafted, mint)).body.message!, REFUSED);
  await world.landElsewhere(signed(crafted.transaction, payer));
  const { body } = await world.execute(payer, crafted, mint);
  assert.deepEqual([body.status, body.verificationCreated], ['Success', true], JSON.stringify(body));
});
