import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { inspect } from 'node:util';
import {
  type Address,
  addressFromBytes,
  CLOCK_SYSVAR,
  SYSTEM_PROGRAM,
  SYSVAR_OWNER,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import { ChainError } from './chain-error.js';
import { createUpstream } from './fork.js';
import type { Account } from './types.js';

const SECRET = 'k3y-of-the-operator';
const randomAddress = () => addressFromBytes(randomBytes(32));

interface Call {
  method: string;
  params: unknown[];
}
/** Answers a call on its own and says true, or leaves it to the node. */
type Trouble = (call: Call, response: ServerResponse, callNumber: number) => boolean | Promise<boolean>;

/** A JSON-RPC node with a few accounts, and trouble on demand. */
async function startNode(t: TestContext, accounts: Map<Address, Account>, trouble: Trouble = () => false) {
  const calls: Call[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const call: Call = JSON.parse(body);
    calls.push(call);
    if (await trouble(call, response, calls.length)) return;
    const render = (address: Address) => {
      const account = accounts.get(address);
      if (!account) return 'null';
      const { owner, executable, lamports, data } = account;
      const base64 = JSON.stringify([Buffer.from(data).toString('base64'), 'base64']);
      return `{"lamports":${lamports},"owner":"${owner}","executable":${executable},"data":${base64},"rentEpoch":18446744073709551615,"space":${data.length}}`;
    };
    const rows = [...accounts.keys()].map((address) => `{"pubkey":"${address}","account":${render(address)}}`);
    const results: Record<string, () => string> = {
      getMultipleAccounts: () => `{"context":{"slot":1},"value":[${(call.params[0] as Address[]).map(render)}]}`,
      getGenesisHash: () => `"${TOKEN_PROGRAM}"`,
      getMinimumBalanceForRentExemption: () => '650240',
      getProgramAccounts: () => `[${rows}]`,
      getTokenAccountsByOwner: () => `{"context":{"slot":1},"value":[${rows}]}`,
      getTokenLargestAccounts: () =>
        `{"context":{"slot":1},"value":[${[...accounts.keys()].map((address) => `{"address":"${address}","amount":"1","decimals":0}`)}]}`,
    };
    response.end(`{"jsonrpc":"2.0","id":1,"result":${results[call.method]?.()}}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { calls, host, url: `http://${host}/v2/${SECRET}?api-key=${SECRET}` };
}

function accountOf(size: number, lamports = 1_000_000n): Account {
  return { lamports, owner: TOKEN_PROGRAM, executable: false, data: new Uint8Array(randomBytes(size)) };
}

function addressesIn(calls: Call[]): Address[][] {
  return calls.map((call) => call.params[0] as Address[]);
}

/** Asserts an upstream failure that names the host and nothing else of the URL, also when it is printed whole. */
function assertMisread(error: unknown, host: string): true {
  assert.ok(error instanceof ChainError);
  assert.equal(error.kind, 'upstream');
  assert.match(error.message, /not understood/);
  assert.ok(error.message.includes(host), error.message);
  assert.ok(!inspect(error).includes(SECRET), inspect(error));
  return true;
}

test('accounts come in the order asked for, missing ones as undefined, lamports beyond 2^53 exact', async (t) => {
  const [small, big, missing] = [randomAddress(), randomAddress(), randomAddress()];
  const accounts = new Map<Address, Account>([
    [small, { ...accountOf(0), owner: SYSTEM_PROGRAM }],
    [big, { ...accountOf(36, 18_446_744_073_709_551_557n), executable: true }],
  ]);
  const { url } = await startNode(t, accounts);
  const found = await createUpstream({ url }).accounts([big, missing, small, big]);
  assert.deepEqual(found, [accounts.get(big), undefined, accounts.get(small), accounts.get(big)]);
});

test('reads that start together are one call, and every reader gets its own answer', async (t) => {
  const keys = [randomAddress(), randomAddress(), randomAddress()] as const;
  const accounts = new Map(keys.map((key) => [key, accountOf(10)]));
  const { url, calls } = await startNode(t, accounts);
  const upstream = createUpstream({ url });
  const [first, second, third] = await Promise.all([
    upstream.accounts([keys[0], keys[1]]),
    upstream.accounts([keys[1], keys[2]]),
    Promise.resolve().then(() => upstream.accounts([keys[0]])),
  ]);
  assert.deepEqual(addressesIn(calls), [[...keys]]);
  assert.deepEqual(first, [accounts.get(keys[0]), accounts.get(keys[1])]);
  assert.deepEqual(second, [accounts.get(keys[1]), accounts.get(keys[2])]);
  assert.deepEqual(third, [accounts.get(keys[0])]);
});

test('no call asks for more than 100 addresses', async (t) => {
  const keys = Array.from({ length: 250 }, randomAddress);
  const accounts = new Map(keys.map((key, index) => [key, accountOf(index % 7)]));
  const { url, calls } = await startNode(t, accounts);
  const found = await createUpstream({ url }).accounts(keys);
  assert.deepEqual(
    found,
    keys.map((key) => accounts.get(key)),
  );
  const sizes = addressesIn(calls).map((addresses) => addresses.length);
  assert.deepEqual(
    sizes.sort((a, b) => b - a),
    [100, 100, 50],
  );
});

test('an address that is being read is not asked for again, and is asked for anew afterwards', async (t) => {
  const [slow, other] = [randomAddress(), randomAddress()];
  const accounts = new Map([slow, other].map((key) => [key, accountOf(4)]));
  let release = () => {};
  let arrived = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const firstArrived = new Promise<void>((resolve) => (arrived = resolve));
  const { url, calls } = await startNode(t, accounts, async (_call, _response, callNumber) => {
    if (callNumber === 1) {
      arrived();
      await held;
    }
    return false;
  });
  const upstream = createUpstream({ url });
  const first = upstream.accounts([slow]);
  await firstArrived;
  const second = upstream.accounts([slow, other]);
  await upstream.accounts([other]);
  release();
  assert.deepEqual(await first, [accounts.get(slow)]);
  assert.deepEqual(await second, [accounts.get(slow), accounts.get(other)]);
  assert.deepEqual(addressesIn(calls), [[slow], [other]]);
  accounts.delete(slow);
  assert.deepEqual(await upstream.accounts([slow]), [undefined]);
});

test('an answer of another shape is an error, never an account', async (t) => {
  const good = { lamports: 1, owner: TOKEN_PROGRAM, executable: false, data: ['AAEC', 'base64'] };
  const results: unknown[] = [
    null,
    {},
    { value: good },
    { value: [] },
    { value: [good, good] },
    { value: [7] },
    { value: [{ ...good, lamports: -1 }] },
    { value: [{ ...good, lamports: 1.5 }] },
    { value: [{ ...good, lamports: '1e3' }] },
    { value: [{ ...good, owner: 'nobody' }] },
    { value: [{ ...good, executable: 'no' }] },
    { value: [{ ...good, data: 'AAEC' }] },
    { value: [{ ...good, data: ['AAEC', 'base58'] }] },
    { value: [{ ...good, data: ['AA~C', 'base64'] }] },
    { value: [{ ...good, data: ['AAE', 'base64'] }] },
    { value: [{ ...good, data: { parsed: {} } }] },
    { value: [good], context: null },
    { value: [good], context: { slot: '5' } },
  ];
  let result: unknown = { value: [good] };
  const { url, host } = await startNode(t, new Map(), (_call, response) => {
    const whole = typeof result === 'object' && result !== null ? { context: { slot: 5 }, ...result } : result;
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: whole }));
    return true;
  });
  const upstream = createUpstream({ url });
  const [account] = await upstream.accounts([randomAddress()]);
  assert.deepEqual(account, { ...good, lamports: 1n, data: new Uint8Array([0, 1, 2]) });
  for (result of results) {
    await assert.rejects(upstream.accounts([randomAddress()]), (error) => assertMisread(error, host));
  }
});

test('start tells slot, time and genesis of the upstream', async (t) => {
  const clock = Buffer.alloc(40);
  clock.writeBigUInt64LE(350_000_123n, 0);
  clock.writeBigInt64LE(1_763_662_000n, 32);
  const account = { ...accountOf(0), owner: SYSVAR_OWNER, data: new Uint8Array(clock) };
  const { url, host } = await startNode(t, new Map([[CLOCK_SYSVAR, account]]));
  const upstream = createUpstream({ url });
  assert.equal(upstream.host, host);
  assert.deepEqual(await upstream.start(), {
    slot: 350_000_123n,
    unixTimestamp: 1_763_662_000n,
    genesisHash: TOKEN_PROGRAM,
    lamportsPerByte: 5_080n,
  });
});

test('scans give whole accounts, pass filters on and choose the encoding themselves', async (t) => {
  const [one, two] = [randomAddress(), randomAddress()];
  const accounts = new Map([
    [one, accountOf(165)],
    [two, accountOf(165, 9_007_199_254_740_993n)],
  ]);
  const rows = [...accounts].map(([address, account]) => ({ address, account }));
  const { url, calls } = await startNode(t, accounts);
  const upstream = createUpstream({ url });
  const filters = [{ dataSize: 165 }];
  const config = { filters, encoding: 'jsonParsed', dataSlice: { offset: 0, length: 0 } };
  assert.deepEqual(await upstream.scan('getProgramAccounts', [TOKEN_PROGRAM, config]), rows);
  assert.deepEqual(await upstream.scan('getProgramAccounts', [TOKEN_PROGRAM]), rows);
  assert.deepEqual(await upstream.scan('getTokenAccountsByOwner', [one, { programId: TOKEN_PROGRAM }]), rows);
  assert.deepEqual(await upstream.scan('getTokenLargestAccounts', [one]), rows);
  const whole = { encoding: 'base64', commitment: 'confirmed' };
  assert.deepEqual(
    calls.map(({ method, params }) => [method, ...params]),
    [
      ['getProgramAccounts', TOKEN_PROGRAM, { filters, ...whole }],
      ['getProgramAccounts', TOKEN_PROGRAM, whole],
      ['getTokenAccountsByOwner', one, { programId: TOKEN_PROGRAM }, whole],
      ['getMultipleAccounts', [one], whole],
      ['getTokenLargestAccounts', one, { commitment: 'confirmed' }],
      ['getMultipleAccounts', [one, two], whole],
    ],
  );
});

test('a mint that the upstream does not have has no holders there', async (t) => {
  const { url, calls } = await startNode(t, new Map([[randomAddress(), accountOf(165)]]));
  assert.deepEqual(await createUpstream({ url }).scan('getTokenLargestAccounts', [randomAddress()]), []);
  assert.ok(!calls.some(({ method }) => method === 'getTokenLargestAccounts'));
});
