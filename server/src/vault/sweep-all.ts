import type { Address } from '@slipway/wire';
import { type Failed, forEachWallet } from './each-wallet.js';
import type { VaultOrder } from './missing.js';
import { type SweepDeps, type SweepReport, sweepVault } from './sweep.js';

/** What became of the vault of a wallet. */
export type VaultOutcome = SweepReport | Failed;

/**
 * Sweeps the vaults of all these wallets and tells each outcome. It keeps nothing of its own: what the chain says that a vault
 * holds is what is sent, so that it can be killed at any point and run again.
 */
export async function sweepVaults(
  deps: SweepDeps & { ordersOf(wallet: Address): Promise<VaultOrder[]> },
  wallets: AsyncIterator<string>,
  onOutcome: (outcome: VaultOutcome) => void,
): Promise<void> {
  await forEachWallet(wallets, async (wallet) => sweepVault(deps, wallet, await deps.ordersOf(wallet)), onOutcome);
}
