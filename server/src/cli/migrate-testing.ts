// Vaults of a seed that is exchanged for another one, on a chain and in a database: both are empty before each test.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Localnet, startLocalnet } from '@slipway/localnet';
import {
  type Address,
  decodeTokenAccount,
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
import { insertMaker } from '../store/makers.js';
import { ordersOfWallet } from '../store/seed-migration.js';
import type { Store } from '../store/sql.js';
import { putStop } from '../store/stops.js';
import { openAnyStore } from '../store/testing.js';
import { findTriggerOrder, insertTriggerOrder, type TriggerOrderRow } from '../store/trigger-orders.js';
import { findVault, insertVault } from '../store/vaults.js';
import { apply, newOrder } from '../trigger-orders/order.js';

export const RENT = rentExemptLamports(165);
export const SOL = 1_000_000_000n;
export const [USD, NEW] = [generateKeypair().address, generateKeypair().address];
export const TOKENS = {
  sol: { mint: WRAPPED_SOL_MINT, program: TOKEN_PROGRAM, amount: SOL },
  usd: { mint: USD, program: TOKEN_PROGRAM, amount: 5_000_001n },
  new: { mint: NEW, program: TOKEN_2022_PROGRAM, amount: 77n },
  sol2022: { mint: WRAPPED_SOL_2022_MINT, program: TOKEN_2022_PROGRAM, amount: SOL },
};
export interface Held {
  mint: Address;
  program: Address;
  amount: bigint;
}

let folder: string;
let localnet: Localnet;
export let rpc: Rpc;
export let store: Store;
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

export async function reset(): Promise<void> {
  for (const table of ['orders', 'vaults', 'makers', 'stops', 'ledger']) await store.query(`delete from ${table}`);
  await store.query(`delete from settings where key = 'identity.signer'`);
}

export async function write(at: Address, owner: Address, lamports: bigint, data: Uint8Array = new Uint8Array()) {
  const account = { lamports: Number(lamports), owner, executable: false, data: Buffer.from(data).toString('base64') };
  await localnet.call('localnet_setAccount', [at, account]);
}

export async function hold(
  owner: Address,
  at: Address,
  { mint, program, amount }: Held,
  state: 'initialized' | 'frozen',
) {
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
export const newProcess = async (files: { from: string; to: string }, mortal: Mortal = createMortal()) => {
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
export const SILENT = { leavesBehind: false, tell() {}, onOutcome() {} };

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

export interface Told {
  lamports: number;
  owner: string;
  data: [string, string];
}
export const accountAt = async (address: Address): Promise<Told | null> =>
  (await rpc.call<{ value: Told | null }>('getAccountInfo', [address, { encoding: 'base64' }])).value;
export const lamportsOf = async (address: Address) => BigInt((await accountAt(address))?.lamports ?? 0);
export const tokensAt = async (address: Address) => {
  const found = await accountAt(address);
  return found ? decodeTokenAccount(Buffer.from(found.data[0], 'base64')) : undefined;
};

export async function feesOf(payers: readonly Address[]): Promise<bigint> {
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
export async function newService() {
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
export async function assertMoved(
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

/** The deps of a sweep of the old vaults. */
export const sweeping = (process: Awaited<ReturnType<typeof newProcess>>) => ({
  ...process,
  signer: process.seeds.from,
  ordersOf: (wallet: Address) => ordersOfWallet(store, wallet),
});

export const gasOf = async (service: { gas: Address }, { to }: SeedMigration): Promise<bigint> =>
  (await lamportsOf(to.address('gas'))) + (await feesOf([service.gas, to.address('gas')]));
