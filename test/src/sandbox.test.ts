import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  BONDING_CURVE_PROGRAM,
  DAMM_V2_PROGRAM,
  decodePool,
  INVITE_PROGRAM,
  LIMIT_ORDER_PROGRAM,
  LOCKER_PROGRAM,
  ORDER_ENGINE_PROGRAM,
  ROUTER_PROGRAM,
  TOKEN_SWAP_PROGRAM,
} from '@slipway/programs';
import {
  type Address,
  associatedTokenAddress,
  decodeTokenAccount,
  generateKeypair,
  isAddress,
  METADATA_PROGRAM,
} from '@slipway/wire';
import { type Answer, request, type Service, startService } from './service.js';
import { balancesOf, craft, execute, type Info, infoOf, JUP, newToken, newWallet, rpc, walletNamed } from './wallet.js';

const JUPUSD = 'JuprjznTrTSp2UFa3ZBUFgwdAmtZCq4MQCwysN55USD';
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';
const U64_MAX = 2n ** 64n - 1n;

let service: Service;
before(async () => {
  service = await startService({ database: 'embedded' });
});
after(() => service?.close());

const post = <T = Record<string, unknown>>(name: string, body: unknown): Promise<Answer<T>> =>
  request<T>(`${service.url}/sandbox/${name}`, { body });

async function expectInvalid(name: string, cases: [unknown, RegExp][]): Promise<void> {
  for (const [body, says] of cases) {
    const { status, body: answer } = await post(name, body);
    assert.equal(status, 400, JSON.stringify(body));
    assert.match(String(answer.error), says, JSON.stringify(body));
  }
}

async function tokensOf(wallet: Address, mint: Address): Promise<bigint> {
  const account = associatedTokenAddress(wallet, mint);
  type Found = { value: { data: [string, string] } | null };
  const { value } = await rpc<Found>(service, 'getAccountInfo', account, { encoding: 'base64' });
  return value ? decodeTokenAccount(Buffer.from(value.data[0], 'base64'))!.amount : 0n;
}

const chainTime = async (): Promise<number> => (await infoOf(service)).unixTimestamp;

/** How far the clock of the chain may have gone by itself, in its whole seconds: as far as ours has since that. */
const secondsSince = (from: number): number => (performance.now() - from) / 1_000 + 2;

describe('/sandbox/info', () => {
  it('tells all that a developer needs to begin', async () => {
    const { body } = await request<Info & Record<string, unknown>>(`${service.url}/sandbox/info`);
    const { wallets, mints, unixTimestamp, ...rest } = body;
    assert.deepEqual(rest, {
      rpcUrl: service.rpcUrl,
      wsUrl: service.wsUrl,
      apiKey: 'sandbox',
      platformToken: JUP,
      platformStable: JUPUSD,
      programs: [
        { name: 'pool', address: TOKEN_SWAP_PROGRAM, standIn: false },
        { name: 'router', address: ROUTER_PROGRAM, standIn: false },
        { name: 'order-engine', address: ORDER_ENGINE_PROGRAM, standIn: false },
        { name: 'limit-order', address: LIMIT_ORDER_PROGRAM, standIn: false },
        { name: 'invite-escrow', address: INVITE_PROGRAM, standIn: false },
        { name: 'bonding-curve', address: BONDING_CURVE_PROGRAM, standIn: true },
        { name: 'damm-v2', address: DAMM_V2_PROGRAM, standIn: true },
        { name: 'locker', address: LOCKER_PROGRAM, standIn: true },
        { name: 'token-metadata', address: METADATA_PROGRAM, standIn: true },
      ],
      gameEventIds: ['SIM-1', 'SIM-2', 'SIM-3', 'SIM-4', 'SIM-5'],
    });
    assert.ok(Math.abs(unixTimestamp - Date.now() / 1000) < 600);
    assert.deepEqual(
      mints.map(({ symbol, mint, decimals }) => [symbol, mint, decimals]).sort(),
      [
        ['JUP', JUP, 6],
        ['JUPUSD', JUPUSD, 6],
        ['SOL', WRAPPED_SOL, 9],
        ['USDC', USDC, 6],
      ].sort(),
    );
    for (const { usdPrice } of mints) assert.ok(usdPrice! > 0);
    assert.ok(wallets.length >= 3);
    for (const { name, address } of wallets) {
      assert.ok(isAddress(address));
      assert.equal((await walletNamed(service, name)).address, address);
    }
  });

  it('tells of mints that are on the chain, and of wallets with at least 1,000 SOL and 100,000 of each token', async () => {
    const { wallets, mints } = await infoOf(service);
    for (const { mint, decimals } of mints) {
      const { value } = await rpc<{ value: { decimals: number } }>(service, 'getTokenSupply', mint).catch(() => ({
        value: { decimals: 9 },
      }));
      assert.equal(value.decimals, decimals, mint);
    }
    for (const { address } of wallets) {
      assert.ok((await balancesOf(service, address)).lamports >= 1_000n * 10n ** 9n);
      for (const mint of [JUP, JUPUSD, USDC]) {
        assert.ok((await tokensOf(address, mint as Address)) >= 100_000n * 10n ** 6n, mint);
      }
    }
  });
});

describe('/sandbox/airdrop', () => {
  it('gives SOL, by name of its mint or without one, by a transaction that is confirmed', async () => {
    const { address } = generateKeypair();
    for (const mint of [undefined, WRAPPED_SOL]) {
      const { status, body } = await post('airdrop', { wallet: address, mint, amount: '1500000000' });
      assert.equal(status, 200);
      const { value } = await rpc<{ value: ({ confirmationStatus: string; err: unknown } | null)[] }>(
        service,
        'getSignatureStatuses',
        [body.signature],
      );
      assert.equal(value[0]?.err, null);
      assert.notEqual(value[0]?.confirmationStatus, 'processed');
    }
    assert.equal((await balancesOf(service, address)).lamports, 3_000_000_000n);
  });

  it('gives tokens of every mint of the chain, to the unit', async () => {
    const { address } = generateKeypair();
    const own = await newToken(service);
    for (const mint of [JUP, JUPUSD, USDC, own]) {
      assert.equal((await post('airdrop', { wallet: address, mint, amount: '7' })).status, 200);
      assert.equal((await post('airdrop', { wallet: address, mint, amount: '1000000000001' })).status, 200);
      assert.equal(await tokensOf(address, mint as Address), 1_000_000_000_008n);
    }
  });

  it('adds up when many ask at once', async () => {
    const { address } = generateKeypair();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        post('airdrop', { wallet: address, amount: '1000000000', ...(index % 2 && { mint: JUP }) }),
      ),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal(new Set(answers.map(({ body }) => body.signature)).size, 40);
    assert.deepEqual(await balancesOf(service, address), { lamports: 20_000_000_000n, jup: 20_000_000_000n });
  });

  it('refuses what cannot be given, by the name of the field, and gives nothing', async () => {
    const { address: wallet } = generateKeypair();
    const old = await balancesOf(service, wallet);
    const amounts = [
      '',
      '0',
      '-5',
      '1e3',
      '01',
      '1.0',
      ' 1',
      '1 ',
      '٣',
      '0x10',
      '18446744073709551616',
      '9'.repeat(400),
    ];
    await expectInvalid('airdrop', [
      ...amounts.map((amount): [unknown, RegExp] => [{ wallet, amount }, /^amount: /]),
      [{ wallet, amount: 5 }, /^amount: expected the amount as a decimal string/],
      [{ wallet, amount: null }, /^amount: /],
      [{ wallet }, /^amount: required/],
      [{ amount: '1' }, /^wallet: required/],
      [{ wallet: '', amount: '1' }, /^wallet: /],
      [{ wallet: `${wallet}11`, amount: '1' }, /^wallet: /],
      [{ wallet: '0x52908400098527886E0F7030069857D2E4169EE7', amount: '1' }, /^wallet: /],
      [{ wallet, mint: 'JUP', amount: '1' }, /^mint: /],
      [{ wallet, amount: '9007199254740992' }, /^amount: at most/],
      [{ wallet, mint: JUP, amount: U64_MAX.toString() }, /refused/],
      [{ wallet, amount: '1' }, /rent/],
      [[], /^body: /],
    ]);
    const { status } = await post('airdrop', { wallet, mint: generateKeypair().address, amount: '1' });
    assert.equal(status, 404);
    assert.deepEqual(await balancesOf(service, wallet), old);
  });
});

describe('/sandbox/prices', () => {
  const usdOf = async (mint: string) => (await infoOf(service)).mints.find((each) => each.mint === mint)?.usdPrice;

  it('moves the price that crafting reckons with', async () => {
    const alice = await walletNamed(service, 'alice');
    for (const usd of [0.001, 12.5, 1e-9]) {
      assert.deepEqual(await post('prices', { mint: JUP, usd }).then(({ status, body }) => ({ status, body })), {
        status: 200,
        body: { mint: JUP, usd },
      });
      assert.equal(await usdOf(JUP), usd);
      assert.equal((await craft(service, alice.address)).tokenUsdRate, usd);
    }
    await post('prices', { mint: WRAPPED_SOL, usd: 200 });
    const { feeUsdAmount, feeLamports } = await craft(service, alice.address);
    assert.equal(feeUsdAmount, (feeLamports / 1e9) * 200);
  });

  it('moves the pools of the mint, too', async () => {
    type Rows = { pubkey: Address; account: { data: [string] } }[];
    const rows = await rpc<Rows>(service, 'getProgramAccounts', TOKEN_SWAP_PROGRAM, { encoding: 'base64' });
    const pools = rows.map(({ account }) => decodePool(Buffer.from(account.data[0], 'base64'))!);
    const between = pools.filter(({ mintA, mintB }) => mintA === WRAPPED_SOL && mintB === USDC);
    assert.equal(between.length, 1);
    type Balance = { value: { uiAmountString: string } };
    const held = async (vault: Address) =>
      Number((await rpc<Balance>(service, 'getTokenAccountBalance', vault)).value.uiAmountString);
    for (const usd of [400, 150]) {
      assert.equal((await post('prices', { mint: WRAPPED_SOL, usd })).status, 200);
      const price = (await held(between[0]!.vaultB)) / (await held(between[0]!.vaultA));
      assert.ok(Math.abs(price / usd - 1) <= 0.0026, `${price} instead of ${usd}`);
    }
    const { status, body } = await post('prices', { mint: WRAPPED_SOL, usd: 1e-12 });
    assert.equal(status, 400);
    assert.match(String(body.error), /^usd: .* is possible$/);
  });

  it('refuses what is no price, and a mint that has none', async () => {
    const before = await usdOf(JUP);
    const bad = [0, -0, -1, -1e-9, '1', '', null, true, [1], {}, 1e16, 1e300];
    await expectInvalid('prices', [
      ...bad.map((usd): [unknown, RegExp] => [{ mint: JUP, usd }, /^usd: /]),
      [{ mint: JUP }, /^usd: required/],
      [{ usd: 1 }, /^mint: required/],
      [{ mint: 'JUP', usd: 1 }, /^mint: /],
    ]);
    for (const raw of [
      `{"mint":"${JUP}","usd":NaN}`,
      `{"mint":"${JUP}","usd":Infinity}`,
      `{"mint":"${JUP}","usd":1e999}`,
    ]) {
      assert.equal((await request(`${service.url}/sandbox/prices`, { raw })).status, 400, raw);
    }
    for (const mint of [generateKeypair().address, await newToken(service)]) {
      const { status, body } = await post('prices', { mint, usd: 1 });
      assert.equal(status, 404);
      assert.match(String(body.error), /^mint: /);
    }
    assert.equal(await usdOf(JUP), before);
  });
});

describe('/sandbox/clock', () => {
  it('moves the chain and the service together, slots with them', async () => {
    const wallet = await newWallet(service);
    const oldSlot = await rpc<number>(service, 'getSlot');
    const oldTime = await chainTime();
    const from = performance.now();
    const { status, body } = await post<{ unixTimestamp: number }>('clock', { seconds: 3_600 });
    assert.equal(status, 200);
    assert.ok(body.unixTimestamp >= oldTime + 3_600);
    assert.ok((await rpc<number>(service, 'getSlot')) >= oldSlot + 8_000);
    const now = await chainTime();
    assert.ok(now >= body.unixTimestamp && now <= body.unixTimestamp + secondsSince(from));
    const slot = await rpc<number>(service, 'getSlot');
    const blockTime = await rpc<number>(service, 'getBlockTime', slot);
    assert.ok(blockTime >= now - 5 && blockTime <= (await chainTime()) + 5, `${blockTime}, ${now}`);

    // The service's own time is in the life of what it crafts.
    const expireAt = Date.parse((await craft(service, wallet.address)).expireAt!) / 1000;
    assert.ok(expireAt > now && expireAt < now + 300);
    const tokenId = await newToken(service);
    const paid = await execute(service, await craft(service, wallet.address), wallet, { tokenId });
    assert.equal(paid.body.status, 'Success');
  });

  it('lets blockhashes expire', async () => {
    type Latest = { value: { blockhash: string; lastValidBlockHeight: number } };
    const { value } = await rpc<Latest>(service, 'getLatestBlockhash');
    const isValid = async () => (await rpc<{ value: boolean }>(service, 'isBlockhashValid', value.blockhash)).value;
    assert.equal(await isValid(), true);
    await post('clock', { seconds: 120 });
    assert.equal(await isValid(), false);
    assert.ok((await rpc<number>(service, 'getBlockHeight')) > value.lastValidBlockHeight);
  });

  it('takes parts of a second, and never goes back', async () => {
    const times = [await chainTime()];
    for (const seconds of [0.5, 1, 0.001, 86_400 * 365]) {
      times.push((await post<{ unixTimestamp: number }>('clock', { seconds })).body.unixTimestamp);
    }
    times.push(await chainTime());
    assert.deepEqual(
      times,
      [...times].sort((a, b) => a - b),
    );
    assert.ok(times.at(-1)! >= times[0]! + 86_400 * 365);
  });

  it('refuses what is no way forward', async () => {
    const from = performance.now();
    const before = await chainTime();
    const bad = [0, -1, -0.001, '60', null, true, [], 315_360_001, 1e300];
    await expectInvalid('clock', [
      ...bad.map((seconds): [unknown, RegExp] => [{ seconds }, /^seconds: /]),
      [{}, /^seconds: required/],
    ]);
    assert.ok((await chainTime()) <= before + secondsSince(from));
  });

  it('keeps its offset over a restart, for the chain and the service alike', async () => {
    const from = performance.now();
    const before = await chainTime();
    await service.kill('SIGKILL');
    service = await startService({ dataDir: service.dataDir });
    const now = await chainTime();
    assert.ok(now >= before && now <= before + secondsSince(from));
    const alice = await walletNamed(service, 'alice');
    const expireAt = Date.parse((await craft(service, alice.address)).expireAt!) / 1000;
    assert.ok(expireAt > now && expireAt < now + 300);
  });
});

it('every route asks for a key', async () => {
  for (const name of ['info', 'airdrop', 'prices', 'clock']) {
    const { status, body } = await request(`${service.url}/sandbox/${name}`, {
      headers: { 'x-api-key': undefined },
      ...(name !== 'info' && { body: {} }),
    });
    assert.equal(status, 401);
    assert.deepEqual(Object.keys(body), ['error']);
  }
});
