import type { Address } from '@slipway/wire';
import { readTransaction } from '../../chain/index.js';
import { GrowingCache } from '../../lib/growing-cache.js';
import type { LedgerRow } from '../../store/ledger.js';
import type { SwapDeps } from './deps.js';
import { readPayload } from './payload.js';
import { resultOf, type SwapResult } from './result.js';

export type LandedAmounts = (row: LedgerRow) => Promise<SwapResult | undefined>;

/**
 * Reads the amounts of landed swaps; undefined where the node does not tell them. However often an order is posted, the
 * node is asked once at a time, and not again once it has told them.
 */
export function createLandedAmounts({ chain, log }: Pick<SwapDeps, 'chain' | 'log'>): LandedAmounts {
  const known = new GrowingCache<string, ReturnType<LandedAmounts>>(5_000);

  async function read(row: LedgerRow): Promise<SwapResult | undefined> {
    const landed = await readTransaction(chain.rpc, row.signature!).catch((error: Error) => {
      log.warn({ request: row.id, reason: error.message }, 'cannot read the amounts of a landed swap');
      return undefined;
    });
    if (!landed) known.delete(row.id);
    return landed && resultOf(landed, readPayload(row), row.wallet as Address);
  }

  return (row) => {
    const before = known.get(row.id);
    if (before) return before;
    const amounts = read(row);
    known.set(row.id, amounts);
    return amounts;
  };
}
