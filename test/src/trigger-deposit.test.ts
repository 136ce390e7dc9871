import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { generateKeypair } from '@slipway/wire';
import { request, type Service, startService } from './service.js';
import {
  airdrop,
  type Created,
  create,
  deposit,
  depositBody,
  feeOf,
  JUPUSD,
  lamportsOf,
  newUser,
  orderBody,
  post,
  RENT,
  type Row,
  refuses,
  tokensAt,
  USDC,
} from './trigger-user.js';
import { asWallet, logIn } from './trigger-wallet.js';
import { rpc, signTransaction } from './wallet.js';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service?.close());

const TOO_POOR = /^Invalid signed deposit transaction: the wallet has too little/;

describe('a deposit', () => {
  it('is refused with the reason', async () => {
    const user = await newUser(service);
    const other = generateKeypair().address;
    const cases: [Record<string, unknown>, number, RegExp][] = [
      [{ userAddress: other }, 403, /^Forbidden: userAddress must match authenticated user/],
      [{ userAddress: user.vault }, 400, /vault/],
      [{ userAddress: 'abc' }, 400, /userAddress/],
      [{ inputMint: USDC }, 400, /Input mint and output mint cannot be the same/],
      [{ inputMint: JUPUSD }, 400, /Mint pair is not supported/],
      [{ outputMint: other }, 400, /outputMint.*no such mint/],
      [{ outputMint: 'x' }, 400, /outputMint/],
      [{ amount: '60000000' }, 400, /Order must be at least 10 USD \(current value: 9\.00 USD\)/],
      [{ amount: '66666666' }, 400, /current value: 9\.99 USD/],
      [{ amount: '0' }, 400, /amount/],
      [{ amount: '-5' }, 400, /amount/],
      [{ amount: '1.5' }, 400, /amount/],
      [{ amount: '18446744073709551616' }, 400, /amount/],
      [{ amount: 1_000_000_000 }, 400, /amount/],
      [{ orderType: 'dca' }, 400, /orderType/],
      [{ orderSubType: undefined }, 400, /orderSubType/],
      [{ orderSubType: 'twap' }, 400, /orderSubType/],
    ];
    for (const [changes, status, says] of cases) {
      refuses(await post(user, '/deposit/craft', depositBody(user, changes)), status, says, JSON.stringify(changes));
    }
    const noVault = { ...user, wallet: generateKeypair() };
    noVault.token = await logIn(service, noVault.wallet);
    refuses(await post(noVault, '/deposit/craft', depositBody(noVault)), 403, /vault/);
    refuses(
      await post(noVault, '/orders/price', orderBody(noVault, await deposit(user), {}, user.wallet)),
      400,
      /vault/,
    );
  });

  it('can be crafted before the wallet has the funds, and is refused when it is sent without them', async () => {
    const user = await newUser(service);
    const crafted = await deposit(user, { amount: '11000000000' });
    refuses(await post(user, '/orders/price', orderBody(user, crafted)), 400, TOO_POOR);
    await airdrop(service, user.wallet.address, 2_000_000_000n);
    await create(user, crafted);
    const penniless = { ...user, wallet: generateKeypair() };
    penniless.token = await logIn(service, penniless.wallet);
    await asWallet(service, penniless.token, '/vault/register');
    refuses(await post(penniless, '/orders/price', orderBody(penniless, await deposit(penniless))), 400, TOO_POOR);
  });

  it('cannot be landed without its order', async () => {
    const user = await newUser(service);
    const before = await lamportsOf(service, user.wallet.address);
    const signed = signTransaction((await deposit(user)).transaction, user.wallet);
    const submitted = await request(`${service.url}/tx/v1/submit`, { body: { signedTransaction: signed } });
    assert.equal(submitted.status, 400);
    await assert.rejects(rpc(service, 'sendTransaction', signed, { encoding: 'base64' }));
    assert.equal(await lamportsOf(service, user.wallet.address), before);
  });

  it('makes one order, however many creates race, and repeats its answer', async () => {
    const user = await newUser(service);
    const before = await lamportsOf(service, user.wallet.address);
    const crafted = await deposit(user);
    const body = orderBody(user, crafted);
    const bodies = Array.from({ length: 100 }, (_, n) => (n % 4 ? body : { ...body, triggerPriceUsd: 501 + n }));
    const answers = await Promise.all(bodies.map((each) => post<Created>(user, '/orders/price', each)));
    const made = answers.filter(({ status }) => status === 200);
    assert.ok(made.length >= 1);
    assert.equal(new Set(made.map((answer) => answer.body.id)).size, 1);
    for (const answer of answers) if (answer.status !== 200) refuses(answer, 400, /[Dd]uplicate deposit/);
    const spent = before - (await lamportsOf(service, user.wallet.address));
    assert.equal(spent, 1_000_000_000n + RENT + (await feeOf(service, made[0]!.body.txSignature)));
    const history = await asWallet<{ pagination: { total: number } }>(service, user.token, '/orders/history');
    assert.equal(history.body.pagination.total, 1);

    const winner = bodies[answers.findIndex(({ status, body: { message } }) => status === 200 && !message)]!;
    const again = await post<Created>(user, '/orders/price', winner);
    assert.deepEqual([again.status, again.body.id], [200, made[0]!.body.id]);
    assert.equal(typeof again.body.message, 'string');
    refuses(await post(user, '/orders/price', { ...winner, triggerPriceUsd: 1 }), 400, /Duplicate deposit/);
  });
});

it('a deposit that kill -9 interrupts has an open order exactly when it has landed', async () => {
  const main = service;
  service = await startService();
  const { dataDir } = service;
  try {
    const user = await newUser(service);
    const outcomes: string[] = [];
    for (const delay of [0, 4, 8, 15, 30, 60, 120]) {
      const crafted = await deposit(user, { amount: '100000000' });
      const answer = post<Created>(user, '/orders/price', orderBody(user, crafted)).catch(() => undefined);
      await new Promise((done) => setTimeout(done, delay));
      await service.kill();
      await answer;
      service = await startService({ dataDir });
      user.service = service;
      const list = async () =>
        (await asWallet<{ orders: Row[] }>(service, user.token, '/orders/history?limit=100')).body.orders;
      // What is under way lands at once, or dies with its blockhash: time is moved so that it does.
      for (let tries = 0; (await list()).some(({ orderState }) => orderState === 'pending'); tries += 1) {
        assert.ok(tries < 600, 'an order stays pending');
        if (tries === 20) await request(`${service.url}/sandbox/clock`, { body: { seconds: 120 } });
        await new Promise((done) => setTimeout(done, 100));
      }
      const landed = (await tokensAt(service, crafted.inputTokenAccount))?.amount === 100_000_000n;
      const open = (await list()).filter(({ rawState }) => rawState === 'open').length;
      const before = outcomes.filter((outcome) => outcome === 'landed').length;
      assert.equal(open, before + (landed ? 1 : 0), `killed after ${delay} ms`);
      outcomes.push(landed ? 'landed' : 'not landed');
    }
    const total = outcomes.filter((outcome) => outcome === 'landed').length;
    const { body } = await asWallet<{ pagination: { total: number } }>(
      service,
      user.token,
      '/orders/history?state=active',
    );
    assert.equal(body.pagination.total, total);
  } finally {
    await service.close();
    service = main;
  }
});
