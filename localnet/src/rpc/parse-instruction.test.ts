import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address } from '@slipway/wire';
import {
  AuthorityType,
  createApproveInstruction,
  createCloseAccountInstruction,
  createInitializeMint2Instruction,
  createMintToCheckedInstruction,
  createSetAuthorityInstruction,
  createSyncNativeInstruction,
  createTransferInstruction,
} from '@solana/spl-token';
import {
  AddressLookupTableProgram,
  Keypair,
  type PublicKey,
  SystemProgram,
  type TransactionInstruction,
} from '@solana/web3.js';
import { parseInstruction } from './parse-instruction.js';

// The instructions are encoded by the clients' own libraries, the shapes are those of a validator.
const [a, b, c, d] = Array.from({ length: 4 }, () => Keypair.generate().publicKey) as [
  PublicKey,
  PublicKey,
  PublicKey,
  PublicKey,
];

function parse({ programId, keys, data }: TransactionInstruction) {
  const accounts = keys.map(({ pubkey }) => address(pubkey.toBase58()));
  return parseInstruction({ program: address(programId.toBase58()), accounts, data });
}

function infoOf(instruction: TransactionInstruction, type: string): Record<string, unknown> {
  const parsed = parse(instruction)?.parsed;
  assert.ok(parsed && typeof parsed === 'object');
  assert.equal(parsed.type, type);
  return parsed.info;
}

test('system instructions', () => {
  const owner = b.toBase58();
  assert.deepEqual(
    infoOf(
      SystemProgram.createAccountWithSeed({
        fromPubkey: a,
        newAccountPubkey: c,
        basePubkey: a,
        seed: 'säil',
        lamports: 5,
        space: 165,
        programId: b,
      }),
      'createAccountWithSeed',
    ),
    { source: `${a}`, newAccount: `${c}`, base: `${a}`, seed: 'säil', lamports: 5, space: 165, owner },
  );
  assert.deepEqual(infoOf(SystemProgram.nonceAdvance({ noncePubkey: a, authorizedPubkey: b }), 'advanceNonce'), {
    nonceAccount: `${a}`,
    recentBlockhashesSysvar: 'SysvarRecentB1ockHashes11111111111111111111',
    nonceAuthority: `${b}`,
  });
  assert.deepEqual(
    infoOf(
      SystemProgram.transfer({ fromPubkey: a, basePubkey: b, toPubkey: c, lamports: 7n, seed: 'x', programId: d }),
      'transferWithSeed',
    ),
    { source: `${a}`, sourceBase: `${b}`, destination: `${c}`, lamports: 7, sourceSeed: 'x', sourceOwner: `${d}` },
  );
  assert.deepEqual(infoOf(SystemProgram.allocate({ accountPubkey: a, space: 9 }), 'allocate'), {
    account: `${a}`,
    space: 9,
  });
});

test('token instructions, with one authority and with a multisig', () => {
  assert.deepEqual(infoOf(createTransferInstruction(a, b, c, 2n ** 64n - 1n), 'transfer'), {
    source: `${a}`,
    destination: `${b}`,
    amount: '18446744073709551615',
    authority: `${c}`,
  });
  assert.deepEqual(infoOf(createTransferInstruction(a, b, c, 1n, [d, a]), 'transfer'), {
    source: `${a}`,
    destination: `${b}`,
    amount: '1',
    multisigAuthority: `${c}`,
    signers: [`${d}`, `${a}`],
  });
  assert.deepEqual(infoOf(createApproveInstruction(a, b, c, 3n, [d]), 'approve'), {
    source: `${a}`,
    delegate: `${b}`,
    amount: '3',
    multisigOwner: `${c}`,
    signers: [`${d}`],
  });
  assert.deepEqual(infoOf(createMintToCheckedInstruction(a, b, c, 1_500n, 3), 'mintToChecked'), {
    mint: `${a}`,
    account: `${b}`,
    mintAuthority: `${c}`,
    tokenAmount: { amount: '1500', decimals: 3, uiAmount: 1.5, uiAmountString: '1.5' },
  });
  assert.deepEqual(infoOf(createSetAuthorityInstruction(a, b, AuthorityType.FreezeAccount, null), 'setAuthority'), {
    mint: `${a}`,
    authorityType: 'freezeAccount',
    newAuthority: null,
    authority: `${b}`,
  });
  assert.deepEqual(infoOf(createSetAuthorityInstruction(a, b, AuthorityType.AccountOwner, c), 'setAuthority'), {
    account: `${a}`,
    authorityType: 'accountOwner',
    newAuthority: `${c}`,
    authority: `${b}`,
  });
  assert.deepEqual(infoOf(createCloseAccountInstruction(a, b, c), 'closeAccount'), {
    account: `${a}`,
    destination: `${b}`,
    owner: `${c}`,
  });
  assert.deepEqual(infoOf(createInitializeMint2Instruction(a, 9, b, null), 'initializeMint2'), {
    mint: `${a}`,
    decimals: 9,
    mintAuthority: `${b}`,
  });
  assert.deepEqual(infoOf(createSyncNativeInstruction(a), 'syncNative'), { account: `${a}` });
});

test('lookup table instructions', () => {
  const [create, table] = AddressLookupTableProgram.createLookupTable({ authority: a, payer: b, recentSlot: 77 });
  const { bumpSeed, ...created } = infoOf(create, 'createLookupTable');
  assert.equal(typeof bumpSeed, 'number');
  const both = { lookupTableAccount: `${table}`, lookupTableAuthority: `${a}` };
  const system = SystemProgram.programId.toBase58();
  assert.deepEqual(created, { ...both, payerAccount: `${b}`, systemProgram: system, recentSlot: 77 });
  const extend = AddressLookupTableProgram.extendLookupTable({ lookupTable: table, authority: a, addresses: [c, d] });
  assert.deepEqual(infoOf(extend, 'extendLookupTable'), { ...both, newAddresses: [`${c}`, `${d}`] });
});

test('what is cut off, has too few accounts or is unknown is not parsed', () => {
  const transfer = SystemProgram.transfer({ fromPubkey: a, toPubkey: b, lamports: 1 });
  const program = address(SystemProgram.programId.toBase58());
  const accounts = [address(a.toBase58())];
  assert.equal(parseInstruction({ program, accounts, data: transfer.data }), undefined);
  assert.equal(
    parseInstruction({ program, accounts: [...accounts, ...accounts], data: transfer.data.subarray(0, 9) }),
    undefined,
  );
  assert.equal(parseInstruction({ program, accounts, data: Buffer.from([99, 0, 0, 0]) }), undefined);
  assert.equal(parseInstruction({ program: address(a.toBase58()), accounts, data: transfer.data }), undefined);
  const memo = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
  assert.deepEqual(parseInstruction({ program: memo, accounts: [], data: Buffer.from('gm ✓') }), {
    program: 'spl-memo',
    parsed: 'gm ✓',
  });
  assert.equal(parseInstruction({ program: memo, accounts: [], data: Buffer.from([0xff]) }), undefined);
});
