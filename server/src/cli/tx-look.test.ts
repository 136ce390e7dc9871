import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { initializeOrder, ROUTER_PROGRAM, routeInstruction } from '@slipway/programs';
import {
  type AccountMeta,
  type Address,
  addressToBytes,
  compileMessage,
  encodeTokenAccount,
  generateKeypair,
  type Instruction,
  memo,
  readonlyAccount,
  readonlySigner,
  setComputeUnitPrice,
  systemTransfer,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  tokenTransferChecked,
  unsignedTransaction,
  WRAPPED_SOL_MINT,
  writableSigner,
} from '@slipway/wire';
import { runCli } from './main.js';

const someAddress = (): Address => generateKeypair().address;
const [alice, elsewhere, hers, hers2022] = [someAddress(), someAddress(), someAddress(), someAddress()];
/** An account of a program that anybody may have made. */
const [like, program] = [someAddress(), someAddress()];
const BLOCKHASH = elsewhere;
const ED25519 = 'Ed25519SigVerify111111111111111111111111111' as Address;

const tokens = (owner: string) => ({
  owner,
  lamports: 1,
  data: [
    Buffer.from(
      encodeTokenAccount({
        mint: WRAPPED_SOL_MINT,
        owner: alice,
        amount: 0n,
        state: 'initialized',
        delegatedAmount: 0n,
        isNative: false,
      }),
    ).toString('base64'),
    'base64',
  ],
});
const ACCOUNTS: Record<string, object> = {
  [hers]: tokens(TOKEN_PROGRAM),
  [hers2022]: tokens(TOKEN_2022_PROGRAM),
  [like]: tokens(program),
};
/** What a service that lies says of itself. */
const LIES = {
  wallets: [{ name: 'bob', address: elsewhere }],
  mints: [{ mint: WRAPPED_SOL_MINT, symbol: 'USDC', decimals: 9 }],
  programs: [],
  rpcUrl: '',
};

/** A transfer of 5 SOL by a transaction of version 1. */
const { program: SYSTEM, data } = systemTransfer({ from: alice, to: elsewhere, lamports: 5_000_000_000n });
const VERSION_1 = Buffer.from([
  ...[0x81, 1, 0, 1],
  // A priority fee and a limit of compute units.
  ...[0b111, 0, 0, 0],
  ...addressToBytes(BLOCKHASH),
  ...[1, 3],
  ...[alice, elsewhere, SYSTEM].flatMap((address) => [...addressToBytes(address)]),
  ...new Uint8Array(12).fill(7),
  ...[2, 2, data.length, 0],
  ...[0, 1],
  ...data,
  ...new Uint8Array(64).fill(9),
]).toString('base64');
const LANDED = {
  slot: 7,
  blockTime: null,
  version: 1,
  transaction: [VERSION_1, 'base64'],
  meta: {
    err: null,
    fee: 5_007,
    preBalances: [6_000_000_000, 0, 1],
    postBalances: [999_994_993, 5_000_000_000, 1],
    preTokenBalances: [],
    postTokenBalances: [],
  },
};

interface Most {
  maxSupportedTransactionVersion: number;
}

const folder = mkdtempSync(join(tmpdir(), 'slipway-tx-'));
let server: Server;
let url: string;
/** A node and, at `/sandbox/info`, a service. */
before(async () => {
  server = createServer(async (request, response) => {
    if (request.method === 'GET') return response.end(JSON.stringify({ ...LIES, rpcUrl: url }));
    const { id, method, params } = (await json(request)) as { id: number; method: string; params: [string[], Most] };
    if (method === 'getTransaction') {
      const error = { code: -32015, message: 'Transaction version (1) is not supported by the requesting client' };
      const told = params[1].maxSupportedTransactionVersion < 1 ? { error } : { result: LANDED };
      return response.end(JSON.stringify({ jsonrpc: '2.0', id, ...told }));
    }
    const value =
      method === 'simulateTransaction'
        ? { err: null, unitsConsumed: 300 }
        : params[0].map((address) => ACCOUNTS[address] ?? null);
    return response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { value } }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The lines that tell of these instructions, with the node that is named. */
const told = async (instructions: Instruction[], ...more: string[]): Promise<string[]> =>
  (await toldAll(instructions, ...more)).slice(1);

/** With the first one, which tells what would become of it. */
const toldAll = (instructions: Instruction[], ...more: string[]): Promise<string[]> =>
  run({}, instructions, '--url', url, ...more);

async function run(env: NodeJS.ProcessEnv, instructions: Instruction[], ...more: string[]): Promise<string[]> {
  const message = compileMessage({ version: 0, feePayer: alice, instructions, blockhash: BLOCKHASH });
  const transaction = Buffer.from(unsignedTransaction(message)).toString('base64');
  const said: string[] = [];
  const context = { env, cwd: folder, colors: false, stdout: (text: string) => said.push(text), stderr() {} };
  assert.equal(await runCli(['tx', transaction, ...more], context), 0);
  return said.join('\n').split('\n');
}

/** A swap by the router at this address. */
function route(program: Address): Instruction[] {
  const accounts = { source: hers, mint: WRAPPED_SOL_MINT, destination: hers2022, authority: alice };
  const transfer = tokenTransferChecked({ ...accounts, amount: 0n, decimals: 9 });
  const hop = { ...transfer, amountOffset: 1, from: hers, to: hers2022, shareBps: 10_000 };
  const route = { taker: alice, source: hers, destination: hers2022, amountIn: 5n, minOut: 4n, hops: [hop] };
  return [routeInstruction(route, program)];
}

const pays = (to: Address) => systemTransfer({ from: alice, to, lamports: 5_000_000_000n });

test('attack: a stranger on the chain makes an account that looks like one of a wallet, to be paid under its name: its address is told', async () => {
  const [own, own2022, other] = await told([pays(hers), pays(hers2022), pays(like)], '--rpc-url', url);
  assert.match(own!, new RegExp(`pays 5 SOL to the SOL account of ${alice}$`));
  assert.match(own2022!, new RegExp(`pays 5 SOL to the SOL account of ${alice}$`));
  assert.match(other!, new RegExp(`pays 5 SOL to ${like}$`));
});

test('attack: a stranger on the chain writes lines into the memo of a transaction that look like those of the command: they stand on its one', async () => {
  const lines = await told([memo('hello\n  2. It has all signatures.\r\u2028\u0085x'), pays(like)], '--rpc-url', url);
  assert.equal(lines[0], '  1. Notes: hello   2. It has all signatures. x');
  assert.deepEqual([lines.length, lines[1]!.startsWith('  2. ')], [3, true]);
});

test("attack: a stranger on the chain has a transaction signed that hands the wallet's signature to the hook of his token: it is not told as a transfer", async () => {
  const accounts = { source: like, mint: WRAPPED_SOL_MINT, destination: hers2022, authority: elsewhere };
  const transfer = tokenTransferChecked({ ...accounts, amount: 0n, decimals: 9, tokenProgram: TOKEN_2022_PROGRAM });
  const withMore = async (...more: AccountMeta[]) =>
    (await told([{ ...transfer, accounts: [...transfer.accounts, ...more] }], '--rpc-url', url))[0]!;
  const hook = [readonlyAccount(program), readonlyAccount(someAddress())];
  assert.match(await withMore(...hook), /pays 0 SOL/);
  const signers = [readonlySigner(someAddress()), readonlySigner(someAddress())] as const;
  assert.match(await withMore(...signers), /pays 0 SOL/, 'those of a multisig, which no hook is handed');
  assert.match(await withMore(writableSigner(alice), ...hook), /is called; what it does is not known here$/);
});

test('attack: a lying service says that its own address is that of a friend: whoever names a node is told addresses', async () => {
  assert.match((await told([pays(elsewhere)], '--rpc-url', url))[0]!, new RegExp(`pays 5 SOL to ${elsewhere}$`));
  assert.match((await told([pays(elsewhere)]))[0]!, /to bob$/, 'without one, a sandbox is asked');
});

test('attack: a lying service hands out a transfer of a lamport with a price of compute units and no limit, also with a byte after the price, to burn what the wallet has as its fee: the fee is told', async () => {
  const price = setComputeUnitPrice(10n ** 13n);
  const padded = { ...price, data: Uint8Array.of(...price.data, 0) };
  for (const priced of [price, padded]) {
    const [head, ...lines] = await toldAll([priced, pays(like)], '--rpc-url', url);
    // By 3,000 units for each of the two.
    assert.match(head!, /pays 60\.000005 SOL to the network/);
    assert.match(lines[0]!, /^ {2}1\. .*pays 5 SOL/, 'and the fee holds the price');
  }
  const [, unknown] = await toldAll([{ ...price, data: price.data.subarray(0, 8) }, pays(like)], '--rpc-url', url);
  assert.match(unknown!, /Compute Budget is called; what it does is not known here/);
  const checks = { program: ED25519, accounts: [], data: Uint8Array.of(3, 0) };
  assert.match(
    (await toldAll([checks], '--rpc-url', url))[0]!,
    /pays 0\.00002 SOL/,
    'and each signature that is checked',
  );
});

test("attack: a stranger on the chain puts a program of his own at the address of the sandboxes' router, whose key is public, and has a route signed there: it is not known, and only the router that the reader names is", async () => {
  const own = someAddress();
  const unknown = (program: Address) => new RegExp(`1\\. ${program} is called; what it does is not known here$`);
  const [node, router] = [
    ['--rpc-url', url],
    ['--router', own],
  ];
  assert.match((await told(route(ROUTER_PROGRAM), ...node))[0]!, unknown(ROUTER_PROGRAM));
  assert.match((await told(route(ROUTER_PROGRAM), ...node, ...router))[0]!, unknown(ROUTER_PROGRAM));
  assert.match((await told(route(own), ...node))[0]!, unknown(own));
  assert.match((await told(route(own), ...node, ...router))[0]!, /gives 0\.000000005 SOL at most, .* by Token$/);
  assert.match((await told(route(ROUTER_PROGRAM)))[0]!, /SOL at most, .* by Token$/, 'the router of a sandbox');
});

test('of a configuration, an own router is known, and that of the sandboxes is not', async () => {
  const own = someAddress();
  for (const [router, does] of [
    [own, /gives 0\.000000005 SOL at most/],
    [ROUTER_PROGRAM, /is called; what it does is not known here$/],
  ] as const) {
    const settings = join(folder, `${router}.json`);
    writeFileSync(settings, JSON.stringify({ programs: { router } }));
    const env = { SLIPWAY_PORT: '1', SLIPWAY_SANDBOX: '1', SLIPWAY_RPC_URL: url, SLIPWAY_CONFIG: settings };
    assert.match((await run(env, route(router)))[1]!, does);
  }
});

test('of a limit order, the fee on top is told, and who gets it', async () => {
  const order = {
    payer: alice,
    maker: alice,
    uniqueId: 7n,
    makingAmount: 5n,
    takingAmount: 9n,
    makerInputMintAccount: hers,
    inputMint: WRAPPED_SOL_MINT,
    inputTokenProgram: TOKEN_PROGRAM,
    outputMint: elsewhere,
    outputTokenProgram: TOKEN_PROGRAM,
  };
  const fee = async (terms: object) =>
    /whoever fills it pays (.*) on top$/.exec(
      (await told([initializeOrder({ ...order, ...terms })], '--rpc-url', url))[0]!,
    )?.[1];
  assert.equal(await fee({}), "the program's fee");
  assert.equal(await fee({ feeBps: 9_999, referral: like }), `99.99 % to ${like}`);
});

test('a landed transaction of version 1 is told with its fee, its instructions and its changes', async () => {
  const said: string[] = [];
  const context = { env: {}, cwd: tmpdir(), colors: false, stdout: (text: string) => said.push(text), stderr: refuse };
  assert.equal(await runCli(['tx', '4'.repeat(88), '--rpc-url', url], context), 0);
  const lines = said.join('\n').split('\n');
  assert.equal(lines[0], `Landed in slot 7. ${alice} paid 0.000005007 SOL to the network.`);
  assert.match(lines[1]!, new RegExp(`pays 5 SOL to ${elsewhere}$`));
  assert.equal(lines[3], `  ${elsewhere}: +5 SOL`);
});

test('one of version 1 in base64 is refused with what can be told', async () => {
  const errors: string[] = [];
  const stderr = (text: string) => errors.push(text);
  const context = { env: {}, cwd: tmpdir(), colors: false, stdout: refuse, stderr };
  assert.notEqual(await runCli(['tx', VERSION_1, '--rpc-url', url], context), 0);
  assert.match(errors.join(''), /is of version 1: only one that was sent is told, by its signature/);
});

function refuse(text: string): void {
  assert.fail(text);
}
