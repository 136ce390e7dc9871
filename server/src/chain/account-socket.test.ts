import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type Address, generateKeypair } from '@slipway/wire';
import { pino } from 'pino';
import { type WebSocket, WebSocketServer } from 'ws';
import { createAccountSocket } from './account-socket.js';

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
  return { socket, server, client, send, followed, told };
}

/** Waits until it is so; the test's own time limit ends a wait that never succeeds. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 2));
}

test('attack: a node confirms no subscription: what is kept of accounts that are watched no more is bounded, and another connection asks for the others', {
  timeout: 120_000,
}, async (t) => {
  let heard = 0;
  const { socket, server, client } = await connected(t, () => {
    heard += 1;
  });
  const wanted = generateKeypair().address;
  socket.follow([wanted]);
  const again = once(server, 'connection') as Promise<[WebSocket]>;
  while (client.readyState === client.OPEN && heard < 100_000) {
    const before = heard;
    const some = Array.from({ length: 1_000 }, () => generateKeypair().address);
    socket.follow(some);
    socket.unfollow(some);
    await until(() => heard >= before + some.length || client.readyState !== client.OPEN);
  }
  assert.ok(heard < 25_000, `${heard} were asked for`);
  const [second] = await again;
  const [data] = (await once(second, 'message')) as [Buffer];
  assert.equal((JSON.parse(data.toString()) as Asked).params[0], wanted);
});

test('an account that is let go and watched again before its subscription is confirmed is heard, and one that was only let go is given up', {
  timeout: 120_000,
}, async (t) => {
  const asked: Asked[] = [];
  const { socket, send, followed, told } = await connected(t, (message) => asked.push(message));
  const [again, gone] = [generateKeypair().address, generateKeypair().address];
  socket.follow([again, gone]);
  socket.unfollow([again, gone]);
  socket.follow([again]);
  await until(() => asked.length === 2);
  // A node names all subscriptions of one account alike, and ends it for all of them.
  for (const [index, { id }] of [...asked].entries()) send({ id, result: 71 + index });
  await until(() => asked.length === 3 && followed.length > 0);
  assert.deepEqual([asked[2]!.method, asked[2]!.params], ['accountUnsubscribe', [72]]);
  for (const subscription of [71, 72]) {
    send({ params: { subscription, result: { context: { slot: 1 }, value: null } } });
  }
  await until(() => told.length > 0);
  assert.deepEqual([followed, told], [[again], [again]]);
});
