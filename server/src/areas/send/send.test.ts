import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { INVITE_PROGRAM, initializeInvite, inviteAddress } from '@slipway/programs';
import { decodeTransaction, generateKeypair, WRAPPED_SOL_MINT } from '@slipway/wire';
import {
  claim,
  lamportsOf,
  land,
  makeInvite,
  newWallet,
  openSendWorld,
  type SendWorld,
  send,
  tokensOf,
  USDC,
} from './testing.js';

const RENT = 1_224_960n;
const TOKEN_RENTS = 1_726_080n + 2_039_280n;
const ATA_RENT = 2_039_280n;
const WEEK = 7 * 24 * 60 * 60;

let world: SendWorld;
before(async () => {
  world = await openSendWorld();
});
after(() => world.close());

const listed = async (list: 'pending-invites' | 'invite-history', address: string) => {
  const { status, body } = await world.get(`${list}?address=${address}`);
  assert.equal(status, 200);
  return body;
};
const feeOf = async (signature: string): Promise<bigint> => {
  const params = [signature, { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 0 }];
  return BigInt((await world.rpc.call<{ meta: { fee: number } }>('getTransaction', params)).meta.fee);
};

it('an invite of SOL is made, listed, claimed for a new wallet by the code alone, and stands in both histories', async () => {
  const sender = await newWallet(world);
  const amount = 5_000_000n;
  const had = await lamportsOf(world, sender.address);
  const { key, crafted, signature } = await makeInvite(world, sender, amount);
  assert.equal(had - (await lamportsOf(world, sender.address)), amount + BigInt(crafted.totalFeeLamports));
  assert.equal(BigInt(crafted.totalFeeLamports), RENT + (await feeOf(signature)));

  const common = {
    invite_signer: key.address,
    invite_pda: inviteAddress(key.address),
    sender: sender.address,
    expiry: crafted.expiry,
    amount: '5000000',
    creation_tx: signature,
    mint: null,
    confirmed: true,
  };
  const pending = await listed('pending-invites', sender.address);
  const [open] = pending.invites;
  const { creation_time } = open!;
  const still = { receiver: null, deletion_tx: null, deletion_time: null };
  assert.deepEqual(pending, {
    invites: [{ ...common, ...still, creation_time, action: 'created' }],
    hasMoreData: false,
  });
  // The chain's clock is its own: on a busy machine it may be behind the service's.
  const life = Date.parse(crafted.expiry) - Date.parse(creation_time);
  assert.ok(life > 0 && life <= WEEK * 1_000 + 60_000, `${life} ms`);
  assert.deepEqual(await listed('invite-history', sender.address), { invites: [], hasMoreData: false });

  const receiver = generateKeypair().address;
  const keeperHad = await lamportsOf(world, world.keeper);
  const deletion_tx = await claim(world, key, receiver);
  assert.equal(await lamportsOf(world, receiver), amount + RENT);
  assert.equal(keeperHad - (await lamportsOf(world, world.keeper)), await feeOf(deletion_tx));

  assert.deepEqual(await listed('pending-invites', sender.address), { invites: [], hasMoreData: false });
  const history = await listed('invite-history', sender.address);
  const { deletion_time } = history.invites[0]!;
  const ended = { receiver, deletion_tx, deletion_time, action: 'claimed' };
  assert.deepEqual(history, { invites: [{ ...common, creation_time, ...ended }], hasMoreData: false });
  assert.match(deletion_time!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
  assert.deepEqual(await listed('invite-history', receiver), history);
  assert.deepEqual((await listed('pending-invites', receiver)).invites, []);
});

it('an invite of tokens reaches a wallet that has no account for them, at the cost of nobody but the sender', async () => {
  const sender = await newWallet(world);
  const amount = 12_345_678n;
  const { key, crafted, signature } = await makeInvite(world, sender, amount, USDC.mint);
  assert.equal(await tokensOf(world, sender.address, USDC.mint), 1_000_000_000n - amount);
  assert.equal(BigInt(crafted.totalFeeLamports), TOKEN_RENTS + (await feeOf(signature)));
  assert.equal((await listed('pending-invites', sender.address)).invites[0]!.mint, USDC.mint);

  const receiver = generateKeypair().address;
  const keeperHad = await lamportsOf(world, world.keeper);
  const landed = await claim(world, key, receiver);
  assert.equal(await tokensOf(world, receiver, USDC.mint), amount);
  assert.equal(await lamportsOf(world, receiver), TOKEN_RENTS - ATA_RENT);
  assert.equal(keeperHad - (await lamportsOf(world, world.keeper)), await feeOf(landed));
  const [row] = (await listed('invite-history', receiver)).invites;
  assert.deepEqual([row!.amount, row!.mint, row!.deletion_tx], ['12345678', USDC.mint, landed]);
});

it('a sender takes SOL and tokens back, with the rents', async () => {
  const sender = await newWallet(world);
  for (const mint of [WRAPPED_SOL_MINT, USDC.mint]) {
    const had = [await lamportsOf(world, sender.address), await tokensOf(world, sender.address, USDC.mint)];
    const { key, signature } = await makeInvite(world, sender, 1_000_000n, mint);
    const invitePDA = inviteAddress(key.address);
    const { status, body } = await world.post('craft-clawback', { invitePDA, sender: sender.address });
    assert.equal(status, 200, body.error);
    assert.deepEqual(Object.keys(body), ['tx']);
    const landed = await land(world, body.tx, sender);
    const fees = (await feeOf(signature)) + (await feeOf(landed));
    const has = [await lamportsOf(world, sender.address), await tokensOf(world, sender.address, USDC.mint)];
    assert.deepEqual(has, [had[0]! - fees, had[1]]);
    const [row] = (await listed('invite-history', sender.address)).invites;
    assert.deepEqual([row!.action, row!.receiver, row!.deletion_tx], ['clawed_back', null, landed]);
    assert.equal(row!.mint, mint === USDC.mint ? mint : null);
  }
});

it('nobody has signed a crafted claim: the key of the invite signs first, and the keeper after it', async () => {
  const { key } = await makeInvite(world, await newWallet(world), 1_000_000n);
  const { body } = await world.post('craft-claim', { inviteSigner: key.address, receiver: generateKeypair().address });
  const { decoded, signatures } = decodeTransaction(Buffer.from(body.tx, 'base64'));
  const isSigned = signatures.map((signature) => signature.some((byte) => byte !== 0));
  assert.deepEqual(
    [decoded.accounts.slice(0, 2), isSigned],
    [
      [world.keeper, key.address],
      [false, false],
    ],
  );
});

it('lists what another client has made, and an expiry beyond the last date', async () => {
  const [sender, key] = [await newWallet(world), generateKeypair()];
  const terms = { sender: sender.address, inviteSigner: key.address, amount: 890_880n };
  const signature = await send(world, [sender, key], [initializeInvite({ ...terms, expiry: 2n ** 63n - 1n })]);
  const [row] = (await listed('pending-invites', sender.address)).invites;
  assert.deepEqual([row!.creation_tx, row!.expiry], [signature, '9999-12-31T23:59:59.000Z']);
  const later = await world.chain.account(inviteAddress(key.address));
  assert.equal(later?.owner, INVITE_PROGRAM);
});

it('an account is used again for another invite, in one transaction, too', async () => {
  const sender = await newWallet(world);
  const { key } = await makeInvite(world, sender, 1_000_000n);
  const receivers = [generateKeypair().address, generateKeypair().address];
  await claim(world, key, receivers[0]!);
  const again = { inviteSigner: key.address, sender: sender.address, amount: '2000000' };
  const { body } = await world.post('craft-send', again);
  await land(world, body.tx, sender, key);
  assert.equal((await listed('pending-invites', sender.address)).invites[0]!.amount, '2000000');
  await claim(world, key, receivers[1]!);
  const amounts = (await listed('invite-history', sender.address)).invites.map((row) => [row.amount, row.receiver]);
  assert.deepEqual(amounts, [
    ['2000000', receivers[1]],
    ['1000000', receivers[0]],
  ]);
});

it('pages have ten invites, the newest first, and say whether there are more', async () => {
  const sender = await newWallet(world);
  const keys = [];
  for (let n = 0; n < 21; n++) keys.push((await makeInvite(world, sender, 1_000_000n + BigInt(n))).key);
  const amountsOf = async (list: string, page: string) => {
    const { body } = await world.get(`${list}?address=${sender.address}${page}`);
    return [body.invites.map(({ amount }) => Number(amount) - 1_000_000), body.hasMoreData];
  };
  const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, index) => from - index);
  assert.deepEqual(await amountsOf('pending-invites', ''), [down(20, 11), true]);
  assert.deepEqual(await amountsOf('pending-invites', '&page=2'), [down(10, 1), true]);
  assert.deepEqual(await amountsOf('pending-invites', '&page=3'), [[0], false]);
  assert.deepEqual(await amountsOf('pending-invites', '&page=4'), [[], false]);
  assert.deepEqual(await amountsOf('pending-invites', '&page=1000000'), [[], false]);
  for (const key of keys.slice(0, 20)) await claim(world, key, generateKeypair().address);
  assert.deepEqual(await amountsOf('invite-history', ''), [down(19, 10), true]);
  assert.deepEqual(await amountsOf('invite-history', '&page=2'), [down(9, 0), false]);
  assert.deepEqual(await amountsOf('invite-history', '&page=3'), [[], false]);
  assert.deepEqual(await amountsOf('pending-invites', ''), [[20], false]);
});
