import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Address, generateKeypair } from '@slipway/wire';
import { pino } from 'pino';
import { type WebSocket, WebSocketServer } from 'ws';
import { createAccountSocket } from './account-socket.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

interface Asked {
  id: number;
  method: string;
  params: unknown[];
}

/** A connection to a node that answers only what the test says. */
async function connected(t: TestContext, heard: (asked: Asked) => void) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const followed: Address[] = [];
  const told: Address[] = [];
  const opened = once(server, 'connection') as Promise<[WebSocket]>;
  const socket = createAccountSocket({
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    steadyNow: () => 0,
    log: pino({ level: 'silent' }),
    onAccount: (address) => told.push(address),
    onFollowed: (addresses) => followed.push(...addresses),
    onLost() {},
  });
  const [client] = await opened;
  t.after(() => {
    socket.close();
    client.terminate();
    server.close();
  });
  client.on('message', (data) => heard(JSON.parse(data.toString())));
  await until(() => socket.aliveAt() === 0);
  const send = (message: object) => client.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  return { socket, send, followed, told };
}

/** Waits until it is so; the test's own time limit ends a wait that never succeeds. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 2));
}

test('attack: a node confirms no subscription: nothing is kept of accounts that are watched no more', {
  timeout: 120_000,
}, async (t) => {
  let heard = 0;
  const { socket } = await connected(t, () => {
    heard += 1;
  });
  const grow = async (rounds: number) => {
    for (let round = 0; round < rounds; round++) {
      const some = Array.from({ length: 5_000 }, (_, n) => `${round}-${n}-${Math.random()}` as Address);
      const before = heard;
      socket.follow(some);
      socket.unfollow(some);
      await until(() => heard === before + some.length);
    }
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = await grow(2);
  const grown = (await grow(40)) - before;
  assert.ok(grown < 4_000_000, `${grown} bytes of 200,000 accounts`);
});

test('gives up what is confirmed after it was let go, and hears by the subscription that it has asked for since', {
  timeout: 120_000,
}, async (t) => {
  const asked: Asked[] = [];
  const { socket, send, followed, told } = await connected(t, (message) => asked.push(message));
  const { address } = generateKeypair();
  socket.follow([address]);
  socket.unfollow([address]);
  socket.follow([address]);
  await until(() => asked.length === 2);
  send({ id: asked[0]!.id, result: 71 });
  await until(() => asked.length === 3);
  assert.deepEqual([asked[2]!.method, asked[2]!.params], ['accountUnsubscribe', [71]]);
  send({ id: asked[2]!.id, result: true });
  send({ id: asked[1]!.id, result: 72 });
  await until(() => followed.length > 0);
  for (const subscription of [71, 72]) {
    send({ params: { subscription, result: { context: { slot: 1 }, value: null } } });
  }
  await until(() => told.length > 0);
  assert.deepEqual([followed, told], [[address], [address]]);
});
