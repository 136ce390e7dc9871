import { randomBytes } from 'node:crypto';
import {
  type Address,
  base58Encode,
  INSTRUCTIONS_SYSVAR,
  MOST_LAMPORTS_PER_BYTE,
  address as toAddress,
} from '@slipway/wire';
import { AccountsDb } from './accounts-db.js';
import { Bank } from './bank.js';
import { ChainError } from './chain-error.js';
import type { ChainState } from './chain-state.js';
import { DataFolder, type LoadedChain } from './data-folder.js';
import {
  configuredTokens,
  DEFAULT_GENESIS,
  forkedTokens,
  genesisAccounts,
  sandboxKeypair,
  sandboxWallets,
  startingPrices,
} from './genesis.js';
import { createMemoryStorage } from './memory-storage.js';
import { loadAccounts, loadPrograms, writeLimitOrderFees, writeMigrationAccounts, writePools } from './populate.js';
import { type PulledAccounts, readPulledAccounts } from './pulled.js';
import { RemoteAccounts } from './remote-accounts.js';
import type { Storage } from './storage.js';
import type { Account, AddressedAccount, ChainOptions, GenesisInfo, GenesisOptions, Upstream } from './types.js';
import { Vm } from './vm.js';

/** What an open chain is made of. */
export interface OpenChain {
  bank: Bank;
  db: AccountsDb;
  storage: Storage;
  remote: RemoteAccounts | undefined;
  state: ChainState;
  genesis: GenesisInfo;
  genesisHash: string;
  lamportsPerByte: bigint;
}

type UpstreamStart = Awaited<ReturnType<Upstream['start']>>;

/** Puts the parts of a chain together: a new one, or that of the data folder. Throws a ChainError. */
export async function openChain(options: ChainOptions): Promise<OpenChain> {
  const opened = options.dataDir === undefined ? undefined : DataFolder.open(options.dataDir);
  try {
    return await assemble(options, opened?.folder ?? createMemoryStorage(), opened?.loaded);
  } catch (error) {
    opened?.folder.abandon();
    throw error;
  }
}

async function assemble(options: ChainOptions, storage: Storage, loaded: LoadedChain | undefined): Promise<OpenChain> {
  const { upstream, now = Date.now, programsDir, log = () => {} } = options;
  const pulled = programsDir === undefined ? undefined : readPulledAccounts(programsDir);
  const start = await upstream?.start();
  if (loaded) checkSameFork(loaded.state, start, options.dataDir ?? '');
  const lamportsPerByte = options.lamportsPerByte ?? start?.lamportsPerByte ?? MOST_LAMPORTS_PER_BYTE;
  const vm = new Vm(lamportsPerByte);
  const db = new AccountsDb();
  const builtins = new Map<Address, Account>();
  for (const { address, account } of vm.takeBuiltins()) {
    builtins.set(address, account);
    db.set(address, account);
  }
  for (const [address, account] of loaded?.accounts ?? []) db.set(address, account);
  const deleted = start && (loaded?.deleted ?? new Set<Address>());
  const local = new Set([...builtins.keys(), ...vm.sysvars, INSTRUCTIONS_SYSVAR]);
  for (const address of loaded?.accounts.keys() ?? []) local.add(address);
  for (const address of deleted ?? []) local.add(address);
  const remote = upstream && new RemoteAccounts(upstream, db, local, now);

  const state = loaded?.state ?? (await createGenesis(options, { vm, db, remote, start, pulled }));
  const bank = new Bank({
    vm,
    db,
    storage,
    state,
    now,
    builtins,
    deleted,
    isLocal: (address) => remote === undefined || remote.isLocal(address),
    markLocal: (address) => remote?.markLocal(address),
  });
  if (!loaded) bank.compact();
  const parts = { vm, db, remote, state, bank, faucet: sandboxKeypair(state.faucetName).address };
  const programs = await loadPrograms(options, parts);
  loadAccounts(pulled, log, parts);
  await writeLimitOrderFees(parts);
  await writeMigrationAccounts(parts);
  const mints = startingPrices(state.tokens, options.genesis);
  const genesis: GenesisInfo = {
    wallets: sandboxWallets(),
    mints,
    receiver: toAddress(state.receiver),
    ...(await writePools(configuredTokens(options.genesis), mints, parts)),
    programs,
  };
  const genesisHash = start?.genesisHash ?? base58Encode(Buffer.from(state.seed, 'hex'));
  return { bank, db, storage, remote, state, genesis, genesisHash, lamportsPerByte };
}

/** A chain goes on with the accounts that it began with: a fork reads the rest of them from its upstream. */
function checkSameFork(state: ChainState, start: UpstreamStart | undefined, folder: string): void {
  const remedy = 'start with --reset to begin anew, which deletes it, or name another folder';
  if (state.fork && !start)
    throw new ChainError('data', `the data folder ${folder} holds a fork of another chain; ${remedy}`);
  if (!state.fork && start)
    throw new ChainError('data', `the data folder ${folder} holds a chain that is no fork; ${remedy}`);
  if (state.fork && state.fork.genesisHash !== start?.genesisHash) {
    throw new ChainError('data', `the data folder ${folder} holds a fork of a different chain; ${remedy}`);
  }
}

interface GenesisContext {
  vm: Vm;
  db: AccountsDb;
  remote: RemoteAccounts | undefined;
  start: UpstreamStart | undefined;
  pulled: PulledAccounts | undefined;
}

async function createGenesis(options: ChainOptions, context: GenesisContext): Promise<ChainState> {
  const { db, remote, start, vm, pulled } = context;
  const { now = Date.now, log = () => {} } = options;
  const tokens = configuredTokens(options.genesis);
  const genesis: Required<GenesisOptions> = { ...DEFAULT_GENESIS, ...options.genesis, tokens };
  if (remote) {
    const mints = genesis.tokens.map(({ mint }) => mint);
    const found = await remote.with(
      () => mints,
      () => forkedTokens(genesis.tokens, (address) => db.get(address)),
    );
    for (const token of genesis.tokens) {
      if (!found.some(({ mint }) => mint === token.mint))
        log(`${token.symbol}: the wallets get none of it in this fork`);
    }
    genesis.tokens = found;
  }
  const faucetName = await freeFaucetName(context);
  const accounts = genesisAccounts(genesis, sandboxKeypair(faucetName).address);
  await writeMissing(accounts, context);
  const startMs = start ? Number(start.unixTimestamp) * 1000 : now();
  // What was pulled was true from its slot on: a pool that opened there is not closed here.
  const ownSlot = pulled && pulled.slot > vm.slot ? pulled.slot : vm.slot;
  const firstSlot = start?.slot ?? ownSlot;
  return {
    seed: randomBytes(32).toString('hex'),
    clock: { firstSlot, startMs, offsetMs: startMs - now() },
    lastSlot: firstSlot,
    transactionCount: 0n,
    fork: start ? { genesisHash: start.genesisHash } : null,
    faucetName,
    tokens: genesis.tokens,
    receiver: genesis.receiver,
    programs: {},
  };
}

/** In a fork the upstream wins: what exists there is not written. */
async function writeMissing(accounts: AddressedAccount[], { db, remote }: GenesisContext): Promise<void> {
  const write = () => {
    for (const { address, account } of accounts) {
      if (db.get(address)) continue;
      db.set(address, account);
      remote?.markLocal(address);
    }
  };
  if (remote) {
    const addresses = accounts.map(({ address }) => address);
    await remote.with(() => addresses, write);
  } else write();
}

/** Anybody could have sent something to the faucet's public address on a real chain; then another one is used. */
async function freeFaucetName({ db, remote }: GenesisContext): Promise<string> {
  for (let number = 1; ; number++) {
    const name = number === 1 ? 'faucet' : `faucet ${number}`;
    const { address } = sandboxKeypair(name);
    const taken =
      remote &&
      (await remote.with(
        () => [address],
        () => db.get(address),
      ));
    if (!taken) return name;
  }
}
