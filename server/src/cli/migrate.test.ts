import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Localnet, startLocalnet } from '@slipway/localnet';
import {
  type Address,
  associatedTokenAddress,
  decodeTokenAccount,
  decodeTransaction,
  encodeMint,
  encodeTokenAccount,
  encodeTransaction,
  generateKeypair,
  holdsSol,
  rentExemptLamports,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  type Transaction,
  transactionSignature,
  verify,
  WRAPPED_SOL_2022_MINT,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { createChain, createLocalRpc, type Rpc } from '../chain/index.js';
import { createMortal, type Mortal } from '../keeper/testing.js';
import { createClock, steadyNow } from '../lib/clock.js';
import { uuidv7 } from '../lib/ids.js';
import { bytesOfOrder, openSeedMigration, orderAccount, type SeedMigration } from '../signer/index.js';
import { openWithBareKeys } from '../signer/signer.js';
import { deriveCheaply } from '../signer/testing.js';
import { insertMaker, listMakers } from '../store/makers.js';
import { ordersOfWallet } from '../store/seed-migration.js';
import type { Store } from '../store/sql.js';
import { putStop } from '../store/stops.js';
import { openAnyStore } from '../store/testing.js';
import { findTriggerOrder, insertTriggerOrder, type TriggerOrderRow } from '../store/trigger-orders.js';
import { allVaultWallets, findVault, insertVault } from '../store/vaults.js';
import { apply, newOrder } from '../trigger-orders/order.js';
import type { VaultMigration } from '../vault/migrate-vaults.js';
import { sweepVaults, type VaultOutcome } from '../vault/sweep-all.js';
import { migrateSeeds } from './migrate.js';

const RENT = rentExemptLamports(165);
const SOL = 1_000_000_000n;
const [USD, NEW] = [generateKeypair().address, generateKeypair().address];
const TOKENS = {
  sol: { mint: WRAPPED_SOL_MINT, program: TOKEN_PROGRAM, amount: SOL },
  usd: { mint: USD, program: TOKEN_PROGRAM, amount: 5_000_001n },
  new: { mint: NEW, program: TOKEN_2022_PROGRAM, amount: 77n },
  sol2022: { mint: WRAPPED_SOL_2022_MINT, program: TOKEN_2022_PROGRAM, amount: SOL },
};
interface Held {
  mint: Address;
  program: Address;
  amount: bigint;
}

let folder: string;
let localnet: Localnet;
let rpc: Rpc;
let store: Store;
let runs = 0;
const clock = createClock();

before(async () => {
  await deriveCheaply();
  folder = mkdtempSync(join(tmpdir(), 'slipway-migrate-'));
  localnet = await startLocalnet({ rpcPort: 0 });
  rpc = createLocalRpc((method, params) => localnet.call(method, params));
  for (const { mint, program } of [TOKENS.usd, TOKENS.new])
    await write(mint, program, RENT, encodeMint({ decimals: 6, supply: 10n ** 12n, initialized: true }));
  const native = encodeMint({ decimals: 9, supply: 0n, initialized: true });
  await write(WRAPPED_SOL_2022_MINT, TOKEN_2022_PROGRAM, RENT, native);
  store = await openAnyStore();
});
beforeEach(reset);
after(async () => {
  await store?.close();
  await localnet?.close();
  rmSync(folder, { recursive: true });
});

async function reset(): Promise<void> {
  for (const table of ['orders', 'vaults', 'makers', 'stops', 'ledger']) await store.query(`delete from ${table}`);
  await store.query(`delete from settings where key = 'identity.signer'`);
}

async function write(at: Address, owner: Address, lamports: bigint, data: Uint8Array = new Uint8Array()) {
  const account = { lamports: Number(lamports), owner, executable: false, data: Buffer.from(data).toString('base64') };
  await localnet.call('localnet_setAccount', [at, account]);
}

async function hold(owner: Address, at: Address, { mint, program, amount }: Held, state: 'initialized' | 'frozen') {
  const isNative = holdsSol(mint);
  const data = encodeTokenAccount({
    mint,
    owner,
    amount,
    state,
    delegatedAmount: 0n,
    isNative,
    ...(isNative && { rentExemptReserve: RENT }),
  });
  await write(at, program, isNative ? RENT + amount : RENT, data);
}

/** A process that moves everything, and may be killed. */
const newProcess = async (files: { from: string; to: string }, mortal: Mortal = createMortal()) => {
  const own = mortal.rpc(rpc);
  const passphrase = 'of the test';
  return {
    seeds: await openSeedMigration(
      { file: files.from, passphrase, create: true },
      { file: files.to, passphrase, create: true },
    ),
    store: mortal.store(store),
    chain: createChain({ rpc: own, steadyNow, fees: { percentile: 50, maxMicroLamports: 0n } }),
    explain: (error: unknown) => JSON.stringify(error),
    feeMints: new Set<Address>(),
    land: (transaction: Transaction) => land(transaction, own),
  };
};
const SILENT = { leavesBehind: false, tell() {}, onOutcome() {} };

async function land(transaction: Transaction, by: Rpc): Promise<{ event: 'landed' | 'failed' }> {
  const wire = Buffer.from(encodeTransaction(transaction)).toString('base64');
  await by.call('sendTransaction', [wire, { encoding: 'base64', skipPreflight: true }]);
  const params = [[transactionSignature(transaction)]];
  for (;;) {
    const { value } = await rpc.call<{ value: ({ err: unknown } | null)[] }>('getSignatureStatuses', params);
    if (value[0]) return { event: value[0].err === null ? 'landed' : 'failed' };
    await sleep(5);
  }
}

interface Account {
  lamports: number;
  data: [string, string];
}
const accountAt = async (address: Address): Promise<Account | null> =>
  (await rpc.call<{ value: Account | null }>('getAccountInfo', [address, { encoding: 'base64' }])).value;
const lamportsOf = async (address: Address) => BigInt((await accountAt(address))?.lamports ?? 0);
const tokensAt = async (address: Address) => {
  const found = await accountAt(address);
  return found ? decodeTokenAccount(Buffer.from(found.data[0], 'base64')) : undefined;
};

async function feesOf(payers: readonly Address[]): Promise<bigint> {
  const options = { maxSupportedTransactionVersion: 0 };
  const lists = await Promise.all(
    payers.map((address) => rpc.call<{ signature: string }[]>('getSignaturesForAddress', [address])),
  );
  const signatures = [...new Set(lists.flat().map(({ signature }) => signature))];
  type Found = { meta: { fee: number } };
  const found = await Promise.all(signatures.map((each) => rpc.call<Found>('getTransaction', [each, options])));
  return found.reduce((sum, { meta }) => sum + BigInt(meta.fee), 0n);
}

/** A service with orders, before its seed is exchanged. */
async function newService() {
  runs += 1;
  const files = { from: join(folder, `${runs}-old.json`), to: join(folder, `${runs}-new.json`) };
  const { signer, bare } = await openWithBareKeys({ file: files.from, passphrase: 'of the test', create: true });
  const gas = signer.address('gas');
  await write(gas, SYSTEM_PROGRAM, 10n * SOL);
  await store.query(`insert into settings (key, value) values ('identity.signer', to_jsonb($1::text))`, [gas]);
  const stop = { what: 'all', why: 'a test', stoppedBy: 'root', stoppedAt: new Date() } as const;
  await store.transaction((tx) => putStop(tx, stop));
  const maker = { id: '1', name: 'one', url: 'https://maker.example.com/secret', createdAt: new Date() };
  await insertMaker(store, signer.secrets, maker);

  async function newWallet(): Promise<{ wallet: Address; vault: Address }> {
    const wallet = generateKeypair().address;
    const vault = await signer.publicKey(`vault:${wallet}`);
    const row = { wallet, id: uuidv7(clock), address: vault, createdAt: new Date() };
    await store.transaction((tx) => insertVault(tx, row));
    return { wallet, vault };
  }

  /** An open order, with what it holds in the vault; `forged`: by somebody who only has the database. */
  async function open(
    { wallet, vault }: { wallet: Address; vault: Address },
    input: Held,
    { output, isFrozen = false, forged = false }: { output?: Held; isFrozen?: boolean; forged?: boolean } = {},
  ): Promise<TriggerOrderRow> {
    const id = uuidv7(clock);
    const inputAccount = orderAccount(vault, id, 'in', input.program);
    const outputAccount = output ? orderAccount(vault, id, 'out', output.program) : null;
    await hold(vault, inputAccount, input, isFrozen ? 'frozen' : 'initialized');
    if (output) await hold(vault, outputAccount!, output, 'initialized');
    const order = {
      id,
      wallet,
      vault,
      depositRequestId: id,
      bodyHash: new Uint8Array(32),
      inputAccount,
      outputAccount,
      inputMint: input.mint,
      outputMint: output?.mint ?? USD,
      triggerMint: input.mint,
      funded: true,
      triggerCondition: 'above' as const,
      triggerPriceUsd: 150,
      trailingBps: null,
      highWatermark: null,
      lowWatermark: null,
      tpPriceUsd: null,
      slPriceUsd: null,
      slippageBps: null,
      tpSlippageBps: null,
      slSlippageBps: null,
      expiresAt: new Date(Date.now() + 3_600_000),
      createdAt: new Date(),
      updatedAt: new Date(),
      triggeredAt: null,
      leaseUntil: null,
      retryAt: null,
      progress: apply(apply(newOrder(output ? 'otoco' : 'single', input.amount), { type: 'deposit_sent' }), {
        type: 'deposit_landed',
      }),
    };
    const seal = forged ? new Uint8Array(64) : await bare.sign('seal', bytesOfOrder(order));
    const row: TriggerOrderRow = { ...order, seal };
    await store.transaction((tx) => insertTriggerOrder(tx, row));
    return row;
  }
  return { files, gas, newWallet, open };
}

/** The order is the same one in its other vault, with what it held, to the unit, and sealed by the other seed. */
async function assertMoved(
  { to }: SeedMigration,
  before: TriggerOrderRow,
  held: { in: Held; out?: Held },
): Promise<void> {
  const now = (await findTriggerOrder(store, before.id))!;
  const vault = await to.publicKey(`vault:${before.wallet as Address}`);
  const { seal, inputAccount, outputAccount, ...rest } = now;
  const { seal: _, inputAccount: oldInput, outputAccount: oldOutput, ...old } = before;
  assert.deepEqual({ ...rest, bodyHash: 0 }, { ...old, vault, bodyHash: 0 });
  assert.ok(verify(to.address('seal'), bytesOfOrder(now), seal!));
  const sides = [
    ['in', inputAccount, oldInput, held.in],
    ['out', outputAccount, oldOutput, held.out],
  ] as const;
  for (const [side, account, oldAccount, token] of sides) {
    if (!token) continue;
    assert.equal(account, orderAccount(vault, before.depositRequestId, side, token.program));
    const found = (await tokensAt(account as Address))!;
    assert.deepEqual([found.owner, found.mint, found.amount], [vault, token.mint, token.amount]);
    const lamports = await lamportsOf(account as Address);
    assert.equal(lamports, holdsSol(token.mint) ? RENT + token.amount : RENT);
    assert.equal(await accountAt(oldAccount as Address), null);
  }
  assert.equal((await findVault(store, before.wallet))!.address, vault);
}

test('a move that is killed at any call and run again ends with every order in its new vault, to the unit', async (t) => {
  let deaths = 0;
  for (let fatal = 1; ; fatal += 1) {
    await reset();
    const service = await newService();
    const [one, two] = [await service.newWallet(), await service.newWallet()];
    const sol = await service.open(one, TOKENS.sol);
    const both = await service.open(one, TOKENS.usd, { output: TOKENS.new });
    const other = await service.open(two, TOKENS.new);
    await hold(two.vault, generateKeypair().address, TOKENS.usd, 'initialized');
    await write(two.vault, SYSTEM_PROGRAM, 2_000_000n);
    const mortal = createMortal(fatal);
    const first = migrateSeeds(await newProcess(service.files, mortal), SILENT);
    const isDead = await Promise.race([mortal.died.then(() => true), first.then(() => false)]);
    const process = await newProcess(service.files);
    const { done, wallets } = await migrateSeeds(process, SILENT);
    assert.deepEqual([done, wallets.left], [true, []], `killed at call ${fatal}`);
    await assertMoved(process.seeds, sol, { in: TOKENS.sol });
    await assertMoved(process.seeds, both, { in: TOKENS.usd, out: TOKENS.new });
    await assertMoved(process.seeds, other, { in: TOKENS.new });
    // What is of no order went home, and the wallets of the service have all but the fees.
    const home = associatedTokenAddress(two.wallet, USD, TOKEN_PROGRAM);
    assert.equal((await tokensAt(home))!.amount, TOKENS.usd.amount);
    assert.equal(await lamportsOf(two.wallet), 2_000_000n);
    const gas = process.seeds.to.address('gas');
    assert.equal(await lamportsOf(service.gas), 0n);
    assert.equal(await lamportsOf(gas), 10n * SOL - (await feesOf([service.gas, gas])), `killed at call ${fatal}`);
    const [maker] = await listMakers(store, process.seeds.to.secrets);
    assert.equal(maker!.url, 'https://maker.example.com/secret');
    const { rows } = await store.query<{ value: string }>(
      `select value #>> '{}' as value from settings where key = 'identity.signer'`,
    );
    assert.equal(rows[0]!.value, gas);
    if (!isDead) break;
    deaths += 1;
  }
  t.diagnostic(`killed at ${deaths} calls`);
  assert.ok(deaths > 50);
});

test('what an issuer has frozen stays, and does not hold up the rest', async () => {
  const service = await newService();
  const [one, two] = [await service.newWallet(), await service.newWallet()];
  const frozen = await service.open(one, TOKENS.usd, { isFrozen: true });
  const other = await service.open(two, TOKENS.sol);
  const process = await newProcess(service.files);
  assert.equal((await migrateSeeds(process, SILENT)).done, false);
  await assertMoved(process.seeds, other, { in: TOKENS.sol });
  assert.equal((await findTriggerOrder(store, frozen.id))!.inputAccount, frozen.inputAccount);
  assert.equal((await migrateSeeds(process, { ...SILENT, leavesBehind: true })).done, true);
  // Once the issuer has thought better of it.
  await hold(one.vault, frozen.inputAccount as Address, TOKENS.usd, 'initialized');
  assert.equal((await migrateSeeds(await newProcess(service.files), SILENT)).done, true);
  await assertMoved(process.seeds, frozen, { in: TOKENS.usd });
});

test('attack: a database writer has an order that nobody has made moved to another seed: it gets no seal, and the owner what it holds', async () => {
  const service = await newService();
  const owner = await service.newWallet();
  const forged = await service.open(owner, TOKENS.sol, { forged: true });
  const changed = await service.open(owner, TOKENS.new);
  await store.query('update orders set trigger_price_usd = 0.01 where id = $1', [changed.id]);
  const process = await newProcess(service.files);
  assert.equal((await migrateSeeds(process, SILENT)).done, true);
  const vault = await process.seeds.to.publicKey(`vault:${owner.wallet}`);
  for (const [order, token] of [
    [forged, TOKENS.sol],
    [changed, TOKENS.new],
  ] as const) {
    const now = (await findTriggerOrder(store, order.id))!;
    assert.deepEqual([now.vault, Buffer.from(now.seal!)], [order.vault, Buffer.from(order.seal!)]);
    assert.ok(!verify(process.seeds.to.address('seal'), bytesOfOrder(now), now.seal!));
    // Where a cancel looks for it.
    const place = orderAccount(vault, order.depositRequestId, 'in', token.program);
    assert.equal((await tokensAt(place))!.amount, token.amount);
  }
});

test('attack: a database writer adds rows of vaults whose wallets are no addresses: each is told, and all others are swept, and moved to another seed', async () => {
  const service = await newService();
  const [one, two] = [await service.newWallet(), await service.newWallet()];
  const order = await service.open(two, TOKENS.sol);
  await write(one.vault, SYSTEM_PROGRAM, 2_000_000n);
  for (const wallet of [' ', '\u001b[2J', 'zz'])
    await store.query('insert into vaults (wallet, id, address, created_at) values ($1, $1, $1, $2)', [
      wallet,
      new Date(),
    ]);
  const process = await newProcess(service.files);
  const failed: string[] = [];
  const onOutcome = (outcome: VaultMigration | VaultOutcome) => {
    if (!('failed' in outcome)) return;
    assert.match(outcome.failed, /delete the row of it from the table "vaults"/);
    failed.push(outcome.wallet);
  };
  const shown = ['" "', String.raw`"\u001b[2J"`, '"zz"'];
  const ofOne = (async function* () {
    for await (const wallet of allVaultWallets(store)) if (wallet !== two.wallet) yield wallet;
  })();
  await sweepVaults(sweeping(process), ofOne, onOutcome);
  assert.equal(await lamportsOf(one.wallet), 2_000_000n);
  assert.deepEqual(failed.splice(0).sort(), [...shown].sort());
  assert.equal((await migrateSeeds(process, { ...SILENT, onOutcome })).done, false);
  await assertMoved(process.seeds, order, { in: TOKENS.sol });
  assert.deepEqual(failed.sort(), [...shown].sort());
  assert.equal((await migrateSeeds(process, { ...SILENT, leavesBehind: true })).done, true);
});

/** The deps of a sweep of the old vaults. */
const sweeping = (process: Awaited<ReturnType<typeof newProcess>>) => ({
  ...process,
  signer: process.seeds.from,
  ordersOf: (wallet: Address) => ordersOfWallet(store, wallet),
});

/** A process whose node answers some calls with something else. */
async function newLiedProcess(
  files: { from: string; to: string },
  lie: (method: string, params: unknown[], answer: Answer) => Answer,
) {
  const lying: Rpc = {
    ...rpc,
    call: async <T>(method: string, params: unknown[]) =>
      lie(method, params, await rpc.call<Answer>(method, params)) as T,
  };
  const chain = createChain({ rpc: lying, steadyNow, fees: { percentile: 50, maxMicroLamports: 0n } });
  return { ...(await newProcess(files)), chain };
}
interface Answer {
  value: unknown;
}

/** A node that has none of these accounts, in whatever it is asked. */
const denying =
  (...denied: (string | null)[]) =>
  (method: string, params: unknown[], answer: Answer): Answer => {
    if (method === 'getSignaturesForAddress') return denied.includes(params[0] as string) ? ([] as never) : answer;
    const value = answer?.value;
    if (method === 'getTokenAccountsByOwner')
      return { ...answer, value: (value as { pubkey: string }[]).filter(({ pubkey }) => !denied.includes(pubkey)) };
    if (method !== 'getMultipleAccounts') return answer;
    const asked = params[0] as string[];
    return { ...answer, value: (value as unknown[]).map((each, i) => (denied.includes(asked[i]!) ? null : each)) };
  };

test('attack: a node leaves the accounts of an order out of a list, or lists less than they hold: they are moved to another seed, and swept, all the same', async () => {
  for (const listed of [
    () => [],
    (value: ListedAccount[]) =>
      value.map(({ pubkey, account }) => {
        const data = Buffer.from(account.data[0], 'base64');
        data.writeBigUInt64LE(1n, 64);
        return { pubkey, account: { ...account, data: [data.toString('base64'), 'base64'] } };
      }),
  ]) {
    await reset();
    const service = await newService();
    const [one, two] = [await service.newWallet(), await service.newWallet()];
    const order = await service.open(one, TOKENS.usd, { output: TOKENS.new });
    const other = await service.open(two, TOKENS.usd);
    const process = await newLiedProcess(service.files, (method, _, answer) =>
      method === 'getTokenAccountsByOwner' ? { ...answer, value: listed(answer.value as ListedAccount[]) } : answer,
    );
    const swept = (async function* () {
      yield two.wallet;
    })();
    await sweepVaults(sweeping(process), swept, () => {});
    const home = associatedTokenAddress(two.wallet, USD, TOKEN_PROGRAM);
    assert.equal((await tokensAt(home))!.amount, TOKENS.usd.amount);
    assert.equal(await accountAt(other.inputAccount as Address), null);
    assert.equal((await migrateSeeds(process, SILENT)).done, true);
    await assertMoved(process.seeds, order, { in: TOKENS.usd, out: TOKENS.new });
  }
});
interface ListedAccount {
  pubkey: string;
  account: { data: [string, string] };
}

test('attack: a node hides the account of an order in all its answers: its row stays as it is and a move does not end without it, until another node shows it', async () => {
  const service = await newService();
  const [one, two] = [await service.newWallet(), await service.newWallet()];
  const order = await service.open(one, TOKENS.usd, { output: TOKENS.new });
  const other = await service.open(two, TOKENS.sol);
  const told: VaultMigration[] = [];
  const onOutcome = (outcome: VaultMigration) => void told.push(outcome);
  const process = await newLiedProcess(service.files, denying(order.inputAccount, order.outputAccount));
  assert.equal((await migrateSeeds(process, { ...SILENT, onOutcome })).done, false);
  await assertMoved(process.seeds, other, { in: TOKENS.sol });
  const outcome = told.find(({ wallet }) => wallet === one.wallet)!;
  assert.ok('left' in outcome);
  assert.deepEqual([outcome.orders, outcome.ordersLeft, outcome.moved], [0, 1, []]);
  assert.deepEqual(
    outcome.left.map(({ account, mint, amount }) => [account, mint, amount]),
    [
      [order.inputAccount, USD, TOKENS.usd.amount],
      [order.outputAccount, NEW, 0n],
    ],
  );
  const reason = new RegExp(`the order ${order.id} should have it.*with another node`);
  for (const left of outcome.left) assert.match(left.reason, reason);
  assert.equal((await findTriggerOrder(store, order.id))!.inputAccount, order.inputAccount);
  // Who ends it all the same loses nothing, either.
  assert.equal((await migrateSeeds(process, { ...SILENT, leavesBehind: true })).done, true);
  assert.equal((await findTriggerOrder(store, order.id))!.vault, one.vault);
  assert.equal((await migrateSeeds(await newProcess(service.files), SILENT)).done, true);
  await assertMoved(process.seeds, order, { in: TOKENS.usd, out: TOKENS.new });
  // By a row that has followed, too.
  const now = (await findTriggerOrder(store, order.id))!;
  const again = await newLiedProcess(service.files, denying(now.inputAccount));
  const rerun = (outcome: VaultMigration) => 'ordersLeft' in outcome && outcome.ordersLeft;
  told.splice(0);
  await migrateSeeds(again, { ...SILENT, onOutcome });
  assert.deepEqual(told.map(rerun), [0, 0]);
});

test('attack: a node hides the account of an order from a sweep in all its answers: it is told as left, until another node shows it', async () => {
  const service = await newService();
  const { wallet } = await service.newWallet();
  const order = await service.open(await service.newWallet(), TOKENS.usd);
  await service.open({ wallet, vault: (await findVault(store, wallet))!.address as Address }, TOKENS.sol);
  const left = async (process: Awaited<ReturnType<typeof newProcess>>) => {
    const found: unknown[] = [];
    await sweepVaults(sweeping(process), allVaultWallets(store), (outcome) => {
      assert.ok('left' in outcome);
      found.push(...outcome.left.map(({ account, amount }) => [account, amount]));
    });
    return found;
  };
  const lied = await newLiedProcess(service.files, denying(order.inputAccount));
  for (let runs = 0; runs < 2; runs++) assert.deepEqual(await left(lied), [[order.inputAccount, TOKENS.usd.amount]]);
  const process = await newProcess(service.files);
  assert.deepEqual(await left(process), []);
  const home = associatedTokenAddress(order.wallet as Address, USD, TOKEN_PROGRAM);
  assert.equal((await tokensAt(home))!.amount, TOKENS.usd.amount);
  // The rows do not know of it: what the chain tells of the accounts does.
  assert.deepEqual(await left(process), []);
  assert.equal((await migrateSeeds(process, SILENT)).done, true);
});

test('orders of which nothing is in the vault any more, or not yet, keep no move from ending', async () => {
  const service = await newService();
  const one = await service.newWallet();
  const states = ['pending_deposit', 'depositing', 'deposit_failed', 'fill_success', 'cancelled'];
  for (const state of states) {
    const { id, inputAccount } = await service.open(one, TOKENS.usd);
    await write(inputAccount as Address, SYSTEM_PROGRAM, 0n);
    await store.query('update orders set state = $2 where id = $1', [id, state]);
  }
  // Its entry is filled, but for what the venue did not take, and its account closed.
  const entered = async (change: string) => {
    const order = await service.open(one, TOKENS.usd, { output: TOKENS.new });
    await write(order.inputAccount as Address, SYSTEM_PROGRAM, 0n);
    await store.query(`update orders set entry_remaining = 3, ${change} where id = $1`, [order.id]);
    return order;
  };
  const orders = [
    await entered(`stage = 'exit', exit_initial = 77, exit_remaining = 77, exit_received = 0`),
    await entered(`state = 'execute_success', held = 77`),
  ];
  const process = await newProcess(service.files);
  assert.equal((await migrateSeeds(process, SILENT)).done, true);
  for (const { id } of orders) {
    const now = (await findTriggerOrder(store, id))!;
    assert.equal((await tokensAt(now.outputAccount as Address))!.amount, TOKENS.new.amount);
  }
});

test('attack: a free key registers any number of wallets whose orders hold nothing any more: a move, or a sweep, of all comes first to those whose orders do', async () => {
  const service = await newService();
  const all = [await service.newWallet(), await service.newWallet()];
  for (const wallet of all) await service.open(wallet, TOKENS.sol);
  const honest = all.map(({ wallet }) => wallet as string);
  const isFirstByName = async () => {
    const { rows } = await store.query<{ first: string }>('select min(wallet) as first from vaults');
    return honest.includes(rows[0]!.first);
  };
  for (const state of ['cancelled', 'deposit_failed', 'cancelled']) {
    do {
      const other = await service.newWallet();
      all.push(other, await service.newWallet());
      const { id } = await service.open(other, TOKENS.usd);
      await store.query('update orders set state = $2, funded = false where id = $1', [id, state]);
    } while (await isFirstByName());
  }
  const wallets: string[] = [];
  for await (const wallet of allVaultWallets(store)) wallets.push(wallet);
  assert.deepEqual(wallets.slice(0, 2).sort(), honest.toSorted());
  assert.deepEqual(wallets.sort(), all.map(({ wallet }) => wallet as string).sort());
});

interface Told {
  lamports: number;
  owner: string;
  data: [string, string];
}

/** A node that tells of one account what is not so, wherever it is asked for it, and what it has told of others, such as of no account. */
const telling =
  (address: string | null, change: (told: Told | null, data: Buffer) => Told | null) =>
  (method: string, params: unknown[], answer: Answer): Answer => {
    const lied = (told: Told | null): Told | null => {
      const data = Buffer.from(told?.data[0] ?? '', 'base64');
      const changed = change(told && { ...told }, data);
      return changed && { ...changed, data: [data.toString('base64'), 'base64'] };
    };
    const value = answer?.value;
    if (method === 'getTokenAccountsByOwner')
      return {
        ...answer,
        value: (value as { pubkey: string; account: Told }[]).map((each) =>
          each.pubkey === address ? { ...each, account: lied(each.account) } : each,
        ),
      };
    if (method !== 'getMultipleAccounts') return answer;
    const asked = params[0] as string[];
    return {
      ...answer,
      value: (value as (Told | null)[]).map((each, i) => (asked[i] === address ? lied(each) : each)),
    };
  };

/** Where `amount` and `mint` stand in a token account, and whether it is a native one. */
const [MINT_AT, AMOUNT_AT, NATIVE_AT] = [0, 64, 109];
const gasOf = async (service: { gas: Address }, { to }: SeedMigration): Promise<bigint> =>
  (await lamportsOf(to.address('gas'))) + (await feesOf([service.gas, to.address('gas')]));

test('SOL of Token-2022 is moved as well, to the unit', async () => {
  const service = await newService();
  const one = await service.newWallet();
  const orders = [
    await service.open(one, TOKENS.sol2022),
    await service.open(one, TOKENS.usd, { output: { ...TOKENS.sol2022, amount: 0n } }),
  ] as const;
  const process = await newProcess(service.files);
  assert.equal((await migrateSeeds(process, SILENT)).done, true);
  await assertMoved(process.seeds, orders[0], { in: TOKENS.sol2022 });
  await assertMoved(process.seeds, orders[1], { in: TOKENS.usd, out: { ...TOKENS.sol2022, amount: 0n } });
  assert.equal(await gasOf(service, process.seeds), 10n * SOL);
});

test('orders whose accounts have less than the rent of now, from when the chain asked for less, are moved: the gas wallet pays what is missing', async () => {
  const service = await newService();
  const one = await service.newWallet();
  const order = await service.open(one, TOKENS.usd, { output: { ...TOKENS.sol, amount: 0n } });
  const less = RENT - 500_000n;
  for (const account of [order.inputAccount, order.outputAccount] as Address[]) {
    const { data, owner } = (await accountAt(account)) as unknown as Told;
    await write(account, owner as Address, less, Buffer.from(data[0], 'base64'));
  }
  const process = await newProcess(service.files);
  assert.equal((await migrateSeeds(process, SILENT)).done, true);
  const now = (await findTriggerOrder(store, order.id))!;
  const [input, output] = [now.inputAccount, now.outputAccount] as [Address, Address];
  assert.deepEqual([(await tokensAt(input))!.amount, await lamportsOf(input)], [TOKENS.usd.amount, RENT]);
  assert.deepEqual([(await tokensAt(output))!.amount, await lamportsOf(output)], [0n, RENT]);
  assert.equal(await gasOf(service, process.seeds), 10n * SOL - 2n * (RENT - less));
});

describe('attack: a node tells of the accounts of vaults what is not so, in all its answers, while they are moved to another seed: no SOL goes to the gas wallet, and none comes from it', () => {
  /** Moves everything with a node that lies so. */
  const moveWith = async (
    service: Awaited<ReturnType<typeof newService>>,
    ...lies: ((method: string, params: unknown[], answer: Answer) => Answer)[]
  ) => {
    const process = await newLiedProcess(service.files, (method, params, answer) =>
      lies.reduce((lied, lie) => lie(method, params, lied), answer),
    );
    const left: { account: string; reason: string }[] = [];
    const onOutcome = (outcome: VaultMigration) => {
      if ('failed' in outcome) left.push({ account: outcome.wallet, reason: outcome.failed });
      else left.push(...outcome.left);
    };
    const { done } = await migrateSeeds(process, { ...SILENT, onOutcome });
    return { process, done, left };
  };
  const holdsOne = (told: Told | null, data: Buffer): Told => {
    const { lamports, ...rest } = told!;
    const amount = Number(data.readBigUInt64LE(AMOUNT_AT));
    data.writeBigUInt64LE(1n, AMOUNT_AT);
    return { ...rest, lamports: lamports - amount + 1 };
  };

  test('that an order of SOL holds one unit, or nothing: it is moved whole', async () => {
    for (const token of [TOKENS.sol, TOKENS.sol2022]) {
      await reset();
      const service = await newService();
      const [one, two] = [await service.newWallet(), await service.newWallet()];
      const order = await service.open(one, token);
      const other = await service.open(two, TOKENS.usd, { output: token });
      const isEmpty = (told: Told | null, data: Buffer): Told => {
        data.writeBigUInt64LE(0n, AMOUNT_AT);
        return { ...told!, lamports: Number(RENT) };
      };
      const lies = [telling(order.inputAccount, holdsOne), telling(other.outputAccount, isEmpty)];
      const { process, done } = await moveWith(service, ...lies);
      assert.equal(done, true);
      await assertMoved(process.seeds, order, { in: token });
      await assertMoved(process.seeds, other, { in: TOKENS.usd, out: token });
      assert.equal(await gasOf(service, process.seeds), 10n * SOL);
    }
  });

  test('that an order of SOL holds another token, or that its account is none of SOL: it waits, or is moved whole', async () => {
    const service = await newService();
    const [one, two] = [await service.newWallet(), await service.newWallet()];
    const order = await service.open(one, TOKENS.sol);
    const other = await service.open(two, TOKENS.sol);
    const isUsd = (told: Told | null, data: Buffer): Told => {
      Buffer.from(encodeTokenAccount({ ...HELD, mint: USD, owner: one.vault })).copy(data, MINT_AT, 0, 32);
      data.writeBigUInt64LE(0n, AMOUNT_AT);
      return told!;
    };
    const isNoneOfSol = (told: Told | null, data: Buffer): Told => {
      data.writeBigUInt64LE(1n, AMOUNT_AT);
      data.fill(0, NATIVE_AT, NATIVE_AT + 12);
      return told!;
    };
    const lies = [telling(order.inputAccount, isUsd), telling(other.inputAccount, isNoneOfSol)];
    const { process, done, left } = await moveWith(service, ...lies);
    assert.equal(done, false);
    assert.deepEqual([left.length, left[0]?.account], [1, order.inputAccount]);
    assert.match(left[0]!.reason, new RegExp(`its order has ${WRAPPED_SOL_MINT} there.*with another node`));
    assert.equal((await tokensAt(order.inputAccount as Address))!.amount, SOL);
    await assertMoved(process.seeds, other, { in: TOKENS.sol });
    const honest = await newProcess(service.files);
    assert.equal((await migrateSeeds(honest, SILENT)).done, true);
    await assertMoved(honest.seeds, order, { in: TOKENS.sol });
    assert.equal(await gasOf(service, honest.seeds), 10n * SOL);
  });

  test('that the order of a friend has SOL besides, a longer account, or a place that owes SOL: it gets none', async () => {
    const service = await newService();
    const orders = [];
    for (let i = 0; i < 3; i++) orders.push(await service.open(await service.newWallet(), TOKENS.new));
    const [rich, long, owing] = orders as [TriggerOrderRow, TriggerOrderRow, TriggerOrderRow];
    const { to } = (await newProcess(service.files)).seeds;
    const vault = await to.publicKey(`vault:${owing.wallet as Address}`);
    const place = orderAccount(vault, owing.depositRequestId, 'in', TOKEN_2022_PROGRAM);
    const lies = [
      telling(rich.inputAccount, (told) => told && { ...told, lamports: told.lamports + 4_900_000_000 }),
      (method: string, params: unknown[], answer: Answer): Answer => {
        if (method !== 'getMultipleAccounts') return answer;
        const at = (params[0] as string[]).indexOf(long.inputAccount);
        const value = (answer.value as (Told | null)[]).map((told, i): Told | null => {
          if (i !== at || told === null) return told;
          const data = Buffer.concat([Buffer.from(told.data[0], 'base64'), Buffer.of(2), Buffer.alloc(20_000)]);
          return { ...told, data: [data.toString('base64'), 'base64'] };
        });
        return { ...answer, value };
      },
      telling(place, () => ({ lamports: -4_000_000_000, owner: SYSTEM_PROGRAM, data: ['', 'base64'] })),
    ];
    const { process, done, left } = await moveWith(service, ...lies);
    assert.equal(done, false);
    assert.deepEqual(
      left.map(({ account }) => account),
      [owing.wallet],
    );
    assert.match(left[0]!.reason, /4002039280 lamports of rent are missing, more than/);
    for (const order of [rich, long]) await assertMoved(process.seeds, order, { in: TOKENS.new });
    assert.equal(await lamportsOf(place), 0n);
    assert.equal((await tokensAt(owing.inputAccount as Address))!.amount, TOKENS.new.amount);
  });

  test('that of one order is in the gas wallet what is then in that of a friend: the order has all of it, the friend his own', async () => {
    const service = await newService();
    const both = [await service.newWallet(), await service.newWallet()];
    const [victim, friend] = both.toSorted((a, b) => (a.wallet < b.wallet ? -1 : 1)) as [Party, Party];
    const hundred = { ...TOKENS.sol, amount: 100n * SOL };
    const order = await service.open(victim, hundred);
    const his = await service.open(friend, TOKENS.usd);
    const more = (told: Told | null) => ({ ...told!, lamports: told!.lamports + 60_000_000_000 });
    const lies = [telling(order.inputAccount, holdsOne), telling(his.inputAccount, more)];
    const { process, done } = await moveWith(service, ...lies);
    assert.equal(done, true);
    await assertMoved(process.seeds, order, { in: hundred });
    await assertMoved(process.seeds, his, { in: TOKENS.usd });
    assert.equal(await gasOf(service, process.seeds), 10n * SOL);
  });

  test('that an order holds fewer tokens than its row says: not taken for moved while the chain does not close its account', async () => {
    const service = await newService();
    const order = await service.open(await service.newWallet(), TOKENS.usd);
    const fewer = telling(order.inputAccount, (told, data) => {
      data.writeBigUInt64LE(1n, AMOUNT_AT);
      return told;
    });
    const { done, left } = await moveWith(service, fewer);
    assert.equal(done, false);
    assert.deepEqual([left.length, left[0]?.account], [1, order.inputAccount]);
    assert.match(left[0]!.reason, /its order has 5000001 there: run this again with another node/);
    assert.equal((await tokensAt(order.inputAccount as Address))!.amount, TOKENS.usd.amount);
    const honest = await newProcess(service.files);
    assert.equal((await migrateSeeds(honest, SILENT)).done, true);
    await assertMoved(honest.seeds, order, { in: TOKENS.usd });
    assert.equal(await gasOf(service, honest.seeds), 10n * SOL);
  });

  test('that an empty account of an order is of another mint, or is in the other vault: it waits', async () => {
    const service = await newService();
    const [one, two] = [await service.newWallet(), await service.newWallet()];
    const empty = { ...TOKENS.new, amount: 0n };
    const order = await service.open(one, TOKENS.usd, { output: empty });
    const other = await service.open(two, TOKENS.usd, { output: empty });
    const { to } = (await newProcess(service.files)).seeds;
    const vault = await to.publicKey(`vault:${two.wallet}`);
    const place = orderAccount(vault, other.depositRequestId, 'out', TOKEN_2022_PROGRAM);
    const { data, owner } = (await accountAt(other.outputAccount as Address)) as unknown as Told;
    const lies = [
      telling(order.outputAccount, (told, held) => {
        Buffer.from(encodeTokenAccount({ ...HELD, mint: USD, owner: one.vault })).copy(held, MINT_AT, 0, 32);
        return told;
      }),
      (method: string, params: unknown[], answer: Answer): Answer => {
        if (method !== 'getMultipleAccounts') return answer;
        const at = (params[0] as string[]).indexOf(place);
        const value = (answer.value as (Told | null)[]).map((told, i) =>
          i === at && told === null ? { lamports: Number(RENT), owner, data, executable: false } : told,
        );
        return { ...answer, value };
      },
    ];
    const { done, left } = await moveWith(service, ...lies);
    assert.equal(done, false);
    assert.deepEqual(
      left.map(({ account }) => account as string).sort(),
      [order.outputAccount, other.outputAccount].sort(),
    );
    const honest = await newProcess(service.files);
    assert.equal((await migrateSeeds(honest, SILENT)).done, true);
    await assertMoved(honest.seeds, order, { in: TOKENS.usd, out: empty });
    await assertMoved(honest.seeds, other, { in: TOKENS.usd, out: empty });
  });
});
const HELD = { amount: 0n, state: 'initialized', delegatedAmount: 0n, isNative: false } as const;
interface Party {
  wallet: Address;
  vault: Address;
}

test('attack: a node says that accounts of orders are of a program of its own, which would have the signature of their vault: nothing for it is signed', async () => {
  const service = await newService();
  const [one, two] = [await service.newWallet(), await service.newWallet()];
  const order = await service.open(one, TOKENS.usd);
  const other = await service.open(two, TOKENS.usd);
  const program = generateKeypair().address;
  const ofHis = (told: Told | null, data: Buffer): Told | null => {
    if (told === null) return null;
    data.writeBigUInt64LE(TOKENS.usd.amount + 1n, AMOUNT_AT);
    return { ...told, owner: program };
  };
  const looked = (account: string) => (method: string, params: unknown[], answer: Answer) =>
    method === 'getMultipleAccounts' ? telling(account, ofHis)(method, params, answer) : answer;
  const accountsOf = (wire: Uint8Array) => decodeTransaction(wire).decoded.accounts;
  const process = await newLiedProcess(service.files, (method, params, answer) => {
    const isForIt =
      method === 'simulateTransaction' && accountsOf(Buffer.from(params[0] as string, 'base64')).includes(program);
    if (isForIt) return { ...answer, value: { err: null, logs: [], unitsConsumed: 9_000 } };
    return looked(order.inputAccount)(method, params, looked(other.inputAccount)(method, params, answer));
  });
  const named: Address[] = [];
  const land = (transaction: Transaction) => {
    named.push(...accountsOf(encodeTransaction(transaction)));
    return process.land(transaction);
  };
  const swept = (async function* () {
    yield two.wallet;
  })();
  await sweepVaults({ ...sweeping(process), land }, swept, () => {});
  const { done } = await migrateSeeds({ ...process, land }, SILENT);
  assert.ok(named.length > 0 && !named.includes(program));
  assert.equal(done, true);
  await assertMoved(process.seeds, order, { in: TOKENS.usd });
});

test('attack: a node tells of the accounts of a vault what is not so, in all its answers, while it is swept: its SOL goes to the wallet, and what is less than its row says is told as left', async () => {
  const service = await newService();
  const one = await service.newWallet();
  const first = await service.open(one, TOKENS.sol);
  const second = await service.open(one, TOKENS.usd);
  const ofSol = telling(first.inputAccount, (told, data) => {
    data.writeBigUInt64LE(1n, AMOUNT_AT);
    data.fill(0, NATIVE_AT, NATIVE_AT + 12);
    return told;
  });
  const ofUsd = telling(second.inputAccount, (told, data) => {
    data.writeBigUInt64LE(1n, AMOUNT_AT);
    return told;
  });
  await hold(one.wallet, associatedTokenAddress(one.wallet, USD), { ...TOKENS.usd, amount: 0n }, 'initialized');
  const process = await newLiedProcess(service.files, (method, params, answer) =>
    ofSol(method, params, ofUsd(method, params, answer)),
  );
  const left: { account: string; reason: string }[] = [];
  const swept = () =>
    (async function* () {
      yield one.wallet;
    })();
  await sweepVaults(sweeping(process), swept(), (outcome) => {
    assert.ok('left' in outcome);
    left.push(...outcome.left);
  });
  assert.equal(await lamportsOf(one.wallet), SOL + RENT);
  assert.deepEqual([left.length, left[0]?.account], [1, second.inputAccount]);
  assert.match(left[0]!.reason, /its order has 5000001 there: run this again with another node/);
  await sweepVaults(sweeping(await newProcess(service.files)), swept(), () => {});
  assert.equal((await tokensAt(associatedTokenAddress(one.wallet, USD)))!.amount, TOKENS.usd.amount);
  assert.equal(await lamportsOf(one.wallet), SOL + 2n * RENT);
  assert.equal(await lamportsOf(service.gas), 10n * SOL - (await feesOf([service.gas])));
});

/** The process, with something that happens before or after each transaction of it lands. */
function withEvents(
  process: Awaited<ReturnType<typeof newProcess>>,
  { before = async () => {}, after = async () => {} }: { before?(): Promise<void>; after?(): Promise<void> },
): typeof process {
  return {
    ...process,
    async land(transaction: Transaction) {
      await before();
      const end = await process.land(transaction);
      await after();
      return end;
    },
  };
}

test('attack: a stranger on the chain sends SOL to where the accounts of orders will be in the other vault: they are moved all the same', async () => {
  for (const lamports of [1n, RENT]) {
    await reset();
    const service = await newService();
    const one = await service.newWallet();
    const first = await service.open(one, TOKENS.usd);
    const second = await service.open(one, TOKENS.sol, { output: TOKENS.new });
    const process = await newProcess(service.files);
    const vault = await process.seeds.to.publicKey(`vault:${one.wallet}`);
    let sent = 0;
    // Once the first one has moved, everybody knows the other vault.
    const after = async () => {
      if (sent++ > 0) return;
      await write(orderAccount(vault, second.id, 'in', TOKEN_PROGRAM), SYSTEM_PROGRAM, lamports);
      await write(orderAccount(vault, second.id, 'out', TOKEN_2022_PROGRAM), SYSTEM_PROGRAM, lamports);
      await write(orderAccount(vault, first.id, 'out', TOKEN_PROGRAM), SYSTEM_PROGRAM, lamports);
    };
    assert.equal((await migrateSeeds(withEvents(process, { after }), SILENT)).done, true, `${lamports} lamports`);
    await assertMoved(process.seeds, first, { in: TOKENS.usd });
    // What others send to where an order has SOL is the order's.
    await assertMoved(process.seeds, second, { in: { ...TOKENS.sol, amount: SOL + lamports }, out: TOKENS.new });
  }
});

test('attack: a stranger on the chain sends one unit after the other to the accounts of orders while they are moved: what they held moves, and the gas wallet lends a rent', async () => {
  const service = await newService();
  const one = await service.newWallet();
  const order = await service.open(one, TOKENS.usd);
  const account = order.inputAccount as Address;
  const put = async (amount: bigint) => {
    await hold(one.vault, account, { ...TOKENS.usd, amount }, 'initialized');
    // His own, which he would have from the gas wallet once more.
    await write(account, TOKEN_PROGRAM, RENT + 4n * SOL, Buffer.from((await accountAt(account))!.data[0], 'base64'));
  };
  await put(TOKENS.usd.amount);
  const before = async () => {
    const held = await tokensAt(account);
    if (held && held.amount > 0n) await put(held.amount + 1n);
  };
  const process = await newProcess(service.files);
  assert.equal((await migrateSeeds(withEvents(process, { before }), SILENT)).done, true);
  const vault = await process.seeds.to.publicKey(`vault:${one.wallet}`);
  const now = (await findTriggerOrder(store, order.id))!;
  const place = orderAccount(vault, order.id, 'in', TOKEN_PROGRAM);
  assert.deepEqual([now.vault, now.inputAccount], [vault, place]);
  assert.equal((await tokensAt(place))!.amount, TOKENS.usd.amount + 1n);
  const gas = process.seeds.to.address('gas');
  const fees = await feesOf([service.gas, gas]);
  assert.deepEqual([await lamportsOf(gas), await lamportsOf(place)], [10n * SOL - RENT - fees, RENT]);
  // What was left behind comes after it by another run.
  await migrateSeeds(await newProcess(service.files), { ...SILENT, leavesBehind: true });
  assert.equal(await accountAt(account), null);
});

test('attack: a wallet puts more SOL into the account of its order than the gas wallet has: it is moved all the same', async () => {
  for (const token of [TOKENS.usd, TOKENS.sol]) {
    await reset();
    const service = await newService();
    const order = await service.open(await service.newWallet(), token);
    const account = order.inputAccount as Address;
    const { lamports, data } = (await accountAt(account))!;
    await write(account, TOKEN_PROGRAM, BigInt(lamports) + 20n * SOL, Buffer.from(data[0], 'base64'));
    const process = await newProcess(service.files);
    assert.equal((await migrateSeeds(process, SILENT)).done, true);
    const place = (await findTriggerOrder(store, order.id))!.inputAccount as Address;
    assert.equal(await lamportsOf(place), BigInt(lamports) + 20n * SOL);
    assert.equal((await tokensAt(place))!.amount, token.amount + (token === TOKENS.sol ? 20n * SOL : 0n));
    assert.equal(await accountAt(account), null);
  }
});

test('attack: a stranger on the chain puts tokens that he has frozen into a vault: its orders move, and the rest is listed', async () => {
  const service = await newService();
  const one = await service.newWallet();
  const order = await service.open(one, TOKENS.sol);
  const junk = generateKeypair().address;
  await hold(one.vault, junk, TOKENS.usd, 'frozen');
  const process = await newProcess(service.files);
  const listed: string[] = [];
  const onOutcome = (outcome: VaultMigration) => {
    if ('left' in outcome) listed.push(...outcome.left.map(({ account }) => account));
  };
  assert.equal((await migrateSeeds(process, { ...SILENT, onOutcome })).done, true);
  assert.deepEqual(listed, [junk]);
  await assertMoved(process.seeds, order, { in: TOKENS.sol });
});

test('a deposit that is under way is waited for', async () => {
  const service = await newService();
  const order = await service.open(await service.newWallet(), TOKENS.usd);
  await store.query(
    `insert into ledger (id, area, wallet, state, message_hash, cosigners, last_valid_block_height, payload, created_at,
       expires_at, sent_at, lease_until, signature, wire)
     values ('r', 'trigger', $1, 'sending', '', '{tracker}', 1, 'null', $2, $2, $2, $2, 's', '')`,
    [order.wallet, new Date()],
  );
  const process = await newProcess(service.files);
  const told: string[] = [];
  const tell = (text: string) => {
    told.push(text);
    if (!text.startsWith('waiting for 1 transactions')) return;
    setImmediate(() => void store.query(`update ledger set state = 'landed', settled_at = sent_at`));
  };
  assert.equal((await migrateSeeds(process, { ...SILENT, tell })).done, true);
  assert.deepEqual(
    told.map((text) => text.split(' ')[0]),
    ['waiting', 'getting', 'moving'],
  );
  await assertMoved(process.seeds, order, { in: TOKENS.usd });
});

test('nothing moves while the service is not stopped, or into the same seed, or of another database', async () => {
  const service = await newService();
  const order = await service.open(await service.newWallet(), TOKENS.sol);
  const process = await newProcess(service.files);
  await store.query('delete from stops');
  await assert.rejects(migrateSeeds(process, SILENT), /not stopped/);
  await store.query(`update settings set value = to_jsonb('another'::text) where key = 'identity.signer'`);
  await assert.rejects(migrateSeeds(process, SILENT), /not that of the old signer file/);
  const same = await newProcess({ from: service.files.from, to: service.files.from });
  await assert.rejects(migrateSeeds(same, SILENT), /the same seed/);
  assert.equal((await tokensAt(order.inputAccount as Address))!.amount, SOL);
});
