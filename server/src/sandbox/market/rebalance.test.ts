import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Localnet, startLocalnet } from '@slipway/localnet';
import { decodePool, type Pool } from '@slipway/programs';
import { type Address, decodeMint, decodeTokenAccount, generateKeypair, sign, WRAPPED_SOL_MINT } from '@slipway/wire';
import fc from 'fast-check';
import { setPrice } from '../../areas/sandbox/set-price.js';
import { type Chain, ChainUnavailable, createChain, createLocalRpc } from '../../chain/index.js';
import { AppError } from '../../errors/index.js';
import { createClock, steadyNow } from '../../lib/clock.js';
import { createSandboxPrices, type SandboxPrices } from '../../prices/index.js';
import type { Store } from '../../store/sql.js';
import { openTestStore } from '../../store/testing.js';
import { type ChainInfo, chainInfo } from '../chain-info.js';
import { createPriceMover, type PriceMover } from './move-price.js';

let localnet: Localnet;
let chain: Chain;
let store: Store;
let closeStore: () => Promise<void>;
let info: ChainInfo;
let stored: SandboxPrices;
let movePrice: PriceMover;
let usdc: Address;
let platform: Address;
let stable: Address;
const trader = generateKeypair();

before(async () => {
  localnet = await startLocalnet({ rpcPort: 0, inWorker: false });
  const rpc = createLocalRpc((method, params) => localnet.call(method, params));
  chain = createChain({ rpc, steadyNow, fees: { percentile: 75, maxMicroLamports: 1_000n } });
  ({ store, close: closeStore } = await openTestStore());
  info = await chainInfo(chain);
  [, usdc, platform, stable] = info.mints.map(({ mint }) => mint) as [Address, Address, Address, Address];
  stored = await newPrices();
  movePrice = createPriceMover({ ...moverDeps(), stored });
});
after(async () => {
  await stored?.close();
  await closeStore?.();
  await localnet?.close();
});

function newPrices(): Promise<SandboxPrices> {
  const defaults = new Map(info.mints.map(({ mint, usd }) => [mint, usd]));
  return createSandboxPrices({ store, clock: createClock(), defaults });
}

function moverDeps() {
  const signer = { address: trader.address, sign: async (message: Uint8Array) => sign(trader, message) };
  return { chain, store, steadyNow, trader: signer };
}

interface PoolNow {
  address: Address;
  state: Pool;
  /** USD that each side is worth at the stored prices. */
  ratio: number;
  fee: number;
}

async function poolsNow(prices = stored): Promise<PoolNow[]> {
  return Promise.all(
    info.pools.map(async (address) => {
      const state = decodePool((await chain.account(address))!.data)!;
      const worth = async (vault: Address, mint: Address) => {
        const { decimals } = info.mints.find((token) => token.mint === mint)!;
        const { amount } = decodeTokenAccount((await chain.account(vault))!.data)!;
        return (Number(amount) / 10 ** decimals) * prices.usd(mint)!;
      };
      const [a, b] = [await worth(state.vaultA, state.mintA), await worth(state.vaultB, state.mintB)];
      const { trade, ownerTrade } = state.fees;
      return { address, state, ratio: a / b, fee: Number(trade.numerator + ownerTrade.numerator) / 10_000 };
    }),
  );
}

async function assertPoolsFollow(prices = stored): Promise<void> {
  for (const { address, ratio, fee } of await poolsNow(prices)) {
    assert.ok(ratio >= 1 - fee - 1e-9 && ratio <= 1 / (1 - fee) + 1e-9, `${address}: ${ratio}, fee ${fee}`);
  }
}

type TokenRow = { account: { data: [string] } };

async function assertSuppliesAddUp(): Promise<void> {
  for (const mint of [usdc, platform, stable]) {
    const filters = [{ dataSize: 165 }, { memcmp: { offset: 0, bytes: mint } }];
    const program = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
    const rows = await chain.rpc.call<TokenRow[]>('getProgramAccounts', [program, { encoding: 'base64', filters }]);
    const held = rows.map(({ account }) => decodeTokenAccount(Buffer.from(account.data[0], 'base64'))!.amount);
    const { supply } = decodeMint((await chain.account(mint))!.data)!;
    assert.equal(
      supply,
      held.reduce((sum, amount) => sum + amount, 0n),
    );
  }
}

async function walletsNow(): Promise<unknown> {
  const rows = await Promise.all(
    info.wallets.map(async ({ address }) => [
      await chain.rpc.call('getBalance', [address]).then((answer) => (answer as { value: number }).value),
      await chain.rpc
        .call('getTokenAccountsByOwner', [
          address,
          { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' },
          { encoding: 'base64' },
        ])
        .then((answer) => (answer as { value: unknown }).value),
    ]),
  );
  return rows;
}

const reservesOf = (pools: PoolNow[]) =>
  Promise.all(pools.map(async ({ state }) => Buffer.from((await chain.account(state.vaultA))!.data).toString('hex')));

test('the pools of a new chain stand at the first prices', async () => {
  assert.equal(info.pools.length, 6);
  await assertPoolsFollow();
});

test('every pool of a mint follows its price, up and down a million times, and nothing else moves', async () => {
  const wallets = await walletsNow();
  for (const [mint, usd] of [
    [WRAPPED_SOL_MINT, 150],
    [platform, 0.42],
    [usdc, 1],
    [stable, 1],
  ] as const) {
    for (const factor of [1.001, 0.9, 3, 1e6, 1e-6, 1]) {
      const others = new Map(info.mints.map((token) => [token.mint, stored.usd(token.mint)]));
      const strangers = (await poolsNow()).filter(({ state }) => state.mintA !== mint && state.mintB !== mint);
      const before = await reservesOf(strangers);
      await movePrice(mint, usd * factor);
      await assertPoolsFollow();
      assert.deepEqual(await reservesOf(strangers), before);
      others.set(mint, usd * factor);
      assert.deepEqual(new Map(info.mints.map((token) => [token.mint, stored.usd(token.mint)])), others);
    }
  }
  assert.deepEqual(await walletsNow(), wallets);
  await assertSuppliesAddUp();
});

test('twenty moves in a row, of any mint to any price, end where they should', async () => {
  const moves = fc.array(fc.record({ token: fc.nat(3), exponent: fc.double({ min: -3, max: 3, noNaN: true }) }), {
    minLength: 20,
    maxLength: 20,
  });
  await fc.assert(
    fc.asyncProperty(moves, async (steps) => {
      for (const { token, exponent } of steps) {
        const { mint, usd } = info.mints[token]!;
        await movePrice(mint, usd * 10 ** exponent);
        await assertPoolsFollow();
      }
      for (const { mint, usd } of info.mints) await movePrice(mint, usd);
    }),
    { numRuns: 1 },
  );
  await assertSuppliesAddUp();
});

test('two moves at once, of two copies of the service, both arrive', async () => {
  const theirs = await newPrices();
  const other = createPriceMover({ ...moverDeps(), stored: theirs });
  for (let round = 1; round <= 5; round++) {
    await Promise.all([
      movePrice(WRAPPED_SOL_MINT, 150 * round),
      other(platform, 0.42 / round),
      other(WRAPPED_SOL_MINT, 140 * round),
      movePrice(usdc, 1 + round / 10),
    ]);
    const last = await newPrices();
    await assertPoolsFollow(last);
    assert.equal(last.usd(platform), 0.42 / round);
    assert.equal(last.usd(usdc), 1 + round / 10);
    await last.close();
  }
  await theirs.close();
});

test('a price that the pools cannot be moved to is refused with the range that they can, and nothing moves', async () => {
  const pools = await poolsNow();
  const [before, price] = [await reservesOf(pools), stored.usd(platform)!];
  let range: number[] = [];
  for (const usd of [1e15, 1e-14]) {
    await assert.rejects(movePrice(platform, usd), (error) => {
      assert.ok(error instanceof AppError && error.code === 'INVALID_REQUEST');
      const found = /^usd: .* from (\S+) to (\S+) USD is possible$/.exec(error.message);
      assert.ok(found, error.message);
      range = [Number(found[1]), Number(found[2])];
      return true;
    });
  }
  assert.deepEqual(await reservesOf(pools), before);
  assert.equal(stored.usd(platform), price);
  for (const usd of range) {
    await movePrice(platform, usd);
    await assertPoolsFollow();
  }
  await movePrice(platform, 0.42);
});

test('in a fork the pools of the upstream stay, and the answer says so', async (t) => {
  const fork = await startLocalnet({ rpcPort: 0, inWorker: false, forkUrl: localnet.rpcUrl });
  t.after(() => fork.close());
  const rpc = createLocalRpc((method, params) => fork.call(method, params));
  const forked = createChain({ rpc, steadyNow, fees: { percentile: 75, maxMicroLamports: 1_000n } });
  assert.deepEqual((await chainInfo(forked)).pools, [], 'they stand at addresses of the upstream');
  const before = await reservesOf(await poolsNow());
  const move = createPriceMover({ ...moverDeps(), chain: forked, stored });
  const { note, ...answer } = await setPrice({ chain: forked, movePrice: move }, { mint: platform, usd: 9 });
  assert.deepEqual(answer, { mint: platform, usd: 9 });
  assert.match(note ?? '', /do not follow/);
  assert.equal(stored.usd(platform), 9);
  assert.deepEqual(await reservesOf(await poolsNow()), before);
  assert.deepEqual(await setPrice({ chain, movePrice }, { mint: platform, usd: 0.42 }), { mint: platform, usd: 0.42 });
});

test('when a later step fails, the price stays and the pools go back to it', async () => {
  const asked: number[] = [];
  const failing = createPriceMover({
    ...moverDeps(),
    stored,
    quoteAt: async (_mint, usd) => {
      asked.push(usd);
      if (usd === 7) throw new Error('the maker is away');
    },
  });
  await assert.rejects(failing(platform, 7), /the maker is away/);
  assert.equal(stored.usd(platform), 0.42);
  assert.deepEqual(asked, [7, 0.42]);
  await assertPoolsFollow();
  await failing(platform, 0.5);
  assert.deepEqual(asked, [7, 0.42, 0.5]);
  await assertPoolsFollow();
});

test('a chain that is away while the trades are being paid for is an answer, and does not end the process', async () => {
  const away = new ChainUnavailable('the chain is away');
  let isAway = false;
  const call: typeof chain.rpc.call = async (method, params) => {
    isAway ||= method === 'localnet_airdropToken';
    if (isAway) throw away;
    return chain.rpc.call(method, params);
  };
  // Whatever is still read when the first call has failed is answered later.
  const account: typeof chain.account = async (address) => {
    const found = await chain.account(address);
    await sleep(5);
    return found;
  };
  const newcomer = generateKeypair();
  const trader = { address: newcomer.address, sign: async (message: Uint8Array) => sign(newcomer, message) };
  const moving = createPriceMover({
    ...moverDeps(),
    chain: { ...chain, account, rpc: { ...chain.rpc, call } },
    trader,
    stored,
  });
  await assert.rejects(moving(platform, 7), away);
  assert.equal(stored.usd(platform), 0.5);
  await assertPoolsFollow();
});
