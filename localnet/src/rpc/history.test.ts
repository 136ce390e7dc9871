import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type Address,
  base58Decode,
  base58Encode,
  compileMessage,
  decodeTransaction,
  encodeTransaction,
  generateKeypair,
  type Instruction,
  type Keypair,
  keypairFromSecret,
  memo,
  sign,
  systemTransfer,
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
const V0 = { maxSupportedTransactionVersion: 0 };

const transferTo = (to: Address, lamports = 1_000_000n) => systemTransfer({ from: alice.address, to, lamports });
const signed = (instructions: Instruction[]) => signedTransaction(net, [alice], instructions);

test('getTransaction has every encoding, and version 0 must be asked for', async () => {
  const to = generateKeypair().address;
  const transaction = await signed([transferTo(to), memo('gm, slipway')]);
  const { result: signature } = await net.post('sendTransaction', [transaction, BASE64]);
  const get = async (config: unknown) => (await net.post('getTransaction', [signature, config])).result;
  assert.deepEqual((await get({ encoding: 'base64', ...V0 })).transaction, [transaction, 'base64']);
  const base58 = base58Encode(Buffer.from(transaction, 'base64'));
  assert.deepEqual((await get({ encoding: 'base58', ...V0 })).transaction, [base58, 'base58']);
  const json = await get({ encoding: 'json', ...V0 });
  assert.equal(json.version, 0);
  assert.deepEqual(json.transaction?.signatures, [signature]);
  assert.equal(json.transaction?.message?.header?.numRequiredSignatures, 1);
  const parsed = await get({ encoding: 'jsonParsed', ...V0 });
  const [transfer, note] = found(parsed.transaction?.message?.instructions) as unknown as {
    program: string;
    parsed: unknown;
  }[];
  assert.deepEqual(transfer?.parsed, {
    type: 'transfer',
    info: { source: alice.address, destination: to, lamports: 1_000_000 },
  });
  assert.equal(note?.program, 'spl-memo');
  assert.equal(note?.parsed, 'gm, slipway');
  assert.deepEqual(parsed.meta?.status, { Ok: null });
  for (const config of [undefined, 'json', { encoding: 'base64' }]) {
    const { error } = await net.post('getTransaction', [signature, config]);
    assert.equal(error?.code, -32015);
    assert.match(String(error?.message), /"maxSupportedTransactionVersion": 0$/);
  }
});

test('a legacy transaction needs no version and has none', async () => {
  const latest = (await net.post('getLatestBlockhash')).result.value?.blockhash;
  const message = compileMessage({
    version: 'legacy',
    feePayer: alice.address,
    instructions: [transferTo(generateKeypair().address)],
    blockhash: String(latest),
  });
  const wire = encodeTransaction(
    withSignature(decodeTransaction(unsignedTransaction(message)), alice.address, sign(alice, message)),
  );
  const sent = await net.post('sendTransaction', [Buffer.from(wire).toString('base64'), BASE64]);
  const { result } = await net.post('getTransaction', [sent.result]);
  assert.equal('version' in result, false);
  assert.equal('addressTableLookups' in found(result.transaction?.message), false);
  assert.equal((await net.post('getTransaction', [sent.result, V0])).result.version, 'legacy');
});

test('statuses and history tell what landed, newest first, in pages', async () => {
  const to = generateKeypair().address;
  const signatures: string[] = [];
  for (let lamports = 1_000_000n; lamports < 1_000_004n; lamports++) {
    const { result } = await net.post('sendTransaction', [
      await signed([transferTo(to, lamports), memo(`${lamports}`)]),
      BASE64,
    ]);
    signatures.unshift(String(result));
  }
  const page = async (config?: object) => {
    const { result } = await net.post('getSignaturesForAddress', [to, config]);
    return (result as unknown as { signature: string }[]).map(({ signature }) => signature);
  };
  assert.deepEqual(await page(), signatures);
  assert.deepEqual(await page({ limit: 2 }), signatures.slice(0, 2));
  assert.deepEqual(await page({ before: signatures[1], limit: 2 }), signatures.slice(2, 4));
  assert.deepEqual(await page({ until: signatures[2] }), signatures.slice(0, 2));
  const rows = (await net.post('getSignaturesForAddress', [to, { limit: 1 }])).result as unknown as Record<
    string,
    unknown
  >[];
  assert.equal(rows[0]?.memo, '[7] 1000003');
  assert.equal(rows[0]?.confirmationStatus, 'finalized');

  const unknown = base58Encode(new Uint8Array(64).fill(3));
  const { result } = await net.post('getSignatureStatuses', [
    [signatures[0], unknown],
    { searchTransactionHistory: true },
  ]);
  const [landed, none] = result.value as unknown as [Record<string, unknown>, null];
  assert.deepEqual(
    { ...landed, slot: 0 },
    {
      slot: 0,
      confirmations: null,
      err: null,
      status: { Ok: null },
      confirmationStatus: 'finalized',
    },
  );
  assert.equal(none, null);
  assert.equal((await net.post('getTransaction', [unknown])).result, null);
});

test('bad parameters are -32602 and named', async () => {
  const signature = base58Encode(new Uint8Array(64).fill(3));
  const cases: [string, unknown[], RegExp][] = [
    ['getSignatureStatuses', [signature], /signatures/],
    ['getSignatureStatuses', [['abc']], /signatures\[0\]: WrongSize/],
    ['getSignatureStatuses', [Array(257).fill(signature)], /Too many inputs provided; max 256/],
    ['getSignaturesForAddress', ['x'], /address/],
    ['getSignaturesForAddress', [alice.address, { limit: 1001 }], /Invalid limit; max 1000/],
    ['getSignaturesForAddress', [alice.address, { limit: 0 }], /Invalid limit/],
    ['getSignaturesForAddress', [alice.address, { before: 'x' }], /before/],
    ['getSignaturesForAddress', [alice.address, { until: 5 }], /until/],
    ['getTransaction', [], /signature/],
    ['getTransaction', [`${signature}11`], /signature/],
    ['getTransaction', [signature, 'xml'], /encoding/],
    ['getTransaction', [signature, { maxSupportedTransactionVersion: 'x' }], /maxSupportedTransactionVersion/],
    ['requestAirdrop', ['x', 5], /pubkey/],
    ['requestAirdrop', [alice.address], /lamports/],
    ['requestAirdrop', [alice.address, '5'], /lamports/],
    ['requestAirdrop', [alice.address, 1.5], /lamports/],
  ];
  for (const [method, params, message] of cases) {
    const { error } = await net.post(method, params);
    assert.equal(error?.code, -32602, `${method} ${message}`);
    assert.match(String(error?.message), message, method);
  }
});
