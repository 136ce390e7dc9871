import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Localnet, startLocalnet } from '@slipway/localnet';
import { type Address, associatedTokenAddress, TOKEN_PROGRAM } from '@slipway/wire';
import { launch, SLIPWAY } from './command.js';
import { type TestPostgres, usePostgres } from './postgres.js';
import { type Service, startService } from './service.js';
import { airdrop, create, deposit, lamportsOf, newUser, RENT, SOL, tokensAt, USDC, type User } from './trigger-user.js';
import { faithful, startUpstreamProxy, type UpstreamProxy } from './upstream-proxy.js';
import { rpc } from './wallet.js';

interface Swept {
  wallet: Address;
  failed?: string;
  sent?: { account: Address; mint: Address; amount: string }[];
  left?: { account: Address; reason: string }[];
}

interface Report {
  vaults: number;
  swept: Swept[];
}

describe('all vaults are swept, after the service has ended', () => {
  let localnet: Localnet;
  let postgres: TestPostgres;
  let database: string;
  let proxy: UpstreamProxy;
  let service: Service;
  let cwd: string;
  let users: User[];

  before(async () => {
    localnet = await startLocalnet({ rpcPort: 0 });
    proxy = await startUpstreamProxy(localnet.rpcUrl);
    cwd = mkdtempSync(join(tmpdir(), 'slipway-sweep-all-'));
    postgres = await usePostgres();
    database = await postgres.createDatabase();
    service = await startService({ env: { ...onChain(), DATABASE_URL: database } });
    users = await Promise.all(Array.from({ length: 4 }, () => newUser(service)));
  });
  after(async () => {
    await service?.close();
    if (database) await postgres.dropDatabase(database);
    await postgres?.stop();
    await proxy?.close();
    await localnet?.close();
    if (cwd) rmSync(cwd, { recursive: true, force: true });
  });

  const onChain = () => ({
    SLIPWAY_RPC_URL: localnet.rpcUrl,
    SLIPWAY_RPC_WS_URL: localnet.wsUrl,
    SLIPWAY_SANDBOX: '1',
  });
  const sweepAll = (env: Record<string, string>) =>
    launch(SLIPWAY, ['vaults', 'sweep', '--all', '--json'], { env: { ...env, SLIPWAY_SANDBOX: '1' }, cwd });
  const start = () =>
    sweepAll({ SLIPWAY_RPC_URL: proxy.url, SLIPWAY_DATA_DIR: service.dataDir, DATABASE_URL: database });
  const usdcOf = async ({ wallet }: User) =>
    (await tokensAt(service, associatedTokenAddress(wallet.address, USDC, TOKEN_PROGRAM)))?.amount ?? 0n;
  const balances = () =>
    Promise.all(
      users.map(async (user) => ({
        lamports: await lamportsOf(service, user.wallet.address),
        usdc: await usdcOf(user),
        vault: await lamportsOf(service, user.vault as Address),
      })),
    );

  it('is refused while the service has the embedded database, and without a choice of vaults', async (t) => {
    const embedded = await startService({ env: onChain(), database: 'embedded' });
    t.after(() => embedded.close());
    const held = await sweepAll({ SLIPWAY_RPC_URL: proxy.url, SLIPWAY_DATA_DIR: embedded.dataDir }).ended;
    assert.equal(held.code, 1);
    assert.match((JSON.parse(held.error) as { error: string }).error, /is in use by process \d+/);
    const neither = await launch(SLIPWAY, ['vaults', 'sweep'], { cwd }).ended;
    assert.equal(neither.code, 2);
    assert.match(neither.error, /either --wallet or --all/);
    const env = { SLIPWAY_DATA_DIR: service.dataDir };
    const oneProcess = await launch(SLIPWAY, ['vaults', 'sweep', '--all'], { env, cwd }).ended;
    assert.equal(oneProcess.code, 1);
    assert.match(oneProcess.error, /one by one, with --wallet/);
  });

  it('killed after each of its calls to the chain and run again: every wallet has its own, to the unit', async () => {
    const [seller, buyer, saver] = users as [User, User, User, User];
    await create(seller, await deposit(seller, { amount: '1000000007' }), { inputAmount: '1000000007' });
    const usdc = { inputMint: USDC, outputMint: SOL };
    const paid = await deposit(buyer, { ...usdc, amount: '123456789' });
    await create(buyer, paid, { ...usdc, triggerCondition: 'below', triggerPriceUsd: 1 });
    await airdrop(service, saver.vault, 2_000_003n);
    await airdrop(service, saver.vault, 77n, USDC);
    await service.kill();
    await rpc(service, 'requestAirdrop', await gasWallet(), 1_000_000_000);

    const owed = await Promise.all(users.map(({ vault }) => holdings(vault as Address)));
    assert.ok(owed[0]!.lamports >= 1_000_000_007n + RENT);
    assert.equal(owed[1]!.usdc, 123_456_789n);
    assert.deepEqual([owed[2]!.own, owed[2]!.usdc], [2_000_003n, 77n]);
    const at = await balances();

    let kills = 0;
    for (let step = 1; ; step++) {
      assert.ok(step < 300, 'it comes to no end');
      const { code, report, error } = await runKilledAt(step);
      if (code === null) {
        kills += 1;
        continue;
      }
      // What was under way at the kill may have landed between its reading and its sending.
      if (code === 1) {
        assert.ok(report, error);
        continue;
      }
      assert.equal(report?.vaults, users.length);
      break;
    }
    assert.ok(kills >= 10, `${kills} kills`);

    const now = await balances();
    for (const [index, { lamports, usdc }] of at.entries()) {
      const mine = owed[index]!;
      assert.deepEqual(
        now[index],
        { lamports: lamports + mine.lamports + mine.own, usdc: usdc + mine.usdc, vault: 0n },
        `wallet ${index}`,
      );
      const left = await holdings(users[index]!.vault as Address);
      assert.deepEqual(left, { own: 0n, lamports: 0n, usdc: 0n });
    }
  });

  it('has nothing to send afterwards, and says so of each vault', async () => {
    proxy.behavior = faithful;
    const { code, out, error } = await start().ended;
    assert.equal(code, 0, error);
    assert.deepEqual(JSON.parse(out), { vaults: users.length, swept: [] });
    const told = error
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { progress: string }).progress);
    assert.deepEqual(
      told.map((line) => line.replace(/^\d+/, 'n')).sort(),
      users.map(({ wallet }) => `n of ${users.length}: ${wallet.address}: held nothing`).sort(),
    );
  });

  it('does not take an empty database for one whose vaults are empty', async () => {
    const other = join(cwd, 'other');
    mkdirSync(other);
    for (const file of ['signer.json', 'signer.pass']) copyFileSync(join(service.dataDir, file), join(other, file));
    const env = { SLIPWAY_RPC_URL: localnet.rpcUrl, SLIPWAY_SANDBOX: '1', SLIPWAY_DATA_DIR: other };
    const { code, error } = await launch(SLIPWAY, ['vaults', 'sweep', '--all'], { env, cwd }).ended;
    assert.equal(code, 1);
    assert.match(error, /knows no vault/);
  });

  it('goes on where the RPC fails for one vault, names it, and sends what was left when run again', async () => {
    const [broken, whole] = users as [User, User, User, User];
    for (const { vault } of [broken, whole]) await rpc(service, 'requestAirdrop', vault, 5_000_001);
    const before = await balances();
    proxy.behavior = async (call, forward) =>
      call.method === 'getTokenAccountsByOwner' && call.params[0] === broken.vault
        ? { status: 403, body: 'not for you' }
        : { body: await forward() };
    const { code, out } = await start().ended;
    assert.equal(code, 1);
    const { swept } = JSON.parse(out) as Report;
    assert.deepEqual(new Set(swept.map(({ wallet }) => wallet)), new Set([broken, whole].map((u) => u.wallet.address)));
    const outcome = swept.find(({ wallet }) => wallet === broken.wallet.address);
    assert.match(outcome?.failed ?? '', /no usable answer to getTokenAccountsByOwner/);
    assert.equal(await lamportsOf(service, whole.wallet.address), before[1]!.lamports + 5_000_001n);
    assert.equal(await lamportsOf(service, broken.wallet.address), before[0]!.lamports);
    proxy.behavior = faithful;
    assert.equal((await start().ended).code, 0);
    assert.equal(await lamportsOf(service, broken.wallet.address), before[0]!.lamports + 5_000_001n);
  });

  /** Kills the command at its nth call to the chain: every other time before the chain has it, else afterwards. */
  async function runKilledAt(step: number): Promise<{ code: number | null; report?: Report; error: string }> {
    const program = start();
    let calls = 0;
    proxy.behavior = async (_call, forward) => {
      calls += 1;
      if (calls !== step) return { body: await forward() };
      if (step % 2 === 0) await forward();
      program.child.kill('SIGKILL');
      return 'cut';
    };
    const { code, out, error } = await program.ended;
    return { code, error, ...(out !== '' && { report: JSON.parse(out) as Report }) };
  }

  async function gasWallet(): Promise<Address> {
    const env = { SLIPWAY_RPC_URL: localnet.rpcUrl, SLIPWAY_SANDBOX: '1', SLIPWAY_DATA_DIR: service.dataDir };
    const { out, error } = await launch(SLIPWAY, ['wallets', 'list', '--json'], { env, cwd }).ended;
    const address = /"(?:name|wallet)":"gas"[^}]*?"address":"(\w+)"/.exec(out)?.[1];
    assert.ok(address, `${out}${error}`);
    return address as Address;
  }

  /** What a vault has itself, and what its token accounts have, rent and wrapped SOL in `lamports`. */
  async function holdings(vault: Address): Promise<{ own: bigint; lamports: bigint; usdc: bigint }> {
    const { value } = await rpc<{
      value: {
        account: { lamports: number; data: { parsed: { info: { mint: string; tokenAmount: { amount: string } } } } };
      }[];
    }>(service, 'getTokenAccountsByOwner', vault, { programId: TOKEN_PROGRAM }, { encoding: 'jsonParsed' });
    const amounts = value.map(({ account }) => account.data.parsed.info);
    return {
      own: await lamportsOf(service, vault),
      lamports: value.reduce((sum, { account }) => sum + BigInt(account.lamports), 0n),
      usdc: amounts
        .filter(({ mint }) => mint === USDC)
        .reduce((sum, { tokenAmount }) => sum + BigInt(tokenAmount.amount), 0n),
    };
  }
});
