import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { type Address, generateKeypair, SYSTEM_PROGRAM } from '@slipway/wire';
import { pino } from 'pino';
import { type WebSocket, WebSocketServer } from 'ws';
import { createLiveAccounts, MAX_AGE_MS } from './live-accounts.js';
import type { Rpc } from './rpc.js';

const newAddress = () => generateKeypair().address;
const log = pino({ level: 'silent' });

/** A node with accounts of one byte each, whose slot the test sets, and which can be held back or go away. */
function testNode() {
  const node = {
    slot: 1,
    bytes: new Map<string, number>(),
    isAway: false,
    questions: 0,
    /** What an answer waits for. */
    hold: Promise.resolve(),
    render(address: string) {
      const byte = node.bytes.get(address);
      if (byte === undefined) return null;
      const data = [Buffer.from([byte]).toString('base64'), 'base64'];
      return { lamports: 1, owner: SYSTEM_PROGRAM, executable: false, data };
    },
  };
  const rpc: Rpc = {
    name: 'test',
    async call<T>(_method: string, [addresses]: unknown[]): Promise<T> {
      node.questions += 1;
      if (node.isAway) throw new Error('away');
      const answer = { context: { slot: node.slot }, value: (addresses as string[]).map(node.render) };
      await node.hold;
      return answer as T;
    },
  };
  return { node, rpc };
}

/** The WebSocket side of a node: takes subscriptions, and sends what the test says. */
async function testSocket(t: TestContext, port = 0) {
  const server = new WebSocketServer({ port, host: '127.0.0.1' });
  await once(server, 'listening');
  const subscribed = new Map<string, { client: WebSocket; id: number }>();
  const refused = new Set<Address>();
  server.on('connection', (client) => {
    client.on('message', (data) => {
      const { id, method, params } = JSON.parse(data.toString());
      if (refused.has(params[0])) return;
      if (method === 'accountSubscribe') subscribed.set(params[0], { client, id });
      if (method === 'accountUnsubscribe') subscribed.delete([...subscribed].find(([, s]) => s.id === params[0])![0]);
      client.send(JSON.stringify({ jsonrpc: '2.0', id, result: method === 'accountSubscribe' ? id : true }));
    });
  });
  const drop = () => {
    for (const client of server.clients) client.terminate();
  };
  const close = () => {
    drop();
    server.close();
  };
  t.after(close);
  return {
    port: (server.address() as AddressInfo).port,
    subscribed,
    refused,
    drop,
    close,
    tell(address: Address, slot: number, value: unknown) {
      const { client, id } = subscribed.get(address)!;
      const params = { subscription: id, result: { context: { slot }, value } };
      client.send(JSON.stringify({ jsonrpc: '2.0', method: 'accountNotification', params }));
    },
  };
}

function open(t: TestContext, rpc: Rpc, wsUrl?: string) {
  const time = { now: 0 };
  const live = createLiveAccounts({ rpc, steadyNow: () => time.now, log, ...(wsUrl && { wsUrl }) });
  t.after(() => live.close());
  const changes: Address[] = [];
  live.onChange((address) => changes.push(address));
  return { live, time, changes, byteOf: (address: Address) => live.get(address)?.account?.data[0] };
}

/** Waits until it is so; the test's own time limit ends a wait that never succeeds. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 2));
}

describe('live accounts', { timeout: 120_000 }, () => {
  it('are what was read last, and stale when nothing has confirmed them for long', async (t) => {
    const { node, rpc } = testNode();
    const { live, time, byteOf } = open(t, rpc);
    const [a, missing] = [newAddress(), newAddress()];
    node.bytes.set(a, 1);
    live.watch([a, missing]);
    assert.equal(live.isFresh(live.get(a)!, time.now), false, 'nothing is known yet');
    await live.refresh([a, missing]);
    assert.equal(byteOf(a), 1);
    assert.equal(live.get(missing)?.account, undefined);
    assert.ok(live.isFresh(live.get(missing)!, time.now), 'that there is no account is known too');
    assert.ok(live.isFresh(live.get(a)!, MAX_AGE_MS));
    assert.equal(live.isFresh(live.get(a)!, MAX_AGE_MS + 1), false);
    live.unwatch([a]);
    assert.equal(live.get(a), undefined);
  });

  it('are read by 100 a call, also where they are not watched', async (t) => {
    const { node, rpc } = testNode();
    const { live } = open(t, rpc);
    const addresses = Array.from({ length: 250 }, newAddress);
    for (const [i, address] of addresses.entries()) node.bytes.set(address, i % 256);
    const readings = await live.refresh(addresses);
    assert.deepEqual(
      addresses.map((address) => readings.get(address)?.account?.data[0]),
      addresses.map((_, i) => i % 256),
    );
    assert.equal(node.questions, 3);
  });

  it('go on by polling where there is no WebSocket, and outlive a node that is away', async (t) => {
    const { node, rpc } = testNode();
    const { live, changes, byteOf } = open(t, rpc);
    const a = newAddress();
    node.isAway = true;
    node.bytes.set(a, 1);
    live.watch([a]);
    await assert.rejects(live.refresh([a]), { name: 'ChainUnavailable' });
    await until(() => node.questions > 1);
    node.isAway = false;
    await until(() => byteOf(a) === 1);
    node.bytes.set(a, 2);
    node.slot = 2;
    await until(() => byteOf(a) === 2);
    assert.deepEqual(changes, [a, a], 'reading the same again is no change');
  });

  it('never go back to the bytes of an older slot', async (t) => {
    const { node, rpc } = testNode();
    const { live, time, byteOf } = open(t, rpc);
    const a = newAddress();
    node.bytes.set(a, 1);
    node.slot = 10;
    live.watch([a]);
    await live.refresh([a]);
    node.bytes.set(a, 0);
    node.slot = 9;
    time.now = MAX_AGE_MS;
    const readings = await live.refresh([a]);
    assert.equal(byteOf(a), 1);
    assert.equal(readings.get(a)?.account?.data[0], 1, 'who asks gets the later bytes too');
    assert.equal(live.isFresh(live.get(a)!, time.now + 1), false, 'a node that lags behind confirms nothing');
  });

  it('follow what the WebSocket tells, and stay fresh as long as it lives', async (t) => {
    const { node, rpc } = testNode();
    const socket = await testSocket(t);
    const { live, time, byteOf } = open(t, rpc, `ws://127.0.0.1:${socket.port}`);
    const [a, quiet] = [newAddress(), newAddress()];
    node.bytes.set(a, 1);
    node.slot = 5;
    live.watch([a, quiet]);
    await until(() => byteOf(a) === 1 && live.get(quiet)?.slot === 5);
    await until(() => socket.subscribed.has(a));
    node.bytes.set(a, 7);
    socket.tell(a, 8, node.render(a));
    await until(() => byteOf(a) === 7);
    node.bytes.set(a, 6);
    socket.tell(a, 7, node.render(a));
    node.bytes.set(a, 9);
    socket.tell(a, 9, node.render(a));
    await until(() => byteOf(a) !== 7);
    assert.equal(byteOf(a), 9, 'the one of slot 7 came late and is passed over');
    // No change of `quiet` was reported for longer than MAX_AGE_MS, but its connection has spoken.
    time.now = 0.7 * MAX_AGE_MS;
    socket.tell(a, 10, node.render(a));
    await until(() => live.get(a)?.slot === 10);
    assert.ok(live.isFresh(live.get(quiet)!, 1.7 * MAX_AGE_MS));
    assert.equal(live.isFresh(live.get(quiet)!, 1.7 * MAX_AGE_MS + 1), false, 'a silent connection proves nothing');
    live.unwatch([a]);
    await until(() => !socket.subscribed.has(a));
  });

  it('are followed though they could not be read when the notifications began', async (t) => {
    const { node, rpc } = testNode();
    const socket = await testSocket(t);
    const [a, polled] = [newAddress(), newAddress()];
    socket.refused.add(polled);
    // What is polled with this one is never read.
    const picky: Rpc = {
      name: 'picky',
      call(method, [addresses, ...rest]) {
        if ((addresses as Address[]).includes(polled)) throw new Error('busy');
        return rpc.call(method, [addresses, ...rest]);
      },
    };
    const { live, byteOf } = open(t, picky, `ws://127.0.0.1:${socket.port}`);
    node.bytes.set(a, 1);
    node.isAway = true;
    live.watch([a, polled]);
    await until(() => node.questions > 0);
    node.isAway = false;
    await until(() => byteOf(a) === 1);
  });

  it('are read before all else where they are preferred, though what is read with others fails', async (t) => {
    const { node, rpc } = testNode();
    const { node: busy, rpc: busyRpc } = testNode();
    busy.isAway = true;
    const live = createLiveAccounts({ rpc: busyRpc, firstRpc: rpc, steadyNow: () => 0, log });
    t.after(() => live.close());
    const [a, b] = [newAddress(), newAddress()];
    live.watch([a, b]);
    live.prefer([a]);
    await until(() => live.get(a)?.slot === node.slot && busy.questions > 0);
    assert.equal(live.get(b)?.slot, -1);
    live.prefer([b]);
    await until(() => live.get(b)?.slot === node.slot);
  });

  it('are polled while the WebSocket is broken, and followed again after it', async (t) => {
    const { node, rpc } = testNode();
    const socket = await testSocket(t);
    const { live, byteOf } = open(t, rpc, `ws://127.0.0.1:${socket.port}`);
    const a = newAddress();
    node.bytes.set(a, 1);
    live.watch([a]);
    await until(() => byteOf(a) === 1);
    socket.close();
    node.bytes.set(a, 2);
    node.slot = 2;
    await until(() => byteOf(a) === 2);
    const again = await testSocket(t, socket.port);
    await until(() => again.subscribed.has(a));
    node.bytes.set(a, 3);
    again.tell(a, 3, node.render(a));
    await until(() => byteOf(a) === 3);
  });

  const account = (more: object) => ({
    lamports: 1,
    owner: SYSTEM_PROGRAM,
    executable: false,
    data: ['', 'base64'],
    ...more,
  });
  const nonsense: [string, (id: number) => unknown][] = [
    ['no JSON', () => '{"jsonrpc"'],
    ['null', () => null],
    ['no result', (id) => ({ params: { subscription: id } })],
    ['no context', (id) => ({ params: { subscription: id, result: { value: null } } })],
    ...[
      undefined,
      {},
      account({ lamports: 0.5 }),
      account({ owner: 5 }),
      account({ data: 'AQ==' }),
      account({ data: [5] }),
    ].map((value): [string, (id: number) => unknown] => [
      `the account ${JSON.stringify(value)}`,
      (id) => ({ params: { subscription: id, result: { context: { slot: 2 }, value } } }),
    ]),
    ...['2', -1, 1.5, 2 ** 53, 1e300, 100_000].map((slot): [string, (id: number) => unknown] => [
      `the slot ${JSON.stringify(slot)}`,
      (id) => ({ params: { subscription: id, result: { context: { slot }, value: account({}) } } }),
    ]),
  ];
  for (const [what, message] of nonsense) {
    it(`outlive a node that tells ${what}, and go on over another connection`, async (t) => {
      const { node, rpc } = testNode();
      const socket = await testSocket(t);
      const { live, byteOf } = open(t, rpc, `ws://127.0.0.1:${socket.port}`);
      const a = newAddress();
      node.bytes.set(a, 1);
      live.watch([a]);
      await until(() => byteOf(a) === 1 && socket.subscribed.has(a));
      const { client, id } = socket.subscribed.get(a)!;
      const told = message(id);
      client.send(typeof told === 'string' ? told : JSON.stringify(told));
      await until(() => socket.subscribed.get(a)!.client !== client);
      assert.equal(byteOf(a), 1);
      node.bytes.set(a, 3);
      socket.tell(a, 3, node.render(a));
      await until(() => byteOf(a) === 3);
    });
  }

  it('are not stopped by one answer with a slot far ahead', async (t) => {
    const { node, rpc } = testNode();
    const { live, byteOf } = open(t, rpc);
    const a = newAddress();
    node.bytes.set(a, 1);
    live.watch([a]);
    await live.refresh([a]);
    node.slot = 10 ** 12;
    await live.refresh([a]);
    node.slot = 2;
    node.bytes.set(a, 2);
    await live.refresh([a]);
    assert.equal(byteOf(a), 2);
  });

  it('attack: a node that is asked for changes over a WebSocket tells one in a slot that is far ahead: the next answer to a call counts', async (t) => {
    const { node, rpc } = testNode();
    const socket = await testSocket(t);
    const { live, changes, byteOf } = open(t, rpc, `ws://127.0.0.1:${socket.port}`);
    const a = newAddress();
    node.bytes.set(a, 1);
    live.watch([a]);
    await until(() => byteOf(a) === 1 && socket.subscribed.has(a));
    socket.tell(a, 991, null);
    await until(() => changes.length > 1);
    node.slot = 2;
    assert.equal((await live.refresh([a])).get(a)?.account?.data[0], 1);
    assert.equal(byteOf(a), 1);
  });

  it('follow a chain that has really gone far ahead', async (t) => {
    const { node, rpc } = testNode();
    const socket = await testSocket(t);
    const { live, byteOf } = open(t, rpc, `ws://127.0.0.1:${socket.port}`);
    const a = newAddress();
    node.bytes.set(a, 1);
    live.watch([a]);
    await until(() => byteOf(a) === 1 && socket.subscribed.has(a));
    node.slot = 10 ** 6;
    for (let i = 0; i < 2; i++) await live.refresh([a]);
    node.bytes.set(a, 2);
    socket.tell(a, 10 ** 6 + 1, node.render(a));
    await until(() => byteOf(a) === 2);
    node.slot = 10 ** 6 - 1;
    node.bytes.set(a, 3);
    await live.refresh([a]);
    assert.equal(byteOf(a), 2, 'what lags behind still brings nothing back');
  });

  it('keep what was told while an answer of the same slot was on its way', async (t) => {
    const { node, rpc } = testNode();
    const socket = await testSocket(t);
    const { live, byteOf } = open(t, rpc, `ws://127.0.0.1:${socket.port}`);
    const a = newAddress();
    node.bytes.set(a, 1);
    live.watch([a]);
    await until(() => byteOf(a) === 1 && socket.subscribed.has(a));
    let answer = () => {};
    node.hold = new Promise((resolve) => {
      answer = resolve;
    });
    const reading = live.refresh([a]);
    node.bytes.set(a, 2);
    socket.tell(a, node.slot, node.render(a));
    await until(() => byteOf(a) === 2);
    answer();
    await reading;
    assert.equal(byteOf(a), 2);
  });

  it('attack: a free key asks for tokens with thousands of pools: of each account its own bytes are kept, and no others', async (t) => {
    const { node, rpc } = testNode();
    const { live, byteOf } = open(t, rpc);
    const addresses = Array.from({ length: 20 }, newAddress);
    live.watch(addresses);
    for (const byte of [1, 2]) {
      for (const address of addresses) {
        node.bytes.set(address, byte);
        await live.refresh([address]);
        assert.equal(byteOf(address), byte);
      }
    }
    for (const address of addresses) assert.equal(live.get(address)!.account!.data.buffer.byteLength, 1);
  });

  it('attack: a free key asks for a token with thousands of pools: their accounts are read with 16 calls at a time', async (t) => {
    const { node, rpc } = testNode();
    const live = createLiveAccounts({ rpc, steadyNow: () => 0, log });
    t.after(() => live.close());
    const [address] = [newAddress()];
    const many = Array.from({ length: 100_000 }, (_, i) => (i === 99_999 ? address : (`${i}` as Address)));
    node.bytes.set(address, 7);
    let release = () => {};
    node.hold = new Promise((resolve) => {
      release = resolve;
    });
    const reading = live.refresh(many);
    await new Promise(setImmediate);
    assert.equal(node.questions, 16);
    release();
    const readings = await reading;
    assert.equal(readings.size, 100_000);
    assert.equal(readings.get(address)?.account?.data[0], 7);
  });

  it('never show the URL, in which a key may be', async (t) => {
    const { rpc } = testNode();
    const lines: string[] = [];
    const shown = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    const wsUrl = 'ws://127.0.0.1:1/secret-key';
    const live = createLiveAccounts({ rpc, steadyNow: () => 0, log: shown, wsUrl });
    t.after(() => live.close());
    await until(() => lines.length > 0);
    assert.ok(!lines.join().includes('secret'), lines.join());
  });
});
