import type { Address } from '@slipway/wire';
import { type CraftedRequest, rememberOwn } from '../../landing/index.js';
import type { LedgerRow } from '../../store/ledger.js';
import type { FillDeps } from './deps.js';

/** Stores a transaction that the keeper pays for and a wallet's vault signs. */
export function remember(
  { writes, clock }: Pick<FillDeps, 'writes' | 'clock'>,
  { area, wallet, crafted, lastValidBlockHeight, payload }: Omit<CraftedRequest, 'id' | 'cosigners'>,
): Promise<LedgerRow> {
  const cosigners = ['keeper', `vault:${wallet as Address}`] as const;
  return rememberOwn(writes.remember, { area, wallet, crafted, lastValidBlockHeight, payload, cosigners }, clock);
}
