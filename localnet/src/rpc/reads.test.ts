import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type Address,
  address,
  addressToBytes,
  associatedTokenAddress,
  base58Encode,
  CLOCK_SYSVAR,
  encodeTokenAccount,
  generateKeypair,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import { startTestNet, type TestNet } from '../testing.js';

let net: TestNet;
let alice: Address;
let usdc: Address;
let aliceUsdc: Address;
before(async () => {
  net = await startTestNet();
  alice = address(net.wallet('alice').address);
  usdc = address(net.mint('USDC'));
  aliceUsdc = associatedTokenAddress(alice, usdc);
});
after(() => net.localnet.close());

const SYSTEM = '11111111111111111111111111111111';

async function value(method: string, params: unknown[]) {
  const { result, error } = await net.post(method, params);
  assert.equal(error, undefined, `${method}: ${error?.message}`);
  return result.value;
}

async function setData(data: Uint8Array, owner: string = SYSTEM): Promise<Address> {
  const { address: target } = generateKeypair();
  const account = { lamports: 10_000_000_000, owner, executable: false, data: Buffer.from(data).toString('base64') };
  await net.localnet.call('localnet_setAccount', [target, account]);
  return target;
}

test('getAccountInfo has every encoding and slices', async () => {
  const data = Uint8Array.from({ length: 100 }, (_, index) => index);
  const target = await setData(data);
  const encoded = async (config?: object) => (await value('getAccountInfo', [target, config]))?.data as unknown;
  const base64 = Buffer.from(data).toString('base64');
  assert.equal(await encoded(), base58Encode(data), 'without an encoding: base58 alone');
  assert.deepEqual(await encoded({ encoding: 'base58' }), [base58Encode(data), 'base58']);
  assert.deepEqual(await encoded({ encoding: 'base64' }), [base64, 'base64']);
  assert.deepEqual(await encoded({ encoding: 'jsonParsed' }), [base64, 'base64'], 'what is not known stays bytes');
  const zstd = (await encoded({ encoding: 'base64+zstd' })) as [string, string];
  assert.equal(zstd[1], 'base64+zstd');
  assert.ok(Buffer.from(zstd[0], 'base64').includes(Buffer.from(data)));
  const slice = { encoding: 'base64', dataSlice: { offset: 10, length: 4 } };
  assert.deepEqual(await encoded(slice), [Buffer.from(data.subarray(10, 14)).toString('base64'), 'base64']);
  const beyond = { encoding: 'base64', dataSlice: { offset: 200, length: 4 } };
  assert.deepEqual(await encoded(beyond), ['', 'base64']);
  assert.equal((await value('getAccountInfo', [target, slice]))?.space, 100, 'space is that of the whole account');
  assert.equal(await value('getAccountInfo', [generateKeypair().address]), null);
});

test('base58 is refused for more than 128 bytes, unless a slice makes them fewer', async () => {
  const target = await setData(new Uint8Array(129));
  for (const config of [undefined, { encoding: 'base58' }]) {
    const { error } = await net.post('getAccountInfo', [target, config]);
    assert.equal(error?.code, -32600);
    assert.match(String(error?.message), /base 58\) data should be less than 128 bytes, please use Base64/);
  }
  const sliced = { encoding: 'base58', dataSlice: { offset: 0, length: 128 } };
  assert.equal((await net.post('getAccountInfo', [target, sliced])).error, undefined);
});

test('getMultipleAccounts keeps the order and the gaps', async () => {
  const nobody = generateKeypair().address;
  const accounts = (await value('getMultipleAccounts', [[alice, nobody, usdc], { encoding: 'jsonParsed' }])) as unknown;
  const [wallet, none, mint] = accounts as [{ lamports: number }, null, { data: { parsed: unknown } }];
  assert.equal(wallet.lamports, 10_000_000_000_000);
  assert.equal(none, null);
  assert.deepEqual((mint.data.parsed as { info: { decimals: number } }).info.decimals, 6);
});

test('token accounts of a wallet, by mint and by program', async () => {
  const keys = async (filter: object) => {
    const list = (await value('getTokenAccountsByOwner', [alice, filter, { encoding: 'base64' }])) as unknown;
    return (list as { pubkey: string; account: { space: number } }[]).map(({ pubkey }) => pubkey);
  };
  assert.deepEqual(await keys({ mint: usdc }), [aliceUsdc]);
  assert.equal((await keys({ programId: TOKEN_PROGRAM })).length, 3);
  assert.deepEqual(await keys({ programId: TOKEN_2022_PROGRAM }), []);
});

test('getTokenAccountsByDelegate finds what was delegated', async () => {
  const [owner, delegate] = [generateKeypair().address, generateKeypair().address];
  const state = {
    mint: usdc,
    owner,
    amount: 9n,
    state: 'initialized',
    delegate,
    delegatedAmount: 4n,
    isNative: false,
  } as const;
  const target = await setData(encodeTokenAccount(state), TOKEN_PROGRAM);
  const found = await value('getTokenAccountsByDelegate', [delegate, { mint: usdc }, { encoding: 'jsonParsed' }]);
  const [row] = found as unknown as {
    pubkey: string;
    account: { data: { parsed: { info: Record<string, unknown> } } };
  }[];
  assert.equal(row?.pubkey, target);
  const amount = { amount: '4', decimals: 6, uiAmount: 0.000004, uiAmountString: '0.000004' };
  assert.deepEqual(row?.account.data.parsed.info.delegatedAmount, amount);
  assert.equal(row?.account.data.parsed.info.delegate, delegate);
});

test('balances and supplies are told in every form', async () => {
  const million = { amount: '1000000000000', decimals: 6, uiAmount: 1_000_000, uiAmountString: '1000000' };
  assert.deepEqual(await value('getTokenAccountBalance', [aliceUsdc]), million);
  assert.equal((await value('getTokenSupply', [usdc]))?.decimals, 6);
  assert.equal(await value('getBalance', [alice]), 10_000_000_000_000);
  assert.equal(await value('getBalance', [generateKeypair().address]), 0);
});

test('getTokenLargestAccounts puts the largest first, twenty at most', async () => {
  const { address: mint } = generateKeypair();
  const mintAccount = (await value('getAccountInfo', [usdc, { encoding: 'base64' }])) as unknown as {
    data: [string];
    owner: string;
  };
  const copy = { lamports: 10_000_000, owner: mintAccount.owner, executable: false, data: mintAccount.data[0] };
  await net.localnet.call('localnet_setAccount', [mint, copy]);
  for (let amount = 1n; amount <= 22n; amount++) {
    const state = { mint, owner: alice, amount, state: 'initialized', delegatedAmount: 0n, isNative: false } as const;
    await setData(encodeTokenAccount(state), TOKEN_PROGRAM);
  }
  const holders = (await value('getTokenLargestAccounts', [mint])) as unknown as { amount: string; decimals: number }[];
  assert.deepEqual(
    holders.map(({ amount }) => amount),
    Array.from({ length: 20 }, (_, index) => `${22 - index}`),
  );
  assert.equal(holders[0]?.decimals, 6);
});

test('getProgramAccounts passes what all filters pass', async () => {
  const bytes = (account: Address) => base58Encode(addressToBytes(account));
  const scan = async (filters: unknown[], config: object = {}) => {
    const { result } = await net.post('getProgramAccounts', [
      TOKEN_PROGRAM,
      { encoding: 'base64', filters, ...config },
    ]);
    return result as unknown as { pubkey: string }[];
  };
  const ofUsdc = { memcmp: { offset: 0, bytes: bytes(usdc) } };
  const ofAlice = { memcmp: { offset: 32, bytes: bytes(alice) } };
  for (const size of [{ dataSize: 165 }, 'tokenAccountState', { tokenAccountState: {} }]) {
    assert.deepEqual(
      (await scan([size, ofUsdc, ofAlice])).map(({ pubkey }) => pubkey),
      [aliceUsdc],
      'by the index',
    );
  }
  assert.deepEqual(
    (await scan([ofAlice, ofUsdc])).map(({ pubkey }) => pubkey),
    [aliceUsdc],
    'by the scan',
  );
  const base64 = { offset: 0, bytes: Buffer.from(addressToBytes(usdc)).toString('base64'), encoding: 'base64' };
  assert.deepEqual(
    (await scan([{ memcmp: base64 }, ofAlice])).map(({ pubkey }) => pubkey),
    [aliceUsdc],
  );
  const raw = { offset: 0, bytes: [...addressToBytes(usdc)] };
  assert.deepEqual(
    (await scan([{ memcmp: raw }, ofAlice])).map(({ pubkey }) => pubkey),
    [aliceUsdc],
  );
  assert.deepEqual(await scan([{ dataSize: 164 }, ofUsdc]), []);
  assert.deepEqual(await scan([{ memcmp: { offset: 1_000_000, bytes: '2' } }]), []);
  const inContext = (await scan([ofUsdc, ofAlice], { withContext: true })) as unknown as { value: unknown[] };
  assert.equal(inContext.value.length, 1);
  const sliced = (await scan([ofUsdc, ofAlice], { dataSlice: { offset: 0, length: 0 } })) as unknown as {
    account: { data: unknown };
  }[];
  assert.deepEqual(sliced[0]?.account.data, ['', 'base64']);
});

test('jsonParsed knows a nonce, a sysvar and a Token-2022 mint with extensions', async () => {
  const parsed = async (account: Address) => {
    const found = (await value('getAccountInfo', [account, { encoding: 'jsonParsed' }])) as unknown;
    return (found as { data: { program: string; parsed: { type: string; info: Record<string, unknown> } } }).data;
  };
  const nonce = Buffer.alloc(80);
  nonce.writeUInt32LE(1, 0);
  nonce.writeUInt32LE(1, 4);
  nonce.set(addressToBytes(alice), 8);
  nonce.set(addressToBytes(usdc), 40);
  nonce.writeBigUInt64LE(5000n, 72);
  assert.deepEqual(await parsed(await setData(nonce)), {
    program: 'nonce',
    space: 80,
    parsed: {
      type: 'initialized',
      info: { authority: alice, blockhash: usdc, feeCalculator: { lamportsPerSignature: '5000' } },
    },
  });

  const mint = Buffer.alloc(82 + 83 + 1 + 4 + 32 + 4 + 2);
  mint[44] = 9;
  mint[45] = 1;
  mint[165] = 1; // a mint
  mint.writeUInt16LE(3, 166); // mintCloseAuthority
  mint.writeUInt16LE(32, 168);
  mint.set(addressToBytes(alice), 170);
  mint.writeUInt16LE(900, 202); // not known
  mint.writeUInt16LE(2, 204);
  const { program, parsed: content } = await parsed(await setData(mint, TOKEN_2022_PROGRAM));
  assert.equal(program, 'spl-token-2022');
  assert.equal(content.info.decimals, 9);
  assert.deepEqual(content.info.extensions, [
    { extension: 'mintCloseAuthority', state: { closeAuthority: alice } },
    { extension: 'unparseableExtension' },
  ]);

  const clock = await parsed(CLOCK_SYSVAR);
  assert.equal(clock.parsed.type, 'clock');
  assert.ok(Math.abs(Number(clock.parsed.info.unixTimestamp) - net.info.unixTimestamp) < 120);
});

test('a token account whose mint is unknown, and one with broken extensions, stay bytes', async () => {
  const orphan = {
    mint: generateKeypair().address,
    owner: alice,
    amount: 1n,
    state: 'initialized',
    delegatedAmount: 0n,
    isNative: false,
  } as const;
  const broken = Buffer.concat([
    encodeTokenAccount({ ...orphan, mint: usdc }),
    Buffer.from([2, 7, 0, 255, 255]), // an extension of 65,535 bytes that are not there
  ]);
  for (const [data, owner] of [
    [encodeTokenAccount(orphan), TOKEN_PROGRAM],
    [broken, TOKEN_2022_PROGRAM],
  ] as const) {
    const account = await value('getAccountInfo', [await setData(data, owner), { encoding: 'jsonParsed' }]);
    assert.deepEqual(account?.data, [Buffer.from(data).toString('base64'), 'base64']);
  }
});

test('bad parameters are -32602 and named', async () => {
  const tooMany = Array.from({ length: 101 }, () => alice);
  const cases: [string, unknown[], RegExp][] = [
    ['getAccountInfo', [], /pubkey: expected a string, it is missing/],
    ['getAccountInfo', [5], /pubkey/],
    ['getAccountInfo', ['abc'], /pubkey: WrongSize/],
    ['getAccountInfo', ['0OIl'], /pubkey: Invalid/],
    ['getAccountInfo', [alice, 'base64'], /config/],
    ['getAccountInfo', [alice, { encoding: 'hex' }], /encoding/],
    ['getAccountInfo', [alice, { commitment: 'soon' }], /commitment/],
    ['getAccountInfo', [alice, { dataSlice: { offset: -1, length: 1 } }], /dataSlice\.offset/],
    ['getAccountInfo', [alice, { dataSlice: { offset: 0 } }], /dataSlice\.length/],
    ['getAccountInfo', [alice, { minContextSlot: 'x' }], /minContextSlot/],
    ['getMultipleAccounts', [alice], /pubkeys/],
    ['getMultipleAccounts', [tooMany], /Too many inputs provided; max 100/],
    ['getMultipleAccounts', [[alice, 'x']], /pubkeys\[1\]/],
    ['getProgramAccounts', [alice, { filters: 5 }], /filters/],
    ['getProgramAccounts', [alice, { filters: Array(5).fill({ dataSize: 1 }) }], /Too many filters provided; max 4/],
    ['getProgramAccounts', [alice, { filters: [{ memcmp: { bytes: '1' } }] }], /filters\[0\]\.memcmp\.offset/],
    ['getProgramAccounts', [alice, { filters: [{ memcmp: { offset: 0, bytes: '0' } }] }], /memcmp\.bytes/],
    ['getProgramAccounts', [alice, { filters: [{ memcmp: { offset: 0, bytes: '1'.repeat(129) } }] }], /128 bytes/],
    ['getProgramAccounts', [alice, { withContext: 1 }], /withContext/],
    ['getTokenAccountsByOwner', [alice], /filter/],
    ['getTokenAccountsByOwner', [alice, { programId: alice }], /unrecognized Token program id/],
    ['getTokenAccountsByOwner', [alice, { mint: generateKeypair().address }], /could not find mint/],
    ['getTokenAccountsByDelegate', ['x', { mint: usdc }], /delegate/],
    ['getTokenAccountBalance', [generateKeypair().address], /could not find account/],
    ['getTokenAccountBalance', [alice], /not a Token account/],
    ['getTokenSupply', [generateKeypair().address], /could not find account/],
    ['getTokenSupply', [aliceUsdc], /not a Token mint/],
    ['getTokenLargestAccounts', [alice], /not a Token mint/],
    ['getBalance', [[]], /pubkey/],
  ];
  for (const [method, params, message] of cases) {
    const { error } = await net.post(method, params);
    assert.equal(error?.code, -32602, `${method} ${JSON.stringify(params)?.slice(0, 80)}`);
    assert.match(String(error?.message), message, method);
  }
});

test('a slot that is not reached is -32016 with the one that is', async () => {
  const { error } = await net.post('getBalance', [alice, { minContextSlot: 2 ** 52 }]);
  assert.equal(error?.code, -32016);
  assert.equal(typeof error?.data?.contextSlot, 'number');
});
