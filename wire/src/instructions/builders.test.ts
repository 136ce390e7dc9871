import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AddressLookupTableProgram, PublicKey, type TransactionInstruction } from '@solana/web3.js';
import fc from 'fast-check';
import type { Address } from '../address.js';
import { anyAddress, anyU64, RUNS } from '../arbitraries.js';
import type { Instruction } from '../message.js';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from '../programs.js';
import { createAssociatedTokenIdempotent } from './associated-token.js';
import { anyValues, fromKit, pairs } from './client-pairs.js';
import { setComputeUnitLimit, setComputeUnitPrice } from './compute-budget.js';
import {
  closeLookupTable,
  createLookupTable,
  deactivateLookupTable,
  extendLookupTable,
  lookupTableAddress,
} from './lookup-table.js';
import { systemCreateAccount, systemTransfer } from './system.js';
import {
  tokenCloseAccount,
  tokenInitializeAccount3,
  tokenInitializeMint2,
  tokenMintTo,
  tokenTransferChecked,
} from './token.js';

function fromWeb3({ programId, keys, data }: TransactionInstruction): Instruction {
  return {
    program: programId.toBase58() as Address,
    accounts: keys.map(({ pubkey, isSigner, isWritable }) => ({
      address: pubkey.toBase58() as Address,
      signer: isSigner,
      writable: isWritable,
    })),
    data: Uint8Array.from(data),
  };
}

for (const [name, pair] of Object.entries(pairs)) {
  test(`${name} is the instruction of the program's own client`, () => {
    fc.assert(
      fc.property(anyValues, (values) => {
        const [ours, theirs] = pair(values);
        assert.deepEqual(ours, fromKit(theirs));
      }),
      RUNS,
    );
  });
}

test('the token program is SPL Token unless given', () => {
  fc.assert(
    fc.property(anyValues, ({ a, b, c, d, amount, decimals }) => {
      const instructions = [
        tokenTransferChecked({ source: a, mint: b, destination: c, authority: d, amount, decimals }),
        tokenMintTo({ mint: a, destination: b, authority: c, amount }),
        tokenCloseAccount({ account: a, destination: b, authority: c }),
        tokenInitializeAccount3({ account: a, mint: b, owner: c }),
        tokenInitializeMint2({ mint: a, decimals, mintAuthority: b }),
      ];
      for (const { program } of instructions) assert.equal(program, TOKEN_PROGRAM);
      assert.equal(
        createAssociatedTokenIdempotent({ payer: a, owner: b, mint: c }).accounts[5]?.address,
        TOKEN_PROGRAM,
      );
    }),
    { numRuns: 20 },
  );
});

test('lookup tables are made, extended, deactivated and closed as web3.js does it', () => {
  fc.assert(
    fc.property(anyAddress, anyAddress, anyU64, fc.array(anyAddress, { maxLength: 30 }), (a, b, slot, addresses) => {
      const authority = new PublicKey(a);
      const payer = new PublicKey(b);
      const [create, table] = AddressLookupTableProgram.createLookupTable({ authority, payer, recentSlot: slot });
      assert.equal(lookupTableAddress(a, slot).address, table.toBase58());
      assert.deepEqual(createLookupTable({ authority: a, payer: b, recentSlot: slot }), fromWeb3(create));
      const extend = AddressLookupTableProgram.extendLookupTable({
        authority,
        payer,
        lookupTable: table,
        addresses: addresses.map((entry) => new PublicKey(entry)),
      });
      const ours = extendLookupTable({ table: table.toBase58() as Address, authority: a, payer: b, addresses });
      assert.deepEqual(ours, fromWeb3(extend));
      const named = { authority, lookupTable: table };
      const parts = { table: table.toBase58() as Address, authority: a };
      const deactivate = AddressLookupTableProgram.deactivateLookupTable(named);
      assert.deepEqual(deactivateLookupTable(parts), fromWeb3(deactivate));
      const close = AddressLookupTableProgram.closeLookupTable({ ...named, recipient: payer });
      assert.deepEqual(closeLookupTable({ ...parts, recipient: b }), fromWeb3(close));
    }),
    RUNS,
  );
});

test('numbers out of range are refused by name instead of wrapping around', () => {
  const [a, b] = [SYSTEM_PROGRAM, TOKEN_PROGRAM];
  for (const bad of [-1n, 2n ** 64n]) {
    assert.throws(() => systemTransfer({ from: a, to: b, lamports: bad }), { name: 'RangeError', message: /lamports/ });
    assert.throws(() => setComputeUnitPrice(bad), { name: 'RangeError', message: /microLamports/ });
    assert.throws(() => tokenMintTo({ mint: a, destination: b, authority: a, amount: bad }), /amount/);
    const transfer = { source: a, mint: b, destination: a, authority: b, decimals: 6 };
    assert.throws(() => tokenTransferChecked({ ...transfer, amount: bad }), /amount/);
    assert.throws(() => lookupTableAddress(a, bad), /recentSlot/);
  }
  for (const bad of [-1, 1.5, 2 ** 32, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => setComputeUnitLimit(bad), { name: 'RangeError', message: /units/ });
  }
  const account = { payer: a, newAccount: b, owner: a };
  assert.throws(() => systemCreateAccount({ ...account, lamports: -1n, space: 0 }), /lamports/);
  assert.throws(() => systemCreateAccount({ ...account, lamports: 1n, space: -1 }), /space/);
  assert.throws(() => systemCreateAccount({ ...account, lamports: 1n, space: 0.5 }), RangeError);
  for (const bad of [-1, 0.5, 256, Number.NaN]) {
    assert.throws(() => tokenInitializeMint2({ mint: a, decimals: bad, mintAuthority: b }), /decimals/);
  }
});
