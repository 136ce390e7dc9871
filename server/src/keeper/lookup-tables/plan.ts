import { rentExemptLamports } from '@slipway/wire';
import type { StoredTable } from '../../store/lookup-tables.js';

/** What a table can hold. */
const MAX_ADDRESSES = 256;
const HEADER_SIZE = 56;
const ADDRESS_SIZE = 32;

/** Lamports that a table with so many addresses holds. */
export function tableRent(addresses: number): bigint {
  return rentExemptLamports(HEADER_SIZE + ADDRESS_SIZE * addresses);
}

/** What a table lacks; without a table, one is to be made. */
export interface Addition {
  table: StoredTable | undefined;
  missing: string[];
}

/**
 * What to add next: the first wish that no table fulfills alone and whose rent is at most `lamports`. Each is fulfilled
 * by one table, because every further table costs a transaction 34 bytes. `isShort`: for a wish there was too little. Not
 * every table can be extended: of an earlier key of the wallet, only given up.
 */
export function nextAddition(
  tables: readonly StoredTable[],
  wishes: readonly (readonly string[])[],
  lamports: bigint,
  canExtend: (table: StoredTable) => boolean = () => true,
): { addition: Addition | undefined; isShort: boolean } {
  const known = tables.map((table) => ({ table, held: new Set(table.addresses) }));
  let isShort = false;
  for (const wish of wishes) {
    const lacks = known.map(({ table, held }) => ({ table, missing: wish.filter((address) => !held.has(address)) }));
    if (wish.length > MAX_ADDRESSES || lacks.some(({ missing }) => missing.length === 0)) continue;
    const [best] = lacks
      .filter(({ table, missing }) => canExtend(table) && table.addresses.length + missing.length <= MAX_ADDRESSES)
      .sort((a, b) => a.missing.length - b.missing.length);
    const addition = best ?? { table: undefined, missing: [...wish] };
    if (rentOf(addition) <= lamports) return { addition, isShort };
    isShort = true;
  }
  return { addition: undefined, isShort };
}

/** Lamports that the table takes beyond those that it has. */
export function rentOf({ table, missing }: Addition): bigint {
  if (!table) return tableRent(missing.length);
  const { length } = table.addresses;
  return tableRent(length + missing.length) - tableRent(length);
}
