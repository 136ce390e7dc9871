import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { json } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import {
  type Address,
  compileMessage,
  encodeTokenAccount,
  generateKeypair,
  type Instruction,
  memo,
  systemTransfer,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  unsignedTransaction,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { runCli } from './main.js';

const someAddress = (): Address => generateKeypair().address;
const [alice, elsewhere, hers, hers2022] = [someAddress(), someAddress(), someAddress(), someAddress()];
/** An account of a program that anybody may have made. */
const [like, program] = [someAddress(), someAddress()];
const BLOCKHASH = elsewhere;

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

let server: Server;
let url: string;
/** A node and, at `/sandbox/info`, a service. */
before(async () => {
  server = createServer(async (request, response) => {
    if (request.method === 'GET') return response.end(JSON.stringify({ ...LIES, rpcUrl: url }));
    const { id, method, params } = (await json(request)) as { id: number; method: string; params: [string[]] };
    const value =
      method === 'simulateTransaction'
        ? { err: null, unitsConsumed: 300 }
        : params[0].map((address) => ACCOUNTS[address] ?? null);
    return response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { value } }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => server.close());

/** The lines that tell of these instructions, with the node that is named. */
async function told(instructions: Instruction[], ...more: string[]): Promise<string[]> {
  const message = compileMessage({ version: 0, feePayer: alice, instructions, blockhash: BLOCKHASH });
  const transaction = Buffer.from(unsignedTransaction(message)).toString('base64');
  const said: string[] = [];
  const context = { env: {}, cwd: tmpdir(), colors: false, stdout: (text: string) => said.push(text), stderr() {} };
  assert.equal(await runCli(['tx', transaction, '--url', url, ...more], context), 0);
  return said.join('\n').split('\n').slice(1);
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

test('attack: a lying service says that its own address is that of a friend: whoever names a node is told addresses', async () => {
  assert.match((await told([pays(elsewhere)], '--rpc-url', url))[0]!, new RegExp(`pays 5 SOL to ${elsewhere}$`));
  assert.match((await told([pays(elsewhere)]))[0]!, /to bob$/, 'without one, a sandbox is asked');
});
