import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type Address,
  address,
  associatedTokenAddress,
  base58Decode,
  base58Encode,
  compileMessage,
  createAssociatedTokenIdempotent,
  decodeTransaction,
  encodeLookupTable,
  encodeTransaction,
  generateKeypair,
  type Instruction,
  type Keypair,
  keypairFromSecret,
  type LookupTableState,
  SYSTEM_PROGRAM,
  sign,
  systemTransfer,
  ADDRESS_LOOKUP_TABLE_PROGRAM as TABLES,
  TOKEN_PROGRAM,
  tokenTransferChecked,
  unsignedTransaction,
  withSignature,
} from '@slipway/wire';
import { found, signedTransaction, startTestNet, type TestNet } from '../testing.js';

let net: TestNet;
let alice: Keypair;
before(async () => {
  net = await startTestNet();
  alice = keypairFromSecret(found(base58Decode(net.wallet('alice').secretKey)));
});
after(() => net.localnet.close());

const BASE64 = { encoding: 'base64' };

const transferTo = (to: Address, lamports = 1_000_000n) => systemTransfer({ from: alice.address, to, lamports });
const signed = (instructions: Instruction[], blockhash?: string) =>
  signedTransaction(net, [alice], instructions, blockhash);

async function unsigned(
  instructions: Instruction[],
  feePayer: Address = alice.address,
  blockhash?: string,
): Promise<string> {
  const latest = (await net.post('getLatestBlockhash')).result.value?.blockhash;
  const input = { version: 0, feePayer, instructions, blockhash: blockhash ?? String(latest) } as const;
  return Buffer.from(unsignedTransaction(compileMessage(input))).toString('base64');
}

test('sendTransaction takes base58 (by default) and base64', async () => {
  const to = generateKeypair().address;
  const base64 = await signed([transferTo(to)]);
  const first = await net.post('sendTransaction', [base64, BASE64]);
  assert.equal(typeof first.result, 'string');
  const other = await signed([transferTo(to, 2_000_000n)]);
  const base58 = base58Encode(Buffer.from(other, 'base64'));
  assert.equal((await net.post('sendTransaction', [base58])).error, undefined);
  assert.equal((await net.post('getBalance', [to])).result.value, 3_000_000);
});

test('an executed transaction is never executed twice', async () => {
  const to = generateKeypair().address;
  const transaction = await signed([transferTo(to)]);
  const { result: signature } = await net.post('sendTransaction', [transaction, BASE64]);
  const { error } = await net.post('sendTransaction', [transaction, BASE64]);
  assert.equal(error?.code, -32002);
  assert.equal(error?.message, 'Transaction simulation failed: This transaction has already been processed');
  assert.equal(error?.data?.err, 'AlreadyProcessed');
  const again = await net.post('sendTransaction', [transaction, { ...BASE64, skipPreflight: true }]);
  assert.equal(again.result, signature);
  assert.equal((await net.post('getBalance', [to])).result.value, 1_000_000);
});

test('a failing preflight tells what a validator tells', async () => {
  const { error } = await net.post('sendTransaction', [
    await signed([transferTo(generateKeypair().address, 10n ** 16n)]),
    BASE64,
  ]);
  assert.equal(error?.code, -32002);
  assert.equal(
    error?.message,
    'Transaction simulation failed: Error processing Instruction 0: custom program error: 0x1',
  );
  assert.deepEqual(error?.data?.err, { InstructionError: [0, { Custom: 1 }] });
  assert.ok((found(error?.data).logs as string[]).some((line) => line.includes('insufficient lamports')));
  assert.ok(Number(error?.data?.unitsConsumed) > 0);
  for (const name of ['accounts', 'returnData', 'innerInstructions']) assert.equal(error?.data?.[name], null, name);
});

test('an unknown blockhash is refused in preflight, and dropped without one', async () => {
  const transaction = await signed([transferTo(generateKeypair().address)], generateKeypair().address);
  const { error } = await net.post('sendTransaction', [transaction, BASE64]);
  assert.equal(error?.code, -32002);
  assert.equal(error?.message, 'Transaction simulation failed: Blockhash not found');
  assert.equal(error?.data?.err, 'BlockhashNotFound');
  assert.deepEqual(error?.data?.logs, []);
  const { result: signature } = await net.post('sendTransaction', [transaction, { ...BASE64, skipPreflight: true }]);
  const status = await net.post('getSignatureStatuses', [[signature]]);
  assert.deepEqual(status.result.value, [null]);
});

test('a payer without an account is refused with its text', async () => {
  const nobody = generateKeypair();
  const instruction = systemTransfer({ from: nobody.address, to: alice.address, lamports: 1n });
  const { error } = await net.post('sendTransaction', [await signedTransaction(net, [nobody], [instruction]), BASE64]);
  assert.equal(error?.data?.err, 'AccountNotFound');
  assert.match(String(error?.message), /Attempt to debit an account but found no record of a prior credit\.$/);
});

test('an account below the least balance is refused with its text', async () => {
  const { error } = await net.post('sendTransaction', [
    await signed([transferTo(generateKeypair().address, 1n)]),
    BASE64,
  ]);
  assert.deepEqual(error?.data?.err, { InsufficientFundsForRent: { account_index: 1 } });
  assert.match(String(error?.message), /results in an account \(1\) with insufficient funds for rent$/);
});

test('missing and wrong signatures are -32003', async () => {
  const instructions = [transferTo(generateKeypair().address)];
  const wire = Buffer.from(await signed(instructions), 'base64');
  wire[1] = (wire[1] ?? 0) ^ 1;
  for (const transaction of [await unsigned(instructions), wire.toString('base64')]) {
    const { error } = await net.post('sendTransaction', [transaction, BASE64]);
    assert.equal(error?.code, -32003);
    assert.equal(error?.message, 'Transaction signature verification failure');
  }
});

test('what is no transaction is -32602 and tells why', async () => {
  const good = await signed([transferTo(generateKeypair().address)]);
  const cases: [unknown[], RegExp][] = [
    [[], /transaction: expected a string/],
    [['AAAA', BASE64], /failed to deserialize solana_transaction::versioned::VersionedTransaction/],
    [[`${good}AAAA`, BASE64], /transaction: invalid base64 encoding|failed to deserialize/],
    [[good.slice(0, 100), BASE64], /failed to deserialize/],
    [['%', BASE64], /transaction: invalid base64 encoding/],
    [[good], /transaction: invalid base58 encoding/],
    [[good, { encoding: 'hex' }], /encoding/],
    [
      ['A'.repeat(1648), BASE64],
      /base64 encoded solana_transaction::versioned::VersionedTransaction too large: 1648 bytes \(max: encoded\/raw 1644\/1232\)/,
    ],
    [['1'.repeat(1300)], /decoded solana_transaction::versioned::VersionedTransaction too large: 1300 bytes/],
    [[good, { ...BASE64, skipPreflight: 'yes' }], /skipPreflight/],
    [[good, { ...BASE64, preflightCommitment: 'x' }], /preflightCommitment/],
    [[good, { ...BASE64, maxRetries: -1 }], /maxRetries/],
  ];
  for (const method of ['sendTransaction', 'simulateTransaction']) {
    for (const [params, message] of method === 'sendTransaction' ? cases : cases.slice(0, 9)) {
      const { error } = await net.post(method, params);
      assert.equal(error?.code, -32602, `${method} ${message}`);
      assert.match(String(error?.message), message, method);
    }
  }
  const early = await net.post('sendTransaction', [good, { ...BASE64, minContextSlot: 2 ** 52 }]);
  assert.equal(early.error?.code, -32016);
});

test('a simulation changes nothing and shows accounts, inner instructions and fee', async () => {
  const owner = generateKeypair().address;
  const usdc = address(net.mint('USDC'));
  const account = associatedTokenAddress(owner, usdc);
  const transaction = await unsigned([
    createAssociatedTokenIdempotent({ payer: alice.address, owner, mint: usdc }),
    tokenTransferChecked({
      source: associatedTokenAddress(alice.address, usdc),
      mint: usdc,
      destination: account,
      authority: alice.address,
      amount: 5n,
      decimals: 6,
    }),
  ]);
  const nobody = generateKeypair().address;
  const accounts = { encoding: 'jsonParsed', addresses: [account, nobody] };
  const { result } = await net.post('simulateTransaction', [
    transaction,
    { ...BASE64, innerInstructions: true, accounts },
  ]);
  const value = found(result.value) as unknown as {
    err: unknown;
    fee: number;
    logs: string[];
    unitsConsumed: number;
    replacementBlockhash: unknown;
    loadedAccountsDataSize: number;
    accounts: [{ owner: string; data: { parsed: { info: { tokenAmount: { amount: string } } } } }, unknown];
    innerInstructions: { index: number; instructions: { parsed?: { type: string }; stackHeight: number }[] }[];
  };
  assert.equal(value.err, null);
  assert.equal(value.fee, 5000);
  assert.equal(value.accounts[0].owner, TOKEN_PROGRAM);
  assert.equal(value.accounts[0].data.parsed.info.tokenAmount.amount, '5');
  assert.equal(value.accounts[1], null);
  assert.equal(value.replacementBlockhash, null);
  assert.ok(value.unitsConsumed > 0 && value.loadedAccountsDataSize > 0 && value.logs.length > 0);
  assert.equal(value.innerInstructions[0]?.index, 0);
  const types = value.innerInstructions[0]?.instructions.map(({ parsed }) => parsed?.type);
  assert.ok(types?.includes('initializeAccount3'), `${types}`);
  assert.equal(value.innerInstructions[0]?.instructions[0]?.stackHeight, 2);
  assert.equal((await net.post('getAccountInfo', [account])).result.value, null);
});

test('a failing simulation is a result with its error', async () => {
  const simulate = async (transaction: string, config: object = {}) => {
    const { result, error } = await net.post('simulateTransaction', [transaction, { ...BASE64, ...config }]);
    assert.equal(error, undefined);
    return found(result.value);
  };
  const to = generateKeypair().address;
  const failed = await simulate(await unsigned([transferTo(to, 10n ** 16n)]), { accounts: { addresses: [to] } });
  assert.deepEqual(failed.err, { InstructionError: [0, { Custom: 1 }] });
  assert.deepEqual(failed.accounts, [null]);
  const dead = await unsigned([transferTo(to)], alice.address, generateKeypair().address);
  assert.equal((await simulate(dead)).err, 'BlockhashNotFound');
  const replaced = await simulate(dead, { replaceRecentBlockhash: true });
  assert.equal(replaced.err, null);
  const valid = await net.post('isBlockhashValid', [replaced.replacementBlockhash?.blockhash]);
  assert.equal(valid.result.value, true);
});

test('lookup tables that cannot be used are refused before anything is simulated, as a validator does', async () => {
  const [to, table] = [generateKeypair().address, generateKeypair().address];
  const never = { deactivationSlot: 2n ** 64n - 1n, lastExtendedSlot: 0n, lastExtendedFrom: 0, addresses: [to] };
  const inTable = async (address: Address): Promise<string> => {
    const blockhash = String((await net.post('getLatestBlockhash')).result.value?.blockhash);
    const lookupTables = [{ address: table, addresses: [address] }];
    const instructions = [transferTo(address)];
    const message = compileMessage({ version: 0, feePayer: alice.address, instructions, blockhash, lookupTables });
    const transaction = decodeTransaction(unsignedTransaction(message));
    return Buffer.from(encodeTransaction(withSignature(transaction, alice.address, sign(alice, message)))).toString(
      'base64',
    );
  };
  const tables: [state: LookupTableState | undefined, owner: Address, problem: string | undefined][] = [
    [undefined, SYSTEM_PROGRAM, "Transaction loads an address table account that doesn't exist"],
    [never, SYSTEM_PROGRAM, 'Transaction loads an address table account with an invalid owner'],
    [{ ...never, addresses: [] }, TABLES, 'Transaction address table lookup uses an invalid index'],
    [{ ...never, deactivationSlot: 1n }, TABLES, "Transaction loads an address table account that doesn't exist"],
    [{ ...never, lastExtendedSlot: 10n ** 9n }, TABLES, 'Transaction address table lookup uses an invalid index'],
    [never, TABLES, undefined],
  ];
  for (const [state, owner, problem] of tables) {
    const data = state && Buffer.from(encodeLookupTable(state)).toString('base64');
    await net.post('localnet_setAccount', [table, state ? { lamports: 10 ** 9, owner, data } : null]);
    const transaction = await inTable(to);
    for (const [method, config] of [
      ['simulateTransaction', {}],
      ['simulateTransaction', { replaceRecentBlockhash: true }],
      ['sendTransaction', {}],
      ['sendTransaction', { skipPreflight: true }],
    ] as const) {
      const { error } = await net.post(method, [transaction, { ...BASE64, ...config }]);
      if (problem) assert.deepEqual([error?.code, error?.message], [-32602, `invalid transaction: ${problem}`]);
      else if (method === 'simulateTransaction') assert.equal(error, undefined);
    }
  }
  assert.equal((await net.post('getBalance', [to])).result.value, 1_000_000);
});

test('options of a simulation that do not go together are refused', async () => {
  const transaction = await unsigned([transferTo(generateKeypair().address)]);
  const many = Array.from({ length: 4 }, () => alice.address);
  const cases: [object, number, RegExp][] = [
    [
      { sigVerify: true, replaceRecentBlockhash: true },
      -32602,
      /sigVerify may not be used with replaceRecentBlockhash/,
    ],
    [{ sigVerify: true }, -32003, /signature verification failure/],
    [{ accounts: { addresses: many } }, -32602, /Too many accounts provided; max 3/],
    [{ accounts: { addresses: ['x'] } }, -32602, /accounts\.addresses\[0\]/],
    [{ accounts: { addresses: [], encoding: 'base58' } }, -32602, /base58 encoding not supported/],
    [{ innerInstructions: 1 }, -32602, /innerInstructions/],
  ];
  for (const [config, code, message] of cases) {
    const { error } = await net.post('simulateTransaction', [transaction, { ...BASE64, ...config }]);
    assert.equal(error?.code, code, JSON.stringify(config));
    assert.match(String(error?.message), message);
  }
  const fine = await net.post('simulateTransaction', [
    await signed([transferTo(generateKeypair().address)]),
    { ...BASE64, sigVerify: true },
  ]);
  assert.equal(fine.result.value?.err, null);
});
