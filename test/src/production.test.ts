import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createClient } from '@slipway/client';
import {
  type Address,
  compileMessage,
  generateKeypair,
  type Keypair,
  setComputeUnitLimit,
  setComputeUnitPrice,
  systemTransfer,
  unsignedTransaction,
} from '@slipway/wire';
import { callbackSigner } from './client.js';
import { run } from './command.js';
import { type Production, startProduction } from './production.js';
import { eventually } from './rounds.js';
import { request } from './service.js';
import { lamportsOf as lamportsHeld, SOL, tokensOf as tokensHeld, USDC } from './swap.js';
import { JUP, newToken, PRICE, RECEIVER, rpc } from './wallet.js';

const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const HOUR = 3_600_000;
const ONE_SOL = 1_000_000_000n;
const ONE_USDC = 1_000_000n;

/** Everything as in production: no sandbox, PostgreSQL, two copies of the API behind a proxy, a keeper, and a signer. */
describe('in production, with a signer under another user, PostgreSQL, two copies of the API and a keeper', () => {
  let production: Production;
  before(async () => {
    production = await startProduction();
  });
  after(() => production?.close());

  const tokensOf = (owner: string, mint: Address) => tokensHeld(production, owner, mint);
  const lamportsOf = (owner: string) => lamportsHeld(production, owner);

  async function newUser(tokens: Readonly<Record<string, bigint>> = {}): Promise<Keypair> {
    const wallet = generateKeypair();
    await production.fund(wallet.address, 5n * ONE_SOL, tokens);
    return wallet;
  }
  const clientOf = (wallet: Keypair) => production.clientOf(wallet);
  const above = (triggerPriceUsd: number) =>
    ({
      orderType: 'single',
      triggerCondition: 'above',
      triggerPriceUsd,
      slippageBps: 300,
      expiresAt: new Date(Date.now() + HOUR),
    }) as const;

  it('no user but its own reads the keys, and the API cannot speak to the signer as the keeper', (t) => {
    if (!production.hasUsers) return t.skip('only root can run programs as other users');
    const { signer, canRead } = production;
    for (const user of ['api', 'keeper'] as const) {
      assert.equal(canRead(user, join(signer.folder, 'signer.json')), false, user);
      assert.equal(canRead(user, join(signer.folder, 'signer-state', 'record.jsonl')), false, user);
    }
    assert.equal(canRead('signer', join(signer.folder, 'signer.json')), true);
    assert.deepEqual(
      (['api', 'keeper'] as const).map((user) => [
        canRead(user, signer.socketOf('api1')),
        canRead(user, signer.socketOf('keeper')),
      ]),
      [
        [true, false],
        [false, true],
      ],
    );
  });

  it('is tried with a swap and an order that fills by the example of a rehearsal', async () => {
    const { url, apiKey, rpcUrl } = production;
    const env = { SLIPWAY_URL: url, SLIPWAY_API_KEY: apiKey, SLIPWAY_RPC_URL: rpcUrl };
    const example = fileURLToPath(new URL('../../examples/dist/rehearsal.js', import.meta.url));
    const { code, out, error } = await run(example, [], { env, cwd: tmpdir() });
    assert.equal(code, 0, error);
    assert.match(out, /^Swapped +1 SOL -> [\d.]+ USDC$/m);
    assert.match(out, /^Filled +1 SOL -> [\d.]+ USDC$/m);
  });

  it('has no sandbox: neither its key nor its routes', async () => {
    const asked = await request(`${production.url}/tokens/v2/search?query=SOL`);
    assert.equal(asked.status, 401);
    const info = await request(`${production.url}/sandbox/info`, { headers: { 'x-api-key': production.apiKey } });
    assert.equal(info.status, 404);
  });

  it('a verification is paid for', async () => {
    const payer = await newUser({ [JUP]: 5n * PRICE });
    const tokenId = await newToken({ ...production.copies.api1, rpcUrl: production.rpcUrl });
    const details = { tokenId, twitterHandle: 'https://x.com/example', description: 'A token' };
    const before = await tokensOf(RECEIVER, JUP);
    const done = await clientOf(payer).payVerification({ ...details, receiver: RECEIVER, mint: JUP });
    assert.equal(done.verificationCreated, true);
    assert.equal((await tokensOf(RECEIVER, JUP)) - before, PRICE);
    assert.equal(await tokensOf(payer.address, JUP), 4n * PRICE);
  });

  it('a swap gives what it promised', async () => {
    const trader = await newUser();
    const done = await clientOf(trader).swap({ inputMint: SOL, outputMint: USDC, amount: ONE_SOL });
    assert.equal(await tokensOf(trader.address, USDC), done.outputAmount);
    assert.ok(done.outputAmount >= BigInt(done.order.otherAmountThreshold));
    assert.ok(done.outputAmount > 148n * ONE_USDC);
  });

  it('a limit order is opened and cancelled; the program of the public clusters has keepers of its own', async () => {
    const maker = await newUser({ [JUP]: PRICE });
    const client = clientOf(maker);
    const terms = { inputMint: JUP, outputMint: SOL, makingAmount: 100_000_000n, takingAmount: 10n ** 12n };
    const { order } = await client.createLimitOrder(terms);
    assert.equal(await tokensOf(maker.address, JUP), PRICE - terms.makingAmount);
    await client.cancelLimitOrder(order);
    assert.equal((await client.waitForLimitOrder(order)).status, 'Cancelled');
    assert.equal(await tokensOf(maker.address, JUP), PRICE);
  });

  it('a take profit is filled by the keeper when the price is there, and another one is cancelled with all it held', async () => {
    const trader = await newUser();
    const client = clientOf(trader);
    const session = await client.login();
    const sale = { inputMint: SOL, outputMint: USDC, inputAmount: ONE_SOL };
    const { id } = await client.placePriceOrder(session, { ...sale, ...above(150.3) });
    const other = await client.placePriceOrder(session, { ...sale, ...above(1_000) });
    production.setPrice(SOL, 150.5);
    await client.waitForPriceOrder(session, id, { states: ['filled'] });
    const received = await tokensOf(trader.address, USDC);
    assert.ok(received > 147n * ONE_USDC, `${received}`);
    const before = await lamportsOf(trader.address);
    await client.cancelPriceOrder(session, other.id);
    // The sale, and the rent of the accounts that it lay in, less the fee.
    const back = (await lamportsOf(trader.address)) - before;
    assert.ok(back > ONE_SOL - 100_000n, `${back}`);
    production.setPrice(SOL, 150);
  });

  it('a token is launched, bought, and moved to its pool by the keeper', async () => {
    const creator = await newUser({ [USDC]: 100_000n * ONE_USDC });
    const client = clientOf(creator);
    const nothing = { totalLockedVestingAmount: 0, cliffUnlockAmount: 0, numberOfVestingPeriod: 0 } as const;
    const { mint } = await client.launch({
      buildCurveByMarketCapParam: {
        quoteMint: USDC,
        tokenQuoteDecimal: 6,
        initialMarketCap: 16_000,
        migrationMarketCap: 69_000,
        lockedVestingParam: { ...nothing, totalVestingDuration: 0, cliffDurationFromMigrationTime: 0 },
      },
      antiSniping: false,
      fee: { feeBps: 100 },
      isLpLocked: true,
      tokenName: 'Example',
      tokenSymbol: 'EXMPL',
      description: 'Launched in production',
      image: { contentType: 'image/png', bytes: PICTURE },
      content: 'What the token is for',
    });
    for (const amount of [100n * ONE_USDC, 60_000n * ONE_USDC]) {
      const before = await tokensOf(creator.address, mint as Address);
      const bought = await client.swap({ inputMint: USDC, outputMint: mint, amount });
      assert.equal((await tokensOf(creator.address, mint as Address)) - before, bought.outputAmount);
    }
    await eventually('the launch has moved', async () => (await client.launchAddresses(mint)).dammv2PoolAddress);
    const purchase = { inputMint: USDC, outputMint: mint, amount: 100n * ONE_USDC };
    for (const { url } of [production.copies.api1, production.copies.api2]) {
      const copy = createClient({ url, apiKey: production.apiKey });
      await eventually('the copy knows its pool', () => copy.quote(purchase).catch(() => undefined));
    }
    const before = await tokensOf(creator.address, mint as Address);
    const bought = await client.swap(purchase);
    assert.equal((await tokensOf(creator.address, mint as Address)) - before, bought.outputAmount);
  });

  it('a gift is claimed, and another one taken back', async () => {
    const [giver, receiver] = [await newUser({ [JUP]: 1_000n }), generateKeypair()];
    const client = clientOf(giver);
    const sent = await client.send({ amount: 600n, mint: JUP });
    await clientOf(generateKeypair()).claim({ code: sent.code, receiver: receiver.address });
    assert.equal(await tokensOf(receiver.address, JUP), 600n);
    const other = await client.send({ amount: 400n, mint: JUP });
    assert.equal(await tokensOf(giver.address, JUP), 0n);
    await client.takeBack(other.invite);
    assert.equal(await tokensOf(giver.address, JUP), 400n);
  });

  it('a transaction of one’s own lands', async () => {
    const sender = await newUser();
    const { value } = await rpc<{ value: { blockhash: string } }>(production, 'getLatestBlockhash');
    const to = generateKeypair().address;
    const instructions = [
      setComputeUnitLimit(1_000),
      setComputeUnitPrice(1n),
      systemTransfer({ from: sender.address, to, lamports: 5_000_000n }),
    ];
    const message = compileMessage({ version: 0, feePayer: sender.address, instructions, blockhash: value.blockhash });
    await clientOf(sender).submit(await callbackSigner(sender).signTransaction(unsignedTransaction(message)));
    assert.equal(await lamportsOf(to), 5_000_000n);
    assert.equal(await lamportsOf(sender.address), 5n * ONE_SOL - 5_000_000n - 5_000n - 1n);
  });

  it('attack: a database writer has an order sold at once, or for nothing: it is not filled, and its owner gets all of it back', async () => {
    const victim = await newUser();
    const client = clientOf(victim);
    const session = await client.login();
    const { id } = await client.placePriceOrder(session, {
      inputMint: SOL,
      outputMint: USDC,
      inputAmount: ONE_SOL,
      ...above(1_000),
    });
    const write = 'update orders set trigger_price_usd = 1, slippage_bps = 10000 where id = $1';
    await production.store.single((tx) => tx.query(write, [id]));
    const beside = await newUser();
    const besideClient = clientOf(beside);
    const besideSession = await besideClient.login();
    const honest = await besideClient.placePriceOrder(besideSession, {
      inputMint: SOL,
      outputMint: USDC,
      inputAmount: ONE_SOL,
      ...above(100),
    });
    await besideClient.waitForPriceOrder(besideSession, honest.id, { states: ['filled'] });
    assert.equal(await tokensOf(victim.address, USDC), 0n);
    const before = await lamportsOf(victim.address);
    await client.cancelPriceOrder(session, id);
    assert.ok((await lamportsOf(victim.address)) - before > ONE_SOL - 100_000n);
  });

  it('while the signer is stopped or gone nothing is lost, and everything goes on afterwards', async () => {
    const trader = await newUser();
    const client = clientOf(trader);
    const session = await client.login();
    const { id } = await client.placePriceOrder(session, {
      inputMint: SOL,
      outputMint: USDC,
      inputAmount: ONE_SOL,
      ...above(150.3),
    });
    assert.equal((await production.signer.command('stop', 'fills', '--why', 'a rehearsal')).code, 0);
    production.setPrice(SOL, 150.5);
    await eventually('the keeper has asked', async () =>
      production.copies.keeper.log().includes('a rehearsal') ? true : undefined,
    );
    assert.equal(await tokensOf(trader.address, USDC), 0n);
    await production.signer.kill();
    const deposit = client.placePriceOrder(session, {
      inputMint: SOL,
      outputMint: USDC,
      inputAmount: ONE_SOL,
      ...above(1_000),
    });
    await assert.rejects(deposit, { message: 'What signs for the service cannot be reached at the moment' });
    await production.signer.start();
    assert.equal((await production.signer.command('resume', 'fills')).code, 0);
    await client.waitForPriceOrder(session, id, { states: ['filled'] });
    assert.ok((await tokensOf(trader.address, USDC)) > 147n * ONE_USDC);
    production.setPrice(SOL, 150);
  });

  it('the record of the signer is whole, and says which caller had what signed', async () => {
    const verified = await production.signer.command('audit', 'verify');
    assert.equal(verified.code, 0, verified.error);
    const exported = await production.signer.command('audit', 'export');
    const lines = exported.out
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { entry: { caller: string; signatures?: object } }).entry);
    const signedBy = (caller: string) =>
      lines.filter((line) => line.caller === caller && line.signatures !== undefined).length;
    for (const caller of ['api1', 'api2', 'keeper']) assert.ok(signedBy(caller) > 0, caller);
  });

  it('doctor finds nothing at fault, and no log has a secret', async () => {
    // On a busy machine something may have taken too long.
    let out = '';
    await eventually('doctor finds nothing at fault', async () => {
      const said = await production.command('doctor');
      out = said.out;
      return said.code === 0 || undefined;
    }).catch((error: Error) => assert.fail(`${error.message}: ${out}`));
    assert.match(out, /signer/);
    const logs = [...Object.values(production.copies).map((copy) => copy.log()), production.signer.log()].join('\n');
    for (const secret of ['passphrase of the production', 'admin-token-of-the-production', production.apiKey])
      assert.ok(!logs.includes(secret));
  });
});
