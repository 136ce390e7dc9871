import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AccountRole,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createTransactionMessage,
  getTransactionEncoder,
  address as kitAddress,
  pipe,
  setTransactionMessageConfig,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { generateKeypair } from './ed25519.js';
import { decompileInstructions, requiredSigners } from './message.js';
import { decodeVersion1 } from './version-1.js';
import { WireError } from './wire-error.js';

const key = () => kitAddress(generateKeypair().address);
const [payer, program, other, signer, written] = [key(), key(), key(), key(), key()];
const LONG = Uint8Array.from({ length: 1_000 }, (_, i) => i & 0xff);

function made(config: Parameters<typeof setTransactionMessageConfig>[0]): Uint8Array {
  const accounts = [
    { address: signer, role: AccountRole.READONLY_SIGNER },
    { address: written, role: AccountRole.WRITABLE },
    { address: signer, role: AccountRole.READONLY },
  ];
  const instructions = [
    { programAddress: program, accounts, data: LONG },
    { programAddress: other, accounts: [], data: new Uint8Array(0) },
  ];
  const message = pipe(
    createTransactionMessage({ version: 1 }),
    (m) => setTransactionMessageFeePayer(payer, m),
    (m) =>
      setTransactionMessageLifetimeUsingBlockhash({ blockhash: `${key()}` as Blockhash, lastValidBlockHeight: 1n }, m),
    (m) => appendTransactionMessageInstructions(instructions, m),
    (m) => setTransactionMessageConfig(config, m),
  );
  return new Uint8Array(getTransactionEncoder().encode(compileTransaction(message)));
}

test('a transaction of version 1 that a public library has made is read, whatever its configuration', () => {
  for (const config of [
    {},
    { priorityFeeLamports: 5n },
    { computeUnitLimit: 7 },
    { priorityFeeLamports: 5n, computeUnitLimit: 7, heapSize: 65_536, loadedAccountsDataSizeLimit: 9 },
  ]) {
    const wire = made(config);
    const decoded = decodeVersion1(wire)!;
    assert.deepEqual(requiredSigners(decoded), [payer, signer]);
    const [first, second, ...more] = decompileInstructions(decoded);
    assert.deepEqual(first, {
      program,
      accounts: [
        { address: signer, signer: true, writable: false },
        { address: written, signer: false, writable: true },
        { address: signer, signer: true, writable: false },
      ],
      data: LONG,
    });
    assert.deepEqual(second, { program: other, accounts: [], data: new Uint8Array(0) });
    assert.equal(more.length, 0);
    for (let length = 1; length < wire.length; length += 13) {
      assert.throws(() => decodeVersion1(wire.subarray(0, length)), WireError);
    }
    assert.throws(() => decodeVersion1(Uint8Array.from([...wire, 0])), WireError);
  }
  assert.equal(decodeVersion1(Uint8Array.of(0x80, 1)), undefined);
  assert.equal(decodeVersion1(new Uint8Array(0)), undefined);
});
