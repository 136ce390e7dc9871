import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getTransactionDecoder, getTransactionEncoder } from '@solana/kit';
import { VersionedTransaction } from '@solana/web3.js';
import fc from 'fast-check';
import { type Address, addressFromBytes, addressToBytes } from './address.js';
import { anyMessageInput, anyWireTransaction, RUNS } from './arbitraries.js';
import { base58Encode } from './base58.js';
import { compileMessage } from './compile-message.js';
import { generateKeypair, sign } from './ed25519.js';
import { systemTransfer } from './instructions/system.js';
import { invalidSigners } from './invalid-signers.js';
import { readonlySigner } from './message.js';
import { SYSTEM_PROGRAM } from './programs.js';
import {
  decodeTransaction,
  encodeTransaction,
  MAX_TRANSACTION_SIZE,
  missingSigners,
  transactionSignature,
  unsignedTransaction,
  withSignature,
} from './transaction.js';
import { WireError } from './wire-error.js';

const payer = generateKeypair();
const other = generateKeypair();

/** Needs two signatures: the payer's and the other's. */
function transferMessage(version: 0 | 'legacy' = 'legacy'): Uint8Array {
  const transfer = systemTransfer({ from: other.address, to: generateKeypair().address, lamports: 5n });
  const blockhash = generateKeypair().address;
  return compileMessage({ version, feePayer: payer.address, blockhash, instructions: [transfer] });
}

function join(...parts: (Uint8Array | number[])[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

test('decoding and encoding gives back the same bytes', () => {
  fc.assert(
    fc.property(anyWireTransaction, (wire) => {
      assert.deepEqual(encodeTransaction(decodeTransaction(wire)), wire);
    }),
    RUNS,
  );
});

test('kit and web3.js see the same signatures, message and accounts', () => {
  fc.assert(
    fc.property(anyWireTransaction, (wire) => {
      const { signatures, message, decoded } = decodeTransaction(wire);
      const kit = getTransactionDecoder().decode(wire);
      assert.deepEqual(message, Uint8Array.from(kit.messageBytes));
      assert.deepEqual(decoded.accounts.slice(0, signatures.length), Object.keys(kit.signatures));
      const web3 = VersionedTransaction.deserialize(wire);
      assert.deepEqual(
        signatures,
        web3.signatures.map((signature) => Uint8Array.from(signature)),
      );
      assert.deepEqual(
        decoded.accounts,
        web3.message.staticAccountKeys.map((key) => key.toBase58()),
      );
      assert.equal(decoded.blockhash, web3.message.recentBlockhash);
    }),
    RUNS,
  );
});

test('every truncation is refused', () => {
  fc.assert(
    fc.property(anyWireTransaction, (wire) => {
      for (let length = 0; length < wire.length; length++) {
        assert.throws(() => decodeTransaction(wire.subarray(0, length)), WireError);
      }
    }),
    { numRuns: 200 },
  );
});

test('bytes after the end are refused', () => {
  fc.assert(
    fc.property(anyWireTransaction, fc.uint8Array({ minLength: 1, maxLength: 8 }), (wire, tail) => {
      assert.throws(() => decodeTransaction(join(wire, tail)), WireError);
    }),
    RUNS,
  );
});

test('flipped bytes are refused with WireError or decode to exactly what they say', () => {
  const anyFlips = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), { minLength: 1, maxLength: 4 });
  let accepted = 0;
  fc.assert(
    fc.property(anyWireTransaction, anyFlips, (wire, flips) => {
      // Half of them into the structure at the front, not into keys and data.
      for (const [at, mask] of flips) {
        const start = at % 2 === 0 ? 0 : 1 + 64 * wire[0]!;
        wire[Math.min(start + (at % (wire.length - start)), wire.length - 1)]! ^= mask;
      }
      if (isTakenAsItIs(wire)) accepted++;
    }),
    { numRuns: 2000 },
  );
  assert.ok(accepted > 0);
});

test('random bytes are refused with WireError or decode to exactly what they say', () => {
  const anyNoise = fc.uint8Array({ maxLength: 400, size: 'max' });
  const anyStart = fc.constantFrom<number[]>(
    [],
    [...new Array(64).fill(0), 1, 0, 0],
    [...new Array(64).fill(0), 128, 1, 0, 0],
  );
  fc.assert(
    fc.property(anyStart, anyNoise, (start, noise) => {
      isTakenAsItIs(join([1], start, noise));
    }),
    { numRuns: 5000 },
  );
});

/** Whether the bytes are a transaction; if so, they must be the only way to write it, for kit as well. */
function isTakenAsItIs(wire: Uint8Array): boolean {
  let transaction: ReturnType<typeof decodeTransaction>;
  try {
    transaction = decodeTransaction(wire);
  } catch (error) {
    assert.ok(error instanceof WireError, String(error));
    return false;
  }
  assert.deepEqual(encodeTransaction(transaction), wire);
  assert.deepEqual(Uint8Array.from(getTransactionEncoder().encode(getTransactionDecoder().decode(wire))), wire);
  return true;
}

test('each kind of malformed transaction is refused by name', () => {
  const [a, b, p] = [payer, other, generateKeypair()].map(({ address }) => addressToBytes(address)) as [
    ...[Uint8Array, Uint8Array, Uint8Array],
  ];
  const blockhash = new Uint8Array(32).fill(9);
  const signature = new Uint8Array(64).fill(1);
  const head: [number[], Uint8Array] = [[1], signature];
  const good = join(...head, [1, 0, 1, 2], a, p, blockhash, [1, 1, 1, 0, 2, 7, 7]);
  assert.equal(decodeTransaction(good).decoded.instructions.length, 1);
  const lookup = join([1], b, [1, 5, 0]);
  const v0 = (...tail: (Uint8Array | number[])[]): Uint8Array =>
    join(...head, [128, 1, 0, 1, 2], a, p, blockhash, ...tail);
  assert.equal(decodeTransaction(v0([1, 1, 1, 2, 0], lookup)).decoded.lookups.length, 1);

  const refused: [RegExp, Uint8Array][] = [
    [/ends before the number of signatures/, new Uint8Array()],
    [/number of signatures is 5, more than the bytes hold/, join([5], signature)],
    [/number of signatures is 65535, more than/, join([255, 255, 3])],
    [/not a canonical compact-u16/, join([129, 0], good.subarray(1))],
    [/not a canonical compact-u16/, join([255, 255, 4], good.subarray(1))],
    [/not a canonical compact-u16/, join([255, 255, 131, 0], good.subarray(1))],
    [/0 signatures, the message wants 1/, join([0], good.subarray(65))],
    [/2 signatures, the message wants 1/, join([2], signature, good.subarray(1))],
    [/version 1 is not supported/, join(...head, [129, 1, 0, 1, 2], a, p, blockhash, [0, 0])],
    [/version 127 is not supported/, join(...head, [255], good.subarray(66))],
    [/fee payer is not a writable signer/, join(...head, [0, 0, 1, 2], a, p, blockhash, [0])],
    [/fee payer is not a writable signer/, join(...head, [1, 1, 1, 2], a, p, blockhash, [0])],
    [/header names more accounts/, join(...head, [1, 0, 2, 2], a, p, blockhash, [0])],
    [/header names more accounts/, join(...head, [3, 0, 0, 2], a, p, blockhash, [0])],
    [/number of accounts is 200, more than/, join(...head, [1, 0, 1, 200, 1], a, p, blockhash, [0])],
    [/stands twice/, join(...head, [1, 0, 1, 3], a, p, p, blockhash, [0])],
    [/stands twice/, join(...head, [1, 0, 1, 2], a, a, blockhash, [0])],
    [/fee payer cannot be a called program/, join(...head, [1, 0, 1, 2], a, p, blockhash, [1, 0, 0, 0])],
    [/program index 2 is out of range/, join(...head, [1, 0, 1, 2], a, p, blockhash, [1, 2, 0, 0])],
    [/account index 2 is out of range/, join(...head, [1, 0, 1, 2], a, p, blockhash, [1, 1, 1, 2, 0])],
    [/number of instructions is 9, more than/, join(...head, [1, 0, 1, 2], a, p, blockhash, [9, 1, 0, 0])],
    [/account indexes is 9, more than/, join(...head, [1, 0, 1, 2], a, p, blockhash, [1, 1, 9, 0])],
    [/instruction data is 9, more than/, join(...head, [1, 0, 1, 2], a, p, blockhash, [1, 1, 0, 9])],
    [/1 bytes after the message/, join(good, [0])],
    [/ends before the number of lookup tables/, v0([0])],
    [/named but not used/, v0([0, 1], b, [0, 0])],
    [/lookup tables is 2, more than/, v0([0, 2], b, [1, 5, 0])],
    [/writable lookups is 9, more than/, v0([0, 1], b, [9, 5, 0])],
    [/account index 3 is out of range/, v0([1, 1, 1, 3, 0], lookup)],
    [/program index 2 is out of range/, v0([1, 2, 0, 0], lookup)],
    [/257 accounts, more than 256/, v0([0, 1], b, [255, 1], new Uint8Array(255), [0])],
    [/1233 bytes, more than 1232/, new Uint8Array(1233)],
  ];
  for (const [text, wire] of refused)
    assert.throws(() => decodeTransaction(wire), { name: 'WireError', message: text });
});

test('a transaction of the packet limit is taken', () => {
  const instruction = { program: SYSTEM_PROGRAM, accounts: [], data: new Uint8Array(1000) };
  const input = { version: 'legacy' as const, feePayer: payer.address, blockhash: other.address };
  const base = unsignedTransaction(compileMessage({ ...input, instructions: [instruction] })).length;
  instruction.data = new Uint8Array(1000 + MAX_TRANSACTION_SIZE - base);
  const wire = unsignedTransaction(compileMessage({ ...input, instructions: [instruction] }));
  assert.equal(wire.length, 1232);
  assert.deepEqual(encodeTransaction(decodeTransaction(wire)), wire);
});

test('what was decoded does not change with the bytes it came from', () => {
  const wire = Buffer.from(unsignedTransaction(transferMessage()));
  const before = Uint8Array.from(wire);
  const transaction = decodeTransaction(wire);
  wire.fill(255);
  assert.deepEqual(encodeTransaction(transaction), before);
  assert.equal(transaction.decoded.instructions[0]?.data[0], 2);
});

test('a transaction is signed step by step, by its signers only', () => {
  for (const version of ['legacy', 0] as const) {
    const message = transferMessage(version);
    const unsigned = decodeTransaction(unsignedTransaction(message));
    assert.deepEqual(missingSigners(unsigned), [payer.address, other.address]);
    assert.deepEqual(invalidSigners(unsigned), []);
    assert.throws(() => transactionSignature(unsigned), WireError);

    const half = withSignature(unsigned, other.address, sign(other, message));
    assert.deepEqual(missingSigners(half), [payer.address]);
    assert.deepEqual(missingSigners(unsigned), [payer.address, other.address], 'the first one is as it was');
    assert.throws(() => transactionSignature(half), WireError);

    const full = withSignature(half, payer.address, sign(payer, message));
    assert.deepEqual(missingSigners(full), []);
    assert.deepEqual(invalidSigners(full), []);
    assert.equal(transactionSignature(full), base58Encode(sign(payer, message)));
    assert.deepEqual(decodeTransaction(encodeTransaction(full)).signatures, full.signatures);

    const stranger = generateKeypair();
    assert.throws(() => withSignature(full, stranger.address, sign(stranger, message)), WireError);
    assert.throws(() => withSignature(full, payer.address, new Uint8Array(63)), WireError);
  }
});

test('a wrong signature is named: of another message, of another signer, swapped', () => {
  const message = transferMessage();
  const byPayer = sign(payer, message);
  const byOther = sign(other, message);
  const both = [payer.address, other.address];
  assert.deepEqual(invalidSigners({ signatures: [byOther, byPayer], message }), both);
  assert.deepEqual(invalidSigners({ signatures: [byPayer, byPayer], message }), [other.address]);
  assert.deepEqual(invalidSigners({ signatures: [sign(payer, transferMessage()), byOther], message }), [payer.address]);
  const altered = Uint8Array.from(message);
  altered[altered.length - 1]! ^= 1;
  assert.deepEqual(invalidSigners({ signatures: [byPayer, byOther], message: altered }), both);
});

test('signatures that do not fit the message are not encoded', () => {
  const message = transferMessage();
  const signature = new Uint8Array(64);
  assert.throws(() => encodeTransaction({ signatures: [signature], message }), WireError);
  assert.throws(() => encodeTransaction({ signatures: [signature, new Uint8Array(63)], message }), WireError);
  assert.throws(() => missingSigners({ signatures: [signature], message }), WireError);
  assert.throws(() => encodeTransaction({ signatures: [], message: new Uint8Array() }), WireError);
});

test('the unsigned form asks for one signature of each signer', () => {
  fc.assert(
    fc.property(anyMessageInput, fc.nat(4), (input, extra) => {
      const signers: Address[] = Array.from({ length: extra }, (_, index) =>
        addressFromBytes(new Uint8Array(32).fill(index + 1)),
      );
      const more = { program: SYSTEM_PROGRAM, accounts: signers.map(readonlySigner), data: new Uint8Array() };
      const message = compileMessage({ ...input, instructions: [...input.instructions, more] });
      const wire = unsignedTransaction(message);
      const kit = getTransactionDecoder().decode(wire);
      assert.ok(Object.values(kit.signatures).every((signature) => signature === null));
      assert.deepEqual(Uint8Array.from(kit.messageBytes), message);
      for (const signer of signers) assert.ok(signer in kit.signatures);
    }),
    RUNS,
  );
});
