import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { plainError } from '../errors/index.js';
import { MOST_BEHIND } from './pipelines.js';
import { startTestServer } from './testing.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const config = { errorShape: plainError, auth: 'none' } as const;

test('attack: a caller without a key asks for a file 2,000 times in one piece: one is begun, and the connection ends', async (t) => {
  let begun = 0;
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { app } = await startTestServer((server) => {
    server.get('/file', {
      config,
      handler: async () => {
        begun += 1;
        await held;
        return {};
      },
    });
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  // Before the server, which waits for what it has begun.
  t.after(() => {
    release();
    socket.destroy();
    return app.close();
  });
  socket.on('error', () => {});
  socket.resume();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  // Without a bound all of them are begun, and wait.
  const all = new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (begun > 1_000) resolve();
    }, 5);
    t.after(() => clearInterval(timer));
  });
  socket.write('GET /file HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'.repeat(2_000));
  await Promise.race([closed, all]);
  assert.equal(begun, 1);
});

test('some requests in one piece are all answered, in their order, again and again', async (t) => {
  const { app } = await startTestServer((server) => {
    server.get<{ Params: { n: string } }>('/number/:n', { config, handler: async ({ params }) => ({ n: params.n }) });
  });
  t.after(() => app.close());
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  t.after(() => socket.destroy());
  let text = '';
  for (let round = 0; round < 3; round++) {
    const asked = Array.from({ length: MOST_BEHIND }, (_, n) => `${round}-${n}`);
    socket.write(asked.map((n) => `GET /number/${n} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`).join(''));
    text = '';
    while (!text.includes(`"${asked.at(-1)}"`)) text += String((await once(socket, 'data'))[0]);
    assert.deepEqual(text.match(/\d+-\d+(?="\})/g), asked);
  }
});

test('what comes behind a request that ends its connection is not begun, since nobody would hear how it ends', async (t) => {
  const begun: string[] = [];
  const { app } = await startTestServer((server) => {
    server.post<{ Params: { n: string } }>('/pay/:n', {
      config,
      handler: async ({ params }) => {
        begun.push(params.n);
        return { n: params.n };
      },
    });
    server.get('/last', { config, handler: (_, reply) => reply.header('connection', 'close').send('the last one') });
  });
  t.after(() => app.close());
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  const post = (n: number) =>
    `POST /pay/${n} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`;
  socket.write(`${post(1)}GET /last HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n${post(2)}`);
  let text = '';
  for await (const piece of socket as AsyncIterable<Buffer>) text += piece.toString();
  assert.match(text, /"n":"1".*the last one$/s);
  // Its turn would have come with the end of the answer before it.
  await fetch(`http://127.0.0.1:${port}/livez`);
  assert.deepEqual(begun, ['1']);
});

test('attack: a caller without a key keeps answers waiting that he does not read: of each connection one is begun', async (t) => {
  const begun: string[] = [];
  const large = Buffer.alloc(16 * 1024 * 1024);
  const { app } = await startTestServer((server) => {
    server.get<{ Params: { n: string } }>('/file/:n', {
      config,
      handler: ({ params }, reply) => {
        begun.push(params.n);
        return reply.send(params.n === 'first' ? large : Buffer.from(params.n));
      },
    });
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  t.after(() => {
    socket.destroy();
    return app.close();
  });
  socket.pause();
  // A path that is none is answered before any hook hears of it.
  const asked = ['/file/first', '/file/second', '/%zz', '/file/third'];
  socket.write(asked.map((path) => `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`).join(''));
  // Whatever had come in one piece with the others has been looked at when another connection is answered.
  while (begun.length === 0) await fetch(`http://127.0.0.1:${port}/livez`);
  await fetch(`http://127.0.0.1:${port}/livez`);
  assert.deepEqual(begun, ['first']);
  let bytes = 0;
  let end = '';
  for await (const piece of socket as AsyncIterable<Buffer>) {
    bytes += piece.length;
    end = (end + piece.toString('latin1')).slice(-2_000);
    if (end.endsWith('third')) break;
  }
  assert.deepEqual(begun, ['first', 'second', 'third']);
  assert.ok(bytes > large.length);
  assert.match(end, /second.*400 Bad Request.*third$/s);
});

// Node refuses the one, and Fastify the other.
const UNHEARD = ['/%zz HTTP/1.1\r\n', '/ HTTP/1.1\r\nexpect: nothing\r\n'] as const;
const askUnheard = (count: number) =>
  Array.from({ length: count }, (_, n) => `GET ${UNHEARD[n % 2]}host: 127.0.0.1\r\n\r\n`).join('');

test('attack: a caller without a key sends 2,000 requests in one piece that no hook hears of: the connection ends', async (t) => {
  const { app } = await startTestServer();
  t.after(() => app.close());
  await app.listen({ port: 0, host: '127.0.0.1' });
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(`${askUnheard(2_000)}GET /livez HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n`);
  let text = '';
  for await (const piece of socket as AsyncIterable<Buffer>) text += piece.toString();
  assert.ok(text.split('HTTP/1.1').length - 1 <= 1 + MOST_BEHIND);
});

test('attack: a caller without a key asks for a file behind requests that no hook hears of, and goes: it begins with a connection that ends it', async (t) => {
  const hasConnection: boolean[] = [];
  const { app } = await startTestServer((server) => {
    server.get('/file', {
      config,
      handler: (_request, reply) => {
        hasConnection.push(reply.raw.socket !== null);
        return reply.send('a file');
      },
    });
  });
  t.after(() => app.close());
  await app.listen({ port: 0, host: '127.0.0.1' });
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(`${askUnheard(4)}GET /file HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n`);
  let text = '';
  for await (const piece of socket as AsyncIterable<Buffer>) text += piece.toString();
  assert.deepEqual(text.match(/(?<=HTTP\/1\.1 )\d+|a file/g), ['400', '417', '400', '417', '200', 'a file']);
  assert.deepEqual(hasConnection, [true]);
});

test('attack: a caller without a key always has a request behind another one: nothing is kept of those that were answered', async (t) => {
  const answers: WeakRef<object>[] = [];
  let end = () => {};
  const { app } = await startTestServer((server) => {
    server.get('/file', {
      config,
      handler: async (_request, reply) => {
        const arrived = once(app.server, 'request');
        socket.write(ask);
        await arrived;
        answers.push(new WeakRef(reply.raw));
        if (answers.length === 50) end();
        return 'a file';
      },
    });
  });
  const ask = 'GET /file HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n';
  await app.listen({ port: 0, host: '127.0.0.1' });
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1').resume();
  t.after(() => {
    socket.destroy();
    return app.close();
  });
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  socket.write(ask);
  await ended;
  const held = () => answers.slice(0, 40).filter((each) => each.deref() !== undefined).length;
  for (let turn = 0; turn < 50 && held() > 0; turn++) {
    await new Promise(setImmediate);
    collectGarbage();
  }
  assert.equal(held(), 0);
});
