import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Address } from '@slipway/wire';
import { admin } from './admin.js';
import { request, type Service, startService } from './service.js';
import { airdrop, JUPUSD, lamportsOf, SOL, setPrice, tokensOf, USDC } from './swap.js';
import { type Crafted, execute, JUP, newToken, newWallet, PRICE, RECEIVER } from './wallet.js';

interface SwapCrafted extends Crafted {
  inputMint?: string;
  inputDecimals?: number;
  quotedInputAmount?: string;
  maxInputAmount?: string;
}

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service?.close());

async function craftIn(currency: string, sender: string): Promise<SwapCrafted> {
  const { status, body } = await request<SwapCrafted>(
    `${service.url}/tokens/v2/verify/express/craft-txn?senderAddress=${sender}&paymentCurrency=${currency}`,
  );
  if (status !== 200) throw new Error(`craft answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

describe('an express payment in another currency', () => {
  const currencies: [string, Address, number][] = [
    ['SOL', SOL, 9],
    ['USDC', USDC, 6],
    ['PLATFORM_STABLE', JUPUSD, 6],
    ['JUPUSD', JUPUSD, 6],
  ];
  for (const [currency, mint, decimals] of currencies) {
    it(`in ${currency} brings the receiver what was said, and takes no more than that`, async () => {
      const sender = await newWallet(service, 10_000_000_000n, 0n);
      if (mint !== SOL) await airdrop(service, sender.address, 1_000_000_000n, mint);
      const holds = () =>
        mint === SOL ? lamportsOf(service, sender.address) : tokensOf(service, sender.address, mint);
      const crafted = await craftIn(currency, sender.address);
      assert.deepEqual([crafted.code, crafted.error], [0, undefined]);
      assert.deepEqual([crafted.mint, crafted.inputMint, crafted.inputDecimals], [JUP, mint, decimals]);
      assert.equal(crafted.maxInputAmount, crafted.quotedInputAmount);
      assert.ok(BigInt(crafted.amount) >= PRICE);
      // Whoever knows the request id says what the payment is for.
      const wire = Buffer.from(crafted.transaction, 'base64');
      for (const id of [crafted.requestId, crafted.requestId.replaceAll('-', '')]) assert.ok(!wire.includes(id));
      const [received, held] = [await tokensOf(service, RECEIVER, JUP), await holds()];

      const tokenId = await newToken(service);
      const { body } = await execute(service, crafted, sender, {
        tokenId,
        paymentCurrency: currency,
        paymentAmount: crafted.quotedInputAmount,
      });

      assert.deepEqual([body.status, body.verificationCreated], ['Success', true], body.error);
      assert.equal((await tokensOf(service, RECEIVER, JUP)) - received, BigInt(crafted.amount));
      const gone = held - (await holds()) - (mint === SOL ? BigInt(crafted.feeLamports) : 0n);
      const most = BigInt(crafted.maxInputAmount!);
      assert.ok(gone <= most && gone > most - 1_000n, `${gone} of at most ${most}`);
      assert.equal(await tokensOf(service, sender.address, JUP), 0n);

      const { body: listed } = await admin<{ verifications: { id: string; requestId: string }[] }>(
        service,
        'GET',
        '/verifications?state=pending&limit=100',
      );
      const { id } = listed.verifications.find(({ requestId }) => requestId === crafted.requestId)!;
      const approved = await admin(service, 'POST', `/verifications/${id}/approve`, {});
      assert.equal(approved.status, 200, JSON.stringify(approved.body));
    });
  }

  it('takes nothing and records nothing when the token has become dearer meanwhile', async () => {
    const sender = await newWallet(service, 1_000_000_000n, 0n);
    await airdrop(service, sender.address, 1_000_000_000n, USDC);
    const crafted = await craftIn('USDC', sender.address);
    await setPrice(service, JUP, 0.5);
    try {
      const tokenId = await newToken(service);
      const { body } = await execute(service, crafted, sender, {
        tokenId,
        paymentCurrency: 'USDC',
        paymentAmount: crafted.quotedInputAmount,
      });
      const unsized = await execute(service, crafted, sender, { tokenId, paymentCurrency: 'USDC' });
      assert.match(unsized.body.error!, /^paymentAmount: required with paymentCurrency USDC: .*quotedInputAmount/);
      assert.deepEqual([body.status, body.code, body.verificationCreated], ['Failed', 6001, false], body.error);
      assert.equal(await tokensOf(service, sender.address, USDC), 1_000_000_000n);
      const eligible = await request(`${service.url}/tokens/v2/verify/express/check-eligibility?tokenId=${tokenId}`);
      assert.equal(eligible.body.canVerify, true);
    } finally {
      await setPrice(service, JUP, 0.42);
    }
  });

  it('says what the sender lacks', async () => {
    const sender = await newWallet(service, 100_000_000n, 0n);
    for (const currency of ['SOL', 'USDC']) {
      const { code, error, transaction } = await craftIn(currency, sender.address);
      assert.deepEqual([code, transaction], [1, ''], error);
      assert.match(error!, /^Insufficient funds: /);
      assert.doesNotMatch(error!, /for gas/);
      if (currency === 'SOL') assert.match(error!, / SOL needed for the payment, .* the wallet holds 0\.1$/);
    }
  });
});
