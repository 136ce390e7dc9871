import type { Address } from '@slipway/wire';
import type { Config } from '../config/index.js';
import { explain } from '../landing/index.js';
import { createDisposal } from '../lib/disposal.js';
import { gasWallets } from '../signer/index.js';
import { assertIdentity } from '../store/identity.js';
import { ordersOfWallet } from '../store/seed-migration.js';
import { allVaultWallets, countVaults } from '../store/vaults.js';
import { type SweepReport, sweepVault } from '../vault/sweep.js';
import { sweepVaults, type VaultOutcome } from '../vault/sweep-all.js';
import { CommandError } from './context.js';
import { openDatabase } from './open-database.js';
import { type OwnChain, withOwnChain } from './own-chain.js';

/** Sends what the vault of a wallet holds to the wallet. */
export function sweep(config: Config, wallet: Address): Promise<SweepReport> {
  return withOwnChain(config, (own) => sweepVault(depsOf(own), wallet));
}

/** Sends what all vaults of the database hold to their wallets; `onOutcome` is told of each, and how many there are. */
export async function sweepAll(
  config: Config,
  onOutcome: (outcome: VaultOutcome, vaults: number) => void,
): Promise<void> {
  if (config.chain.kind === 'embedded' && config.store.kind === 'embedded') {
    throw new CommandError(
      'the chain and the database of this sandbox are in one process, so that nobody else can read which vaults there are: sweep them one by one, with --wallet',
    );
  }
  const disposal = createDisposal();
  try {
    const store = await openDatabase(config, disposal);
    await withOwnChain(config, async (own) => {
      await assertIdentity(store, { signer: gasWallets(own.signer) });
      const vaults = await countVaults(store);
      const deps = { ...depsOf(own), ordersOf: (wallet: Address) => ordersOfWallet(store, wallet) };
      await sweepVaults(deps, allVaultWallets(store), (outcome) => onOutcome(outcome, vaults));
    });
  } finally {
    await disposal.close(() => {});
  }
}

const depsOf = (own: OwnChain) => ({ ...own, explain: (error: unknown) => explain(error).message });
