import type { Crafted } from '../../crafting/transaction.js';
import { uuidv7 } from '../../lib/ids.js';
import { findRequest, insertCrafted, type LedgerRow } from '../../store/ledger.js';
import type { TriggerKeeperDeps } from './deps.js';

/** Writes down a transaction that the keeper pays for and the vault of a wallet signs, as the landing wants it. */
export async function remember(
  { store, clock }: Pick<TriggerKeeperDeps, 'store' | 'clock'>,
  made: { area: string; wallet: string; crafted: Crafted; lastValidBlockHeight: bigint; payload: unknown },
): Promise<LedgerRow> {
  const { area, wallet, crafted, lastValidBlockHeight, payload } = made;
  const id = uuidv7(clock);
  const now = new Date(clock.now());
  const row = {
    ...{ id, area, wallet, messageHash: crafted.messageHash, lastValidBlockHeight, payload },
    ...{ cosigners: ['keeper', `vault:${wallet}`], createdAt: now, expiresAt: now },
  };
  await store.single((tx) => insertCrafted(tx, [row]));
  return (await findRequest(store, id))!;
}
