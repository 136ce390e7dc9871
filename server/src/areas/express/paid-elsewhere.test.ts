import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import {
  type Address,
  decodeTransaction,
  decompileInstructions,
  generateKeypair,
  type Keypair,
  parseMemo,
} from '@slipway/wire';
import { signed } from '../trigger-v1/testing.js';
import type { CraftTxnAnswer } from './schema.js';
import { openExpressWorld, PRICE } from './testing.js';

let world: Awaited<ReturnType<typeof openExpressWorld>>;
beforeEach(async () => {
  world = await openExpressWorld(false);
});
afterEach(() => world.close());

async function recorded() {
  const { rows } = await world.store.query('select token_id as token, twitter_handle as handle from verifications');
  return rows;
}

it('attack: a stranger on the chain posts a payment that its payer has sent by another way, for a token of his own: what is on the chain does not tell its request, and the payer gets what he has paid for', async () => {
  const [victim, thief] = [await world.newWallet(PRICE), generateKeypair()];
  const [his, thiefs] = [await world.newMint(), await world.newMint()];
  const crafted = await world.craft(victim.address);
  const transaction = signed(crafted.transaction, victim);
  await world.landElsewhere(transaction);
  const { decoded } = decodeTransaction(Buffer.from(transaction, 'base64'));
  const memos = decompileInstructions({ ...decoded, lookups: [] }).flatMap((each) => parseMemo(each) ?? []);
  assert.equal(memos.length, 1);
  const seen = { ...crafted, requestId: memos[0]! };
  const told = { transaction, senderAddress: victim.address, twitterHandle: 'thief' };
  const stolen = await world.execute(thief, seen, thiefs, told);
  assert.equal(stolen.status, 400, JSON.stringify(stolen));
  const { body } = await world.execute(victim, crafted, his);
  assert.deepEqual([body.status, body.verificationCreated], ['Success', true], JSON.stringify(body));
  assert.deepEqual(await recorded(), [{ token: his, handle: 'somebody' }]);
});

describe('a payment that is recorded already', () => {
  const post = async (payer: Keypair, crafted: CraftTxnAnswer, tokenId: Address, more: object = {}) =>
    world.execute(payer, crafted, tokenId, { description: 'why', senderTwitterHandle: 'me', ...more });

  it('is told as made to the same post alone: one with another token, handle, text or metadata hears 409', async () => {
    const payer = await world.newWallet(PRICE);
    const [mint, other] = [await world.newMint(), await world.newMint()];
    const crafted = await world.craft(payer.address);
    const tokenMetadata = { tokenId: mint, name: 'One', website: null, useCirculatingSupply: true, rank: -0 };
    const first = await post(payer, crafted, mint, { tokenMetadata });
    const { status, verificationCreated, metadataCreated } = first.body;
    assert.deepEqual([status, verificationCreated, metadataCreated], ['Success', true, true]);
    const others: [Address, object][] = [
      [other, { tokenMetadata: { ...tokenMetadata, tokenId: other } }],
      [mint, {}],
      [mint, { tokenMetadata, twitterHandle: '' }],
      [mint, { tokenMetadata, twitterHandle: 'another' }],
      [mint, { tokenMetadata, senderTwitterHandle: undefined }],
      [mint, { tokenMetadata, description: 'why not' }],
      [mint, { tokenMetadata: { ...tokenMetadata, website: 'https://phish.example' } }],
    ];
    for (const [tokenId, more] of others) {
      const answer = await post(payer, crafted, tokenId, more);
      assert.equal(answer.status, 409, JSON.stringify([more, answer]));
      assert.match(answer.body.message!, /^This payment has landed, and is recorded for another request/);
      assert.equal(answer.body.code, 'PAID_FOR_ANOTHER');
    }
    const turned = { tokenMetadata: Object.fromEntries(Object.entries(tokenMetadata).reverse()) };
    for (const more of [{ tokenMetadata }, { ...turned, twitterHandle: ' somebody ' }])
      assert.deepEqual(await post(payer, crafted, mint, more), first);
    assert.equal(await world.tokens(world.receiver), PRICE);
  });

  it('is told so to the later of two that are posted at once with two tokens', async () => {
    const payer = await world.newWallet(PRICE);
    const mints = [await world.newMint(), await world.newMint()];
    const crafted = await world.craft(payer.address);
    const answers = await Promise.all(mints.map((mint) => post(payer, crafted, mint)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
    const token = mints[answers.findIndex(({ status }) => status === 200)];
    assert.deepEqual(await recorded(), [{ token, handle: 'somebody' }]);
  });
});
