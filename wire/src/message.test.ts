import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  decompileTransactionMessage,
  getCompiledTransactionMessageCodec,
  isSignerRole,
  isWritableRole,
  type Instruction as KitInstruction,
  address as kitAddress,
} from '@solana/kit';
import { VersionedMessage } from '@solana/web3.js';
import fc from 'fast-check';
import type { Address } from './address.js';
import { anyMessageInput, RUNS } from './arbitraries.js';
import { compileMessage, type MessageInput } from './compile-message.js';
import { decodeMessage } from './decode-message.js';
import { generateKeypair } from './ed25519.js';
import {
  type AccountMeta,
  decompileInstructions,
  type Instruction,
  isSigner,
  isWritable,
  type LookupTable,
  readonlyAccount,
  readonlySigner,
  requiredSigners,
  writableAccount,
  writableSigner,
} from './message.js';
import { WireError } from './wire-error.js';

const blockhash = generateKeypair().address;

function freshAddresses(count: number): Address[] {
  return Array.from({ length: count }, () => generateKeypair().address);
}

/** The instructions with the roles that the whole message gives to their accounts. */
function withMessageRoles({ feePayer, instructions }: MessageInput): Instruction[] {
  const uses: AccountMeta[] = [writableSigner(feePayer), ...instructions.flatMap(({ accounts }) => accounts)];
  const roleOf = (address: Address): AccountMeta => {
    const own = uses.filter((use) => use.address === address);
    return { address, signer: own.some(({ signer }) => signer), writable: own.some(({ writable }) => writable) };
  };
  return instructions.map(({ program, accounts, data }) => ({
    program,
    accounts: accounts.map(({ address }) => roleOf(address)),
    data,
  }));
}

function decompileWithKit(bytes: Uint8Array, tables: LookupTable[]): { feePayer: string; instructions: Instruction[] } {
  const message = decompileTransactionMessage(getCompiledTransactionMessageCodec().decode(bytes), {
    addressesByLookupTableAddress: Object.fromEntries(
      tables.map((table) => [table.address, table.addresses.map((entry) => kitAddress(entry))]),
    ),
  });
  const kitInstructions: readonly KitInstruction[] = message.instructions;
  const instructions = kitInstructions.map(({ programAddress, accounts = [], data = new Uint8Array() }) => ({
    program: programAddress as string as Address,
    accounts: accounts.map(({ address, role }) => ({
      address: address as string as Address,
      signer: isSignerRole(role),
      writable: isWritableRole(role),
    })),
    data: Uint8Array.from(data),
  }));
  return { feePayer: message.feePayer.address, instructions };
}

test('kit reads from a compiled message what went in: legacy, version 0, version 0 with tables', () => {
  fc.assert(
    fc.property(anyMessageInput, (input) => {
      const bytes = compileMessage(input);
      const read = decompileWithKit(bytes, input.lookupTables ?? []);
      assert.equal(read.feePayer, input.feePayer);
      assert.deepEqual(read.instructions, withMessageRoles(input));
    }),
    RUNS,
  );
});

test('kit and web3.js write the same bytes from what they read', () => {
  fc.assert(
    fc.property(anyMessageInput, (input) => {
      const bytes = compileMessage(input);
      const codec = getCompiledTransactionMessageCodec();
      assert.deepEqual(Uint8Array.from(codec.encode(codec.decode(bytes))), bytes);
      assert.deepEqual(Uint8Array.from(VersionedMessage.deserialize(bytes).serialize()), bytes);
    }),
    RUNS,
  );
});

test('decoding gives back the instructions, the signers and the blockhash', () => {
  fc.assert(
    fc.property(anyMessageInput, (input) => {
      const message = decodeMessage(compileMessage(input));
      const expected = withMessageRoles(input);
      assert.equal(message.version, input.version);
      assert.equal(message.blockhash, input.blockhash);
      assert.deepEqual(decompileInstructions(message, input.lookupTables), expected);
      const signers = requiredSigners(message);
      assert.equal(signers[0], input.feePayer);
      const signing = expected.flatMap(({ accounts }) => accounts.filter(({ signer }) => signer));
      assert.deepEqual(new Set(signers), new Set([input.feePayer, ...signing.map(({ address }) => address)]));
    }),
    RUNS,
  );
});

test('an account stands in the message or comes from a table, never both, and as it may', () => {
  fc.assert(
    fc.property(anyMessageInput, (input) => {
      const message = decodeMessage(compileMessage(input));
      const tables = input.lookupTables ?? [];
      const inTables = new Set(tables.flatMap(({ addresses }) => addresses));
      const programs = new Set(input.instructions.map(({ program }) => program));
      const signers = new Set(requiredSigners(message));
      for (const address of message.accounts) {
        assert.ok(!inTables.has(address) || programs.has(address) || signers.has(address), `${address} stays static`);
      }
      const lookedUp = message.lookups.flatMap(({ table, writable, readonly }) => {
        const { addresses } = tables.find((candidate) => candidate.address === table)!;
        return [...writable, ...readonly].map((index) => addresses[index]);
      });
      const all = [...message.accounts, ...lookedUp];
      assert.equal(new Set(all).size, all.length);
    }),
    RUNS,
  );
});

test('accounts stand by role, and in a role as they first appear', () => {
  const [payer, ws1, ws2, rs1, rs2, w1, w2, r1, program1, program2] = freshAddresses(10) as [
    ...[Address, Address, Address, Address, Address],
    ...[Address, Address, Address, Address, Address],
  ];
  const data = new Uint8Array();
  const first = [readonlyAccount(r1), writableAccount(w1), readonlySigner(rs1), writableSigner(ws1)];
  const second = [
    readonlyAccount(w2),
    readonlySigner(rs2),
    writableAccount(w2),
    writableSigner(ws2),
    readonlySigner(ws1),
  ];
  const message = decodeMessage(
    compileMessage({
      version: 'legacy',
      feePayer: payer,
      blockhash,
      instructions: [
        { program: program1, accounts: first, data },
        { program: program2, accounts: second, data },
      ],
    }),
  );
  assert.deepEqual(message.accounts, [payer, ws1, ws2, rs1, rs2, w1, w2, program1, r1, program2]);
  assert.deepEqual(message.header, { requiredSignatures: 5, readonlySigned: 2, readonlyUnsigned: 3 });
  const roles = message.accounts.map((_, index) => `${isSigner(message, index)} ${isWritable(message, index)}`);
  assert.deepEqual(roles.slice(0, 5), ['true true', 'true true', 'true true', 'true false', 'true false']);
  assert.deepEqual(roles.slice(5), ['false true', 'false true', 'false false', 'false false', 'false false']);
});

test('signers whose order matters come right after the fee payer, among those of their role', () => {
  const [program, payer, a, b, c] = freshAddresses(5) as [Address, Address, Address, Address, Address];
  const instructions = [
    { program, accounts: [writableSigner(a), readonlySigner(b), writableSigner(c)], data: new Uint8Array(0) },
  ];
  const ordered = (signers: Address[]) =>
    requiredSigners(decodeMessage(compileMessage({ version: 0, feePayer: payer, signers, instructions, blockhash })));
  assert.deepEqual(ordered([]), [payer, a, c, b]);
  assert.deepEqual(ordered([c]), [payer, c, a, b]);
  assert.deepEqual(ordered([c, payer, a]), [payer, c, a, b]);
});

test('indexes beyond the static keys are the looked-up accounts, writable ones first', () => {
  const [payer, program, a, b, c, d, table1, table2] = freshAddresses(8) as [
    ...[Address, Address, Address, Address],
    ...[Address, Address, Address, Address],
  ];
  const tables = [
    { address: table1, addresses: [a, b] },
    { address: table2, addresses: [b, c, d] },
  ];
  const accounts = [readonlyAccount(a), writableAccount(b), readonlyAccount(c), writableAccount(d)];
  const instructions = [{ program, accounts, data: new Uint8Array() }];
  const bytes = compileMessage({ version: 0, feePayer: payer, blockhash, instructions, lookupTables: tables });
  const message = decodeMessage(bytes);
  assert.deepEqual(message.accounts, [payer, program]);
  assert.deepEqual(message.lookups, [
    { table: table1, writable: [1], readonly: [0] },
    { table: table2, writable: [2], readonly: [1] },
  ]);
  // b, d, then a, c.
  assert.deepEqual(message.instructions[0]?.accountIndexes, [4, 2, 5, 3]);
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 6].map((index) => isWritable(message, index)),
    [...[true, false, true, true, false, false, false]],
  );
  assert.throws(() => decompileInstructions(message, [tables[0]!]), { name: 'WireError', message: /not known/ });
  const short = [tables[0]!, { address: table2, addresses: [b, c] }];
  assert.throws(() => decompileInstructions(message, short), { name: 'WireError', message: /no entry 2/ });
});

test('what no message can hold is refused', () => {
  const [payer, program] = freshAddresses(2) as [Address, Address];
  const input = { version: 0 as const, feePayer: payer, blockhash };
  const one = (accounts: AccountMeta[], length = 0): Instruction[] => [
    { program, accounts, data: new Uint8Array(length) },
  ];
  const many = freshAddresses(255);
  const refused: [string, MessageInput][] = [
    ['257 accounts', { ...input, instructions: one(many.map(readonlyAccount)) }],
    [
      '257 accounts with a table',
      {
        ...input,
        instructions: one(many.map(readonlyAccount)),
        lookupTables: [{ address: payer, addresses: many.slice(0, 200) }],
      },
    ],
    ['128 signers', { ...input, instructions: one(many.slice(0, 127).map(readonlySigner)) }],
    ['a called fee payer', { ...input, instructions: [{ program: payer, accounts: [], data: new Uint8Array() }] }],
    ['65,536 bytes of data', { ...input, instructions: one([], 65_536) }],
    ['65,536 accounts', { ...input, instructions: one(new Array(65_536).fill(readonlyAccount(payer))) }],
    ['65,536 instructions', { ...input, instructions: new Array(65_536).fill(one([])[0]) }],
    ['a malformed blockhash', { ...input, blockhash: 'nonsense', instructions: [] }],
    ['a malformed fee payer', { ...input, feePayer: '0'.repeat(44) as Address, instructions: [] }],
    ['a malformed account', { ...input, instructions: one([readonlyAccount('' as Address)]) }],
    ['a malformed program', { ...input, instructions: [{ ...one([])[0]!, program: 'x' as Address }] }],
    [
      'a table in a legacy message',
      { ...input, version: 'legacy', instructions: [], lookupTables: [{ address: payer, addresses: [] }] },
    ],
    [
      'a table of 257 addresses',
      { ...input, instructions: [], lookupTables: [{ address: payer, addresses: freshAddresses(257) }] },
    ],
  ];
  for (const [what, message] of refused) assert.throws(() => compileMessage(message), WireError, what);
});

test('the largest message that is possible comes back whole', () => {
  const [payer, program, table] = freshAddresses(3) as [Address, Address, Address];
  const signers = freshAddresses(126);
  const others = freshAddresses(128);
  const accounts = [...signers.map(writableSigner), ...others.map(writableAccount)];
  const instruction = { program, accounts, data: new Uint8Array(65_535).fill(3) };
  for (const lookupTables of [[], [{ address: table, addresses: others }]]) {
    const input = { version: 0 as const, feePayer: payer, blockhash, instructions: [instruction], lookupTables };
    const message = decodeMessage(compileMessage(input));
    assert.deepEqual(decompileInstructions(message, lookupTables), [instruction]);
  }
});
