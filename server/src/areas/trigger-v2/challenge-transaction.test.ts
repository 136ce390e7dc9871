import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Address,
  address,
  advanceNonce,
  compileMessage,
  decodeTransaction,
  decompileInstructions,
  generateKeypair,
  type Instruction,
  MEMO_V1_PROGRAM,
  memo,
  readonlySigner,
  setComputeUnitLimit,
  setComputeUnitPrice,
  systemTransfer,
  unsignedTransaction,
} from '@slipway/wire';
import { readLoginTransaction } from '../../signer/index.js';
import { craftLoginTransaction } from './challenge-transaction.js';

const wallet = generateKeypair().address;
const blockhash = generateKeypair().address;
const challenge = `Sign this message to authenticate with Slipway at localhost that you are the owner of ${wallet}.`;
const lighthouse = address('L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95');

function read(instructions: Instruction[], options: { feePayer?: Address; table?: Address } = {}) {
  const { table } = options;
  const message = compileMessage({
    version: table ? 0 : 'legacy',
    feePayer: options.feePayer ?? wallet,
    instructions,
    blockhash,
    ...(table && { lookupTables: [{ address: table, addresses: [instructions[0]!.accounts[0]!.address] }] }),
  });
  return readLoginTransaction(decodeTransaction(unsignedTransaction(message)));
}

test('what is crafted has one signer, a compute budget and one memo, and reads back', () => {
  const wire = craftLoginTransaction({ wallet, challenge, blockhash });
  const transaction = decodeTransaction(wire);
  assert.deepEqual(readLoginTransaction(transaction), { wallet, challenge, blockhash });
  assert.equal(transaction.decoded.header.requiredSignatures, 1);
  assert.equal(decompileInstructions(transaction.decoded).length, 2);
});

test('the longest prefix still fits', () => {
  const long = 'x'.repeat(200) + challenge.slice(-60) + 'y'.repeat(130);
  assert.doesNotThrow(() => craftLoginTransaction({ wallet, challenge: long, blockhash }));
});

test('what wallets add by themselves is taken', () => {
  const assertion: Instruction = { program: lighthouse, accounts: [], data: Uint8Array.of(6) };
  const login = { wallet, challenge, blockhash };
  assert.deepEqual(read([setComputeUnitLimit(1), setComputeUnitPrice(9n), memo(challenge)]), login);
  assert.deepEqual(read([memo(challenge), assertion, assertion]), login);
  assert.deepEqual(read([{ ...memo(challenge), program: MEMO_V1_PROGRAM }]), login);
  assert.deepEqual(read([{ ...memo(challenge), accounts: [readonlySigner(wallet)] }]), login);
});

test('whatever could be more than a login is not one', () => {
  const other = generateKeypair().address;
  const cases: [string, ReturnType<typeof read>][] = [
    ['no memo', read([setComputeUnitLimit(1)])],
    ['two memos', read([memo(challenge), memo('more')])],
    ['a transfer', read([memo(challenge), systemTransfer({ from: wallet, to: other, lamports: 1n })])],
    ['a durable nonce', read([advanceNonce({ nonce: other, authority: wallet }), memo(challenge)])],
    ['a second signer', read([{ ...memo(challenge), accounts: [readonlySigner(other)] }])],
    ['an unknown program', read([memo(challenge), { program: other, accounts: [], data: new Uint8Array(0) }])],
    ['a memo that is no text', read([{ ...memo(''), data: Uint8Array.of(0xff) }])],
  ];
  for (const [why, login] of cases) assert.equal(login, undefined, why);
  const looked: Instruction = {
    program: lighthouse,
    accounts: [{ address: other, signer: false, writable: false }],
    data: Uint8Array.of(6),
  };
  assert.equal(read([looked, memo(challenge)], { table: generateKeypair().address }), undefined);
});

test('the wallet, the text and the blockhash are read from the bytes, whoever pays', () => {
  const feePayer = generateKeypair().address;
  assert.deepEqual(read([memo('another text')], { feePayer }), {
    wallet: feePayer,
    challenge: 'another text',
    blockhash,
  });
});
