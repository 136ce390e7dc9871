/** Random values for the property tests of this workspace. */
import fc from 'fast-check';
import { type Address, addressFromBytes } from './address.js';
import { compileMessage, type MessageInput } from './compile-message.js';
import { generateKeypair, type Keypair } from './ed25519.js';
import type { Instruction, LookupTable } from './message.js';
import { unsignedTransaction } from './transaction.js';

export const RUNS = { numRuns: 1000 };

export function anyBytes(length: number): fc.Arbitrary<Uint8Array> {
  return fc.uint8Array({ minLength: length, maxLength: length });
}

/** 32 bytes, often with zeros or 255s in front, where base58 has its edge cases. */
export const anyKeyBytes = fc
  .tuple(anyBytes(32), fc.constantFrom(0, 255), fc.oneof(fc.constant(0), fc.nat(32)))
  .map(([bytes, filler, count]) => bytes.fill(filler, 0, count));

export const anyAddress: fc.Arbitrary<Address> = anyBytes(32).map((bytes) => addressFromBytes(bytes));

export const anyU64 = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.constantFrom(0n, 2n ** 64n - 1n));

export const anyU8 = fc.integer({ min: 0, max: 255 });

/** A message of up to five instructions over a small pool of accounts, so that roles meet. The payer can sign. */
export const anyMessageInput: fc.Arbitrary<MessageInput & { payer: Keypair }> = fc
  .record({
    programs: fc.uniqueArray(anyAddress, { minLength: 1, maxLength: 3 }),
    pool: fc.uniqueArray(anyAddress, { minLength: 1, maxLength: 10 }),
    strangers: fc.uniqueArray(anyAddress, { maxLength: 5 }),
    table: fc.tuple(anyAddress, anyAddress),
    blockhash: anyAddress,
    kind: fc.constantFrom('legacy' as const, 'v0' as const, 'v0 with tables' as const),
  })
  .chain(({ programs, pool, strangers, table, blockhash, kind }) => {
    const payer = generateKeypair();
    const everyone = [payer.address, ...pool, ...programs];
    const anyMeta = fc.record({
      // A called program cannot be the fee payer, but it can be an account.
      address: fc.constantFrom(...everyone),
      signer: fc.boolean(),
      writable: fc.boolean(),
    });
    const anyInstruction: fc.Arbitrary<Instruction> = fc.record({
      program: fc.constantFrom(...programs),
      accounts: fc.array(anyMeta, { maxLength: 8 }),
      data: fc.uint8Array({ maxLength: 140, size: 'max' }),
    });
    return fc
      .record({
        instructions: fc.array(anyInstruction, { maxLength: 5 }),
        lookupTables: fc.tuple(
          anyTable(table[0], [...everyone, ...strangers]),
          anyTable(table[1], [...everyone, ...strangers]),
        ),
        version: fc.constant(kind === 'legacy' ? ('legacy' as const) : (0 as const)),
        feePayer: fc.constant(payer.address),
        blockhash: fc.constant(blockhash),
        payer: fc.constant(payer),
      })
      .map((input) => (kind === 'v0 with tables' ? input : { ...input, lookupTables: [] }));
  });

function anyTable(address: Address, candidates: Address[]): fc.Arbitrary<LookupTable> {
  return fc.record({ address: fc.constant(address), addresses: fc.shuffledSubarray(candidates) });
}

/** The bytes of a well-formed transaction with random signatures, which fits into a packet. */
export const anyWireTransaction: fc.Arbitrary<Uint8Array> = fc
  .tuple(anyMessageInput, fc.infiniteStream(anyU8))
  .map(([input, noise]) => {
    const wire = unsignedTransaction(compileMessage(input));
    for (let i = 1; i <= 64 * wire[0]!; i++) wire[i] = noise.next().value;
    return wire;
  })
  .filter((wire) => wire.length <= 1232);
