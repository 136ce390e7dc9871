import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  type Address,
  addressFromBytes,
  advanceNonce,
  base58Encode,
  decodeTransaction,
  encodeTransaction,
  generateKeypair,
  type Instruction,
  initializeNonce,
  type Keypair,
  memo,
  SYSTEM_PROGRAM,
  systemCreateAccount,
  systemTransfer,
  tokenTransferChecked,
} from '@slipway/wire';
import { request, type Service, startService } from './service.js';
import { latestBlockhash, onChain, settledStatus, signed, statusOf, submit, transfer } from './submission.js';
import { balancesOf, craft, execute, JUP, newToken, newWallet, PRICE, rpc, signTransaction } from './wallet.js';

const NONCE_SPACE = 80;
const FEE = 5_000n;

describe('transaction submit', () => {
  let service: Service;
  let wallet: Keypair;

  before(async () => {
    service = await startService();
    wallet = await newWallet(service, 1_000_000_000_000n, 10n * PRICE);
  });
  after(() => service.close());

  const lamportsOf = async (address: Address) => (await balancesOf(service, address)).lamports;

  it('lands a transaction once, however often it is posted', async () => {
    const { address } = generateKeypair();
    const transaction = await transfer(service, wallet, address, 1_000_000n);
    const old = await lamportsOf(wallet.address);

    const first = await submit(service, transaction);
    assert.equal(first.status, 200);
    assert.deepEqual(Object.keys(first.body), ['signature']);
    const status = await settledStatus(service, first.body.signature!);
    const { slot, ...rest } = status!;
    assert.deepEqual(rest, { signature: first.body.signature, status: 'landed' });
    assert.match(slot!, /^\d+$/);
    assert.equal(await lamportsOf(address), 1_000_000n);

    const again = await Promise.all(Array.from({ length: 20 }, () => submit(service, transaction)));
    for (const each of again) assert.deepEqual([each.status, each.body], [200, first.body]);
    assert.equal(await lamportsOf(address), 1_000_000n);
    assert.equal(await lamportsOf(wallet.address), old - 1_000_000n - FEE);
    assert.deepEqual((await statusOf(service, first.body.signature!)).body, status);
  });

  it('lands one transaction for 50 parallel first posts', async () => {
    const { address } = generateKeypair();
    const transaction = await transfer(service, wallet, address, 1_000_000n);
    const answers = await Promise.all(Array.from({ length: 50 }, () => submit(service, transaction)));
    for (const each of answers) assert.deepEqual([each.status, each.body], [200, answers[0]!.body]);
    assert.equal((await settledStatus(service, answers[0]!.body.signature!))!.status, 'landed');
    assert.equal(await lamportsOf(address), 1_000_000n);
  });

  it('gives the same signature to a post that comes after the blockhash has died', async () => {
    const transaction = await transfer(service, wallet, generateKeypair().address, 1_000_000n);
    const first = await submit(service, transaction);
    await settledStatus(service, first.body.signature!);
    await request(`${service.url}/sandbox/clock`, { body: { seconds: 120 } });
    const late = await submit(service, transaction);
    assert.deepEqual([late.status, late.body], [200, first.body]);
  });

  describe('refuses, sending nothing,', () => {
    const expectRefusal = async (transaction: unknown, says: RegExp) => {
      const old = await lamportsOf(wallet.address);
      const { status, body } = await submit(service, transaction);
      assert.equal(status, 400, JSON.stringify(body));
      assert.deepEqual(Object.keys(body), ['error']);
      assert.match(body.error!, says);
      assert.equal(await lamportsOf(wallet.address), old);
    };
    const fresh = () => transfer(service, wallet, generateKeypair().address, 1_000_000n);
    const resigned = (base64: string, change: (signatures: Uint8Array[]) => void) => {
      const { decoded: _, ...transaction } = decodeTransaction(Buffer.from(base64, 'base64'));
      change(transaction.signatures);
      return Buffer.from(encodeTransaction(transaction)).toString('base64');
    };

    it('an unsigned transaction', async () => {
      const unsigned = resigned(await fresh(), ([signature]) => signature!.fill(0));
      await expectRefusal(unsigned, new RegExp(`signature of ${wallet.address} is missing`));
    });

    it('one of two signatures missing or wrong', async () => {
      const second = await newWallet(service, 1_000_000_000n, 0n);
      const instructions = [
        systemTransfer({ from: second.address, to: wallet.address, lamports: 1_000_000n }),
        systemTransfer({ from: wallet.address, to: second.address, lamports: 2_000_000n }),
      ];
      const transaction = signed(await latestBlockhash(service), instructions, wallet, second);
      const wrong = resigned(transaction, (signatures) => {
        signatures[1]![10]! ^= 1;
      });
      await expectRefusal(wrong, new RegExp(`signature of ${second.address} does not match`));
      const missing = resigned(transaction, (signatures) => signatures[1]!.fill(0));
      await expectRefusal(missing, new RegExp(`signature of ${second.address} is missing`));
      assert.equal((await submit(service, transaction)).status, 200);
    });

    it('a byte changed anywhere', async () => {
      const transaction = Buffer.from(await fresh(), 'base64');
      for (let at = 0; at < transaction.length; at += 3) {
        const changed = Buffer.from(transaction);
        changed[at]! ^= 1 << (at % 8);
        await expectRefusal(changed.toString('base64'), /signedTransaction/);
      }
    });

    it('what is no transaction', async () => {
      const transaction = await fresh();
      for (const garbage of ['', 'not base64!', 'AAAA', 'AQ==', transaction.slice(0, 40), ` ${transaction}`]) {
        await expectRefusal(garbage, /signedTransaction/);
      }
      await expectRefusal(undefined, /signedTransaction/);
      await expectRefusal(7, /signedTransaction/);
      await expectRefusal(null, /signedTransaction/);
    });

    it('more bytes than the chain takes', async () => {
      await expectRefusal(Buffer.alloc(1_233, 1).toString('base64'), /1232/);
      await expectRefusal('A'.repeat(10_000), /at most 5464 characters/);
      const long = Buffer.concat([Buffer.from(await fresh(), 'base64'), Buffer.alloc(10)]);
      await expectRefusal(long.toString('base64'), /signedTransaction/);
    });

    it('an expired blockhash, and one that never was', async () => {
      const transaction = await fresh();
      const unknown = base58Encode(generateKeypair().secretKey.slice(0, 32));
      const to = generateKeypair().address;
      const invented = signed(unknown, [systemTransfer({ from: wallet.address, to, lamports: 1_000_000n })], wallet);
      await expectRefusal(invented, /blockhash/);
      await request(`${service.url}/sandbox/clock`, { body: { seconds: 120 } });
      await expectRefusal(transaction, /blockhash/);
    });
  });

  describe('status', () => {
    it('is failed with the code of the program for what fails on the chain', async () => {
      const poor = await newWallet(service, 1_000_000_000n, 1n);
      const { value } = await rpc<{ value: { pubkey: Address }[] }>(
        service,
        'getTokenAccountsByOwner',
        poor.address,
        { mint: JUP },
        { encoding: 'base64' },
      );
      const source = value[0]!.pubkey;
      const payment = { source, mint: JUP, destination: source, authority: poor.address, amount: 2n, decimals: 6 };
      const transaction = signed(await latestBlockhash(service), [tokenTransferChecked(payment)], poor);
      const { status, body } = await submit(service, transaction);
      assert.equal(status, 200);
      const failed = await settledStatus(service, body.signature!);
      assert.equal(failed!.status, 'failed');
      assert.equal(failed!.code, 1);
      assert.equal(failed!.error, 'custom program error: #1');
      assert.notEqual(failed!.slot, null);
      assert.deepEqual((await onChain(service, body.signature!))!.err, { InstructionError: [0, { Custom: 1 }] });
      assert.equal((await balancesOf(service, poor.address)).lamports, 1_000_000_000n - FEE);
    });

    it('is 404 for a transaction that was not submitted here, also where the chain knows it', async () => {
      const elsewhere = await transfer(service, wallet, generateKeypair().address, 1_000_000n);
      const signature = await rpc<string>(service, 'sendTransaction', elsewhere, { encoding: 'base64' });
      for (const unknown of [signature, base58Encode(new Uint8Array(64).fill(7))]) {
        const { status, body } = await statusOf(service, unknown);
        assert.equal(status, 404);
        assert.deepEqual(Object.keys(body), ['error']);
      }
    });

    it('is 400 for what is no signature', async () => {
      for (const malformed of ['abc', '0OIl', wallet.address, '1'.repeat(90), '%00', '%F0%9F%98%80']) {
        const { status, body } = await statusOf(service, malformed);
        assert.equal(status, 400, malformed);
        assert.match((body as { error?: string }).error!, /signature/);
      }
    });
  });

  describe('with a durable nonce', () => {
    let nonce: Keypair;

    before(async () => {
      nonce = generateKeypair();
      const account = { payer: wallet.address, newAccount: nonce.address, lamports: 1_447_680n, space: NONCE_SPACE };
      const instructions = [
        systemCreateAccount({ ...account, owner: SYSTEM_PROGRAM }),
        initializeNonce({ nonce: nonce.address, authority: wallet.address }),
      ];
      const { body } = await submit(service, signed(await latestBlockhash(service), instructions, wallet, nonce));
      assert.equal((await settledStatus(service, body.signature!))!.status, 'landed');
    });

    const nonceValue = async () => {
      const { value } = await rpc<{ value: { data: [string, string] } }>(service, 'getAccountInfo', nonce.address, {
        encoding: 'base64',
      });
      return addressFromBytes(Buffer.from(value.data[0], 'base64'), 40);
    };
    const withNonce = (value: string, ...instructions: Instruction[]) => {
      const advance = advanceNonce({ nonce: nonce.address, authority: wallet.address });
      return signed(value, [advance, ...instructions], wallet);
    };

    it('lands long after it was signed, once; and what carries the used nonce never does', async () => {
      const { address } = generateKeypair();
      const value = await nonceValue();
      const pay = (lamports: bigint) => systemTransfer({ from: wallet.address, to: address, lamports });
      const transaction = withNonce(value, pay(1_000_000n));
      const rival = withNonce(value, pay(5_000_000n));
      await request(`${service.url}/sandbox/clock`, { body: { seconds: 600 } });

      const { status, body } = await submit(service, transaction);
      assert.equal(status, 200);
      assert.equal((await settledStatus(service, body.signature!))!.status, 'landed');
      assert.equal(await lamportsOf(address), 1_000_000n);
      assert.deepEqual((await submit(service, transaction)).body, body);

      const late = await submit(service, rival);
      if (late.status === 200) assert.equal((await settledStatus(service, late.body.signature!))!.status, 'expired');
      else assert.equal(late.status, 400);
      assert.equal(await lamportsOf(address), 1_000_000n);
    });

    it('is not mistaken for one when the advance is not the first instruction', async () => {
      const advance = advanceNonce({ nonce: nonce.address, authority: wallet.address });
      const transaction = signed(await nonceValue(), [memo('first'), advance], wallet);
      const { status, body } = await submit(service, transaction);
      assert.equal(status, 400);
      assert.match(body.error!, /blockhash/);
    });
  });

  describe('of a crafted payment', () => {
    it('lets the payment be recorded afterwards, without a second one', async () => {
      const tokenId = await newToken(service);
      const sender = await newWallet(service, 1_000_000_000n, PRICE);
      const crafted = await craft(service, sender.address);
      const { body: submitted } = await submit(service, signTransaction(crafted.transaction, sender));
      assert.equal((await settledStatus(service, submitted.signature!))!.status, 'landed');
      const paid = await balancesOf(service, sender.address);
      assert.deepEqual(paid, { lamports: 1_000_000_000n - BigInt(crafted.feeLamports), jup: 0n });

      const { status, body } = await execute(service, crafted, sender, { tokenId });
      assert.equal(status, 200);
      assert.equal(body.status, 'Success');
      assert.equal(body.signature, submitted.signature);
      assert.equal(body.verificationCreated, true);
      assert.deepEqual(await balancesOf(service, sender.address), paid);
      assert.equal((await statusOf(service, submitted.signature!)).body.status, 'landed');
    });

    it('is recorded, too, when it comes back after its blockhash has died', async () => {
      const sender = await newWallet(service, 1_000_000_000n, PRICE);
      const crafted = await craft(service, sender.address);
      const { body: submitted } = await submit(service, signTransaction(crafted.transaction, sender));
      assert.equal((await settledStatus(service, submitted.signature!))!.status, 'landed');
      await request(`${service.url}/sandbox/clock`, { body: { seconds: 90 } });
      const { body } = await execute(service, crafted, sender, { tokenId: await newToken(service) });
      assert.equal(body.status, 'Success', JSON.stringify(body));
      assert.equal(body.signature, submitted.signature);
      assert.equal(body.verificationCreated, true);
    });

    it('has a status after execute, too, and gives the same signature', async () => {
      const sender = await newWallet(service);
      const crafted = await craft(service, sender.address);
      const { body } = await execute(service, crafted, sender, { tokenId: await newToken(service) });
      assert.equal((await statusOf(service, body.signature!)).body.status, 'landed');
      const old = await balancesOf(service, sender.address);
      const { body: submitted } = await submit(service, signTransaction(crafted.transaction, sender));
      assert.equal(submitted.signature, body.signature);
      assert.deepEqual(await balancesOf(service, sender.address), old);
    });

    it('is one payment when both are posted at the same moment', async () => {
      for (let round = 0; round < 5; round++) {
        const tokenId = await newToken(service);
        const sender = await newWallet(service, 1_000_000_000n, PRICE);
        const crafted = await craft(service, sender.address);
        const transaction = signTransaction(crafted.transaction, sender);
        const [submitted, executed] = await Promise.all([
          submit(service, transaction),
          execute(service, crafted, sender, { tokenId }),
        ]);
        assert.equal(executed.body.status, 'Success', JSON.stringify(executed.body));
        assert.equal(executed.body.verificationCreated, true);
        assert.equal(submitted.body.signature, executed.body.signature);
        assert.equal((await balancesOf(service, sender.address)).jup, 0n);
      }
    });
  });
});

describe('transaction submit where the operator asks for a tip', () => {
  const [tips, otherTips] = [generateKeypair().address, generateKeypair().address];
  let service: Service;
  let wallet: Keypair;

  before(async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'slipway-test-'));
    const settings = { submit: { minTipLamports: '1000000', tipAccounts: [tips, otherTips] } };
    writeFileSync(join(dataDir, 'slipway.config.json'), JSON.stringify(settings));
    service = await startService({ dataDir });
    wallet = await newWallet(service, 1_000_000_000_000n);
  });
  after(() => service.close());

  const send = async (...transfers: [Address, bigint][]) => {
    const instructions = transfers.map(([to, lamports]) => systemTransfer({ from: wallet.address, to, lamports }));
    return submit(service, signed(await latestBlockhash(service), instructions, wallet));
  };

  it('refuses a transaction without it, and says what is asked', async () => {
    const somebody = generateKeypair().address;
    const attempts: [Address, bigint][][] = [
      [[somebody, 1_000_000n]],
      [[tips, 999_999n]],
      [
        [tips, 500_000n],
        [otherTips, 500_000n],
      ],
    ];
    for (const attempt of attempts) {
      const { status, body } = await send(...attempt);
      assert.equal(status, 400);
      assert.match(body.error!, /1000000 lamports/);
      assert.ok(body.error!.includes(tips) && body.error!.includes(otherTips));
    }
    assert.equal((await balancesOf(service, wallet.address)).lamports, 1_000_000_000_000n);
  });

  it('lands a transaction with it', async () => {
    for (const to of [tips, otherTips]) {
      const { status, body } = await send([generateKeypair().address, 2_000_000n], [to, 1_000_000n]);
      assert.equal(status, 200, body.error);
      assert.equal((await settledStatus(service, body.signature!))!.status, 'landed');
      assert.equal((await balancesOf(service, to)).lamports, 1_000_000n);
    }
  });
});
