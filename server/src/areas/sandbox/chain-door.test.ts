import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import Fastify from 'fastify';
import { registerChainDoor } from './chain-door.js';

/** More than the system takes of what nobody reads, twice. */
const LONG = Buffer.alloc(64 * 1024 * 1024, 'x');

/** A door before a chain that answers with the status and the bytes of `next`, and tells its answers. */
async function openDoor(t: TestContext) {
  const next = { status: 200, bytes: LONG };
  const answers: ServerResponse[] = [];
  const chain = createServer((request, response) => {
    answers.push(response);
    request.resume().once('end', () => {
      response.writeHead(next.status, { 'content-type': 'application/json' });
      response.end(next.status === 204 ? undefined : next.bytes);
    });
  }).listen(0, '127.0.0.1');
  await once(chain, 'listening');
  const rpcUrl = `http://127.0.0.1:${(chain.address() as AddressInfo).port}`;
  const app = Fastify();
  const publicUrl = () => `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const door = registerChainDoor(app, { sandboxKey: 'k', rpcUrl, wsUrl: 'ws://127.0.0.1:1', publicUrl });
  await app.listen({ port: 0, host: '127.0.0.1' });
  t.after(async () => {
    chain.closeAllConnections();
    chain.close();
    app.server.closeAllConnections();
    await app.close();
  });
  const post = () =>
    fetch(door.rpcUrl(), { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
  return { door, next, answers, post };
}

test('the chain’s answers come through the door as they are, also empty ones and refusals', async (t) => {
  const { next, post } = await openDoor(t);
  assert.equal((await (await post()).arrayBuffer()).byteLength, LONG.length);
  for (const [status, bytes] of [
    [200, Buffer.from('{"result":"é"}')],
    [413, Buffer.from('too large')],
    [204, Buffer.alloc(0)],
  ] as const) {
    Object.assign(next, { status, bytes });
    const answer = await post();
    assert.equal(answer.status, status);
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), bytes);
  }
});

test('attack: another user asks for large answers by the door of a sandbox’s chain, and reads none: they wait in the chain, which closes the oldest', async (t) => {
  const { door, answers } = await openDoor(t);
  const { port, pathname, hostname } = new URL(door.rpcUrl());
  const ask = async () => {
    const socket = connect(Number(port), hostname);
    t.after(() => socket.destroy());
    socket.on('error', () => {});
    const lines = [`POST ${pathname} HTTP/1.1`, 'host: x', 'content-type: application/json', 'content-length: 2'];
    socket.write(`${lines.join('\r\n')}\r\n\r\n{}`);
    await once(socket, 'readable');
    return socket;
  };
  const sockets = [await ask(), await ask()];
  assert.deepEqual(
    answers.map(({ writableFinished }) => writableFinished),
    [false, false],
  );
  // As it does where too much of them waits.
  answers[0]!.destroy();
  const [closed, open] = sockets;
  let bytes = 0;
  closed!.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  await once(closed!, 'close');
  assert.ok(bytes < LONG.length);
  // A client that goes lets go of its answer in the chain.
  const gone = once(answers[1]!, 'close');
  open!.destroy();
  await gone;
});
