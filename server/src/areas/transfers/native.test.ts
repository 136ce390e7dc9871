import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { generateKeypair, type Keypair, TOKEN_PROGRAM } from '@slipway/wire';
import {
  lamportsOf,
  land,
  newWallet,
  openTransfersWorld,
  setAccount,
  signed,
  type TransfersWorld,
  USDC,
} from './testing.js';

const SOL = 1_000_000_000n;

let world: TransfersWorld;
let sender: Keypair;
before(async () => {
  world = await openTransfersWorld();
  sender = await newWallet(world, 10n * SOL, 1_000_000_000n);
});
after(() => world.close());

describe('SOL', () => {
  it('arrives to the lamport, in a new wallet and in one that exists, and the sender pays the fee that was said', async () => {
    const receiver = generateKeypair().address;
    let got = 0n;
    for (const amount of [890_880n, 1n, SOL]) {
      const before = await lamportsOf(world, sender.address);
      const crafted = await land(
        world,
        await world.craftNative({
          senderAddress: sender.address,
          receiverAddress: receiver,
          amount: `${amount}`,
        }),
        sender,
      );
      got += amount;
      assert.equal(await lamportsOf(world, receiver), got);
      assert.equal(before - (await lamportsOf(world, sender.address)), amount + BigInt(crafted.feeAmount));
      assert.ok(Date.parse(crafted.expireAt) > world.clock.now());
      assert.equal(crafted.feeUsdAmount, Math.round(crafted.feeAmount * 0.15) / 1e6);
      assert.equal(crafted.rentFeeLamports, undefined);
    }
  });

  it('can be all of a wallet', async () => {
    const poor = await newWallet(world, 2_000_000n);
    const query = { senderAddress: poor.address, receiverAddress: sender.address };
    const { body: probe } = await world.craftNative({ ...query, amount: '1' });
    const amount = `${2_000_000 - probe.feeAmount}`;
    await land(world, await world.craftNative({ ...query, amount }), poor);
    assert.equal(await lamportsOf(world, poor.address), 0n);
  });

  it('is refused with the field, and what was expected in it', async () => {
    const nonce = generateKeypair().address;
    await setAccount(world, nonce, '11111111111111111111111111111111' as typeof nonce, Buffer.alloc(80));
    const good = { senderAddress: sender.address, receiverAddress: generateKeypair().address, amount: '1000000' };
    const cases: [Record<string, string>, RegExp][] = [
      [{ senderAddress: 'x' }, /^senderAddress: expected a public key/],
      [{ senderAddress: USDC.mint }, /^senderAddress: expected a wallet/],
      [{ senderAddress: generateKeypair().address }, /^amount: insufficient funds: the sender has 0 SOL/],
      [{ receiverAddress: '' }, /^receiverAddress: expected a public key/],
      [{ receiverAddress: sender.address }, /^receiverAddress: expected another account/],
      [{ receiverAddress: USDC.mint }, /^receiverAddress: expected a wallet/],
      [{ receiverAddress: nonce }, /^receiverAddress: expected a wallet/],
      [{ receiverAddress: TOKEN_PROGRAM }, /^receiverAddress: expected a wallet/],
      [{ amount: '0' }, /^amount: expected a whole number/],
      [{ amount: '1.5' }, /^amount: expected a whole number/],
      [{ amount: '18446744073709551616' }, /^amount: expected a whole number/],
      [{ amount: '890879' }, /^amount: expected at least 890880 lamports, because the receiver is a new wallet/],
      [
        { amount: '18446744073709551615' },
        /^amount: insufficient funds: the sender has [\d.]+ SOL, .* take 18446744073\./,
      ],
    ];
    for (const [changes, pattern] of cases) {
      const { status, body } = await world.craftNative({ ...good, ...changes });
      assert.equal(status, 400, JSON.stringify(changes));
      assert.deepEqual(Object.keys(body), ['error']);
      assert.match(body.error!, pattern, JSON.stringify(changes));
    }
    const { body } = await world.craftNative({ senderAddress: sender.address, amount: '1000000' });
    assert.match(body.error!, /^receiverAddress: /);
    // It would leave the wallet with less than it must keep.
    const poor = await newWallet(world, 1_000_000n);
    const leaves = await world.craftNative({
      ...good,
      senderAddress: poor.address,
      receiverAddress: sender.address,
      amount: '500000',
    });
    assert.match(leaves.body.error!, /^amount: insufficient funds: .* must keep 0\.00089088 SOL$/);
  });
});

describe('execute', () => {
  const craftOne = async (amount = '1000000') => {
    const { body } = await world.craftNative({
      senderAddress: sender.address,
      receiverAddress: generateKeypair().address,
      amount,
    });
    return body;
  };

  it('lands a transfer once, however often and at once it is posted', async () => {
    const receiver = generateKeypair().address;
    const { body } = await world.craftNative({
      senderAddress: sender.address,
      receiverAddress: receiver,
      amount: '1000000',
    });
    const post = { requestId: body.requestId, signedTransaction: signed(body.transaction, sender) };
    const answers = await Promise.all(Array.from({ length: 20 }, () => world.execute(post)));
    answers.push(await world.execute(post));
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    assert.equal(answers[0]!.body.status, 'Success');
    assert.equal(await lamportsOf(world, receiver), 1_000_000n);
  });

  it('refuses what is not the transfer, and sends nothing', async () => {
    const [first, second] = [await craftOne(), await craftOne('2000000')];
    const signedTransaction = signed(first.transaction, sender);
    const cases: [object, RegExp][] = [
      [
        { requestId: first.requestId, signedTransaction: first.transaction },
        /^signedTransaction: the signature of .* is missing/,
      ],
      [{ requestId: second.requestId, signedTransaction }, /^signedTransaction: its message is not the one/],
      [{ requestId: 'unknown', signedTransaction }, /^requestId: unknown or too old/],
      [{ requestId: first.requestId, signedTransaction: 'AAAA' }, /^signedTransaction: /],
      [{ requestId: first.requestId }, /^signedTransaction: /],
      [{ signedTransaction }, /^requestId: /],
    ];
    for (const [body, pattern] of cases) {
      const answer = await world.execute(body);
      assert.equal(answer.status, 400, JSON.stringify(answer.body));
      assert.match(answer.body.error!, pattern);
    }
    assert.match(
      (await world.executeReclaim({ requestId: first.requestId, signedTransaction })).body.error!,
      /^requestId: unknown/,
    );
    assert.equal((await world.execute({ requestId: first.requestId, signedTransaction })).body.status, 'Success');
  });

  it('says of a transfer that would fail that it was not sent, and never sends it', async () => {
    const spender = await newWallet(world, 3_000_000n);
    const craft = () =>
      world.craftNative({ senderAddress: spender.address, receiverAddress: sender.address, amount: '2000000' });
    const [first, second] = [(await craft()).body, (await craft()).body];
    const postOf = ({ requestId, transaction }: typeof first) => ({
      requestId,
      signedTransaction: signed(transaction, spender),
    });
    assert.equal((await world.execute(postOf(first))).body.status, 'Success');
    const failed = await world.execute(postOf(second));
    assert.equal(failed.status, 400);
    assert.match(failed.body.error!, /^signedTransaction: not sent, because it would fail/);
    await world.rpc.call('requestAirdrop', [spender.address, 1_000_000_000]);
    assert.deepEqual(await world.execute(postOf(second)), failed);
  });
});
