import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import {
  associatedTokenAddress,
  CLOCK_SYSVAR,
  generateKeypair,
  memo,
  TOKEN_PROGRAM,
  tokenTransferChecked,
} from '@slipway/wire';
import { WebSocket } from 'ws';
import { execute, openTestChain, signedTransaction } from '../chain-testing.js';
import { parseTransaction } from '../chain-transaction.js';
import { MAX_SOCKETS } from '../server.js';
import { found, type Loose, startTestNet, type TestNet } from '../testing.js';
import { MAX_SUBSCRIPTIONS, Subscriptions } from './subscriptions.js';

let net: TestNet;
before(async () => {
  net = await startTestNet();
});
after(() => net.localnet.close());

/** A WebSocket that keeps what it gets in order. */
async function open() {
  const socket = new WebSocket(net.localnet.wsUrl);
  const got: Loose[] = [];
  const waiting: ((message: Loose) => void)[] = [];
  socket.on('message', (data) => {
    const message = JSON.parse(data.toString()) as Loose;
    const next = waiting.shift();
    if (next) next(message);
    else got.push(message);
  });
  await once(socket, 'open');
  const next = (): Promise<Loose> => {
    const message = got.shift();
    return message ? Promise.resolve(message) : new Promise((resolve) => waiting.push(resolve));
  };
  let id = 0;
  return {
    next,
    request: (method: string, params: unknown[] = []) => {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }));
      return next();
    },
    notify: (method: string) => socket.send(JSON.stringify({ jsonrpc: '2.0', method })),
    close: () => socket.terminate(),
  };
}

const airdrop = (address: string) => net.localnet.call('requestAirdrop', [address, 1_000_000_000]) as Promise<string>;

test('a signature that is processed already is told at once, after the id of its subscription', async () => {
  const signature = await airdrop(net.wallet('alice').address);
  const socket = await open();
  const answer = await socket.request('signatureSubscribe', [signature, { commitment: 'confirmed' }]);
  const notification = await socket.next();
  assert.equal(notification.method, 'signatureNotification');
  assert.equal(notification.params?.subscription, answer.result);
  assert.deepEqual(notification.params?.result?.value, { err: null });
  assert.equal(typeof notification.params?.result?.context?.slot, 'number');
  const again = await socket.request('signatureUnsubscribe', [answer.result]);
  assert.equal(again.error?.code, -32602, 'it has ended by itself');
  socket.close();
});

test('enableReceivedNotification tells of the reception first', async () => {
  const signature = await airdrop(net.wallet('alice').address);
  const socket = await open();
  await socket.request('signatureSubscribe', [signature, { enableReceivedNotification: true }]);
  assert.equal((await socket.next()).params?.result?.value, 'receivedSignature');
  assert.deepEqual((await socket.next()).params?.result?.value, { err: null });
  socket.close();
});

test('an unsubscribed account is quiet, the other one is not', async () => {
  const [quiet, loud] = [net.wallet('bob').address, net.wallet('carol').address];
  const socket = await open();
  const first = await socket.request('accountSubscribe', [quiet, { encoding: 'base64' }]);
  const second = await socket.request('accountSubscribe', [loud, { encoding: 'jsonParsed' }]);
  assert.equal((await socket.request('accountUnsubscribe', [first.result])).result, true);
  await airdrop(quiet);
  await airdrop(loud);
  const notification = await socket.next();
  assert.equal(notification.method, 'accountNotification');
  assert.equal(notification.params?.subscription, second.result);
  assert.equal(notification.params?.result?.value?.lamports, 10_001_000_000_000);
  socket.close();
});

test('a closed account is told as one without lamports', async () => {
  const address = found(net.info.wallets[4]).address;
  const socket = await open();
  await socket.request('accountSubscribe', [address, { encoding: 'base64' }]);
  await net.localnet.call('localnet_setAccount', [address, null]);
  assert.deepEqual((await socket.next()).params?.result?.value, {
    lamports: 0,
    data: ['', 'base64'],
    owner: '11111111111111111111111111111111',
    executable: false,
    rentEpoch: 2 ** 64,
    space: 0,
  });
  socket.close();
});

test('programSubscribe passes only what its filters pass', async () => {
  const socket = await open();
  const mint = net.mint('USDC');
  const owner = net.wallet('alice').address;
  const program = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
  const filters = [{ dataSize: 165 }, { memcmp: { offset: 0, bytes: mint } }];
  await socket.request('programSubscribe', [program, { encoding: 'jsonParsed', filters }]);
  await net.localnet.call('localnet_airdropToken', [owner, net.mint('JUP'), '5']);
  await net.localnet.call('localnet_airdropToken', [owner, mint, '7']);
  const { value } = found((await socket.next()).params?.result);
  assert.equal(value?.account?.data?.parsed?.info?.mint, mint);
  assert.equal(value?.account?.data?.parsed?.info?.tokenAmount?.amount, '1000000000007');
  socket.close();
});

test('attack: a free key of a sandbox waits for token accounts in a form in which they cannot be shown: others hear of theirs all the same', async () => {
  const [rude, polite] = [await open(), await open()];
  const program = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
  const [owner, mint] = [net.wallet('bob').address, net.mint('USDC')];
  const held = (await net.localnet.call('getTokenAccountsByOwner', [owner, { mint }, { encoding: 'base64' }])) as {
    value: { pubkey: string }[];
  };
  const account = held.value[0]!.pubkey;
  // Without an encoding it is base58, which a node makes of 128 bytes at most.
  await rude.request('programSubscribe', [program]);
  await rude.request('accountSubscribe', [account]);
  for (const address of [account, mint]) await polite.request('accountSubscribe', [address, { encoding: 'base64' }]);
  await net.localnet.call('localnet_airdropToken', [owner, mint, '5']);
  const told = [await polite.next(), await polite.next()].map(({ method }) => method);
  assert.deepEqual(told, ['accountNotification', 'accountNotification']);
  rude.close();
  polite.close();
});

test('logsSubscribe: all, and by a mentioned account', async () => {
  const address = net.wallet('dave').address;
  const all = await open();
  const mentioning = await open();
  await all.request('logsSubscribe', ['all']);
  await mentioning.request('logsSubscribe', [{ mentions: [address] }]);
  const other = await airdrop(net.wallet('alice').address);
  const signature = await airdrop(address);
  assert.equal((await all.next()).params?.result?.value?.signature, other);
  const told = found((await mentioning.next()).params?.result?.value);
  assert.equal(told.signature, signature);
  assert.equal(told.err, null);
  assert.ok(JSON.stringify(told.logs).includes('success'));
  all.close();
  mentioning.close();
});

test('slots and roots come in order', async () => {
  const socket = await open();
  await socket.request('slotSubscribe');
  const first = found((await socket.next()).params?.result);
  const second = found((await socket.next()).params?.result);
  assert.ok(Number(second.slot) > Number(first.slot));
  assert.ok(Number(first.root) <= Number(first.slot));
  socket.close();
});

test('what is no subscription is refused', async () => {
  const socket = await open();
  const address = net.wallet('alice').address;
  const cases: [string, unknown[], number, RegExp][] = [
    ['blockSubscribe', ['all'], -32601, /Method not found/],
    ['voteSubscribe', [], -32601, /Method not found/],
    ['getSlot', [], -32601, /Method not found/],
    ['accountSubscribe', [], -32602, /pubkey/],
    ['accountSubscribe', ['xyz'], -32602, /pubkey/],
    ['accountSubscribe', [address, { encoding: 'yaml' }], -32602, /encoding/],
    ['programSubscribe', [address, { filters: [{ size: 1 }] }], -32602, /filters\[0\]/],
    ['signatureSubscribe', [address], -32602, /signature/],
    ['logsSubscribe', ['some'], -32602, /filter/],
    ['logsSubscribe', [{ mentions: [] }], -32602, /Only 1 address/],
    ['logsSubscribe', [{ mentions: [address, address] }], -32602, /Only 1 address/],
    ['accountUnsubscribe', [12345], -32602, /Invalid subscription id/],
  ];
  for (const [method, params, code, message] of cases) {
    const { error } = await socket.request(method, params);
    assert.equal(error?.code, code, method);
    assert.match(String(error?.message), message, method);
  }
  socket.close();
});

test('a ping without an id is not answered, and another connection cannot unsubscribe', async () => {
  const [mine, other] = [await open(), await open()];
  mine.notify('ping');
  const { result } = await mine.request('slotSubscribe');
  assert.equal((await other.request('slotUnsubscribe', [result])).error?.code, -32602);
  assert.equal((await mine.next()).method, 'slotNotification');
  mine.close();
  other.close();
});

test('the clock is told of with every slot', async () => {
  const socket = await open();
  await socket.request('accountSubscribe', ['SysvarC1ock11111111111111111111111111111111', { encoding: 'base64' }]);
  const slots: bigint[] = [];
  for (let i = 0; i < 2; i++) {
    const { params } = await socket.next();
    const { context, value } = params!.result as unknown as {
      context: { slot: number };
      value: { data: [string, string] };
    };
    slots.push(Buffer.from(value.data[0], 'base64').readBigUInt64LE(0));
    assert.equal(slots[i], BigInt(context.slot));
  }
  assert.ok(slots[1]! > slots[0]!);
  socket.close();
});

test('a connection has a bounded number of subscriptions, and its end takes away its own only', async (t) => {
  const { chain } = await openTestChain(t);
  const subscriptions = new Subscriptions(chain, assert.fail);
  t.after(() => subscriptions.close());
  const [greedy, other] = [
    subscriptions.connect(assert.fail, assert.fail),
    subscriptions.connect(assert.fail, assert.fail),
  ];
  const kept = await other.call('rootSubscribe', []);
  const { ofConnection, ofTopic } = MAX_SUBSCRIPTIONS;
  const addresses = Array.from({ length: ofConnection / ofTopic }, () => generateKeypair().address);
  for (let count = 0; count < ofConnection; count++)
    await greedy.call('accountSubscribe', [addresses[count % addresses.length]]);
  await assert.rejects(async () => greedy.call('logsSubscribe', ['all']), {
    code: -32603,
    message: /at most 100000 on one connection; unsubscribe some first/,
  });
  assert.equal(subscriptions.size, ofConnection + 1);
  greedy.close();
  assert.equal(subscriptions.size, 1);
  assert.equal(await other.call('rootUnsubscribe', [kept]), true);
});

test('attack: a free key of a sandbox takes all subscriptions of its chain: every other connection has fifty', async (t) => {
  const { chain } = await openTestChain(t);
  const subscriptions = new Subscriptions(chain, assert.fail);
  t.after(() => subscriptions.close());
  const attackers = [1, 2].map(() => subscriptions.connect(assert.fail, assert.fail));
  const { ofAll, ofTopic, ofAny } = MAX_SUBSCRIPTIONS;
  const addresses = Array.from({ length: ofAll / 2 / ofTopic }, () => generateKeypair().address);
  for (let count = 0; count < ofAll; count++) {
    const address = addresses[Math.floor(count / 2) % addresses.length];
    await attackers[count % 2]!.call('accountSubscribe', [address]);
  }
  const other = subscriptions.connect(assert.fail, assert.fail);
  for (let count = 0; count < ofAny; count++) await other.call('rootSubscribe', []);
  for (const connection of [...attackers, other])
    await assert.rejects(async () => connection.call('rootSubscribe', []), /at most 150000 on this chain/);
  attackers[0]!.close();
  assert.equal(typeof (await other.call('rootSubscribe', [])), 'number');
});

test('attack: a free key of a sandbox waits for one account thousands of times, to keep the chain busy with each change: a thousand on a connection, rendered once, and others have their turn between', async (t) => {
  const { chain, alice, bob, usdc } = await openTestChain(t);
  let reads = 0;
  const counting = new Proxy(chain, {
    get(target, name) {
      if (name === 'accounts') reads++;
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const subscriptions = new Subscriptions(counting, assert.fail);
  t.after(() => subscriptions.close());
  const { ofTopic } = MAX_SUBSCRIPTIONS;
  const [source, destination] = [alice, bob].map(({ address }) => associatedTokenAddress(address, usdc));
  const asked = [source, { encoding: 'jsonParsed' }];
  let told = 0;
  let toldBefore = 0;
  let end = () => {};
  const all = new Promise<void>((resolve) => {
    end = resolve;
  });
  const notify = () => {
    if (++told === 1) setImmediate(() => (toldBefore = told));
    if (told === 2 * ofTopic) end();
  };
  for (const { call } of [subscriptions.connect(notify, assert.fail), subscriptions.connect(notify, assert.fail)]) {
    for (let count = 0; count < ofTopic; count++) await call('accountSubscribe', asked);
    const once = async () => call('accountSubscribe', asked);
    await assert.rejects(once, { message: /at most 1000 for the same on one connection/ });
  }
  const transfer = { source: source!, mint: usdc, destination: destination!, authority: alice.address };
  await execute(chain, [alice], tokenTransferChecked({ ...transfer, amount: 1n, decimals: 6 }));
  await all;
  assert.ok(toldBefore > 0 && toldBefore < told, `${toldBefore} of ${told}`);
  assert.equal(reads, 2, 'what has changed, and the decimals of its mint');
});

test('attack: a free key of a sandbox waits for slots or logs by ever more connections, to keep the chain busy with each: others have their turn between', async (t) => {
  const { chain, alice, passSlots } = await openTestChain(t);
  const subscriptions = new Subscriptions(chain, assert.fail);
  t.after(() => subscriptions.close());
  const { ofTopic } = MAX_SUBSCRIPTIONS;
  for (const [method, params] of [
    ['slotSubscribe', []],
    ['rootSubscribe', []],
    ['logsSubscribe', ['all']],
  ] as const) {
    let told = 0;
    const connections = [1, 2, 3].map(() => subscriptions.connect(() => told++, assert.fail));
    for (const { call } of connections) for (let count = 0; count < ofTopic; count++) await call(method, [...params]);
    if (method === 'logsSubscribe') await execute(chain, [alice], memo('once'));
    else passSlots(1);
    await setTimeout(0);
    assert.ok(told < 3 * ofTopic, `${told} at once of ${method}`);
    while (told < 3 * ofTopic) await setTimeout(1);
    for (const connection of connections) connection.close();
  }
});

test('attack: a free key of a sandbox waits for a large account in many forms: others have their turn after each, and none is made once he is gone', async (t) => {
  const { chain } = await openTestChain(t);
  const subscriptions = new Subscriptions(chain, assert.fail);
  t.after(() => subscriptions.close());
  const { address } = generateKeypair();
  const size = 1 << 20;
  let told = 0;
  let toldAtOnce = 0;
  const notify = () => {
    if (++told === 1) setImmediate(() => (toldAtOnce = told));
    if (told === 5) connection.close();
  };
  const connection = subscriptions.connect(notify, assert.fail);
  for (let form = 0; form < 20; form++) {
    const dataSlice = { offset: 0, length: size - form };
    await connection.call('accountSubscribe', [address, { encoding: 'base64', dataSlice }]);
  }
  const owner = TOKEN_PROGRAM;
  await chain.setAccount(address, { lamports: 1n, owner, executable: false, data: new Uint8Array(size) });
  while (told < 5) await setTimeout(1);
  assert.equal(toldAtOnce, 1);
  await setTimeout(1);
  assert.equal(told, 5);
});

test('attack: a free key of a sandbox waits by ever more connections for all token accounts: who waits for one hears of it between', async (t) => {
  const { chain, alice, bob, usdc } = await openTestChain(t);
  const subscriptions = new Subscriptions(chain, assert.fail);
  t.after(() => subscriptions.close());
  let told = 0;
  const attackers = [1, 2, 3].map(() => subscriptions.connect(() => told++, assert.fail));
  const { ofTopic } = MAX_SUBSCRIPTIONS;
  const asked = [TOKEN_PROGRAM, { encoding: 'base64', dataSlice: { offset: 0, length: 0 } }];
  for (const { call } of attackers) for (let count = 0; count < ofTopic; count++) await call('programSubscribe', asked);
  const [source, destination] = [alice, bob].map(({ address }) => associatedTokenAddress(address, usdc));
  const toldBefore: number[] = [];
  const other = subscriptions.connect(() => toldBefore.push(told), assert.fail);
  for (const account of [source, destination]) await other.call('accountSubscribe', [account, { encoding: 'base64' }]);
  const transfer = { source: source!, mint: usdc, destination: destination!, authority: alice.address };
  for (let amount = 1n; amount <= 2n; amount++)
    await execute(chain, [alice], tokenTransferChecked({ ...transfer, amount, decimals: 6 }));
  while (told < 6 * ofTopic || toldBefore.length < 2) await setTimeout(1);
  assert.ok(Math.max(...toldBefore) < ofTopic, `told after ${toldBefore} of ${told}`);
});

test('attack: a free key of a sandbox waits for one signature by ever more connections: others have their turn while it is told', async (t) => {
  const { chain, alice } = await openTestChain(t);
  const subscriptions = new Subscriptions(chain, assert.fail);
  t.after(() => subscriptions.close());
  let told = 0;
  const connections = [1, 2, 3].map(() => subscriptions.connect(() => told++, assert.fail));
  const wire = signedTransaction(chain, { signers: [alice], instructions: [memo('once')] });
  const { ofTopic } = MAX_SUBSCRIPTIONS;
  for (const { call } of connections)
    for (let count = 0; count < ofTopic; count++)
      await call('signatureSubscribe', [parseTransaction(wire).signature, { enableReceivedNotification: true }]);
  await chain.send(wire, { skipPreflight: false });
  await setTimeout(0);
  assert.ok(told < 6 * ofTopic, `${told} at once`);
  while (told < 6 * ofTopic) await setTimeout(1);
  assert.equal(subscriptions.size, 0);
});

test('who is still being told of the clock is told of no slot that passes meanwhile', async (t) => {
  const { chain, passSlots } = await openTestChain(t);
  const subscriptions = new Subscriptions(chain, assert.fail);
  t.after(() => subscriptions.close());
  const slots: number[] = [];
  const connection = subscriptions.connect(
    (text) => slots.push(Number((JSON.parse(text) as Loose).params!.result!.context!.slot)),
    assert.fail,
  );
  await connection.call('accountSubscribe', [CLOCK_SYSVAR, { encoding: 'base64' }]);
  const first = Number(chain.slot) + 1;
  passSlots(1);
  passSlots(1);
  while (slots.length === 0) await setTimeout(1);
  passSlots(1);
  while (slots.length === 1) await setTimeout(1);
  assert.deepEqual(slots, [first, first + 2]);
});

test('there is a bounded number of sockets; one that closes makes room', async () => {
  const sockets: Awaited<ReturnType<typeof open>>[] = [];
  // Fewer at once than a system keeps for who is slow to take them: further ones it resets.
  for (let left = MAX_SOCKETS; left > 0; left -= 100)
    sockets.push(...(await Promise.all(Array.from({ length: Math.min(left, 100) }, () => open()))));
  const refused = new WebSocket(net.localnet.wsUrl);
  const [error] = await once(refused, 'error');
  assert.match(String(error), /503/);
  sockets.pop()!.close();
  const opened = async () => {
    const socket = new WebSocket(net.localnet.wsUrl);
    const [event] = await Promise.race([
      once(socket, 'open').then(() => ['open']),
      new Promise<string[]>((resolve) => socket.once('error', () => resolve(['error']))),
    ]);
    socket.terminate();
    return event === 'open';
  };
  // It notices the end of a socket a little later.
  while (!(await opened()));
  for (const socket of sockets) socket.close();
});
