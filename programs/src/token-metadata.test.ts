import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Address,
  addressToBytes,
  findProgramAddress,
  type Instruction,
  METADATA_PROGRAM,
  metadataAddress,
  readonlyAccount,
  readonlySigner,
  rentExemptLamports,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  writableAccount,
  writableSigner,
} from '@slipway/wire';
import { failedWith, newAddress, type Outcome, programUnderTest, succeeded, TestVm, withAccounts } from './test-vm.js';

const LENGTH = 679;
const FEE = 10_000_000n;
const ROOMS = { name: 32, symbol: 10, uri: 200 };
const [METADATA, MINT, MINT_AUTHORITY, PAYER] = [0, 1, 2, 3];
const TEXTS_AT = 65;
const AFTER_TEXTS_AT = TEXTS_AT + 3 * 4 + 32 + 10 + 200;
const NOT_HERE = 7000;

type Texts = Record<keyof typeof ROOMS, string>;
const TEXTS: Texts = { name: 'A token', symbol: 'TOKEN', uri: 'https://example.com/t.json' };

function openMetadata(): TestVm {
  const vm = new TestVm();
  vm.addProgram(METADATA_PROGRAM, programUnderTest('token-metadata'));
  return vm;
}

/** After the texts: fee of sellers (u16), creators, collection, uses, whether it can change, details of a collection. */
const PLAIN = [0, 0, 0, 0, 0, 0, 0];

function encodeTexts(texts: Texts): Buffer {
  const parts = Object.values(texts).flatMap((text) => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(Buffer.byteLength(text));
    return [length, Buffer.from(text)];
  });
  return Buffer.concat(parts);
}

function creation(vm: TestVm, mint: Address, authority: Address, texts = TEXTS, rest = PLAIN): Instruction {
  return {
    program: METADATA_PROGRAM,
    accounts: [
      writableAccount(metadataAddress(mint)),
      readonlyAccount(mint),
      readonlySigner(vm.payer),
      writableSigner(vm.payer),
      readonlyAccount(authority),
      readonlyAccount(SYSTEM_PROGRAM),
    ],
    data: Buffer.concat([Buffer.from([33]), encodeTexts(texts), Buffer.from(rest)]),
  };
}

function refused(outcome: Outcome, error: number | string): void {
  const reason = typeof error === 'string' ? error : `custom program error: 0x${error.toString(16)}`;
  failedWith(outcome, reason, METADATA_PROGRAM);
  if (error === NOT_HERE) assert.match(outcome.logs.join('\n'), /^Program log: stand-in: /m);
}

/** The whole account: each text in its room, then the options. */
function expected(mint: Address, authority: Address, texts: Texts, isMutable: number, standard: number): Buffer {
  const data = Buffer.alloc(LENGTH);
  data[0] = 4;
  data.set(addressToBytes(authority), 1);
  data.set(addressToBytes(mint), 33);
  let at = TEXTS_AT;
  for (const [kind, room] of Object.entries(ROOMS)) {
    data.writeUInt32LE(room, at);
    data.write(texts[kind as keyof Texts], at + 4);
    at += 4 + room;
  }
  const seeds = [
    Buffer.from('metadata'),
    addressToBytes(METADATA_PROGRAM),
    addressToBytes(mint),
    Buffer.from('edition'),
  ];
  const edition = findProgramAddress(seeds, METADATA_PROGRAM).bump;
  data.set([0, 0, 0, 0, isMutable, 1, edition, 1, standard], AFTER_TEXTS_AT);
  data[LENGTH - 1] = 1;
  return data;
}

test('the account is at the mint’s address, has the public layout to the byte, and costs its rent and the fee', () => {
  const vm = openMetadata();
  const longest = { name: 'n'.repeat(32), symbol: 's'.repeat(10), uri: 'u'.repeat(200) };
  for (const [decimals, standard] of [
    [0, 1],
    [1, 2],
    [9, 2],
  ] as const) {
    for (const isMutable of [0, 1, 2]) {
      for (const texts of [TEXTS, longest, { name: '', symbol: '', uri: '' }]) {
        const mint = vm.mint({ decimals, mintAuthority: vm.payer });
        const authority = newAddress();
        const create = creation(vm, mint, authority, texts, [0, 0, 0, 0, 0, isMutable, 0]);
        const before = vm.lamports(vm.payer);
        succeeded(vm.run(create));
        const metadata = metadataAddress(mint);
        assert.deepEqual(vm.data(metadata), expected(mint, authority, texts, isMutable ? 1 : 0, standard));
        assert.equal(vm.owner(metadata), METADATA_PROGRAM);
        const price = rentExemptLamports(LENGTH) + FEE;
        assert.equal(vm.lamports(metadata), price);
        const signature = before - vm.lamports(vm.payer) - price;
        assert.ok(signature > 0n && signature <= 10_000n, String(signature));
        failedWith(vm.run(create), 'custom program error: 0x0', SYSTEM_PROGRAM);
      }
    }
  }
});

test('lamports that were sent to the address before count, and what is too much stays there', () => {
  const vm = openMetadata();
  const price = rentExemptLamports(LENGTH) + FEE;
  for (const [sent, paid] of [
    [1_000_000n, price - 1_000_000n],
    [price - 1n, 1n],
    [price, 0n],
    [price + 5n, 0n],
  ] as const) {
    const mint = vm.mint({ mintAuthority: vm.payer });
    const metadata = vm.put(metadataAddress(mint), new Uint8Array(0), SYSTEM_PROGRAM, sent);
    const payer = vm.put(newAddress(), new Uint8Array(0), SYSTEM_PROGRAM, 10n ** 10n);
    const { calls } = succeeded(vm.run(withAccounts(creation(vm, mint, vm.payer), { [PAYER]: payer })));
    assert.equal(calls().length, paid === 0n ? 2 : 3);
    assert.equal(vm.lamports(metadata), sent + paid);
    assert.equal(vm.lamports(payer), 10n ** 10n - paid);
  }
});

test('a text that is longer than its room is refused, by the number of that text', () => {
  const vm = openMetadata();
  const mint = vm.mint({ mintAuthority: vm.payer });
  for (const [kind, error] of [
    ['name', 11],
    ['symbol', 12],
    ['uri', 13],
  ] as const) {
    const create = creation(vm, mint, vm.payer, { ...TEXTS, [kind]: 'x'.repeat(ROOMS[kind] + 1) });
    refused(vm.run(create), error);
    // Also where it is the last thing that there is.
    const end = Buffer.from(create.data).lastIndexOf('xx') + 2;
    refused(vm.run({ ...create, data: create.data.slice(0, end) }), error);
  }
  assert.equal(vm.data(metadataAddress(mint)).length, 0);
});

test('data that ends before it should is refused', () => {
  const vm = openMetadata();
  const mint = vm.mint({ mintAuthority: vm.payer });
  const create = creation(vm, mint, vm.payer);
  for (let length = 0; length < create.data.length; length++) {
    refused(vm.run({ ...create, data: create.data.slice(0, length) }), 'invalid instruction data');
  }
  const longer = Buffer.concat([create.data, Buffer.from([0])]);
  succeeded(vm.run({ ...create, data: longer }));
});

test('fees of sellers, creators, collections and uses are refused, and so are instructions that no launch sends', () => {
  const vm = openMetadata();
  const mint = vm.mint({ mintAuthority: vm.payer });
  for (const at of [0, 1, 2, 3, 4, 6]) {
    for (const value of [1, 2, 255]) {
      const rest = PLAIN.map((byte, i) => (i === at ? value : byte));
      refused(vm.run(creation(vm, mint, vm.payer, TEXTS, rest)), NOT_HERE);
    }
  }
  for (let tag = 0; tag < 256; tag++) {
    if (tag === 15 || tag === 33) continue;
    const instruction = { program: METADATA_PROGRAM, accounts: [], data: Uint8Array.of(tag) };
    refused(vm.run(instruction), tag <= 56 ? NOT_HERE : 'invalid instruction data');
  }
});

test('attack: a stranger on the chain names a token that is another’s, or puts its metadata elsewhere: refused', () => {
  const vm = openMetadata();
  const mint = vm.mint({ mintAuthority: vm.payer });
  const stranger = newAddress();
  const create = creation(vm, mint, stranger);
  const swap = (place: number, address: Address) => vm.run(withAccounts(create, { [place]: address }));
  refused(swap(MINT_AUTHORITY, stranger), 15);
  const accounts = create.accounts.map((meta, i) => (i === MINT_AUTHORITY ? readonlyAccount(stranger) : meta));
  refused(vm.run({ ...create, accounts }), 15);
  const unsigned = vm.mint({ mintAuthority: stranger });
  const ofStranger = creation(vm, unsigned, stranger);
  const without = ofStranger.accounts.map((meta, i) => (i === MINT_AUTHORITY ? readonlyAccount(stranger) : meta));
  refused(vm.run({ ...ofStranger, accounts: without }), 15);
  refused(vm.run(creation(vm, vm.mint(), stranger)), 15);
  // A mint that has given its authority up, with the address still there.
  const given = vm.mint({ mintAuthority: vm.payer });
  vm.patch(given, 0, Uint8Array.of(0));
  refused(vm.run(creation(vm, given, stranger)), 15);
  refused(swap(METADATA, metadataAddress(vm.mint())), 5);
  refused(swap(METADATA, stranger), 5);
  refused(swap(MINT, vm.mint({ mintAuthority: vm.payer })), 5);
  refused(swap(MINT, vm.put(newAddress(), vm.data(mint), SYSTEM_PROGRAM)), 'incorrect program id for instruction');
  refused(swap(MINT, vm.mint({ mintAuthority: vm.payer, initialized: false })), 'invalid account data for instruction');
  refused(swap(MINT, vm.tokenAccount({ mint, owner: vm.payer })), 'invalid account data for instruction');
  for (let count = 0; count < 6; count++) {
    const outcome = vm.run({ ...create, accounts: create.accounts.slice(0, count) });
    refused(outcome, 'insufficient account keys for instruction');
  }
  assert.equal(vm.data(metadataAddress(mint)).length, 0);
  succeeded(vm.run(create));
});

test('a mint of Token-2022 has metadata here, too', () => {
  const vm = openMetadata();
  const mint = vm.mint({ mintAuthority: vm.payer, tokenProgram: TOKEN_2022_PROGRAM });
  succeeded(vm.run(creation(vm, mint, vm.payer)));
  assert.deepEqual(vm.data(metadataAddress(mint)), expected(mint, vm.payer, TEXTS, 0, 2));
});

function update(metadata: Address, authority: Address, next: Address, isSigned = true): Instruction {
  return {
    program: METADATA_PROGRAM,
    accounts: [writableAccount(metadata), isSigned ? readonlySigner(authority) : readonlyAccount(authority)],
    data: Buffer.concat([Buffer.from([15, 0, 1]), addressToBytes(next), Buffer.from([0, 0])]),
  };
}

test('the authority can be given on, by itself alone, and nothing else can be changed', () => {
  const vm = openMetadata();
  const mint = vm.mint({ mintAuthority: vm.payer });
  const [first, next, stranger] = [newAddress(), newAddress(), newAddress()];
  succeeded(vm.run(creation(vm, mint, first)));
  const metadata = metadataAddress(mint);
  const good = update(metadata, first, next);
  refused(vm.run(update(metadata, stranger, next)), 7);
  refused(vm.run(update(metadata, first, next, false)), 7);
  for (const count of [0, 1]) {
    const outcome = vm.run({ ...good, accounts: good.accounts.slice(0, count) });
    refused(outcome, 'insufficient account keys for instruction');
  }
  for (const [at, value] of [
    [1, 1],
    [2, 0],
    [2, 2],
    [35, 1],
    [36, 1],
  ] as const) {
    const data = Uint8Array.from(good.data);
    data[at] = value;
    refused(vm.run({ ...good, data }), NOT_HERE);
  }
  refused(vm.run({ ...good, data: good.data.slice(0, 36) }), NOT_HERE);
  refused(vm.run({ ...good, data: Buffer.concat([good.data, Buffer.from([0])]) }), NOT_HERE);
  assert.deepEqual(vm.data(metadata), expected(mint, first, TEXTS, 0, 2));
  succeeded(vm.run(good));
  assert.deepEqual(vm.data(metadata), expected(mint, next, TEXTS, 0, 2));
  refused(vm.run(update(metadata, first, first)), 7);
  succeeded(vm.run(update(metadata, next, first)));
});

test('attack: a stranger on the chain forges metadata, of another program, length or kind: refused', () => {
  const vm = openMetadata();
  const mint = vm.mint({ mintAuthority: vm.payer });
  succeeded(vm.run(creation(vm, mint, vm.payer)));
  const data = vm.data(metadataAddress(mint));
  const put = (bytes: Uint8Array, owner = METADATA_PROGRAM) => vm.put(newAddress(), bytes, owner);
  const ask = (metadata: Address) => vm.run(update(metadata, vm.payer, vm.payer));
  succeeded(ask(put(data)));
  refused(ask(put(data, SYSTEM_PROGRAM)), 'incorrect program id for instruction');
  refused(ask(put(data.subarray(0, LENGTH - 1))), 1);
  refused(ask(put(Buffer.concat([data, Buffer.alloc(1)]))), 1);
  for (const kind of [0, 3, 5]) refused(ask(put(Buffer.concat([Buffer.from([kind]), data.subarray(1)]))), 1);
});
