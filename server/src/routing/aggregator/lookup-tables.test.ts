import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ADDRESS_LOOKUP_TABLE_PROGRAM,
  type Address,
  encodeLookupTable,
  type Instruction,
  type LookupTable,
} from '@slipway/wire';
import type { LiveAccount, LiveAccounts } from '../../chain/index.js';
import { createLookupTables, tablesFor } from './lookup-tables.js';
import { newAddress } from './testing.js';

const ACTIVE = 2n ** 64n - 1n;

/** Accounts that a test reports as it likes. */
function fakeLive() {
  const known = new Map<Address, LiveAccount>();
  const listeners: ((address: Address) => void)[] = [];
  const live = {
    watch: () => {},
    unwatch: () => {},
    get: (address: Address) => known.get(address),
    refresh: async () => new Map(),
    onChange: (listener: (address: Address) => void) => listeners.push(listener),
  } as unknown as LiveAccounts;
  const report = (address: Address, slot: number, state: Parameters<typeof encodeLookupTable>[0] | undefined) => {
    const data = state && encodeLookupTable(state);
    const account = data && { owner: ADDRESS_LOOKUP_TABLE_PROGRAM, lamports: 1n, executable: false, data };
    known.set(address, { address, slot, account: account as LiveAccount['account'] });
    for (const listener of listeners) listener(address);
  };
  return { live, report };
}

test('a table is used as far as the chain has it for good, and while it is not deactivated', (t) => {
  const [configured, made] = [newAddress(), newAddress()];
  const addresses = [newAddress(), newAddress(), newAddress()];
  const { live, report } = fakeLive();
  const tables = createLookupTables(live, [configured]);
  t.after(() => tables.close());
  const base = { deactivationSlot: ACTIVE, lastExtendedSlot: 0n, lastExtendedFrom: 0, addresses };
  report(configured, 3, base);
  assert.deepEqual(tables.current(), [{ address: configured, addresses }]);
  assert.equal(tables.current(), tables.current());

  assert.deepEqual(tables.use([made]), [made]);
  assert.deepEqual(tables.use([made]), [], 'it is watched already');
  assert.equal(tables.current().length, 1, 'nobody has seen it on the chain');
  const extended = { ...base, lastExtendedSlot: 100n, lastExtendedFrom: 2 };
  report(made, 101, extended);
  assert.deepEqual(tables.current()[1], { address: made, addresses: addresses.slice(0, 2) });
  report(made, 131, extended);
  assert.deepEqual(tables.current()[1]?.addresses.length, 2);
  report(made, 132, extended);
  assert.deepEqual(tables.current()[1]?.addresses, addresses);
  report(made, 140, { ...extended, deactivationSlot: 139n });
  assert.equal(tables.current().length, 1);
  report(made, 141, undefined);
  assert.equal(tables.current().length, 1);
  report(made, 142, extended);
  assert.deepEqual(tables.use([]), []);
  assert.equal(tables.current().length, 1, 'the keeper has given it up');
});

test('a transaction gets the tables that make it smaller, and no others', () => {
  const accounts = Array.from({ length: 8 }, newAddress);
  const [program, owner] = [newAddress(), newAddress()];
  const meta = (address: Address, signer = false) => ({ address, signer, writable: false });
  const trade: Instruction[] = [
    { program, accounts: [meta(owner, true), ...accounts.map((address) => meta(address))], data: new Uint8Array() },
  ];
  const table = (...addresses: Address[]): LookupTable => ({ address: newAddress(), addresses });
  const most = table(...accounts.slice(0, 6), newAddress());
  const rest = table(...accounts.slice(4));
  const single = table(accounts[0]!, newAddress());
  const useless = table(program, owner);
  assert.deepEqual(tablesFor(trade, [single, useless, rest, most]), [most, rest]);
  assert.deepEqual(tablesFor(trade, [most, single]), [most]);
  assert.deepEqual(tablesFor(trade, [single, useless]), []);
  const all = table(...accounts);
  assert.deepEqual(tablesFor(trade, [most, rest, all]), [all]);
});
