import {
  type Address,
  closeLookupTable,
  createLookupTable,
  deactivateLookupTable,
  extendLookupTable,
  type Instruction,
  lookupTableAddress,
} from '@slipway/wire';
import { type Budget, CraftCheckFailed, type Crafted, craftTransaction } from './transaction.js';

/** The most addresses that fit into one transaction beside the instruction that makes the table. */
export const ADDRESSES_AT_ONCE = 26;

/** What to do with a lookup table of ours. */
export type TableStep =
  /** Makes the table of a recent slot and adds the first addresses. */
  | { do: 'make'; recentSlot: bigint; addresses: readonly Address[] }
  | { do: 'extend'; table: Address; addresses: readonly Address[] }
  | { do: 'deactivate'; table: Address }
  | { do: 'close'; table: Address };

/**
 * Crafts the transaction. The wallet pays the fee and the rent, gets the rent back, and is the table's authority, unless that
 * is a key which it had before. Same input, same bytes.
 * @throws TransactionTooLarge, CraftCheckFailed
 */
export function craftTableStep(
  step: TableStep,
  { wallet, authority = wallet }: { wallet: Address; authority?: Address | undefined },
  blockhash: string,
  budget: Budget,
): Crafted {
  const instructions = instructionsOf(step, wallet, authority);
  const crafted = craftTransaction({ feePayer: wallet, instructions, blockhash, budget });
  const signers = new Set([wallet, authority]);
  if (crafted.signers.length !== signers.size) throw new CraftCheckFailed('crafted table: somebody else signs');
  return crafted;
}

function instructionsOf(step: TableStep, wallet: Address, authority: Address): Instruction[] {
  const ours = { authority: wallet, payer: wallet };
  switch (step.do) {
    case 'make': {
      const { recentSlot, addresses } = step;
      const { address: table } = lookupTableAddress(wallet, recentSlot);
      return [
        createLookupTable({ ...ours, recentSlot }),
        extendLookupTable({ ...ours, table, addresses: [...addresses] }),
      ];
    }
    case 'extend':
      return [extendLookupTable({ ...ours, table: step.table, addresses: [...step.addresses] })];
    case 'deactivate':
      return [deactivateLookupTable({ table: step.table, authority })];
    case 'close':
      return [closeLookupTable({ table: step.table, authority, recipient: wallet })];
  }
}
