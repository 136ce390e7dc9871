import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { generateKeypair } from '@slipway/wire';
import { WebSocket } from 'ws';
import { startLocalnet } from './index.js';
import { startTestNet, type TestNet } from './testing.js';

let net: TestNet;
before(async () => {
  net = await startTestNet();
});
after(() => net.localnet.close());

async function post(body: string, headers: Record<string, string> = { 'content-type': 'application/json' }) {
  const response = await fetch(net.localnet.rpcUrl, { method: 'POST', body, headers });
  const text = await response.text();
  return { status: response.status, text, json: () => JSON.parse(text) };
}

test('GET /health answers ok, unknown paths 404, other methods 405', async () => {
  const url = net.localnet.rpcUrl;
  const health = await fetch(`${url}/health`);
  assert.equal(health.status, 200);
  assert.equal(await health.text(), 'ok');
  assert.equal((await fetch(`${url}/nope`)).status, 404);
  assert.equal((await fetch(`${url}/health`, { method: 'POST', body: '{}' })).status, 404);
  const get = await fetch(url);
  assert.equal(get.status, 405);
  assert.equal(get.headers.get('allow'), 'POST, OPTIONS');
});

test('pages of this machine may call, with the headers that Solana clients send', async () => {
  const preflight = await fetch(net.localnet.rpcUrl, {
    method: 'OPTIONS',
    headers: {
      origin: 'http://localhost:5173',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,solana-client',
    },
  });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers.get('access-control-allow-origin'), 'http://localhost:5173');
  assert.equal(preflight.headers.get('access-control-allow-headers'), 'content-type,solana-client');
  assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /POST/);
  const answered = await fetch(net.localnet.rpcUrl, {
    method: 'POST',
    headers: { origin: 'http://localhost:5173', 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"getHealth"}',
  });
  assert.equal(answered.headers.get('access-control-allow-origin'), 'http://localhost:5173');
});

test("a wallet that is a browser's extension may call", async () => {
  for (const origin of [
    'chrome-extension://bfnaelmomeimhlpmgjnjophhpkkoljpa',
    'moz-extension://1f0c5f1e-8a11-4c6e-9d0a',
  ]) {
    const answered = await fetch(net.localnet.rpcUrl, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"getHealth"}',
    });
    assert.equal(answered.headers.get('access-control-allow-origin'), origin);
    assert.equal(((await answered.json()) as { result: string }).result, 'ok');
    const socket = new WebSocket(net.localnet.wsUrl, { origin });
    await once(socket, 'open');
    socket.close();
  }
});

test('pages of the web may not: neither read an answer nor open a WebSocket', async () => {
  const headers = { origin: 'https://app.example', 'content-type': 'application/json' };
  const body = '{"jsonrpc":"2.0","id":1,"method":"getHealth"}';
  const answered = await fetch(net.localnet.rpcUrl, { method: 'POST', headers, body });
  assert.equal(answered.headers.get('access-control-allow-origin'), null);
  assert.equal(answered.status, 403);
  for (const url of [net.localnet.wsUrl, net.localnet.rpcUrl.replace('http', 'ws')]) {
    const socket = new WebSocket(url, { origin: 'https://app.example' });
    const [error] = await once(socket, 'error');
    assert.match((error as Error).message, /403/);
  }
});

/** Sends what `fetch` does not let a caller send: a Host of one's own. */
function send(method: string, headers: Record<string, string>, body = '', path = '/'): Promise<number> {
  return new Promise((resolve, reject) => {
    const length = { 'content-length': Buffer.byteLength(body) };
    const asked = request(
      new URL(path, net.localnet.rpcUrl),
      // An empty Host would be replaced by the right one.
      { method, headers: { ...headers, ...length }, setHost: headers.host === undefined },
      (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0));
      },
    );
    asked.on('error', reject).end(body);
  });
}

const account = generateKeypair().address;
const LOADER = 'BPFLoader2111111111111111111111111111111111';
const writing = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'localnet_setAccount',
  params: [account, { lamports: 1_000_000, owner: '11111111111111111111111111111111', data: ['', 'base64'] }],
});
const balance = async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getBalance', params: [account] });
  return (await post(body)).json().result.value;
};

test('attack: a page of a foreign origin writes nothing to the chain inside, whatever its method and content type', async () => {
  const origins = ['https://evil.example', 'null', 'http://localhost.evil.example', 'http://192.168.1.9'];
  for (const origin of [...origins, 'https://chrome-extension.evil.example', 'chrome-extension://evil.example']) {
    for (const method of ['POST', 'GET', 'OPTIONS', 'PUT', 'HEAD']) {
      for (const type of ['text/plain', 'application/json', 'application/x-www-form-urlencoded']) {
        const headers = { origin, 'content-type': type };
        assert.equal(await send(method, headers, method === 'HEAD' ? '' : writing), 403, `${method} ${origin} ${type}`);
      }
    }
    assert.equal(await send('GET', { origin }, '', '/health'), 403);
  }
  assert.equal(await balance(), 0);
});

test('attack: a page whose name was pointed at this machine writes nothing to the chain inside, also as its own origin', async () => {
  for (const host of ['evil.example', 'evil.example:8899', '127.0.0.1.nip.example', 'localhost.evil.example']) {
    for (const origin of [{}, { origin: `http://${host}` }, { origin: 'http://localhost' }]) {
      const headers = { host, 'content-type': 'application/json', ...(origin as Record<string, string>) };
      for (const method of ['POST', 'GET', 'OPTIONS']) assert.equal(await send(method, headers, writing), 403, host);
    }
    const socket = new WebSocket(net.localnet.wsUrl, { headers: { host }, setHost: false });
    const [error] = await once(socket, 'error');
    assert.match((error as Error).message, /403/);
  }
  assert.equal(await balance(), 0);
});

test('attack: a page of this machine posts a form to the chain inside: it is not taken for JSON', async () => {
  const headers = { origin: 'http://localhost:3000', 'content-type': 'text/plain' };
  assert.equal(await send('POST', headers, writing), 415);
  assert.equal(await balance(), 0);
});

test('programs call by loopback names, addresses, and the names that are given', async () => {
  const health = '{"jsonrpc":"2.0","id":1,"method":"getHealth"}';
  for (const host of ['localhost:8899', 'LOCALHOST', 'chain.localhost', '127.0.0.1', '[::1]:1', '172.17.0.2:8899']) {
    assert.equal(await send('POST', { host }, health), 200, host);
  }
  const other = await startLocalnet({ rpcPort: 0, inWorker: false, hosts: ['chain'] });
  try {
    for (const [host, status] of [
      ['chain:8899', 200],
      ['evil.example', 403],
    ] as const) {
      const headers = { host, origin: 'http://chain:3000', 'content-type': 'application/json' };
      const answered = await new Promise((resolve, reject) => {
        request(other.rpcUrl, { method: 'POST', headers }, (response) => resolve(response.resume().statusCode))
          .on('error', reject)
          .end(health);
      });
      assert.equal(answered, status, host);
    }
  } finally {
    await other.close();
  }
});

test('a body of 1 MiB is read, a larger one is 413', async () => {
  const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getHealth' });
  const limit = 1024 * 1024;
  assert.equal((await post(request.padEnd(limit))).status, 200);
  assert.equal((await post(request.padEnd(limit + 1))).status, 413);
  assert.equal((await post(request.padEnd(5 * limit))).status, 413);
});

test('malformed requests have the errors of JSON-RPC', async () => {
  const cases: [string, number, unknown][] = [
    ['{"jsonrpc":"2.0","id":1,"meth', -32700, null],
    ['', -32700, null],
    ['1', -32600, null],
    ['[]', -32600, null],
    ['{"jsonrpc":"2.0","id":7}', -32600, 7],
    ['{"jsonrpc":"1.0","id":7,"method":"getHealth"}', -32600, 7],
    ['{"jsonrpc":"2.0","id":{},"method":"getHealth"}', -32600, null],
    ['{"jsonrpc":"2.0","id":"x","method":"getNothing"}', -32601, 'x'],
    ['{"jsonrpc":"2.0","id":7,"method":"constructor"}', -32601, 7],
    ['{"jsonrpc":"2.0","id":7,"method":"accountSubscribe","params":[]}', -32601, 7],
    ['{"jsonrpc":"2.0","id":7,"method":"getSlot","params":{"commitment":"processed"}}', -32602, 7],
  ];
  for (const [body, code, id] of cases) {
    const { status, json } = await post(body);
    assert.equal(status, 200, body);
    assert.equal(json().error.code, code, body);
    assert.equal(json().id, id, body);
    assert.equal(json().jsonrpc, '2.0');
  }
});

test('a batch is answered item by item, notifications not at all', async () => {
  const { json } = await post(
    '[{"jsonrpc":"2.0","id":"a","method":"getHealth"},{"jsonrpc":"2.0","method":"getSlot"},5,' +
      '{"jsonrpc":"2.0","id":9007199254740993,"method":"nope"}]',
  );
  const answers = json();
  assert.equal(answers.length, 3);
  assert.deepEqual(answers[0], { jsonrpc: '2.0', result: 'ok', id: 'a' });
  assert.equal(answers[1].error.code, -32600);
  assert.equal(answers[2].error.code, -32601);
  const notification = await post('{"jsonrpc":"2.0","method":"getHealth"}');
  assert.equal(notification.status, 204);
  assert.equal(notification.text, '');
});

test('attack: another user asks the chain of a sandbox for gigabytes in one post: it answers a part, or none, and goes on', async () => {
  const programs = { jsonrpc: '2.0', id: 1, method: 'getProgramAccounts', params: [LOADER, { encoding: 'base64' }] };
  const { result } = (await post(JSON.stringify(programs))).json();
  const bytes = JSON.stringify(result).length;
  const most = Math.floor((64 << 20) / bytes);
  const batch = (count: number) => post(JSON.stringify(Array(count).fill(programs)));
  assert.equal((await batch(most - 1)).json().length, most - 1);
  for (const count of [most + 1, Math.floor((1 << 20) / (JSON.stringify(programs).length + 1)) - 1]) {
    const { error } = (await batch(count)).json();
    assert.match(error.message, /too long; ask for less/);
  }

  const size = 10 << 20;
  const data = Buffer.alloc(size).toString('base64');
  await net.localnet.call('localnet_setAccount', [account, { lamports: 1, owner: LOADER, data }]);
  const read = async (count: number, length: number) => {
    const params = [Array(count).fill(account), { encoding: 'base64', dataSlice: { offset: 0, length } }];
    return (await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getMultipleAccounts', params }))).json();
  };
  assert.match((await read(100, size)).error.message, /too large for one answer/);
  assert.equal((await read(100, 1_000)).result.value.length, 100);
  assert.equal((await read(6, size)).result.value.length, 6);
});

test('attack: another user asks the chain of a sandbox for large answers on many connections, and reads none: three are kept', async () => {
  const size = 10 << 20;
  const data = Buffer.alloc(size).toString('base64');
  await net.localnet.call('localnet_setAccount', [account, { lamports: 1, owner: LOADER, data }]);
  const params = [Array(6).fill(account), { encoding: 'base64' }];
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getMultipleAccounts', params });
  const { hostname, port } = new URL(net.localnet.rpcUrl);
  const ask = async () => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.write(
      `POST / HTTP/1.1\r\nhost: ${hostname}\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await once(socket, 'readable');
    return socket;
  };
  const sockets = [];
  for (let i = 0; i < 6; i++) sockets.push(await ask());
  const whole = await Promise.all(
    sockets.map(async (socket) => {
      let read = 0;
      socket.on('data', (chunk) => {
        read += chunk.length;
      });
      await once(socket, 'close');
      return read > (6 * size * 4) / 3;
    }),
  );
  assert.deepEqual(whole, [false, false, false, true, true, true]);
  assert.equal((await post('{"jsonrpc":"2.0","id":1,"method":"getHealth"}')).json().result, 'ok');
});

test('ids and amounts beyond 2^53 are exact on the wire', async () => {
  const wallet = net.wallet('alice').address;
  const { text } = await post(
    `{"jsonrpc":"2.0","id":9007199254740993,"method":"getAccountInfo","params":["${wallet}",{"encoding":"base64"}]}`,
  );
  assert.match(text, /"rentEpoch":18446744073709551615\b/);
  assert.match(text, /"id":9007199254740993\b/);
  const { address } = generateKeypair();
  await post(`{"jsonrpc":"2.0","id":1,"method":"requestAirdrop","params":["${address}",9007199254740993]}`);
  const balance = await post(`{"jsonrpc":"2.0","id":1,"method":"getBalance","params":["${address}"]}`);
  assert.match(balance.text, /"value":9007199254740993\b/);
});

test('trap 10: a connection that was idle for longer than Node keeps it by default is used again', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async () => {
    const sent = request(net.localnet.rpcUrl, { method: 'POST', agent });
    sent.end('{"jsonrpc":"2.0","id":1,"method":"getHealth"}');
    const [response] = await once(sent, 'response');
    for await (const _chunk of response) {
      // read to the end, so that the agent takes the connection back
    }
    return { reused: sent.reusedSocket, keepAlive: response.headers['keep-alive'] };
  };
  const first = await ask();
  assert.equal(first.reused, false);
  assert.equal(first.keepAlive, 'timeout=120');
  await new Promise((resolve) => setTimeout(resolve, 6_500));
  assert.equal((await ask()).reused, true);
  agent.destroy();
});

test('WebSocket is served on the next port and on the HTTP port', async () => {
  const rpc = new URL(net.localnet.rpcUrl);
  const ws = new URL(net.localnet.wsUrl);
  assert.equal(Number(ws.port), Number(rpc.port) + 1);
  for (const port of [rpc.port, ws.port]) {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`);
    await once(socket, 'open');
    socket.send('{"jsonrpc":"2.0","id":1,"method":"slotSubscribe"}');
    const [answer] = await once(socket, 'message');
    assert.equal(typeof JSON.parse(answer).result, 'number');
    const [notification] = await once(socket, 'message');
    assert.equal(JSON.parse(notification).method, 'slotNotification');
    socket.terminate();
  }
  assert.equal((await fetch(`http://127.0.0.1:${ws.port}/`)).status, 426);
});

test('a taken port is refused by its number and its option, and nothing stays behind', async () => {
  const blocker = createServer().listen(0, '127.0.0.1');
  await once(blocker, 'listening');
  const { port } = blocker.address() as AddressInfo;
  for (const inWorker of [true, false]) {
    await assert.rejects(startLocalnet({ rpcPort: port, inWorker }), {
      message: new RegExp(`^port ${port} on 127\\.0\\.0\\.1 is already in use: .*with SLIPWAY_RPC_PORT$`),
    });
    await assert.rejects(startLocalnet({ rpcPort: 0, wsPort: port, inWorker }), {
      message: new RegExp(`^port ${port} on 127\\.0\\.0\\.1 is already in use: .*--ws-port`),
    });
  }
  blocker.close();
});

test('a client that does not read its notifications is dropped', async () => {
  const data = Buffer.alloc(512 * 1024, 7).toString('base64');
  // Raw, because a WebSocket library reads by itself.
  const { hostname, port } = new URL(net.localnet.wsUrl);
  const socket = connect(Number(port), hostname);
  let isClosed = false;
  socket.on('close', () => (isClosed = true));
  socket.on('error', () => {});
  socket.write(
    `GET / HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  await once(socket, 'data');
  let received = 0;
  socket.on('data', (chunk) => {
    received += chunk.length;
  });
  const address = net.wallet('dave').address;
  const subscribe = `{"jsonrpc":"2.0","id":1,"method":"accountSubscribe","params":["${address}",{"encoding":"base64"}]}`;
  for (let count = 0; count < 100; count++) socket.write(maskedFrame(subscribe));
  while (!(received > 100 * '{"jsonrpc":"2.0","result":1,"id":1}'.length)) await once(socket, 'data');
  socket.pause();
  const owner = '11111111111111111111111111111111';
  await net.localnet.call('localnet_setAccount', [address, { lamports: 1, owner, executable: false, data }]);
  // Who does not read hears of the end only when he writes.
  while (!isClosed) {
    socket.write(maskedFrame('{"jsonrpc":"2.0","method":"ping"}'.padEnd(130)));
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.equal((await post('{"jsonrpc":"2.0","id":1,"method":"getHealth"}')).json().result, 'ok');
});

/** A text frame as clients send them. */
function maskedFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  const header = Buffer.from([0x81, 0x80 | 126, payload.length >> 8, payload.length & 255, 0, 0, 0, 0]);
  return Buffer.concat([header, payload]);
}
