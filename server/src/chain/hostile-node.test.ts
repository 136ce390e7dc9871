import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { type Address, base58Encode, TOKEN_PROGRAM } from '@slipway/wire';
import { pino } from 'pino';
import { createAccountReader, readRpcAccount } from './accounts.js';
import { readPastTransaction } from './history.js';
import {
  ChainUnavailable,
  createChain,
  createHttpRpc,
  MAX_ANSWER,
  MAX_MINTS,
  type Rpc,
  readWallet,
  statusesOf,
} from './index.js';
import { createLiveAccounts } from './live-accounts.js';
import { readTransaction } from './transactions.js';

const MIB = 1 << 20;

/** A node whose answers are `mebibytes` long, if anybody reads them to the end; and how much it could send. */
async function startEndlessNode(t: TestContext, mebibytes: number) {
  const block = Buffer.alloc(MIB, ' ');
  const node = { url: '', sent: 0, cutOff: 0 };
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.on('close', () => {
      if (!response.writableFinished) node.cutOff++;
    });
    const write = () => {
      while (!response.destroyed && node.sent < mebibytes * MIB) {
        node.sent += MIB;
        if (!response.write(block)) {
          response.once('drain', write);
          return;
        }
      }
      response.end('{"jsonrpc":"2.0","id":1,"result":1}');
    };
    write();
  });
  t.after(() => server.close().closeAllConnections());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  node.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return node;
}

describe('attack: a node answers with 200 MiB: it is cut off after 32 MiB, where it lists a program after 128 MiB', () => {
  const rows = [
    ['getTokenAccountsByOwner', 32],
    ['getProgramAccounts', 128],
  ] as const;
  for (const [method, most] of rows) {
    it(`attack: 200 MiB to ${method} are cut off after ${most} MiB`, async (t) => {
      const node = await startEndlessNode(t, 200);
      const rpc = createHttpRpc({ url: node.url, timeoutMs: 300_000 });
      await assert.rejects(rpc.call(method, []), {
        name: 'ChainUnavailable',
        message: new RegExp(`the answer has more than ${most * MIB} bytes to ${method}`),
      });
      // What the sockets of both ends hold comes on top.
      assert.ok(node.sent < (most + 32) * MIB, `${node.sent / MIB} MiB were sent`);
    });
  }

  it('an answer at the limit is read', async () => {
    const body = '{"result":"ok"}'.padEnd(MAX_ANSWER, ' ');
    const rpc = createHttpRpc({ url: 'http://node.example', post: async () => new Response(body) });
    assert.equal(await rpc.call('getHealth', []), 'ok');
  });
});

/** A node that answers each request with these bytes, and how many connections it has had. */
async function startRawNode(t: TestContext, text: string) {
  const node = { url: '', connections: 0 };
  const server = createServer((request) => request.resume().on('end', () => request.socket.write(text)));
  server.on('connection', () => node.connections++);
  t.after(() => server.close().closeAllConnections());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  node.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return node;
}

describe('attack: a node puts an object with a length where bytes belong, or a text of millions of digits for a number: no more is made of an answer than was sent', () => {
  const owner = '8gMBNeKwXaoNi9bhbVUWFt4Uc5aobL9PeYMXfYDMePE2' as Address;
  let asked = 0;
  /** Of 100 bytes of JSON, Node makes two thousand millions; here it is told whether anybody has asked. */
  const huge = {
    get length() {
      asked += 1;
      return 1;
    },
  };
  const digits = '9'.repeat(100);
  const account = (data: unknown, lamports: unknown = 1) => ({
    lamports,
    owner,
    executable: false,
    data: [data, 'base64'],
  });
  const landed = (transaction: unknown, fee: unknown = 1) => ({
    slot: 1,
    transaction: [transaction, 'base64'],
    meta: { err: null, fee, preBalances: [], postBalances: [], innerInstructions: [] },
  });
  const context = { slot: 1 };
  const fees = { percentile: 50, maxMicroLamports: 1n };
  const node = (result: unknown): Rpc => ({ name: 'node.example', call: async <T>() => result as T });
  const reading: readonly (readonly [string, unknown, (rpc: Rpc) => Promise<unknown>])[] = [
    ['an account', { context, value: [account(huge)] }, (rpc) => createAccountReader(rpc)(owner)],
    ['its lamports', { context, value: [account('', digits)] }, (rpc) => createAccountReader(rpc)(owner)],
    ['a wallet', { context, value: [{ pubkey: owner, account: account(huge) }] }, (rpc) => readWallet(rpc, owner)],
    ['a transaction', landed(huge), (rpc) => readTransaction(rpc, 'signature', { tries: 1 })],
    ['a slot', { context: { slot: digits }, value: [null] }, (rpc) => statusesOf(rpc, ['signature'], false)],
    [
      'a price',
      [{ prioritizationFee: digits }],
      (rpc) => createChain({ rpc, steadyNow: () => 0, fees }).computeUnitPrice(),
    ],
  ];
  for (const [what, result, read] of reading)
    it(what, async () => {
      await assert.rejects(read(node(result)), { name: 'ChainUnavailable', message: /not a usable answer/ });
      assert.equal(asked, 0);
    });

  it('a transaction of long ago', async () => {
    assert.deepEqual(await readPastTransaction(node(landed(huge)), 'signature'), {
      unreadable: 'its content is no transaction',
    });
    assert.equal(asked, 0);
  });
});

it('attack: a node tells of a transaction, and not whether it has failed: that is no answer', async () => {
  const node = (result: unknown): Rpc => ({ name: 'node.example', call: async <T>() => result as T });
  const found = { context: { slot: 1 }, value: [{ slot: 1, confirmationStatus: 'finalized' }] };
  await assert.rejects(statusesOf(node(found), ['signature'], false), { name: 'ChainUnavailable' });
  const past = await readPastTransaction(node({ transaction: ['', 'base64'], meta: { innerInstructions: [] } }), 'id');
  assert.ok('unreadable' in past);
});

it('a status without its commitment is what its votes say: final only once there are none to count', async () => {
  const node = (status: object): Rpc => ({
    name: 'node.example',
    call: async <T>() => ({ context: { slot: 9 }, value: [{ slot: 1, err: null, ...status }] }) as T,
  });
  for (const [status, confirmed, finalized] of [
    [{}, true, true],
    [{ confirmations: null, confirmationStatus: null }, true, true],
    [{ confirmations: 3 }, true, false],
    [{ confirmations: 0 }, false, false],
    [{ confirmations: null, confirmationStatus: 'confirmed' }, true, false],
    [{ confirmations: 3, confirmationStatus: 'processed' }, false, false],
  ] as const) {
    const { found } = await statusesOf(node(status), ['signature'], true);
    assert.deepEqual(found, [{ slot: 1n, err: null, confirmed, finalized }]);
  }
});

it('attack: a node refuses with a text of megabytes: a thousand characters of it are passed on', async () => {
  for (const code of [-32005, -32000]) {
    const body = JSON.stringify({ error: { code, message: 'no '.repeat(MIB) } });
    const rpc = createHttpRpc({ url: 'http://node.example', post: async () => new Response(body) });
    await assert.rejects(rpc.call('getHealth', []), ({ message, told = '' }: Error & { told?: string }) => {
      assert.ok(message.length + told.length < 2_100, `${message.length} and ${told.length}`);
      return true;
    });
  }
});

describe('attack: a node switches to another protocol, or refuses without end', () => {
  for (const headers of ['upgrade: websocket\r\nconnection: upgrade\r\n', 'upgrade: websocket\r\n', '']) {
    it(`attack: status 101 ${headers ? `with ${headers.trim().replace('\r\n', ', ')}` : 'alone'}: the call ends`, async (t) => {
      const { url } = await startRawNode(t, `HTTP/1.1 101 Switching Protocols\r\n${headers}\r\n`);
      const rpc = createHttpRpc({ url, timeoutMs: 2_000 });
      await assert.rejects(rpc.call('getHealth', []), { name: 'ChainUnavailable' });
    });
  }

  for (const status of [307, 429, 503]) {
    it(`attack: 50 refusals with status ${status}: they take no connection each`, async (t) => {
      const node = await startRawNode(t, `HTTP/1.1 ${status} No\r\ncontent-length: 2\r\n\r\nno`);
      const rpc = createHttpRpc({ url: node.url });
      for (let i = 0; i < 50; i++) await assert.rejects(rpc.call('getHealth', []));
      assert.ok(node.connections < 10, `${node.connections} connections`);
    });
  }
});

/** A node where every address is a mint; and its calls. */
function mintNode() {
  const data = Buffer.alloc(82);
  data[44] = 6;
  data[45] = 1;
  const account = { lamports: 1, owner: TOKEN_PROGRAM, executable: false, data: [data.toString('base64'), 'base64'] };
  const seen = { calls: 0, atOnce: 0, mostAtOnce: 0 };
  const rpc: Rpc = {
    name: 'node',
    async call<T>(_method: string, [addresses]: unknown[]): Promise<T> {
      seen.calls++;
      seen.mostAtOnce = Math.max(seen.mostAtOnce, ++seen.atOnce);
      await new Promise(setImmediate);
      seen.atOnce--;
      return { context: { slot: 1 }, value: (addresses as string[]).map(() => account) } as T;
    },
  };
  return { rpc, seen };
}

describe('attack: a free key names one mint after the other', () => {
  it('attack: 100,000 mints leave at most 20,000 in memory', async () => {
    assert.equal(MAX_MINTS, 20_000);
    const { rpc, seen } = mintNode();
    const chain = createChain({ rpc, steadyNow: () => 0, fees: { percentile: 50, maxMicroLamports: 0n } });
    const mints = Array.from({ length: 100_000 }, () => generateAddress());
    await Promise.all(mints.map((mint) => chain.mint(mint)));
    assert.equal(seen.calls, 1_000);
    await Promise.all(mints.slice(-MAX_MINTS).map((mint) => chain.mint(mint)));
    assert.equal(seen.calls, 1_000, 'the newest are remembered');
    await Promise.all(mints.slice(0, 100_000 - MAX_MINTS).map((mint) => chain.mint(mint)));
    assert.equal(seen.calls, 1_000 + (100_000 - MAX_MINTS) / 100, 'no other is');
  });

  it('attack: they take 8 calls at a time at most', async () => {
    const { rpc, seen } = mintNode();
    const read = createAccountReader(rpc);
    await Promise.all(Array.from({ length: 5_000 }, () => read(generateAddress())));
    assert.deepEqual([seen.calls, seen.mostAtOnce], [50, 8]);
  });
});

/** A node with 99 accounts of ten megabytes and a small one; and how much it has sent. */
function largeNode() {
  const large = Array.from({ length: 99 }, generateAddress);
  const small = generateAddress();
  const seen = { sent: 0 };
  const rpc: Rpc = {
    name: 'node',
    async call<T>(_method: string, params: unknown[]): Promise<T> {
      const [addresses, { dataSlice = { length: Number.POSITIVE_INFINITY } }] = params as [
        Address[],
        { dataSlice?: { length: number } },
      ];
      const lengths = addresses.map((address) => Math.min(address === small ? 82 : 10 * MIB, dataSlice.length));
      seen.sent += lengths.reduce((sum, length) => sum + Math.ceil(length / 3) * 4, 0);
      // As the call over HTTP does.
      if (seen.sent > MAX_ANSWER) throw new ChainUnavailable('node: the answer is too long');
      const account = { lamports: 1, owner: TOKEN_PROGRAM, executable: false };
      const value = lengths.map((length) => ({ ...account, data: [Buffer.alloc(length).toString('base64')] }));
      return { context: { slot: 1 }, value } as T;
    },
  };
  return { rpc, large, small, seen };
}

describe('attack: a free key asks for accounts of ten megabytes', () => {
  it('whoever is answered with the same call gets his, and the node sends 32 KiB of each', async () => {
    const { rpc, large, small, seen } = largeNode();
    const read = createAccountReader(rpc);
    const [other] = await Promise.all([read(small), ...large.map(read)]);
    assert.equal(other?.data.length, 82);
    assert.ok(seen.sent < 100 * 45 * 1024, `${seen.sent} bytes`);
  });

  it('so does who asks for a pool, where these are the mints of others', async (t) => {
    const { rpc, large, small, seen } = largeNode();
    const live = createLiveAccounts({ rpc, steadyNow: () => 0, log: pino({ level: 'silent' }) });
    t.after(() => live.close());
    const found = await live.refresh([...large, small]);
    assert.equal(found.get(small)?.account?.data.length, 82);
    assert.ok(seen.sent < 100 * 45 * 1024, `${seen.sent} bytes`);
  });

  it('and no more is kept of one that a node sends whole', () => {
    const data: [string, 'base64'] = [Buffer.alloc(10 * MIB).toString('base64'), 'base64'];
    const account = readRpcAccount({ lamports: 1, owner: TOKEN_PROGRAM, executable: false, data });
    assert.equal(account?.data.length, 32 * 1024);
    assert.equal(account?.data.buffer.byteLength, 32 * 1024);
  });
});

/** Nobody's; far cheaper than a key pair. */
function generateAddress(): Address {
  return base58Encode(randomBytes(32)) as Address;
}
