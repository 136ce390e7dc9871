import type { Address } from '@slipway/wire';
import { type SweepDeps, type SweepReport, sweepVault } from './sweep.js';

/** Vaults that are swept side by side: each waits for the chain most of the time. */
const AT_ONCE = 8;

/** What became of the vault of a wallet. `failed`: why nothing more could be read or sent. */
export type VaultOutcome = SweepReport | { wallet: Address; failed: string };

/**
 * Sweeps the vaults of all these wallets and tells each outcome. One that fails does not stop the others. It keeps
 * nothing of its own: what the chain says that a vault holds is what is sent, so that it can be killed at any point and
 * run again.
 */
export async function sweepVaults(
  deps: SweepDeps,
  wallets: AsyncIterator<Address>,
  onOutcome: (outcome: VaultOutcome) => void,
): Promise<void> {
  const worker = async () => {
    for (let next = await wallets.next(); !next.done; next = await wallets.next()) {
      const wallet = next.value;
      onOutcome(await sweepVault(deps, wallet).catch((error: Error) => ({ wallet, failed: error.message })));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
