import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decodeTransaction, encodeTransaction, generateKeypair, type Keypair, sign } from '@slipway/wire';
import { request, type Service, startService } from './service.js';
import {
  balancesOf,
  craft,
  execute,
  infoOf,
  JUP,
  newToken,
  newWallet,
  PRICE,
  RECEIVER,
  rpc,
  signTransaction,
  walletNamed,
} from './wallet.js';

const EXPRESS = '/tokens/v2/verify/express';

describe('express verification', () => {
  let service: Service;
  let sender: Keypair;

  before(async () => {
    service = await startService();
    sender = await newWallet(service, 10_000_000_000n, 200n * PRICE);
  });
  after(() => service.close());

  const craftUrl = (query: string) => `${service.url}${EXPRESS}/craft-txn?${query}`;

  it('moves exactly 1000 tokens and the quoted fee, and records the verification', async () => {
    const tokenId = await newToken(service);
    const crafted = await craft(service, sender.address);
    assert.equal(crafted.amount, PRICE.toString());
    assert.equal(crafted.receiverAddress, RECEIVER);
    assert.ok(Date.parse(crafted.expireAt!) > Date.now());
    const old = { sender: await balancesOf(service, sender.address), receiver: await balancesOf(service, RECEIVER) };

    const { status, body } = await execute(service, crafted, sender, { tokenId });

    assert.equal(status, 200);
    assert.equal(body.status, 'Success');
    assert.equal(body.verificationCreated, true);
    assert.equal(body.metadataCreated, false);
    const now = { sender: await balancesOf(service, sender.address), receiver: await balancesOf(service, RECEIVER) };
    assert.equal(now.sender.jup, old.sender.jup - PRICE);
    assert.equal(now.receiver.jup, old.receiver.jup + PRICE);
    assert.equal(now.sender.lamports, old.sender.lamports - BigInt(crafted.feeLamports));
    const found = await rpc<{ meta: { err: unknown } } | null>(service, 'getTransaction', body.signature, {
      maxSupportedTransactionVersion: 0,
    });
    assert.equal(found?.meta.err, null);

    const eligibility = await request(`${service.url}${EXPRESS}/check-eligibility?tokenId=${tokenId}`);
    assert.equal(eligibility.body.canVerify, false);
    assert.equal(eligibility.body.canMetadata, true);
    assert.equal(eligibility.body.isVerified, false);
  });

  it('takes a token of the operator for verified, as search and shield do', async () => {
    const { body } = await request(`${service.url}${EXPRESS}/check-eligibility?tokenId=${JUP}`);
    assert.deepEqual([body.tokenExists, body.isVerified, body.canVerify, body.canMetadata], [true, true, false, true]);
    assert.equal(body.verificationError, 'This token is verified already');
    const found = await request<{ isVerified: boolean }[]>(`${service.url}/tokens/v2/search?query=${JUP}`);
    assert.equal(found.body[0]!.isVerified, true);
    const shield = await request<{ warnings: Record<string, { type: string }[]> }>(
      `${service.url}/ultra/v1/shield?mints=${JUP}`,
    );
    assert.ok(shield.body.warnings[JUP]!.every(({ type }) => type !== 'NOT_VERIFIED'));
  });

  it('understands the configured symbol and the literal name of the platform token', async () => {
    for (const name of ['JUP', 'PLATFORM_TOKEN']) {
      const { body } = await request(craftUrl(`senderAddress=${sender.address}&paymentCurrency=${name}`));
      assert.equal(body.code, 0);
      assert.equal(body.mint, JUP);
    }
  });

  it('refuses bad parameters with 400 and the name of the field', async () => {
    const cases: [string, RegExp][] = [
      ['', /senderAddress/],
      ['senderAddress=', /senderAddress/],
      ['senderAddress=abc', /senderAddress/],
      [`senderAddress=${'1'.repeat(10_000)}`, /senderAddress/],
      [`senderAddress=${sender.address}0`, /senderAddress/],
      [`senderAddress=${sender.address}&senderAddress=${sender.address}`, /senderAddress/],
      [`senderAddress=${RECEIVER}`, /senderAddress/],
      [`senderAddress=${sender.address}&paymentCurrency=DOGE`, /paymentCurrency/],
      [`senderAddress=${sender.address}&paymentCurrency=${JUP}`, /paymentCurrency/],
      [`senderAddress=${sender.address}&paymentCurrency=`, /paymentCurrency/],
    ];
    for (const [query, names] of cases) {
      const { status, body } = await request(craftUrl(query));
      assert.equal(status, 400, query.slice(0, 80));
      assert.match(String(body.message), names);
      assert.deepEqual(Object.keys(body).sort(), ['code', 'error', 'message', 'status']);
    }
  });

  it('answers 200 with a code and nothing to sign when the wallet cannot pay', async () => {
    const cases: [Keypair, number][] = [
      [generateKeypair(), 1],
      [await newWallet(service, 1_000_000_000n, PRICE - 1n), 1],
      [await newWallet(service, 0n, PRICE), 2],
      [await newWallet(service, 890_880n + 4_999n, PRICE), 2],
    ];
    for (const [wallet, code] of cases) {
      const crafted = await craft(service, wallet.address);
      assert.equal(crafted.code, code);
      assert.equal(crafted.transaction, '');
      assert.equal(typeof crafted.error, 'string');
    }
  });

  it('lets a wallet pay that has exactly enough', async () => {
    const probe = await craft(service, sender.address);
    const wallet = await newWallet(service, 890_880n + BigInt(probe.feeLamports), PRICE);
    const crafted = await craft(service, wallet.address);
    assert.equal(crafted.code, 0);
    const { body } = await execute(service, crafted, wallet, { tokenId: await newToken(service) });
    assert.equal(body.status, 'Success');
    assert.deepEqual(await balancesOf(service, wallet.address), { lamports: 890_880n, jup: 0n });
  });

  it('gives the same answer to the same post, and moves nothing again', async () => {
    const tokenId = await newToken(service);
    const crafted = await craft(service, sender.address);
    const first = await execute(service, crafted, sender, { tokenId });
    const old = await balancesOf(service, sender.address);
    for (let again = 0; again < 3; again++) {
      const { status, body } = await execute(service, crafted, sender, { tokenId });
      assert.equal(status, 200);
      assert.deepEqual(body, first.body);
    }
    assert.deepEqual(await balancesOf(service, sender.address), old);
  });

  describe('refuses to execute', () => {
    const expectRefusal = async (changes: Record<string, unknown>, status: number, says: RegExp) => {
      const tokenId = await newToken(service);
      const crafted = await craft(service, sender.address);
      const old = await balancesOf(service, sender.address);
      const refused = await execute(service, crafted, sender, { tokenId, ...changes });
      assert.equal(refused.status, status, JSON.stringify(refused.body));
      assert.match(String(refused.body.message), says);
      assert.deepEqual(await balancesOf(service, sender.address), old);
      // A refused post does not use the request id up.
      const { body } = await execute(service, crafted, sender, { tokenId });
      assert.equal(body.status, 'Success');
    };
    const fresh = async () => (await craft(service, sender.address)).transaction;

    it('an unsigned transaction', async () => {
      await expectRefusal({ transaction: await fresh() }, 400, /message is not the one/);
    });

    it("somebody else's signed transaction", async () => {
      const other = await newWallet(service);
      const theirs = signTransaction((await craft(service, other.address)).transaction, other);
      await expectRefusal({ transaction: theirs }, 400, /message is not the one/);
    });

    it('what is no transaction at all', async () => {
      for (const transaction of ['', 'not base64!', 'AAAA', 'AQ==', Buffer.alloc(2_000).toString('base64')]) {
        await expectRefusal({ transaction }, 400, /transaction/);
      }
    });

    it("another wallet's name", async () => {
      await expectRefusal({ senderAddress: generateKeypair().address }, 403, /another wallet/);
    });

    it('an unknown request id', async () => {
      await expectRefusal({ requestId: '00000000-0000-7000-8000-000000000000' }, 400, /requestId/);
    });

    it('a token that is none', async () => {
      await expectRefusal({ tokenId: generateKeypair().address }, 400, /tokenId/);
      await expectRefusal({ tokenId: sender.address }, 400, /tokenId/);
      await expectRefusal({ tokenId: 'nonsense' }, 400, /tokenId/);
    });

    it("the verification of a token of the operator's list", async () => {
      await expectRefusal({ tokenId: JUP }, 409, /verified already/);
    });

    it('a post that asks for nothing', async () => {
      await expectRefusal({ twitterHandle: ' ' }, 400, /twitterHandle/);
    });

    it('text that no database stores', async () => {
      await expectRefusal({ description: 'nul \0 in the middle' }, 400, /NUL/);
      await expectRefusal({ tokenMetadata: { tokenId: JUP, name: '\ud800' } }, 400, /surrogate/);
    });

    it('another currency than the crafted one', async () => {
      await expectRefusal(
        { paymentCurrency: 'USDC', paymentAmount: '5' },
        400,
        /paymentCurrency: .*with PLATFORM_TOKEN.*USDC/,
      );
    });

    it('missing and mistyped fields, by name', async () => {
      for (const field of ['transaction', 'requestId', 'senderAddress', 'tokenId', 'twitterHandle', 'description']) {
        await expectRefusal({ [field]: undefined }, 400, new RegExp(field));
        await expectRefusal({ [field]: 5 }, 400, new RegExp(field));
        await expectRefusal({ [field]: null }, 400, new RegExp(field));
      }
    });
  });

  it('refuses a crafted transaction without its signature, with a wrong one, and with another key', async () => {
    const tokenId = await newToken(service);
    const crafted = await craft(service, sender.address);
    const { decoded: _, ...unsigned } = decodeTransaction(Buffer.from(crafted.transaction, 'base64'));
    const withSignature = (signature: Uint8Array) =>
      Buffer.from(encodeTransaction({ ...unsigned, signatures: [signature] })).toString('base64');
    const flipped = sign(sender, unsigned.message);
    flipped[10]! ^= 1;
    const attempts = [
      crafted.transaction,
      withSignature(flipped),
      withSignature(sign(generateKeypair(), unsigned.message)),
    ];
    for (const transaction of attempts) {
      const { status, body } = await execute(service, crafted, sender, { tokenId, transaction });
      assert.equal(status, 400);
      assert.match(String(body.message), /signature/);
    }
    const { body } = await execute(service, crafted, sender, { tokenId });
    assert.equal(body.status, 'Success');
  });

  it('refuses the transaction with any one byte changed, and with any end cut off', async () => {
    const tokenId = await newToken(service);
    const crafted = await craft(service, sender.address);
    const signed = Buffer.from(signTransaction(crafted.transaction, sender), 'base64');
    const old = await balancesOf(service, sender.address);
    for (let at = 0; at < signed.length; at++) {
      const changed = Buffer.from(signed);
      changed[at]! ^= 1 << (at % 8);
      const flip = await execute(service, crafted, sender, { tokenId, transaction: changed.toString('base64') });
      assert.equal(flip.status, 400, `byte ${at}`);
      if (at % 7 !== 0) continue;
      const cut = await execute(service, crafted, sender, {
        tokenId,
        transaction: signed.subarray(0, at).toString('base64'),
      });
      assert.equal(cut.status, 400, `cut at ${at}`);
    }
    assert.deepEqual(await balancesOf(service, sender.address), old);
  });

  it('refuses an expired transaction, and afterwards knows nothing of the request id', async () => {
    const tokenId = await newToken(service);
    const crafted = await craft(service, sender.address);
    await request(`${service.url}/sandbox/clock`, { body: { seconds: 70 } });
    const expired = await execute(service, crafted, sender, { tokenId });
    assert.equal(expired.status, 400);
    assert.equal(expired.body.code, 'TRANSACTION_EXPIRED');
    await request(`${service.url}/sandbox/clock`, { body: { seconds: 200 } });
    const forgotten = await execute(service, crafted, sender, { tokenId });
    assert.equal(forgotten.status, 400);
  });

  it('does not send what would fail, and takes it when it would succeed', async () => {
    const tokenId = await newToken(service);
    const wallet = await newWallet(service, 1_000_000_000n, PRICE);
    const [first, second] = [await craft(service, wallet.address), await craft(service, wallet.address)];
    assert.equal((await execute(service, first, wallet, { tokenId })).body.status, 'Success');
    const other = await newToken(service);
    const old = await balancesOf(service, wallet.address);
    const doomed = await execute(service, second, wallet, { tokenId: other });
    assert.equal(doomed.status, 200);
    assert.equal(doomed.body.status, 'Failed');
    assert.equal(doomed.body.signature, undefined);
    assert.deepEqual(await balancesOf(service, wallet.address), old, 'no fee was charged');
    await request(`${service.url}/sandbox/airdrop`, {
      body: { wallet: wallet.address, mint: JUP, amount: PRICE.toString() },
    });
    assert.equal((await execute(service, second, wallet, { tokenId: other })).body.status, 'Success');
  });

  it('charges one of two payers who race for one token; the other gets 409 and keeps everything', async () => {
    for (let round = 0; round < 5; round++) {
      const tokenId = await newToken(service);
      const payers = [await newWallet(service), await newWallet(service)];
      const crafted = await Promise.all(payers.map((payer) => craft(service, payer.address)));
      const old = await Promise.all(payers.map((payer) => balancesOf(service, payer.address)));
      const answers = await Promise.all(
        payers.map((payer, index) => execute(service, crafted[index]!, payer, { tokenId })),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
      const loser = answers.findIndex(({ status }) => status === 409);
      assert.equal(answers[loser]!.body.code, 'ELIGIBILITY_CONFLICT');
      assert.deepEqual(await balancesOf(service, payers[loser]!.address), old[loser]);
      const winner = await balancesOf(service, payers[1 - loser]!.address);
      assert.equal(winner.jup, old[1 - loser]!.jup - PRICE);
    }
  });

  it('answers 100 parallel posts of one request alike, with one transaction', async () => {
    const tokenId = await newToken(service);
    const wallet = await newWallet(service);
    const crafted = await craft(service, wallet.address);
    const old = await balancesOf(service, wallet.address);
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => execute(service, crafted, wallet, { tokenId })),
    );
    for (const { status, body } of answers) {
      assert.equal(status, 200);
      assert.deepEqual(body, answers[0]!.body);
    }
    assert.equal(answers[0]!.body.status, 'Success');
    const now = await balancesOf(service, wallet.address);
    assert.deepEqual(now, { jup: old.jup - PRICE, lamports: old.lamports - BigInt(crafted.feeLamports) });
    const history = await rpc<unknown[]>(service, 'getSignaturesForAddress', wallet.address, {});
    assert.equal(history.filter((entry) => (entry as { memo: string | null }).memo !== null).length, 1);
  });

  it('is one verification at a time for a token, decided by the operator', async () => {
    const tokenId = await newToken(service);
    const pay = async (changes: Record<string, unknown> = {}) =>
      execute(service, await craft(service, sender.address), sender, { tokenId, ...changes });
    assert.equal((await pay()).body.verificationCreated, true);
    assert.equal((await pay()).status, 409);
    const metadata = { twitterHandle: '', description: '', tokenMetadata: { tokenId, name: 'New name' } };
    assert.deepEqual(
      (({ verificationCreated, metadataCreated }) => ({ verificationCreated, metadataCreated }))(
        (await pay(metadata)).body,
      ),
      { verificationCreated: false, metadataCreated: true },
    );
    assert.equal((await pay(metadata)).status, 409);
  });

  it('prices the fee and the token in USD from the sandbox prices', async () => {
    await request(`${service.url}/sandbox/prices`, { body: { mint: JUP, usd: 0.5 } });
    const crafted = await craft(service, sender.address);
    assert.equal(crafted.tokenUsdRate, 0.5);
    const { mints } = await infoOf(service);
    assert.equal(mints.find(({ symbol }) => symbol === 'JUP')?.usdPrice, 0.5);
    const alice = await walletNamed(service, 'alice');
    assert.equal((await craft(service, alice.address)).feeUsdAmount, (crafted.feeLamports / 1e9) * 150);
  });
});
