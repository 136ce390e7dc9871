import {
  BONDING_CURVE_AUTHORITY,
  DAMM_V2_PROGRAM,
  encodeDammV2Config,
  encodeLimitOrderFees,
  LIMIT_ORDER_ADDRESSES,
  MIGRATED_POOL_CONFIGS,
  MIGRATED_POOL_FEES,
} from '@slipway/programs';
import {
  type Address,
  decodeMint,
  rentExemptLamports,
  SYSTEM_PROGRAM,
  SYSVAR_OWNER,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  address as toAddress,
} from '@slipway/wire';
import type { AccountsDb } from './accounts-db.js';
import type { Bank } from './bank.js';
import { ChainError } from './chain-error.js';
import type { ChainState } from './chain-state.js';
import { type GenesisPool, genesisLookupTable, genesisPools } from './genesis-pools.js';
import { isStandIn, ownPrograms, readPrograms } from './programs.js';
import type { PulledAccounts } from './pulled.js';
import type { RemoteAccounts } from './remote-accounts.js';
import type { AddressedAccount, ChainOptions, GenesisInfo, PricedToken } from './types.js';
import type { Vm } from './vm.js';

const SUPPLY_OFFSET = 36;
/** Basis points; what the public program takes. */
const LIMIT_ORDER_FEES = { normalFeeBps: 10, stableFeeBps: 3 };
const U64_MAX = 2n ** 64n - 1n;

interface ChainParts {
  vm: Vm;
  db: AccountsDb;
  remote: RemoteAccounts | undefined;
  state: ChainState;
  bank: Bank;
  faucet: Address;
}

/**
 * Loads our programs and those of the operator's folder, which win, where the chain does not have this version of them.
 * In a fork those that exist upstream stay as they are there. A stand-in never replaces what it stands in for.
 */
export async function loadPrograms(options: ChainOptions, parts: ChainParts): Promise<GenesisInfo['programs']> {
  const { vm, state, bank } = parts;
  const { programsDir } = options;
  const { faucet } = parts;
  const files = new Map(ownPrograms(faucet).map((file) => [file.address, file]));
  const folder = programsDir === undefined ? [] : readPrograms(programsDir, faucet);
  for (const file of folder) files.set(file.address, file);
  for (const { address, file, version, program, programData } of files.values()) {
    const held = state.programs[address];
    if (held === version || (isStandIn(version) && held !== undefined && !isStandIn(held))) continue;
    const accounts = [programData, program];
    if (await isUpstreams(address, accounts, parts)) {
      if (!isStandIn(version)) options.log?.(`${file}: the program exists on the chain that is forked, which wins`);
      continue;
    }
    try {
      const lookup = new Map(accounts.map((entry) => [entry.address, entry.account]));
      vm.sync([address], (key) => lookup.get(key));
    } catch (error) {
      if (error instanceof ChainError) throw new ChainError('data', `${file}: ${error.message}`);
      throw error;
    }
    for (const entry of accounts) bank.write(entry.address, entry.account);
    state.programs[address] = version;
    bank.saveState();
  }
  const names = new Map<string, string>(Object.keys(state.programs).map((address) => [address, address]));
  for (const { address, name, version } of files.values()) {
    if (!isStandIn(version) || isStandIn(state.programs[address])) names.set(address, name);
  }
  return [...names].map(([address, name]) => ({
    name,
    address: toAddress(address),
    ...(isStandIn(state.programs[address]) && { standIn: true }),
  }));
}

/**
 * Writes the accounts of the operator's folder as they were pulled, all of them anew when one is another than at the last
 * time. A mint that the chain has stays, because its tokens are held here; a fork reads them from its upstream.
 */
export function loadAccounts(pulled: PulledAccounts | undefined, log: (line: string) => void, parts: ChainParts): void {
  const { db, remote, state, bank } = parts;
  if (!pulled || state.pulled === pulled.hash) return;
  if (remote) {
    log('the accounts of the programs folder are left out: a fork reads them from the chain that is forked');
    return;
  }
  if (pulled.slot > bank.slot)
    log(
      `the accounts of the programs folder are of slot ${pulled.slot}, which this chain is yet to reach; --reset begins there`,
    );
  const isKept = ({ address, account }: AddressedAccount) => {
    const known = db.get(address);
    const [here, there] = [known && decodeMint(known.data), decodeMint(account.data)];
    const isMint = account.owner === TOKEN_PROGRAM || account.owner === TOKEN_2022_PROGRAM;
    return isMint && known?.owner === account.owner && here !== undefined && here.decimals === there?.decimals;
  };
  const accounts = pulled.accounts.filter((entry) => entry.account.owner !== SYSVAR_OWNER && !isKept(entry));
  bank.writeAll(accounts);
  state.pulled = pulled.hash;
  bank.saveState();
}

/** The limit order program takes no orders before its fees are set; a program of the upstream's has its own. */
export async function writeLimitOrderFees(parts: ChainParts): Promise<void> {
  const { program, fee } = LIMIT_ORDER_ADDRESSES;
  const { db, remote, bank } = parts;
  const write = () => {
    if (db.get(fee) || (remote && !remote.isLocal(program))) return;
    const data = encodeLimitOrderFees(LIMIT_ORDER_FEES);
    const lamports = rentExemptLamports(data.length);
    bank.write(fee, { lamports, owner: program, executable: false, data });
  };
  if (remote) await remote.with(() => [program, fee], write);
  else write();
}

/** Lamports that the launch program's authority lends to the pools that it makes, and gets back. */
const MIGRATION_LAMPORTS = 1_000_000_000n;

/** Where DAMM v2 is this chain's own, the configurations that pools of launched tokens migrate with. */
export async function writeMigrationAccounts(parts: ChainParts): Promise<void> {
  const { db, remote, bank } = parts;
  const configs = MIGRATED_POOL_CONFIGS.slice(0, MIGRATED_POOL_FEES.length);
  const write = () => {
    if (!db.get(DAMM_V2_PROGRAM) || (remote && !remote.isLocal(DAMM_V2_PROGRAM))) return;
    for (const [option, address] of configs.entries()) {
      if (db.get(address)) continue;
      const data = encodeDammV2Config(MIGRATED_POOL_FEES[option]!);
      bank.write(address, {
        lamports: rentExemptLamports(data.length),
        owner: DAMM_V2_PROGRAM,
        executable: false,
        data,
      });
    }
    if (db.get(BONDING_CURVE_AUTHORITY)) return;
    const empty = { owner: SYSTEM_PROGRAM, executable: false, data: new Uint8Array(0) };
    bank.write(BONDING_CURVE_AUTHORITY, { lamports: MIGRATION_LAMPORTS, ...empty });
  };
  if (remote) await remote.with(() => [DAMM_V2_PROGRAM, BONDING_CURVE_AUTHORITY, ...configs], write);
  else write();
}

async function isUpstreams(address: Address, accounts: AddressedAccount[], parts: ChainParts): Promise<boolean> {
  const { db, remote } = parts;
  if (!remote) return false;
  const addresses = accounts.map((entry) => entry.address);
  const known = await remote.with(
    () => addresses,
    () => db.get(address),
  );
  return known !== undefined && !remote.isLocal(address);
}

/**
 * Writes the pools of the sandbox that are not there, each as a whole, and counts what is in them to the supplies.
 * `configured` says by its order which token is which; `tokens` are those that the chain has. Answers the pools that
 * are this chain's own, and the lookup table with their accounts.
 */
export async function writePools(
  configured: PricedToken[],
  tokens: PricedToken[],
  parts: ChainParts,
): Promise<Pick<GenesisInfo, 'pools' | 'lookupTable'>> {
  const { remote, db, bank, faucet } = parts;
  const known = configured.map(({ mint }) => tokens.find((token) => token.mint === mint));
  const pools = genesisPools(known, faucet);
  const table = genesisLookupTable(pools, faucet);
  const addresses = [table, ...pools.flatMap(({ accounts }) => accounts)].map(({ address }) => address);
  const write = () => {
    for (const pool of pools) {
      if (!pool.accounts.some(({ address }) => db.get(address))) writePool(pool, parts);
    }
    if (!db.get(table.address)) bank.write(table.address, table.account);
    const own = pools.filter(({ address }) => db.get(address) && (remote?.isLocal(address) ?? true));
    return { pools: own.map(({ address }) => address), lookupTable: table.address };
  };
  return remote ? remote.with(() => addresses, write) : write();
}

function writePool({ a, b, reserveA, reserveB, accounts }: GenesisPool, parts: ChainParts): void {
  const mints = [withSupply(a.mint, reserveA, parts), withSupply(b.mint, reserveB, parts)];
  if (mints.includes('full')) return;
  parts.bank.writeAll([...accounts, ...mints.filter((mint) => typeof mint === 'object')]);
}

/** The mint with so much more in existence; undefined where the faucet is not who mints. */
function withSupply(
  mint: Address,
  more: bigint,
  { db, remote, faucet }: ChainParts,
): AddressedAccount | 'full' | undefined {
  const account = db.get(mint);
  const facts = account && decodeMint(account.data);
  if (!facts || facts.mintAuthority !== faucet) return undefined;
  if (remote && !remote.isLocal(mint)) return undefined;
  const supply = facts.supply + more;
  if (supply > U64_MAX) return 'full';
  const data = Buffer.from(account.data);
  data.writeBigUInt64LE(supply, SUPPLY_OFFSET);
  return { address: mint, account: { ...account, data } };
}
