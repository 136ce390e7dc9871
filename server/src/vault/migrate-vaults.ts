import type { Address } from '@slipway/wire';
import {
  isWalletRole,
  type KeyName,
  type MovedOrder,
  type SeedMigration,
  type Signer,
  WALLET_ROLES,
} from '../signer/index.js';
import { type Failed, forEachWallet } from './each-wallet.js';
import type { VaultOrder } from './missing.js';
import { moveVault } from './move-vault.js';
import { type MoveReport, moveWallet, type ReadyDeps, readyWallet } from './move-wallet.js';
import type { SendDeps } from './send-first.js';

/** An order as its seal covers it, and what it holds. */
type SealedRow = Parameters<SeedMigration['moved']>[0] & VaultOrder;

/** The database of the service, as far as a move to another seed concerns it. */
export interface MigrationBook {
  wallets(): AsyncIterator<string>;
  ordersOf(wallet: Address): Promise<SealedRow[]>;
  /** Gives the wallet its other vault, and these orders their places in it. */
  record(
    wallet: Address,
    vaults: { before: Address; after: Address },
    orders: (MovedOrder & { id: string })[],
  ): Promise<void>;
}

export interface MigrationDeps extends Omit<SendDeps, 'signer'> {
  seeds: SeedMigration;
  book: MigrationBook;
}

interface MovedVault extends MoveReport {
  wallet: Address;
  /** How many have their place in the other vault now, and how many have not. */
  orders: number;
  ordersLeft: number;
}

/** What became of the vault of a wallet. */
export type VaultMigration = MovedVault | Failed;

/**
 * Moves the vaults of all wallets to the other seed, and their orders with them. It can be killed at any point and run again:
 * what the chain says of an account decides whether it is still to be moved, and a row follows when its accounts have.
 */
export async function migrateVaults(deps: MigrationDeps, onOutcome: (outcome: VaultMigration) => void): Promise<void> {
  await forEachWallet(deps.book.wallets(), (wallet) => migrateVault(deps, wallet), onOutcome);
}

async function migrateVault(deps: MigrationDeps, wallet: Address): Promise<MovedVault> {
  const { seeds, book } = deps;
  const orders = await book.ordersOf(wallet);
  const report = await moveVault({ ...deps, from: seeds.from, to: seeds.to }, wallet, orders);
  const stuck = new Set<string | null>(report.left.map(({ account }) => account));
  const moved: (MovedOrder & { id: string })[] = [];
  const isLeft = (order: SealedRow) => stuck.has(order.inputAccount) || stuck.has(order.outputAccount);
  for (const order of orders) {
    if (isLeft(order)) continue;
    const found = await seeds.moved(order);
    if (found) moved.push({ ...found, id: order.id });
  }
  const key = `vault:${wallet}` as const;
  const [before, after] = await Promise.all([seeds.from.publicKey(key), seeds.to.publicKey(key)]);
  await book.record(wallet, { before, after }, moved);
  return { ...report, wallet, orders: moved.length, ordersLeft: orders.filter(isLeft).length };
}

/** Gives the other gas wallet SOL to pay for the move, as far as the one before has any. */
export async function readyGasWallet(deps: MigrationDeps & Pick<ReadyDeps, 'feeMints' | 'tell'>): Promise<void> {
  const { from, to } = deps.seeds;
  const move = { role: 'gas', from: from.address('gas'), to: to.address('gas') } as const;
  await readyWallet({ ...deps, signer: bothOf(deps.seeds) }, move);
}

/** Moves what the wallets of the service hold, those included that they were before. */
export async function migrateWallets(deps: MigrationDeps): Promise<MoveReport> {
  const report: MoveReport = { moved: [], left: [] };
  const { from, to } = deps.seeds;
  for (const role of WALLET_ROLES) {
    for (const address of from.wallets()[role].addresses) {
      if (address === null) continue;
      const move = { role, from: address, to: to.address(role) };
      const { moved, left } = await moveWallet({ ...deps, signer: bothOf(deps.seeds) }, move);
      report.moved = report.moved.concat(moved);
      report.left = report.left.concat(left);
    }
  }
  return report;
}

/** The keys of the other seed, and by their addresses those of the wallets from before. */
function bothOf({ from, to }: SeedMigration): Pick<Signer, 'address' | 'publicKey' | 'sign'> {
  const of = (key: KeyName): Signer => {
    const [role = '', address] = key.split(':');
    const isOld = isWalletRole(role) && from.wallets()[role].addresses.some((each) => each === address);
    return isOld ? from : to;
  };
  return {
    address: (role) => to.address(role),
    publicKey: (key) => of(key).publicKey(key),
    sign: (key, message) => of(key).sign(key, message),
  };
}
