import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  type Address,
  associatedTokenAddress,
  decodeTransaction,
  encodeTransaction,
  generateKeypair,
  type Keypair,
  requiredSigners,
  sign,
  tokenTransferChecked,
} from '@slipway/wire';
import { request, type Service, startService } from './service.js';
import { latestBlockhash, signed, submit } from './submission.js';
import {
  balancesOf,
  type Crafted,
  craft,
  execute,
  JUP,
  newToken,
  newWallet,
  PRICE,
  RECEIVER,
  rpc,
  signTransaction,
} from './wallet.js';

/** Where the state stands in a token account, and its value for a frozen one. */
const STATE_OFFSET = 108;
const FROZEN = 2;

interface RpcAccount {
  lamports: number;
  owner: string;
  executable: boolean;
  data: [string, string];
}

describe('express verification where the gas wallet pays', () => {
  let service: Service;
  let gasWallet: Address;

  before(async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'slipway-test-'));
    writeFileSync(join(dataDir, 'slipway.config.json'), JSON.stringify({ express: { gasless: true } }));
    service = await startService({ dataDir });
    const crafted = await craft(service, (await newWallet(service, 0n, PRICE)).address);
    gasWallet = signersOf(crafted)[0]!;
  });
  after(() => service.close());

  const signersOf = ({ transaction }: Crafted) =>
    requiredSigners(decodeTransaction(Buffer.from(transaction, 'base64')).decoded);
  const gasLamports = async () => (await balancesOf(service, gasWallet)).lamports;
  const tokenAccountOf = (wallet: Keypair) => associatedTokenAddress(wallet.address, JUP);
  const setAccount = (address: Address, account: object | null) =>
    rpc(service, 'localnet_setAccount', address, account);

  it('lets a wallet without any SOL pay, and quotes no fee to it', async () => {
    const sender = await newWallet(service, 0n, PRICE);
    const crafted = await craft(service, sender.address);
    assert.equal(crafted.code, 0, crafted.error);
    assert.equal(crafted.gasless, true);
    assert.equal(crafted.feeAmount, 0);
    assert.deepEqual(signersOf(crafted), [gasWallet, sender.address]);
    const old = { gas: await gasLamports(), receiver: await balancesOf(service, RECEIVER) };

    const { body } = await execute(service, crafted, sender, { tokenId: await newToken(service) });

    assert.equal(body.status, 'Success', JSON.stringify(body));
    assert.equal(body.verificationCreated, true);
    assert.deepEqual(await balancesOf(service, sender.address), { lamports: 0n, jup: 0n });
    assert.equal((await balancesOf(service, RECEIVER)).jup, old.receiver.jup + PRICE);
    assert.equal(await gasLamports(), old.gas - BigInt(crafted.feeLamports));
  });

  it('leaves a wallet all of its SOL', async () => {
    const sender = await newWallet(service, 123_456_789n, PRICE);
    const crafted = await craft(service, sender.address);
    const { body } = await execute(service, crafted, sender, { tokenId: await newToken(service) });
    assert.equal(body.status, 'Success');
    assert.deepEqual(await balancesOf(service, sender.address), { lamports: 123_456_789n, jup: 0n });
  });

  it('cannot be landed around the service: the signature of the gas wallet is missing', async () => {
    const sender = await newWallet(service, 0n, PRICE);
    const crafted = await craft(service, sender.address);
    const { status, body } = await submit(service, signTransaction(crafted.transaction, sender));
    assert.equal(status, 400);
    assert.match(body.error!, new RegExp(`signature of ${gasWallet} is missing`));
  });

  it('never lets the gas wallet itself be the sender', async () => {
    await request(`${service.url}/sandbox/airdrop`, {
      body: { wallet: gasWallet, mint: JUP, amount: `${5n * PRICE}` },
    });
    const old = await balancesOf(service, gasWallet);
    const express = `${service.url}/tokens/v2/verify/express`;
    const { status, body } = await request<Crafted & { message?: string }>(
      `${express}/craft-txn?senderAddress=${gasWallet}`,
    );
    // Were it crafted, nobody but the service would have to sign it.
    const posted = {
      transaction: body.transaction ?? '',
      requestId: body.requestId ?? 'none',
      senderAddress: gasWallet,
    };
    const wanted = { tokenId: await newToken(service), twitterHandle: '@somebody', description: '' };
    await request(`${express}/execute`, { body: { ...posted, ...wanted } });
    assert.deepEqual(await balancesOf(service, gasWallet), old);
    assert.equal(status, 400, JSON.stringify(body));
    assert.match(body.message!, /senderAddress/);
  });

  describe('attack: a wallet crafts 100 hostile payments: the gas wallet pays no more than the quoted fees of what is on the chain', () => {
    let atFirst: bigint;
    /** What the transactions were quoted that are on the chain. */
    let quoted = 0n;

    before(async () => {
      atFirst = await gasLamports();
    });

    async function prepare(jup = PRICE): Promise<{ sender: Keypair; crafted: Crafted; tokenId: Address }> {
      const sender = await newWallet(service, 10_000_000n, jup);
      const [crafted, tokenId] = [await craft(service, sender.address), await newToken(service)];
      assert.equal(crafted.code, 0, crafted.error);
      return { sender, crafted, tokenId };
    }
    async function expectNothingSent(
      { sender, crafted, tokenId }: Awaited<ReturnType<typeof prepare>>,
      changes: object = {},
    ): Promise<void> {
      const old = await gasLamports();
      const { status, body } = await execute(service, crafted, sender, { tokenId, ...changes });
      if (status === 200) {
        assert.equal(body.status, 'Failed');
        assert.equal(body.signature, undefined);
      } else assert.equal(status, 400);
      assert.equal(await gasLamports(), old);
    }

    it('loses nothing when the tokens are gone before execute (20)', async () => {
      const thief = (await newWallet(service, 0n, 1n)).address;
      for (let count = 0; count < 20; count++) {
        const attempt = await prepare();
        const { sender } = attempt;
        const drain = tokenTransferChecked({
          source: tokenAccountOf(sender),
          destination: associatedTokenAddress(thief, JUP),
          authority: sender.address,
          mint: JUP,
          amount: 1n,
          decimals: 6,
        });
        const transaction = signed(await latestBlockhash(service), [drain], sender);
        await rpc(service, 'sendTransaction', transaction, { encoding: 'base64' });
        await expectNothingSent(attempt);
      }
    });

    it('loses nothing when the token account is frozen or closed before execute (20)', async () => {
      for (let count = 0; count < 20; count++) {
        const attempt = await prepare();
        const address = tokenAccountOf(attempt.sender);
        const { value } = await rpc<{ value: RpcAccount }>(service, 'getAccountInfo', address, { encoding: 'base64' });
        const data = Buffer.from(value.data[0], 'base64');
        data[STATE_OFFSET] = FROZEN;
        await setAccount(address, count % 2 === 0 ? null : { ...value, data: data.toString('base64') });
        await expectNothingSent(attempt);
      }
    });

    it('loses nothing to altered, unsigned and foreign transactions (20)', async () => {
      for (let count = 0; count < 5; count++) {
        const attempt = await prepare();
        const { crafted, sender } = attempt;
        const other = await prepare();
        const wire = Buffer.from(signTransaction(crafted.transaction, sender), 'base64');
        wire[wire.length - 1]! ^= 1;
        await expectNothingSent(attempt, { transaction: wire.toString('base64') });
        await expectNothingSent(attempt, { transaction: crafted.transaction });
        await expectNothingSent(attempt, { transaction: signTransaction(other.crafted.transaction, other.sender) });
        const { decoded: _, ...unsigned } = decodeTransaction(Buffer.from(crafted.transaction, 'base64'));
        const stolen = sign(generateKeypair(), unsigned.message);
        const forged = encodeTransaction({ ...unsigned, signatures: [stolen, stolen] });
        await expectNothingSent(attempt, { transaction: Buffer.from(forged).toString('base64') });
      }
    });

    it('pays once for what is posted again and again, one after the other and at once (10)', async () => {
      for (let count = 0; count < 10; count++) {
        const { sender, crafted, tokenId } = await prepare(2n * PRICE);
        const times = count % 2 === 0 ? 1 : 20;
        const first = await Promise.all(
          Array.from({ length: times }, () => execute(service, crafted, sender, { tokenId })),
        );
        const again = await execute(service, crafted, sender, { tokenId });
        for (const { body } of first) assert.deepEqual(body, again.body);
        assert.equal(again.body.status, 'Success');
        assert.equal((await balancesOf(service, sender.address)).jup, PRICE);
        quoted += BigInt(crafted.feeLamports);
      }
    });

    it('pays no more than was quoted when one wallet spends the same tokens in many payments at once (30)', async () => {
      for (let round = 0; round < 3; round++) {
        const { sender } = await prepare();
        const crafted = await Promise.all(Array.from({ length: 10 }, () => craft(service, sender.address)));
        const tokens: Address[] = [];
        for (let count = 0; count < 10; count++) tokens.push(await newToken(service));
        const answers = await Promise.all(
          crafted.map((each, index) => execute(service, each, sender, { tokenId: tokens[index] })),
        );
        assert.equal(answers.filter(({ body }) => body.status === 'Success').length, 1);
        assert.equal((await balancesOf(service, sender.address)).jup, 0n);
        for (const [index, { status, body }] of answers.entries()) {
          // The service pays for one at a time, so the others may be turned away.
          assert.ok(status === 200 || status === 429, `${status}`);
          if (body.signature !== undefined) quoted += BigInt(crafted[index]!.feeLamports);
        }
      }
    });

    it('has lost no more than the quoted fees of what is on the chain', async () => {
      const lost = atFirst - (await gasLamports());
      assert.ok(quoted > 0n);
      assert.ok(lost <= quoted, `lost ${lost} lamports, quoted ${quoted}`);
    });
  });

  it('answers code 1001 when the gas wallet is empty, and goes on when it is not', async () => {
    const [early, late] = [await newWallet(service, 0n, PRICE), await newWallet(service, 1_000_000_000n, PRICE)];
    const crafted = await craft(service, early.address);
    const tokenId = await newToken(service);
    await setAccount(gasWallet, null);

    const refused = await craft(service, late.address);
    assert.equal(refused.code, 1001);
    assert.equal(refused.transaction, '');
    assert.match(refused.error!, /gas wallet/);
    const failed = await execute(service, crafted, early, { tokenId });
    assert.equal(failed.body.status, 'Failed');
    assert.equal(failed.body.signature, undefined);
    assert.equal((await balancesOf(service, early.address)).jup, PRICE);

    await request(`${service.url}/sandbox/airdrop`, { body: { wallet: gasWallet, amount: '1000000000' } });
    assert.equal((await craft(service, late.address)).code, 0);
    assert.equal((await execute(service, crafted, early, { tokenId })).body.status, 'Success');
  });
});

it('attack: a node says of all that it has expired, which costs no purse: what a copy with the keys inside signs for in an hour is bounded', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipway-test-'));
  // A payment costs at least 10,000 lamports, so that there is no room for a third.
  const settings = { express: { gasless: true }, fees: { walletSolPerHour: 0.00003 } };
  writeFileSync(join(dataDir, 'slipway.config.json'), JSON.stringify(settings));
  const service = await startService({ dataDir });
  try {
    let lamports = 0n;
    for (let paid = 0; ; paid++) {
      const sender = await newWallet(service, 0n, PRICE);
      const crafted = await craft(service, sender.address);
      const { body } = await execute(service, crafted, sender, { tokenId: await newToken(service) });
      if (body.status === 'Success') lamports += BigInt(crafted.feeLamports);
      else {
        assert.equal(body.code, 'SIGNER_HOLDS', JSON.stringify(body));
        assert.deepEqual(await balancesOf(service, sender.address), { lamports: 0n, jup: PRICE });
        assert.ok(paid > 0);
        break;
      }
      assert.ok(lamports <= 30_000n, `${lamports}`);
    }
  } finally {
    await service.close();
  }
});
