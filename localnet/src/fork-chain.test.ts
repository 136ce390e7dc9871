import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { decodePool, ROUTER_PROGRAM, TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import {
  ADDRESS_LOOKUP_TABLE_PROGRAM,
  type Address,
  associatedTokenAddress,
  CLOCK_SYSVAR,
  decodeMint,
  decodeTokenAccount,
  generateKeypair,
  keypairFromSecret,
  SYSTEM_PROGRAM,
  systemTransfer,
  TOKEN_PROGRAM,
  tokenTransferChecked,
} from '@slipway/wire';
import { type Chain, ChainError } from './chain.js';
import {
  accountOf,
  DECIMALS,
  deployTokenProgram,
  execute,
  JUP,
  lookupTableOf,
  MINT_SUPPLY,
  mintOf,
  randomAddress,
  SOL,
  startUpstream,
  tokens,
  tokensOf,
  USDC,
} from './fork-testing.js';
import { type Loose, startTestNet, type TestNet } from './testing.js';
import type { Account } from './types.js';

test('a fork reads accounts of the upstream, with its slot and time', async (t) => {
  const { upstream, openFork, holder, mint, holderTokens } = await startUpstream(t);
  const fork = await openFork();
  const addresses = [holder.address, mint, holderTokens, randomAddress()];
  assert.deepEqual(await fork.accounts(addresses), await upstream.accounts(addresses));
  assert.ok(fork.slot >= upstream.slot, `${fork.slot} is not before ${upstream.slot}`);
  assert.ok(fork.unixTimestamp >= upstream.unixTimestamp - 1n);
  assert.equal(fork.genesisHash, upstream.genesisHash);
  fork.advanceClock(1_000);
  const clock = await fork.account(CLOCK_SYSVAR);
  assert.equal(Buffer.from(clock!.data).readBigUInt64LE(0), fork.slot, 'sysvars are those of the fork');
});

test('transactions change accounts of the upstream in the fork only', async (t) => {
  const { upstream, openFork, holder, mint, holderTokens, otherTokens } = await startUpstream(t);
  const fork = await openFork();
  const addresses = [holder.address, mint, holderTokens, otherTokens];
  const before = await upstream.accounts(addresses);
  const newcomer = randomAddress();
  await execute(fork, holder, [
    systemTransfer({ from: holder.address, to: newcomer, lamports: SOL }),
    tokenTransferChecked({
      source: holderTokens,
      mint,
      destination: otherTokens,
      authority: holder.address,
      amount: 1_500n,
      decimals: DECIMALS,
    }),
  ]);
  assert.equal((await fork.account(newcomer))?.lamports, SOL);
  assert.equal((await fork.account(holder.address))?.lamports, 9n * SOL - 5_000n);
  assert.equal(await tokens(fork, holderTokens), 2_500n);
  assert.equal(await tokens(fork, otherTokens), 2_500n);
  assert.deepEqual(await upstream.accounts(addresses), before);
  assert.equal(await upstream.account(newcomer), undefined);
});

test('an upgradeable program of the upstream runs in the fork', async (t) => {
  const { upstream, openFork, holder } = await startUpstream(t);
  const program = await deployTokenProgram(upstream);
  const [mint, source, destination] = [randomAddress(), randomAddress(), randomAddress()];
  await upstream.setAccount(mint, accountOf(program, mintOf(holder.address, 10n)));
  await upstream.setAccount(source, accountOf(program, tokensOf(mint, holder.address, 10n)));
  await upstream.setAccount(destination, accountOf(program, tokensOf(mint, randomAddress(), 0n)));
  const fork = await openFork();
  const transfer = { source, mint, destination, authority: holder.address, decimals: DECIMALS, tokenProgram: program };
  await execute(fork, holder, [tokenTransferChecked({ ...transfer, amount: 3n })]);
  await execute(fork, holder, [tokenTransferChecked({ ...transfer, amount: 4n })]);
  assert.deepEqual([await tokens(fork, source), await tokens(fork, destination)], [3n, 7n]);
  assert.deepEqual([await tokens(upstream, source), await tokens(upstream, destination)], [10n, 0n]);
});

test('a transaction finds its accounts through a lookup table of the upstream', async (t) => {
  const { upstream, openFork, holder, mint, holderTokens, otherTokens } = await startUpstream(t);
  const table = { address: randomAddress(), addresses: [holderTokens, mint, otherTokens] };
  await upstream.setAccount(table.address, accountOf(ADDRESS_LOOKUP_TABLE_PROGRAM, lookupTableOf(table.addresses)));
  const fork = await openFork();
  const transfer = { source: holderTokens, mint, destination: otherTokens, authority: holder.address };
  await execute(fork, holder, [tokenTransferChecked({ ...transfer, amount: 1n, decimals: DECIMALS })], [table]);
  assert.equal(await tokens(fork, otherTokens), 1_001n);
});

const MIB = 1024 * 1024;
/** A long journal is turned into a snapshot when the chain is closed. */
const BYTES_WORTH_A_SNAPSHOT = 20 * MIB;
for (const [where, bytes] of [
  ['the journal', 0],
  ['a snapshot', BYTES_WORTH_A_SNAPSHOT],
] as const) {
  test(`what the fork has written stays, whatever the upstream does, also after a restart from ${where}`, async (t) => {
    const { upstream, openFork, time, holder } = await startUpstream(t);
    const dataDir = await mkdtemp(join(tmpdir(), 'slipway-fork-'));
    t.after(() => rm(dataDir, { recursive: true, force: true }));
    const [written, closed] = [randomAddress(), generateKeypair()];
    await upstream.setAccount(closed.address, accountOf(SYSTEM_PROGRAM, new Uint8Array(), SOL));
    const first = await openFork(dataDir);
    await execute(first, holder, [systemTransfer({ from: holder.address, to: written, lamports: SOL })]);
    await execute(first, closed, [systemTransfer({ from: closed.address, to: written, lamports: SOL - 5_000n })]);
    await upstream.setAccount(written, accountOf(SYSTEM_PROGRAM, new Uint8Array(), 7n));
    await upstream.setAccount(holder.address, accountOf(SYSTEM_PROGRAM, new Uint8Array(), 8n));
    const addresses = [written, holder.address, closed.address];
    const lamports = async (chain: Chain) => (await chain.accounts(addresses)).map((account) => account?.lamports);
    const expected = [2n * SOL - 5_000n, 9n * SOL - 5_000n, undefined];
    time.now += 60_000;
    first.tick();
    assert.deepEqual(await lamports(first), expected);
    for (let count = 0; count < bytes; count += MIB) {
      await first.setAccount(randomAddress(), accountOf(SYSTEM_PROGRAM, new Uint8Array(randomBytes(MIB))));
    }
    await first.close();
    time.now += 60_000;
    assert.deepEqual(await lamports(await openFork(dataDir)), expected);
  });
}

test('accounts that the fork has not written follow the upstream after a few seconds', async (t) => {
  const { upstream, openFork, time, mint, holder, holderTokens, otherTokens } = await startUpstream(t);
  const fork = await openFork();
  const late = randomAddress();
  assert.equal(await tokens(fork, holderTokens), 4_000n);
  assert.equal(await fork.account(late), undefined);
  await upstream.setAccount(holderTokens, accountOf(TOKEN_PROGRAM, tokensOf(mint, holder.address, 4_600n)));
  await upstream.setAccount(late, accountOf(SYSTEM_PROGRAM, new Uint8Array(), SOL));
  time.now += 11_000;
  fork.tick();
  const transfer = { source: holderTokens, mint, destination: otherTokens, authority: holder.address };
  await execute(fork, holder, [tokenTransferChecked({ ...transfer, amount: 4_500n, decimals: DECIMALS })]);
  assert.equal(await tokens(fork, holderTokens), 100n, 'the transaction ran on the fresh account');
  assert.equal((await fork.account(late))?.lamports, SOL);
  await upstream.setAccount(late, undefined);
  time.now += 11_000;
  fork.tick();
  assert.equal(await fork.account(late), undefined);
});

test('genesis leaves addresses of the upstream alone and funds the wallets beside them', async (t) => {
  const { upstream, openFork, mintAuthority } = await startUpstream(t);
  const usdc = await upstream.account(USDC);
  const [, bob] = upstream.genesis.wallets;
  await upstream.setAccount(bob!.address, accountOf(SYSTEM_PROGRAM, new Uint8Array(), 123n));
  const fork = await openFork();
  const [alice] = fork.genesis.wallets;
  assert.deepEqual(await fork.account(USDC), usdc);
  assert.equal((await fork.account(bob!.address))?.lamports, 123n);
  assert.equal((await fork.account(alice!.address))?.lamports, 10_000n * SOL);
  for (const mint of [USDC, JUP]) {
    assert.equal(await tokens(fork, associatedTokenAddress(alice!.address, mint)), 1_000_000_000_000n);
  }
  const aliceKeys = keypairFromSecret(alice!.secretKey);
  const receiver = generateKeypair();
  await execute(fork, aliceKeys, [systemTransfer({ from: alice!.address, to: receiver.address, lamports: SOL })]);
  assert.equal(decodeMint((await fork.account(USDC))!.data)?.mintAuthority, mintAuthority);
  assert.equal(await upstream.account(alice!.address), undefined);
});

test('programs and pools of ours stand beside what the upstream has, never over it', async (t) => {
  const { upstream, openFork } = await startUpstream(t);
  const usdc = await upstream.account(USDC);
  const theirs = await upstream.account(await deployTokenProgram(upstream));
  const [taken] = upstream.genesis.pools;
  const squatter = accountOf(SYSTEM_PROGRAM, new Uint8Array(), 5n);
  await upstream.setAccount(ROUTER_PROGRAM, theirs);
  await upstream.setAccount(taken!, squatter);
  const fork = await openFork();
  assert.deepEqual(await fork.account(ROUTER_PROGRAM), theirs);
  assert.deepEqual(await fork.account(taken!), squatter);
  assert.deepEqual(await fork.account(USDC), usdc);
  assert.ok((await fork.account(TOKEN_SWAP_PROGRAM))?.executable);
  assert.equal(fork.genesis.pools.length, upstream.genesis.pools.length - 1);
  for (const pool of fork.genesis.pools) {
    assert.ok(decodePool((await fork.account(pool))!.data));
    assert.equal(await upstream.account(pool), undefined);
  }
});

test('tokens of a mint of the upstream can be airdropped without its authority', async (t) => {
  const { upstream, openFork, mint, mintAuthority } = await startUpstream(t);
  const fork = await openFork();
  const wallet = randomAddress();
  const signature = await fork.airdropToken(wallet, mint, 250n);
  assert.equal(fork.status(signature)?.err, null);
  assert.equal(await tokens(fork, associatedTokenAddress(wallet, mint)), 250n);
  const state = decodeMint((await fork.account(mint))!.data);
  assert.equal(state?.supply, MINT_SUPPLY + 250n);
  assert.equal(state?.mintAuthority, mintAuthority);
  assert.equal(decodeMint((await upstream.account(mint))!.data)?.supply, MINT_SUPPLY);
});

test('scans show the accounts of the upstream with what the fork did to them', async (t) => {
  const { upstream, openFork, holder, mint, holderTokens, otherTokens } = await startUpstream(t);
  const fork = await openFork();
  const sum = (rows: { address: Address; account: Account }[]) =>
    new Map(rows.map(({ address, account }) => [address, decodeTokenAccount(account.data)?.amount]));
  const before = new Map([
    [holderTokens, 4_000n],
    [otherTokens, 1_000n],
  ]);
  assert.deepEqual(sum(await fork.tokenAccountsByMint(mint)), before);
  await execute(fork, holder, [
    tokenTransferChecked({
      source: holderTokens,
      mint,
      destination: otherTokens,
      authority: holder.address,
      amount: 1n,
      decimals: DECIMALS,
    }),
  ]);
  await fork.airdropToken(holder.address, mint, 9n);
  const local = associatedTokenAddress(holder.address, mint);
  const after = new Map([
    [holderTokens, 3_999n],
    [otherTokens, 1_001n],
    [local, 9n],
  ]);
  const ofMint = sum(await fork.tokenAccountsByMint(mint));
  assert.deepEqual([...ofMint].sort(), [...after].sort());
  after.delete(otherTokens);
  assert.deepEqual([...sum(await fork.tokenAccountsByOwner(holder.address))].sort(), [...after].sort());
  const program = new Set((await fork.programAccounts(TOKEN_PROGRAM)).map(({ address }) => address));
  for (const address of [mint, USDC, holderTokens, otherTokens, local]) assert.ok(program.has(address));
  await fork.setAccount(otherTokens, undefined);
  assert.ok(!(await fork.programAccounts(TOKEN_PROGRAM)).some(({ address }) => address === otherTokens));
  assert.deepEqual(sum(await upstream.tokenAccountsByMint(mint)), before);
});

test('scans forget what is gone upstream, and know holders of a mint of the fork alone', async (t) => {
  const { upstream, openFork, mint, holderTokens, otherTokens } = await startUpstream(t);
  const fork = await openFork();
  const addressesOf = (rows: { address: Address }[]) => rows.map(({ address }) => address).sort();
  assert.deepEqual(addressesOf(await fork.tokenAccountsByMint(mint)), [holderTokens, otherTokens].sort());
  await upstream.setAccount(otherTokens, undefined);
  assert.deepEqual(addressesOf(await fork.tokenAccountsByMint(mint)), [holderTokens]);
  const holders = fork.genesis.wallets.map(({ address }) => associatedTokenAddress(address, JUP));
  holders.push(associatedTokenAddress(fork.genesis.receiver, JUP));
  for (const pool of fork.genesis.pools) {
    const { mintA, mintB, vaultA, vaultB } = decodePool((await fork.account(pool))!.data)!;
    if (mintA === JUP) holders.push(vaultA);
    if (mintB === JUP) holders.push(vaultB);
  }
  assert.deepEqual(addressesOf(await fork.tokenAccountsByMint(JUP)), holders.sort());
});

test('without the upstream the fork works on what it has, and else names the host', async (t) => {
  const { server, openFork } = await startUpstream(t);
  const fork = await openFork();
  const [alice, bob] = fork.genesis.wallets;
  await server.close();
  await execute(fork, keypairFromSecret(alice!.secretKey), [
    systemTransfer({ from: alice!.address, to: bob!.address, lamports: SOL }),
  ]);
  assert.equal((await fork.account(bob!.address))?.lamports, 10_001n * SOL);
  const isUpstreamError = (error: unknown) =>
    error instanceof ChainError && error.kind === 'upstream' && error.message.includes(new URL(server.rpcUrl).host);
  await assert.rejects(fork.account(randomAddress()), isUpstreamError);
  await assert.rejects(fork.airdrop(randomAddress(), SOL), isUpstreamError);
  await assert.rejects(openFork(), isUpstreamError);
  await execute(fork, keypairFromSecret(bob!.secretKey), [
    systemTransfer({ from: bob!.address, to: alice!.address, lamports: SOL }),
  ]);
});

test('a localnet that is a fork of another localnet has a faucet of its own', async (t) => {
  const upstream = await startTestNet({ inWorker: false });
  t.after(() => upstream.localnet.close());
  const fork = await startTestNet({ forkUrl: upstream.localnet.rpcUrl });
  t.after(() => fork.localnet.close());
  assert.equal(fork.info.forkHost, new URL(upstream.localnet.rpcUrl).host);
  const [wallet, usdc] = [randomAddress(), fork.mint('USDC')];
  await fork.localnet.call('requestAirdrop', [wallet, 1_000_000_000]);
  await fork.localnet.call('localnet_airdropToken', [wallet, usdc, '12']);
  const balance = async ({ localnet }: TestNet) => (await localnet.call('getBalance', [wallet])) as { value: number };
  const supply = async ({ localnet }: TestNet) =>
    (await localnet.call('getTokenSupply', [usdc])) as { value: { amount: string } };
  assert.equal((await balance(fork)).value, 1_000_000_000);
  assert.equal((await balance(upstream)).value, 0);
  const start = BigInt((await supply(upstream)).value.amount);
  assert.equal(BigInt((await supply(fork)).value.amount), start + 12n);
  const config = { filters: [{ memcmp: { offset: 32, bytes: wallet } }], encoding: 'jsonParsed' };
  const [held, ...others] = (await fork.localnet.call('getProgramAccounts', [TOKEN_PROGRAM, config])) as Loose[];
  assert.equal(held?.account?.data?.parsed?.info?.tokenAmount?.amount, '12');
  assert.deepEqual(others, []);
});
