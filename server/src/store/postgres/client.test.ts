import assert from 'node:assert/strict';
import { createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { ProvenClient } from './client.js';
import { createPool } from './pool.js';

const PASSWORD = 'the-password-of-the-database';
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** A message of the server about the login. */
function authentication(code: number, text = ''): Buffer {
  const message = Buffer.concat([Buffer.from([0x52, 0, 0, 0, 0, 0, 0, 0, code]), Buffer.from(text)]);
  message.writeUInt32BE(message.length - 1, 1);
  return message;
}

const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/** The server's side of SCRAM-SHA-256 (RFC 5802), which believes every client. */
function scram(password: string) {
  const [salt, rounds] = [randomBytes(16), 4_096];
  let [first, asked] = ['', ''];
  return {
    begin: () => authentication(10, 'SCRAM-SHA-256\0\0'),
    answer(message: Buffer): Buffer {
      const said = message.toString('latin1');
      if (first === '') {
        first = said.slice(said.indexOf('n,,') + 3);
        asked = `r=${/r=(.*)$/.exec(first)![1]}more,s=${salt.toString('base64')},i=${rounds}`;
        return authentication(11, asked);
      }
      const last = said.slice(said.indexOf('c='));
      const key = hmac(pbkdf2Sync(password, salt, rounds, 32, 'sha256'), 'Server Key');
      const proof = hmac(key, `${first},${asked},${last.replace(/,p=.*$/, '')}`).toString('base64');
      return Buffer.concat([authentication(12, `v=${proof}`), authentication(0), READY]);
    },
  };
}

/** What listens where PostgreSQL would, and all that it was told. */
async function listening(serve: () => { begin(): Buffer; answer(message: Buffer): Buffer }) {
  let told = '';
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const { begin, answer } = serve();
    let isBegun = false;
    sockets.add(socket.on('error', () => {}));
    socket.on('data', (message) => {
      told += message.toString('latin1');
      // "X" says goodbye.
      if (message[0] !== 0x58) socket.write(isBegun ? answer(message) : begin());
      isBegun = true;
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `postgres://slipway:${PASSWORD}@127.0.0.1:${(server.address() as AddressInfo).port}/slipway`,
    told: () => told,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

const nothing = Buffer.alloc(0);

test('attack: another user of the machine listens in the place of PostgreSQL, and asks for the password: he is not told it', async (t) => {
  const imposter = await listening(() => ({ begin: () => authentication(3), answer: () => nothing }));
  t.after(() => imposter.close());
  const { pool, close } = createPool({ kind: 'postgres', url: imposter.url });
  await assert.rejects(pool.query('select 1'), /asks for the password itself: without TLS it must use scram-sha-256/);
  await close();
  assert.match(imposter.told(), /slipway/);
  assert.doesNotMatch(imposter.told(), new RegExp(PASSWORD));
});

test('attack: another user of the machine listens in the place of PostgreSQL, and lets everybody in: he is not taken for it', async (t) => {
  for (const begin of [() => Buffer.concat([authentication(0), READY]), () => authentication(5, 'salt')]) {
    const answer = () => Buffer.concat([authentication(0), READY]);
    const imposter = await listening(() => ({ begin, answer }));
    t.after(() => imposter.close());
    const { pool, close } = createPool({ kind: 'postgres', url: imposter.url });
    await assert.rejects(pool.query('select secrets'), /has not shown that it knows the password/);
    await close();
    assert.doesNotMatch(imposter.told(), /select secrets/);
  }
  const guessing = await listening(() => scram('another password'));
  t.after(() => guessing.close());
  await assert.rejects(new ProvenClient(guessing.url as never).connect(), /server signature/);
});

test('PostgreSQL itself, which shows that it knows the password, is believed', async (t) => {
  const server = await listening(() => scram(PASSWORD));
  t.after(() => server.close());
  const client = new ProvenClient({ connectionString: server.url });
  await client.connect();
  client.on('error', () => {});
  assert.doesNotMatch(server.told(), new RegExp(PASSWORD));
  void client.end().catch(() => {});
});
