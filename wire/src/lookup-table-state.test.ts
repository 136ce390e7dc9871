import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AddressLookupTableAccount } from '@solana/web3.js';
import fc from 'fast-check';
import { type Address, addressToBytes } from './address.js';
import { anyAddress, anyU64, RUNS } from './arbitraries.js';
import { decodeLookupTable, encodeLookupTable } from './lookup-table-state.js';

interface Contents {
  deactivationSlot: bigint;
  lastExtendedSlot: number;
  lastExtendedFrom: number;
  authority: Address | undefined;
  addresses: Address[];
}

function accountData({
  deactivationSlot,
  lastExtendedSlot,
  lastExtendedFrom,
  authority,
  addresses,
}: Contents): Uint8Array {
  const data = Buffer.alloc(56);
  data.writeUInt32LE(1, 0);
  data.writeBigUInt64LE(deactivationSlot, 4);
  data.writeBigUInt64LE(BigInt(lastExtendedSlot), 12);
  data[20] = lastExtendedFrom;
  if (authority !== undefined) {
    data[21] = 1;
    data.set(addressToBytes(authority), 22);
  }
  return Buffer.concat([data, ...addresses.map(addressToBytes)]);
}

test('a lookup table is what web3.js reads from it', () => {
  const anyContents: fc.Arbitrary<Contents> = fc.record({
    deactivationSlot: anyU64,
    lastExtendedSlot: fc.nat(),
    lastExtendedFrom: fc.nat(255),
    authority: fc.option(anyAddress, { nil: undefined }),
    addresses: fc.array(anyAddress, { maxLength: 256, size: '+1' }),
  });
  fc.assert(
    fc.property(anyContents, (contents) => {
      const data = accountData(contents);
      const theirs = AddressLookupTableAccount.deserialize(data);
      const ours = decodeLookupTable(data);
      assert.ok(ours);
      assert.deepEqual(encodeLookupTable(ours), new Uint8Array(data));
      assert.equal(ours.deactivationSlot, theirs.deactivationSlot);
      assert.equal(ours.lastExtendedSlot, BigInt(theirs.lastExtendedSlot));
      assert.equal(ours.lastExtendedFrom, theirs.lastExtendedSlotStartIndex);
      assert.equal(ours.authority, theirs.authority?.toBase58());
      assert.deepEqual(
        ours.addresses,
        theirs.addresses.map((entry) => entry.toBase58()),
      );
    }),
    RUNS,
  );
});

test('data that is no lookup table is not read as one', () => {
  const empty = { deactivationSlot: 0n, lastExtendedSlot: 0, lastExtendedFrom: 0 };
  const full = accountData({ ...empty, authority: undefined, addresses: [] });
  for (let length = 0; length < full.length; length++) {
    assert.equal(decodeLookupTable(full.subarray(0, length)), undefined);
  }
  const changed = (at: number, value: number): Uint8Array => {
    const copy = Uint8Array.from(full);
    copy[at] = value;
    return copy;
  };
  assert.ok(decodeLookupTable(full));
  assert.equal(decodeLookupTable(changed(0, 0)), undefined, 'uninitialized');
  assert.equal(decodeLookupTable(changed(0, 2)), undefined, 'another type');
  assert.equal(decodeLookupTable(changed(21, 2)), undefined, 'an impossible option');
  assert.equal(decodeLookupTable(Buffer.concat([full, new Uint8Array(31)])), undefined, 'half an address');
  assert.equal(decodeLookupTable(Buffer.concat([full, new Uint8Array(257 * 32)])), undefined, 'too long');
});
