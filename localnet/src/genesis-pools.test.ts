import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import {
  BONDING_CURVE_PROGRAM,
  DAMM_V2_PROGRAM,
  decodePool,
  INITIAL_POOL_TOKENS,
  INVITE_PROGRAM,
  LIMIT_ORDER_PROGRAM,
  LOCKER_PROGRAM,
  ORDER_ENGINE_PROGRAM,
  type Pool,
  type PoolAccounts,
  poolAuthority,
  poolSwap,
  poolWithdraw,
  ROUTER_PROGRAM,
  readProgram,
  TOKEN_SWAP_PROGRAM,
} from '@slipway/programs';
import {
  type Address,
  associatedTokenAddress,
  createAssociatedTokenIdempotent,
  decodeMint,
  decodeTokenAccount,
  encodeMint,
  generateKeypair,
  type Keypair,
  METADATA_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { Chain } from './chain.js';
import { execute, openTestChain, programCode, SOL, tempFolder } from './chain-testing.js';
import { DataFolder } from './data-folder.js';
import { sandboxKeypair } from './genesis.js';
import type { Account, GenesisToken } from './types.js';
import { programDataAddress } from './vm.js';

async function tokensIn(chain: Chain, account: Address): Promise<bigint> {
  return decodeTokenAccount((await chain.account(account))!.data)!.amount;
}

async function poolsOf(chain: Chain): Promise<{ pool: PoolAccounts; state: Pool }[]> {
  return Promise.all(
    chain.genesis.pools.map(async (address) => {
      const account = await chain.account(address);
      assert.equal(account?.owner, TOKEN_SWAP_PROGRAM);
      const state = decodePool(account.data)!;
      const authority = poolAuthority(address).address;
      const pool = { ...state, pool: address, authority, programA: TOKEN_PROGRAM, programB: TOKEN_PROGRAM };
      return { pool, state };
    }),
  );
}

/** Every mint's supply is the sum of what is held of it; of wrapped SOL, what is held lies there in lamports. */
async function assertSuppliesAddUp(chain: Chain): Promise<void> {
  const poolMints = (await poolsOf(chain)).map(({ state }) => state.poolMint);
  for (const mint of [...chain.genesis.mints.map((token) => token.mint), ...poolMints]) {
    const held = (await chain.tokenAccountsByMint(mint)).map(({ account }) => decodeTokenAccount(account.data)!.amount);
    const { supply } = decodeMint((await chain.account(mint))!.data)!;
    assert.equal(
      supply,
      held.reduce((sum, amount) => sum + amount, 0n),
      mint,
    );
  }
  for (const { account } of await chain.tokenAccountsByMint(WRAPPED_SOL_MINT)) {
    const { amount, rentExemptReserve } = decodeTokenAccount(account.data)!;
    assert.equal(account.lamports, amount + rentExemptReserve!);
  }
}

/** Opens the wallet's accounts for both sides and the pool's tokens, and gives it some of each side. */
async function fund(chain: Chain, wallet: Keypair, { mintA, mintB, poolMint }: Pool): Promise<void> {
  for (const mint of [mintA, mintB]) await chain.airdropToken(wallet.address, mint, 10n ** 12n);
  const owner = wallet.address;
  await execute(chain, [wallet], createAssociatedTokenIdempotent({ payer: owner, owner, mint: poolMint }));
}

test('every pool of a new chain trades both ways near the first prices, and pays out its pool tokens', async (t) => {
  const test = await openTestChain(t);
  const { chain, alice } = test;
  const faucet = sandboxKeypair('faucet');
  const facts = new Map([
    [WRAPPED_SOL_MINT, { usd: 150, decimals: 9 }],
    ...chain.genesis.mints.map(({ mint, usd, decimals }) => [mint, { usd, decimals }] as const),
  ]);
  const worth = (mint: Address, amount: bigint) => {
    const { usd, decimals } = facts.get(mint)!;
    return (Number(amount) / 10 ** decimals) * usd;
  };
  assert.equal(chain.genesis.pools.length, 6);
  await assertSuppliesAddUp(chain);
  for (const { pool, state } of await poolsOf(chain)) {
    const { mintA, mintB } = state;
    const { trade, ownerTrade } = state.fees;
    const fee = Number(trade.numerator + ownerTrade.numerator) / 10_000;
    await fund(chain, alice, state);
    const accountA = associatedTokenAddress(alice.address, mintA);
    const accountB = associatedTokenAddress(alice.address, mintB);
    for (const aToB of [true, false]) {
      const [source, destination] = aToB ? [accountA, accountB] : [accountB, accountA];
      const [from, to] = aToB ? [mintA, mintB] : [mintB, mintA];
      const before = await tokensIn(chain, destination);
      const amountIn = 1_000_000n;
      await execute(
        chain,
        [alice],
        poolSwap({
          accounts: pool,
          aToB,
          authority: alice.address,
          source,
          destination,
          amountIn,
          minimumAmountOut: 1n,
        }),
      );
      const received = worth(to, (await tokensIn(chain, destination)) - before);
      const expected = worth(from, amountIn) * (1 - fee);
      assert.ok(Math.abs(received / expected - 1) < 0.0005, `${pool.pool}: ${received} USD instead of ${expected}`);
    }
    // The faucet's wallet has the pool tokens, which are worth all of the pool.
    await fund(chain, faucet, state);
    const poolTokens = associatedTokenAddress(faucet.address, state.poolMint);
    const withdrawal = {
      accounts: pool,
      authority: faucet.address,
      poolTokens,
      poolTokenAmount: INITIAL_POOL_TOKENS / 2n,
      limitA: 1n,
      limitB: 1n,
      accountA: associatedTokenAddress(faucet.address, mintA),
      accountB: associatedTokenAddress(faucet.address, mintB),
    };
    const vault = await tokensIn(chain, pool.vaultA);
    await execute(chain, [faucet], poolWithdraw(withdrawal));
    assert.ok(Math.abs(Number(await tokensIn(chain, pool.vaultA)) / Number(vault) - 0.5) < 0.001);
    test.passSlots(1);
  }
  await assertSuppliesAddUp(chain);
});

test('SOL and USDC have two pools of different terms, SOL and the stable none together', async (t) => {
  const { chain, usdc } = await openTestChain(t);
  const stable = chain.genesis.mints[2]!.mint;
  const pools = await poolsOf(chain);
  const between = (one: Address, other: Address) =>
    pools.filter(({ state }) => [one, other].every((mint) => mint === state.mintA || mint === state.mintB));
  const [first, second, ...others] = between(WRAPPED_SOL_MINT, usdc);
  assert.deepEqual(others, []);
  assert.notDeepEqual(first!.state.fees, second!.state.fees);
  assert.deepEqual(between(WRAPPED_SOL_MINT, stable), []);
  assert.ok(between(usdc, stable).length > 0 && between(usdc, chain.genesis.mints[1]!.mint).length > 0);
});

test('the pools follow the configured tokens, their decimals and their prices, as far as there are any', async (t) => {
  const token = (symbol: string, decimals: number, usd?: number): GenesisToken => ({
    symbol,
    mint: generateKeypair().address,
    decimals,
    ...(usd !== undefined && { usd }),
  });
  const [dollar, dear, tiny] = [token('USD', 6), token('DEAR', 0, 97_000.5), token('TINY', 9, 0.000_1)];
  const cases: [GenesisToken[], number][] = [
    [[], 0],
    [[dollar], 2],
    [[dollar, tiny], 4],
    [[dollar, tiny, token('STABLE', 9)], 6],
    // A million of it for each wallet would be more than a mint can have; and beside it a dollar has too few units.
    [[dollar, tiny, token('FINE', 18)], 5],
    // 15 whole coins are no side of a pool.
    [[dollar, dear], 2],
  ];
  for (const [tokens, count] of cases) {
    const chain = await Chain.open({ tickMs: 0, genesis: { tokens } });
    t.after(() => chain.close());
    assert.equal(chain.genesis.pools.length, count);
    await assertSuppliesAddUp(chain);
    const usd = new Map(chain.genesis.mints.map(({ mint, usd, decimals }) => [mint, usd / 10 ** decimals]));
    usd.set(WRAPPED_SOL_MINT, 150 / 1e9);
    for (const { state } of await poolsOf(chain)) {
      const [a, b] = [await tokensIn(chain, state.vaultA), await tokensIn(chain, state.vaultB)];
      const ratio = (Number(a) * usd.get(state.mintA)!) / (Number(b) * usd.get(state.mintB)!);
      assert.ok(Math.abs(ratio - 1) < 0.0005, `${tokens.map(({ symbol }) => symbol)}: ${ratio}`);
    }
  }
});

test('a data folder of before there were pools and programs gets them; what is there is left alone', async (t) => {
  const dataDir = tempFolder(t);
  const first = await openTestChain(t, { dataDir });
  const pools = await poolsOf(first.chain);
  const faucet = first.chain.faucet;
  const [kept] = pools;
  await first.chain.close();
  const { folder, loaded } = DataFolder.open(dataDir);
  const accounts = new Map(loaded!.accounts);
  for (const { pool, state } of pools) {
    const { poolMint, feeAccount, vaultA, vaultB, mintA, mintB } = state;
    const lpTokens = associatedTokenAddress(faucet, poolMint);
    const vaults = [
      [mintA, vaultA],
      [mintB, vaultB],
    ] as const;
    for (const [mint, vault] of vaults) {
      const { data, ...rest } = accounts.get(mint)!;
      const facts = decodeMint(data)!;
      const held = mint === WRAPPED_SOL_MINT ? 0n : decodeTokenAccount(accounts.get(vault)!.data)!.amount;
      accounts.set(mint, { ...rest, data: encodeMint({ ...facts, supply: facts.supply - held }) });
    }
    for (const address of [pool.pool, poolMint, feeAccount, vaultA, vaultB, lpTokens]) accounts.delete(address);
  }
  const inTheWay: Account = { lamports: SOL, owner: SYSTEM_PROGRAM, executable: false, data: new Uint8Array() };
  accounts.set(kept!.state.feeAccount, inTheWay);
  for (const { address } of first.chain.genesis.programs) accounts.delete(address);
  const tokens = loaded!.state.tokens.map(({ usd, ...token }) => token);
  folder.compact({ state: { ...loaded!.state, tokens, programs: {} }, accounts, deleted: [] });
  folder.abandon();

  const { chain } = await openTestChain(t, { dataDir, now: () => first.time.now });
  assert.deepEqual(
    chain.genesis.pools,
    first.chain.genesis.pools.filter((pool) => pool !== kept!.pool.pool),
  );
  assert.equal((await chain.account(kept!.state.feeAccount))?.owner, SYSTEM_PROGRAM);
  assert.equal(await chain.account(kept!.pool.pool), undefined, 'no pool without all of its accounts');
  for (const { address } of chain.genesis.programs) assert.ok((await chain.account(address))?.executable);
  assert.deepEqual(
    chain.genesis.mints.map(({ usd }) => usd),
    [1, 0.42, 1],
  );
  await assertSuppliesAddUp(chain);
});

test("our programs are on every chain under their names, and an operator's file of the same address wins", async (t) => {
  const ours = [
    { name: 'pool', address: TOKEN_SWAP_PROGRAM },
    { name: 'router', address: ROUTER_PROGRAM },
    { name: 'order-engine', address: ORDER_ENGINE_PROGRAM },
    { name: 'limit-order', address: LIMIT_ORDER_PROGRAM },
    { name: 'invite-escrow', address: INVITE_PROGRAM },
    { name: 'bonding-curve', address: BONDING_CURVE_PROGRAM, standIn: true },
    { name: 'damm-v2', address: DAMM_V2_PROGRAM, standIn: true },
    { name: 'locker', address: LOCKER_PROGRAM, standIn: true },
    { name: 'token-metadata', address: METADATA_PROGRAM, standIn: true },
  ] as const;
  const [dataDir, programsDir] = [tempFolder(t), tempFolder(t)];
  const codeOf = async (chain: Chain, program: Address) => {
    const account = await chain.account(program);
    assert.ok(account?.executable);
    const code = await chain.account(programDataAddress(account));
    return Buffer.from(code!.data.subarray(45));
  };
  const file = join(programsDir, `${ROUTER_PROGRAM}.so`);
  writeFileSync(file, programCode());
  for (const own of [true, false, true]) {
    const { chain } = await openTestChain(t, own ? { dataDir } : { dataDir, programsDir });
    assert.deepEqual(chain.genesis.programs, ours);
    for (const { name, address } of ours) {
      const expected = name === 'router' && !own ? programCode() : readProgram(name);
      assert.ok((await codeOf(chain, address)).equals(expected), `${name}, own: ${own}`);
    }
    await chain.close();
  }
});

test('a stand-in is never where the program is that it stands in for, also not after that one was brought once', async (t) => {
  const [dataDir, programsDir] = [tempFolder(t), tempFolder(t)];
  writeFileSync(join(programsDir, `${METADATA_PROGRAM}.so`), programCode());
  const standIns = async (options: { dataDir: string; programsDir?: string }) => {
    const { chain } = await openTestChain(t, options);
    const found = chain.genesis.programs.filter(({ standIn }) => standIn).map(({ name }) => name);
    const account = await chain.account(METADATA_PROGRAM);
    const code = (await chain.account(programDataAddress(account!)))!.data.subarray(45);
    await chain.close();
    return [...found, Buffer.from(code).equals(readProgram('token-metadata'))];
  };
  assert.deepEqual(await standIns({ dataDir }), ['bonding-curve', 'damm-v2', 'locker', 'token-metadata', true]);
  assert.deepEqual(await standIns({ dataDir, programsDir }), ['bonding-curve', 'damm-v2', 'locker', false]);
  assert.deepEqual(await standIns({ dataDir }), ['bonding-curve', 'damm-v2', 'locker', false]);
});
