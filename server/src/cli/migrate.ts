import { setTimeout as pause } from 'node:timers/promises';
import type { Address } from '@slipway/wire';
import { type Config, dataFolder } from '../config/index.js';
import { explain } from '../landing/index.js';
import { createDisposal } from '../lib/disposal.js';
import { gasWallets, openSeedMigration, readPrivateFile } from '../signer/index.js';
import {
  beginSeedMigration,
  countUnderWay,
  endSeedMigration,
  moveOrders,
  ordersOfWallet,
} from '../store/seed-migration.js';
import type { Store } from '../store/sql.js';
import { allVaultWallets } from '../store/vaults.js';
import {
  type MigrationBook,
  type MigrationDeps,
  migrateVaults,
  migrateWallets,
  readyGasWallet,
  type VaultMigration,
} from '../vault/migrate-vaults.js';
import type { MoveReport } from '../vault/move-wallet.js';
import { CommandError } from './context.js';
import { feeMintsOf } from './fee-accounts.js';
import { openDatabase } from './open-database.js';
import { withChain } from './own-chain.js';

const LOOK_MS = 1_000;
/** Longer than any transaction lives that a running copy still follows. */
const PATIENCE_MS = 3 * 60_000;

interface Migration {
  /** The new signer file, and its passphrase. */
  file: string;
  passphrase: string;
  /** Whether to end although something could not be moved: it stays with the old seed. */
  leavesBehind: boolean;
  tell(text: string): void;
  onOutcome(outcome: VaultMigration): void;
}

export interface Migrated {
  /** Of the gas wallet, the keeper and the tracker. */
  wallets: MoveReport;
  /** Whether the database is that of the new file now. */
  done: boolean;
}

/** Moves everything from the seed of the configuration to another one. @throws CommandError */
export async function migrate(config: Config, migration: Migration): Promise<Migrated> {
  if (config.signer.kind === 'process') {
    throw new CommandError('the keys are in another process: run this where its file is, with SLIPWAY_SIGNER_FILE');
  }
  if (config.chain.kind === 'embedded' && config.store.kind === 'embedded') {
    throw new CommandError('the chain and the database of this sandbox end with it: nothing can be moved without it');
  }
  const disposal = createDisposal();
  try {
    const generated = config.sandbox ? await readPrivateFile(dataFolder(config).signerPassphrase) : undefined;
    const passphrase = config.signer.passphrase ?? generated?.toString('utf8').trim();
    const seeds = await openSeedMigration(
      { file: config.signer.file, passphrase, create: false },
      { file: migration.file, passphrase: migration.passphrase, create: false },
    );
    const store = await openDatabase(config, disposal);
    return await withChain(config, (own) =>
      migrateSeeds(
        { ...own, explain: (error) => explain(error).message, store, seeds, feeMints: feeMintsOf(config) },
        migration,
      ),
    );
  } finally {
    await disposal.close(() => {});
  }
}

interface MigrateDeps extends Omit<MigrationDeps, 'book'> {
  store: Store;
  feeMints: ReadonlySet<Address>;
}

/** Moves everything from one seed to the other. @throws CommandError */
export async function migrateSeeds(
  { store, feeMints, ...own }: MigrateDeps,
  { leavesBehind, tell, onOutcome }: Omit<Migration, 'file' | 'passphrase'>,
): Promise<Migrated> {
  const { seeds } = own;
  const gas = { before: gasWallets(seeds.from), after: seeds.to.address('gas') };
  if (gas.before.includes(gas.after)) throw new CommandError('both files have the same seed');
  const begun = await beginSeedMigration(store, gas).catch((error: Error) => {
    throw new CommandError(error.message, { cause: error });
  });
  if (begun) await waitForOthers(store, tell);
  const deps = { ...own, book: bookOf(store) };
  tell(`getting the gas wallet ${gas.after} ready`);
  await readyGasWallet({ ...deps, feeMints, tell });
  let isWhole = true;
  await migrateVaults(deps, (outcome) => {
    // Anybody can put what cannot be moved into a vault: it keeps nobody from the other seed.
    isWhole &&= !('failed' in outcome) && outcome.ordersLeft === 0;
    onOutcome(outcome);
  });
  if (!isWhole && !leavesBehind) return { wallets: { moved: [], left: [] }, done: false };
  tell('moving what the wallets of the service hold');
  const wallets = await migrateWallets(deps);
  if (begun) await endSeedMigration(store, gas, { from: seeds.from.secrets, to: seeds.to.secrets });
  return { wallets, done: true };
}

/** Deposits, withdrawals and fills that are under way: copies that run with the old file see them to their ends. */
async function waitForOthers(store: Store, tell: (text: string) => void): Promise<void> {
  for (let waited = 0; ; waited += LOOK_MS) {
    const left = await countUnderWay(store);
    if (left === 0) return;
    if (waited === 0) tell(`waiting for ${left} transactions that are under way`);
    if (waited >= PATIENCE_MS) {
      throw new CommandError(`${left} transactions stay under way: have a copy that runs with the old file end them`);
    }
    await pause(LOOK_MS);
  }
}

function bookOf(store: Store): MigrationBook {
  return {
    wallets: () => allVaultWallets(store),
    ordersOf: (wallet) => ordersOfWallet(store, wallet),
    record: (wallet, vaults, orders) => store.transaction((tx) => moveOrders(tx, wallet, vaults, orders)),
  };
}
