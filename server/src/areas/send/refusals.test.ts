import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { clawbackInvite, inviteAddress } from '@slipway/programs';
import { associatedTokenAddress, generateKeypair, type Keypair } from '@slipway/wire';
import { claim, land, makeInvite, newWallet, openSendWorld, type SendWorld, send, signed, USDC } from './testing.js';

let world: SendWorld;
let sender: Keypair;
before(async () => {
  world = await openSendWorld();
  sender = await newWallet(world);
});
after(() => world.close());

async function refused(path: string, body: object, pattern: RegExp, expected = 400): Promise<void> {
  const answer = await world.post(path, body);
  assert.equal(answer.status, expected, JSON.stringify(answer.body));
  assert.deepEqual(Object.keys(answer.body), ['error']);
  assert.match(answer.body.error, pattern);
}

it('lists refuse what is no address and no page, by name', async () => {
  const good = sender.address;
  const cases: [string, RegExp][] = [
    ['', /^address: /],
    ['address=', /^address: /],
    ['address=abc', /^address: /],
    [`address=${good}x`, /^address: /],
    [`address=${good}&address=${good}`, /^address: /],
    [`address=${'1'.repeat(10_000)}`, /^address: /],
    ...['0', '-1', '1.5', '', 'x', '1e3', '1000001', '99999999999999999999999'].map((page): [string, RegExp] => [
      `address=${good}&page=${page}`,
      /^page: /,
    ]),
  ];
  for (const list of ['pending-invites', 'invite-history']) {
    for (const [query, pattern] of cases) {
      const { status, body } = await world.get(`${list}?${query}`);
      assert.equal(status, 400, query.slice(0, 60));
      assert.match(body.error, pattern, query.slice(0, 60));
      assert.deepEqual(Object.keys(body), ['error']);
    }
  }
});

it('an invite that cannot be made is refused with the field and the reason', async () => {
  const inviteSigner = generateKeypair().address;
  const good = { inviteSigner, sender: sender.address, amount: '1000000' };
  const poor = generateKeypair().address;
  const cases: [object, RegExp][] = [
    [{ inviteSigner: undefined }, /^inviteSigner: /],
    [{ inviteSigner: 'abc' }, /^inviteSigner: /],
    [{ inviteSigner: sender.address }, /^inviteSigner: .*its own/],
    [{ sender: undefined }, /^sender: /],
    [{ sender: '' }, /^sender: /],
    [{ sender: world.keeper }, /^sender: .*server's/],
    [{ sender: USDC.mint }, /^sender: .*program/],
    [{ sender: poor }, /^insufficient funds: sender needs 0\.00223496 SOL more$/],
    ...['', '0', '-5', '1e3', '01', '1.0', '18446744073709551616', '٣'].map((amount): [object, RegExp] => [
      { amount },
      /^amount: /,
    ]),
    [{ amount: 5 }, /^amount: /],
    [{ amount: '890879' }, /^amount: .*890880/],
    [{ amount: '10000000000' }, /^insufficient funds: sender needs/],
    [{ mint: '' }, /^mint: /],
    [{ mint: poor }, /^mint: there is no such token/],
    [{ mint: sender.address }, /^mint: there is no such token/],
    [{ mint: USDC.mint, amount: '1000000001' }, /^insufficient funds: amount is 1000000001, .* holds 1000000000$/],
    [{ mint: USDC.mint, sender: poor }, /^insufficient funds: amount is 1000000, .* holds 0$/],
  ];
  for (const [given, pattern] of cases) await refused('craft-send', { ...good, ...given }, pattern);
});

it('a key that has an open invite cannot have a second one', async () => {
  const { key } = await makeInvite(world, sender, 1_000_000n);
  const body = { inviteSigner: key.address, sender: sender.address, amount: '1000000' };
  await refused('craft-send', body, /^inviteSigner: there is an open invite with this key/);
});

it('only the sender takes an invite back, and only one that is open', async () => {
  const { key } = await makeInvite(world, sender, 1_000_000n);
  const invitePDA = inviteAddress(key.address);
  const stranger = await newWallet(world);
  await refused('craft-clawback', { invitePDA, sender: stranger.address }, /^sender: the invite is of another sender/);
  await refused('craft-clawback', { invitePDA: 'x', sender: sender.address }, /^invitePDA: expected/);
  await refused('craft-clawback', { sender: sender.address }, /^invitePDA: /);
  for (const other of [key.address, USDC.mint, associatedTokenAddress(sender.address, USDC.mint)]) {
    await refused('craft-clawback', { invitePDA: other, sender: sender.address }, /^invitePDA: no invite is open/);
  }
  await claim(world, key, stranger.address);
  await refused('craft-clawback', { invitePDA, sender: sender.address }, /^invitePDA: no invite is open/);
});

it('a claim is only for an open invite, and for a wallet', async () => {
  const { key } = await makeInvite(world, sender, 1_000_000n, USDC.mint);
  const inviteSigner = key.address;
  const receiver = generateKeypair().address;
  const unknown = generateKeypair().address;
  await refused('craft-claim', { inviteSigner: unknown, receiver }, /^inviteSigner: no invite with this key is open/);
  await refused('craft-claim', { inviteSigner: 'x', receiver }, /^inviteSigner: expected/);
  await refused('craft-claim', { inviteSigner }, /^receiver: /);
  await refused('craft-claim', { inviteSigner, receiver: world.keeper }, /^receiver: .*server's/);
  await refused('craft-claim', { inviteSigner, receiver: USDC.mint }, /^receiver: expected a wallet/);
  await refused('craft-claim', { inviteSigner, receiver: '1'.repeat(32) }, /^receiver: expected a wallet/);
  await claim(world, key, receiver);
  await refused('craft-claim', { inviteSigner, receiver }, /^inviteSigner: no invite with this key is open/);
});

it('a claim cannot be sent without the key, or with a wrong one', async () => {
  const { key } = await makeInvite(world, sender, 1_000_000n);
  const { body } = await world.post('craft-claim', { inviteSigner: key.address, receiver: sender.address });
  await assert.rejects(land(world, body.tx), /ignature/);
  assert.throws(() => signed(body.tx, generateKeypair()));
});

it('after its expiry an invite cannot be claimed, and a claim that was signed before fails', async () => {
  const { key } = await makeInvite(world, sender, 1_000_000n);
  const claimBody = { inviteSigner: key.address, receiver: generateKeypair().address };
  await world.advance(7 * 24 * 60 * 60 - 30);
  const { status, body } = await world.post('craft-claim', claimBody);
  assert.equal(status, 200);
  await world.advance(31);
  await refused('craft-claim', claimBody, /^inviteSigner: the invite has expired/);
  await assert.rejects(land(world, body.tx, key), /6003|0x1773|Blockhash/);
  const back = await world.post('craft-clawback', {
    invitePDA: inviteAddress(key.address),
    sender: sender.address,
  });
  assert.equal(back.status, 200, 'its sender still takes it back');
});

it('three claims of an invite are signed at a time, also when many ask at once; one lands, the others cannot', async () => {
  const { key } = await makeInvite(world, sender, 1_000_000n);
  const inviteSigner = key.address;
  const receivers = Array.from({ length: 12 }, () => generateKeypair().address);
  const answers = await Promise.all(receivers.map((receiver) => world.post('craft-claim', { inviteSigner, receiver })));
  const good = answers.filter(({ status }) => status === 200);
  assert.equal(good.length, 3);
  for (const { status, body } of answers.filter((each) => !good.includes(each))) {
    assert.equal(status, 429);
    assert.match(body.message, /^inviteSigner: 3 claims of this invite/);
  }
  const landed = await Promise.allSettled(good.map(({ body }) => land(world, body.tx, key)));
  assert.deepEqual(landed.map(({ status }) => status).sort(), ['fulfilled', 'rejected', 'rejected']);

  const { key: other } = await makeInvite(world, sender, 1_000_000n);
  const ask = () => world.post('craft-claim', { inviteSigner: other.address, receiver: sender.address });
  for (const expected of [200, 200, 200, 429]) assert.equal((await ask()).status, expected);
  await world.advance(121);
  assert.equal((await ask()).status, 200, 'those have expired');
});

it('a refused claim takes no place of the limit', async () => {
  const { key } = await makeInvite(world, sender, 1_000_000n);
  const { signer } = world.deps;
  Object.assign(world.deps, { signer: { ...signer, address: () => generateKeypair().address } });
  const body = { inviteSigner: key.address, receiver: sender.address };
  try {
    for (let n = 0; n < 4; n++) await refused('craft-claim', body, /^the chain would refuse it/);
  } finally {
    Object.assign(world.deps, { signer });
  }
  assert.equal((await world.post('craft-claim', body)).status, 200);
});

it('a sender who takes an invite back makes a claim fail that was signed before', async () => {
  const { key } = await makeInvite(world, sender, 1_000_000n);
  const receiver = generateKeypair().address;
  const { body } = await world.post('craft-claim', { inviteSigner: key.address, receiver });
  await send(world, [sender], [clawbackInvite({ inviteInfo: inviteAddress(key.address), sender: sender.address })]);
  await assert.rejects(land(world, body.tx, key));
  assert.equal(await world.chain.account(receiver), undefined);
});
