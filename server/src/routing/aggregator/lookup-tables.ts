import { ADDRESS_LOOKUP_TABLE_PROGRAM, type Address, decodeLookupTable, type LookupTable } from '@slipway/wire';
import type { LiveAccounts } from '../../chain/index.js';

const NOT_DEACTIVATED = 2n ** 64n - 1n;

/** Returns the tables at these addresses as they are on chain; the same list until one of them changes. */
export function createLookupTables(live: LiveAccounts, addresses: readonly Address[]): () => LookupTable[] {
  const watched = new Set(addresses);
  let tables: LookupTable[] | undefined;
  live.watch(addresses);
  live.onChange((address) => {
    if (watched.has(address)) tables = undefined;
  });
  return () => {
    tables ??= addresses.flatMap((address) => {
      const account = live.get(address)?.account;
      const table = account?.owner === ADDRESS_LOOKUP_TABLE_PROGRAM ? decodeLookupTable(account.data) : undefined;
      return table?.deactivationSlot === NOT_DEACTIVATED ? [{ address, addresses: table.addresses }] : [];
    });
    return tables;
  };
}
