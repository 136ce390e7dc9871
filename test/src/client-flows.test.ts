import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Login, minOutputOf, type Progress, type Signer, SlipwayError, SOL } from '@slipway/client';
import {
  type Address,
  associatedTokenAddress,
  compileMessage,
  decodeTokenAccount,
  generateKeypair,
  type Keypair,
  setComputeUnitLimit,
  setComputeUnitPrice,
  systemTransfer,
  unsignedTransaction,
} from '@slipway/wire';
import { callbackSigner, clientOf, kitSigner, standardSigner } from './client.js';
import { eventually } from './rounds.js';
import { type Service, startService } from './service.js';
import { USDC } from './swap.js';
import { balancesOf, JUP, newToken, newWallet, PRICE, RECEIVER, rpc } from './wallet.js';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service?.close());

async function tokensOf(owner: Address, mint: Address): Promise<bigint> {
  const account = associatedTokenAddress(owner, mint);
  type Found = { value: { data: [string] } | null };
  const { value } = await rpc<Found>(service, 'getAccountInfo', account, { encoding: 'base64' });
  return value ? decodeTokenAccount(Buffer.from(value.data[0], 'base64'))!.amount : 0n;
}

const lamportsOf = async (owner: Address) => (await balancesOf(service, owner)).lamports;

describe('a swap', () => {
  const signers: Record<string, (wallet: Keypair) => Promise<Signer> | Signer> = {
    'a signer of kit': kitSigner,
    'a wallet of the wallet standard': standardSigner,
    'a callback': callbackSigner,
  };
  for (const [name, signerOf] of Object.entries(signers)) {
    it(`goes through to the unit with ${name}`, async () => {
      const wallet = await newWallet(service, 3_000_000_000n, 0n);
      const client = clientOf(service, wallet, { signer: await signerOf(wallet) });
      const steps: string[] = [];
      const onProgress = ({ step }: Progress) => steps.push(step);
      const amount = 1_000_000_000n;
      const done = await client.swap({ inputMint: SOL, outputMint: USDC, amount }, { onProgress });
      assert.equal(done.inputAmount, amount);
      assert.equal(await tokensOf(wallet.address, USDC), done.outputAmount);
      assert.ok(done.outputAmount >= BigInt(done.order.otherAmountThreshold));
      assert.deepEqual(steps, ['crafted', 'checked', 'signed', 'sent', 'landed']);
    });
  }

  it('goes through with any router, to another receiver, and back to SOL', async () => {
    const [wallet, receiver] = [await newWallet(service, 5_000_000_000n), generateKeypair()];
    // A maker that had no time five times is not asked for ten seconds.
    const client = clientOf(service, wallet, { attempts: 20 });
    for (const excludeRouters of [undefined, 'jupiterz', 'metis']) {
      const request = { inputMint: SOL, outputMint: USDC, amount: 500_000_000n, excludeRouters };
      const before = await tokensOf(receiver.address, USDC);
      const bought = await client.swap({ ...request, receiver: receiver.address });
      assert.equal((await tokensOf(receiver.address, USDC)) - before, bought.outputAmount);
      const lamports = await lamportsOf(receiver.address);
      const sale = { inputMint: JUP, outputMint: SOL, amount: 100_000_000n, receiver: receiver.address };
      const sold = await client.swap({ ...sale, excludeRouters });
      assert.equal((await lamportsOf(receiver.address)) - lamports, sold.outputAmount);
    }
  });

  it('is not signed below the least that was asked for, nor with more fees', async () => {
    const client = clientOf(service, await newWallet(service));
    const request = { inputMint: SOL, outputMint: USDC, amount: 100_000_000n };
    const refused = { name: 'SlipwayError', code: 'refused_to_sign' };
    await assert.rejects(client.swap({ ...request, minOutput: 10n ** 12n }), refused);
    // Of pools, which may slip, and of which a quote without a wallet knows no slippage.
    const byPools = { ...request, excludeRouters: 'jupiterz' };
    const quote = await client.quote(byPools);
    await assert.rejects(client.swap({ ...byPools, minOutput: BigInt(quote.outAmount) }), refused);
    const bound = minOutputOf(quote);
    assert.ok((await client.swap({ ...byPools, minOutput: bound })).outputAmount >= bound);
    await assert.rejects(client.swap({ ...request, excludeRouters: 'jupiterz', maxFeeLamports: 4_999n }), refused);
  });

  it('says in its own words what the service refuses, and what the caller got wrong', async () => {
    const client = clientOf(service, await newWallet(service, 10_000_000n));
    const request = { inputMint: SOL, outputMint: USDC, amount: 10n ** 12n };
    await assert.rejects(client.swap(request), { code: 'nothing_to_sign', message: /^Insufficient funds/ });
    const unknown = generateKeypair().address;
    const error = await client.quote({ ...request, outputMint: unknown }).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof SlipwayError);
    assert.deepEqual(
      [error.code, error.field, error.status, error.retryable],
      ['invalid_request', 'outputMint', 400, false],
    );
    assert.match(error.requestId ?? '', /./);
    await assert.rejects(client.quote({ ...request, inputMint: 'SOL' }), {
      code: 'invalid_request',
      field: 'inputMint',
    });
    await assert.rejects(clientOf(service, generateKeypair(), { apiKey: 'no' }).quote(request), {
      code: 'unauthorized',
    });
  });

  it('ends when it is aborted, before anything is signed', async () => {
    const wallet = await newWallet(service);
    const controller = new AbortController();
    const reason = new Error('enough');
    const onProgress = ({ step }: Progress) => {
      if (step === 'crafted') controller.abort(reason);
    };
    const signer = { address: wallet.address, signTransaction: () => assert.fail('signed') };
    const request = { inputMint: SOL, outputMint: USDC, amount: 100_000_000n };
    const { signal } = controller;
    await assert.rejects(clientOf(service, wallet).swap(request, { signal, onProgress, signer }), reason);
  });

  it('is not sent when the wallet signs another transaction', async () => {
    const wallet = await newWallet(service);
    const { signTransaction } = callbackSigner(wallet);
    const signer = {
      address: wallet.address,
      async signTransaction(wire: Uint8Array) {
        const signed = await signTransaction(wire);
        signed[signed.length - 1]! ^= 1;
        return signed;
      },
    };
    const request = { inputMint: SOL, outputMint: USDC, amount: 100_000_000n };
    await assert.rejects(clientOf(service, wallet).swap(request, { signer }), { code: 'signer' });
  });
});

describe('a verification', () => {
  for (const paymentCurrency of [undefined, 'SOL', 'USDC'] as const) {
    it(`is paid for in ${paymentCurrency ?? "the platform's token"}`, async () => {
      const wallet = await newWallet(service, 20_000_000_000n);
      const client = clientOf(service, wallet);
      if (paymentCurrency === 'USDC') await client.swap({ inputMint: SOL, outputMint: USDC, amount: 10_000_000_000n });
      const tokenId = await newToken(service);
      assert.equal((await client.checkEligibility(tokenId)).canVerify, true);
      const before = await tokensOf(RECEIVER, JUP);
      const details = { tokenId, twitterHandle: 'https://x.com/example', description: 'A token' };
      const done = await client.payVerification({ ...details, paymentCurrency, receiver: RECEIVER, mint: JUP });
      assert.equal(done.verificationCreated, true);
      const arrived = (await tokensOf(RECEIVER, JUP)) - before;
      if (paymentCurrency === undefined) assert.equal(arrived, PRICE);
      else assert.ok(arrived >= PRICE);
      await assert.rejects(client.payVerification({ ...details, paymentCurrency }), { code: 'eligibility_conflict' });
    });
  }

  it('is not paid for to another receiver, in another token, or for more than was agreed', async () => {
    const client = clientOf(service, await newWallet(service));
    const details = {
      tokenId: await newToken(service),
      twitterHandle: 'https://x.com/example',
      description: 'A token',
    };
    for (const other of [{ receiver: USDC }, { mint: USDC }, { maxAmount: PRICE - 1n }]) {
      await assert.rejects(client.payVerification({ ...details, ...other }), { code: 'refused_to_sign' });
    }
  });
});

describe('a transaction of one’s own', () => {
  /** Of the wallet to somebody, with the signature that the wallet gives. */
  async function transfer(wallet: Keypair, lamports: bigint): Promise<Uint8Array> {
    const { value } = await rpc<{ value: { blockhash: string } }>(service, 'getLatestBlockhash');
    const to = generateKeypair().address;
    const instructions = [
      setComputeUnitLimit(1_000),
      setComputeUnitPrice(1n),
      systemTransfer({ from: wallet.address, to, lamports }),
    ];
    const message = compileMessage({ version: 0, feePayer: wallet.address, instructions, blockhash: value.blockhash });
    return await callbackSigner(wallet).signTransaction(unsignedTransaction(message));
  }

  it('is submitted, and waited for until the chain has said what became of it', async () => {
    const wallet = await newWallet(service);
    const client = clientOf(service, wallet);
    const before = await lamportsOf(wallet.address);
    const landed = await client.submit(await transfer(wallet, 5_000_000n));
    assert.ok(landed.slot > 0n);
    assert.equal(await lamportsOf(wallet.address), before - 5_000_000n - 5_000n - 1n);
    assert.deepEqual(await client.waitFor(landed.signature), landed);
    await assert.rejects(client.submit(new Uint8Array(8)), { code: 'invalid_request' });
  });
});

describe('orders', () => {
  it('a limit order is opened and cancelled, to the unit', async () => {
    const wallet = await newWallet(service, 1_000_000_000n, PRICE);
    const client = clientOf(service, wallet);
    const request = { inputMint: JUP, outputMint: SOL, makingAmount: 100_000_000n, takingAmount: 10n ** 12n };
    const { order } = await client.createLimitOrder(request);
    assert.equal(await tokensOf(wallet.address, JUP), PRICE - request.makingAmount);
    assert.deepEqual(
      (await client.limitOrders({ status: 'active' })).map(({ orderKey }) => orderKey),
      [order],
    );
    await client.cancelLimitOrder(order);
    assert.equal(await tokensOf(wallet.address, JUP), PRICE);
    assert.equal((await client.waitForLimitOrder(order)).status, 'Cancelled');
  });

  it('a trigger order is placed by a wallet that logs in, changed, and cancelled with all that it held', async () => {
    for (const signerOf of [kitSigner, standardSigner, callbackSigner]) {
      const wallet = await newWallet(service, 1_000_000_000n, PRICE);
      const client = clientOf(service, wallet, { signer: await signerOf(wallet) });
      const session = await client.login();
      const expiresAt = new Date(Date.now() + 3_600_000);
      const pair = { inputMint: JUP, outputMint: USDC, inputAmount: 100_000_000n, expiresAt };
      const { id } = await client.placePriceOrder(session, {
        ...pair,
        orderType: 'oco',
        tpPriceUsd: 1_000,
        slPriceUsd: 0.001,
      });
      assert.equal(await tokensOf(wallet.address, JUP), PRICE - pair.inputAmount);
      await client.editPriceOrder(session, id, { orderType: 'oco', tpPriceUsd: 2_000, slPriceUsd: 0.001 });
      assert.equal((await client.priceOrder(session, id)).tpPriceUsd, 2_000);
      const { withdrawn, orderState } = await client.cancelPriceOrder(session, id, { mints: [JUP, USDC] });
      assert.deepEqual([withdrawn, orderState], [[{ mint: JUP, amount: `${pair.inputAmount}` }], 'cancelled']);
      assert.equal(await tokensOf(wallet.address, JUP), PRICE);
      await client.waitForPriceOrder(session, id, { states: ['cancelled'] });
    }
  });
});

it('a wallet that logs out ends its logins on all devices, and can log in again', async () => {
  const wallet = await newWallet(service);
  const client = clientOf(service, wallet);
  const devices = [await client.login(), await client.login()];
  const vaultOf = ({ token }: Login) => client.api.get('/trigger/v2/vault', { token });
  for (const login of devices) assert.equal((await vaultOf(login)).vaultPubkey, login.vault);
  await client.logout(devices[0]!);
  for (const login of devices) {
    const refusal = await eventually('the login has ended', () =>
      vaultOf(login).then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
    assert.ok(refusal instanceof SlipwayError);
    assert.equal(refusal.status, 401);
  }
  assert.equal((await vaultOf(await client.login())).vaultPubkey, devices[0]!.vault);
});

describe('an invite', () => {
  it('is made, claimed by whoever has the code for an empty wallet, or taken back', async () => {
    const [wallet, receiver] = [await newWallet(service), generateKeypair()];
    const client = clientOf(service, wallet);
    const sent = await client.send({ amount: 100_000_000n, mint: JUP });
    await clientOf(service, generateKeypair()).claim({ code: sent.code, receiver: receiver.address });
    assert.equal(await tokensOf(receiver.address, JUP), 100_000_000n);
    assert.equal(
      (await client.waitForInvite(sent.invite, ({ deletion_tx }) => deletion_tx !== null)).action,
      'claimed',
    );
    const before = await tokensOf(wallet.address, JUP);
    const other = await client.send({ amount: 7n, mint: JUP });
    assert.equal(await tokensOf(wallet.address, JUP), before - 7n);
    await client.takeBack(other.invite);
    assert.equal(await tokensOf(wallet.address, JUP), before);
    await assert.rejects(client.claim({ code: 'no', receiver: receiver.address }), { field: 'code' });
  });
});

it('scores are read, one and many', async () => {
  const client = clientOf(service, generateKeypair());
  assert.equal((await client.score('SIM-1'))?.eventId, 'SIM-1');
  assert.equal((await client.scores(['SIM-1', 'SIM-2'])).data.length, 2);
  assert.equal(await client.score('none'), null);
});
