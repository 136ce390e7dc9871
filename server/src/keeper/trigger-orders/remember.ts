import type { Address } from '@slipway/wire';
import { type CraftedRequest, rememberOwn } from '../../landing/index.js';
import type { LedgerRow } from '../../store/ledger.js';
import type { TriggerKeeperDeps } from './deps.js';

/** Stores a transaction that the keeper pays for and a wallet's vault signs. */
export function remember(
  { store, clock }: Pick<TriggerKeeperDeps, 'store' | 'clock'>,
  { area, wallet, crafted, lastValidBlockHeight, payload }: Omit<CraftedRequest, 'id' | 'cosigners'>,
): Promise<LedgerRow> {
  const cosigners = ['keeper', `vault:${wallet as Address}`] as const;
  return rememberOwn(store, { area, wallet, crafted, lastValidBlockHeight, payload, cosigners }, clock);
}
