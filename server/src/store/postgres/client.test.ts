import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { TLSSocket } from 'node:tls';
import { PATIENCE } from '../testing.js';
import { ProvenClient } from './client.js';
import { openSession } from './listener.js';
import { connectionConfig, createPool } from './pool.js';

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
function scram(password: string, rounds = 4_096, before = '') {
  const salt = randomBytes(16);
  let [first, asked] = ['', ''];
  return {
    begin: () => authentication(10, 'SCRAM-SHA-256\0\0'),
    answer(message: Buffer): Buffer {
      const said = message.toString('latin1');
      if (first === '') {
        first = said.slice(said.indexOf('n,,') + 3);
        asked = `r=${/r=(.*)$/.exec(first)![1]}more${before},s=${salt.toString('base64')},i=${rounds}`;
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
async function listening(
  serve: () => { begin(): Buffer; answer(message: Buffer): Buffer },
  upgrade = (socket: Socket): Socket => socket,
  folder?: string,
) {
  let told = '';
  const sockets = new Set<Socket>();
  const server = createServer((accepted) => {
    const { begin, answer } = serve();
    let isBegun = false;
    const socket = upgrade(accepted);
    for (const each of [accepted, socket]) sockets.add(each.on('error', () => {}));
    accepted.once('close', () => sockets.delete(accepted));
    socket.on('data', (message) => {
      told += message.toString('latin1');
      // "X" says goodbye.
      if (message[0] !== 0x58) socket.write(isBegun ? answer(message) : begin());
      isBegun = true;
    });
  }).listen(folder === undefined ? { host: '127.0.0.1', port: 0 } : { path: join(folder, '.s.PGSQL.5432') });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://slipway:${PASSWORD}@${folder === undefined ? `127.0.0.1:${port}/slipway` : `/slipway?host=${folder}`}`,
    told: () => told,
    /** Once nobody is connected any more. */
    async left() {
      for (const socket of sockets) if (!socket.closed) await once(socket, 'close');
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

const nothing = Buffer.alloc(0);

/** A notification, as `listen` has it. */
function notification(channel: string): Buffer {
  const message = Buffer.from(`A....\0\0\0\x01${channel}\0secrets\0`);
  message.writeUInt32BE(message.length - 1, 1);
  return message;
}

test('attack: another user of the machine listens in the place of PostgreSQL, and asks for the password: he is not told it', async (t) => {
  for (const [begin, why] of [
    [() => authentication(3), /asks for the password itself: without verified TLS it must use scram-sha-256/],
    [() => authentication(5, 'salt'), /asks for an MD5 hash of the password/],
  ] as const) {
    const imposter = await listening(() => ({ begin, answer: () => nothing }));
    t.after(() => imposter.close());
    const { pool, close } = createPool({ kind: 'postgres', url: imposter.url, patience: PATIENCE });
    await assert.rejects(pool.query('select 1'), why);
    await close();
    assert.match(imposter.told(), /slipway/);
    assert.doesNotMatch(imposter.told(), new RegExp(`${PASSWORD}|md5`));
  }
});

test('attack: another user of the machine listens in the place of PostgreSQL, and asks for a proof that is fast to guess by: he gets none', async (t) => {
  for (const before of ['', ',i=4096']) {
    const imposter = await listening(() => scram(PASSWORD, 1, before));
    t.after(() => imposter.close());
    const { pool, close } = createPool({ kind: 'postgres', url: imposter.url, patience: PATIENCE });
    await assert.rejects(pool.query('select 1'), /asks for a proof of 1 iterations only/);
    await close();
    assert.doesNotMatch(imposter.told(), /,p=/);
  }
});

test('attack: another user of the machine listens in the place of PostgreSQL, and lets everybody in: he is not taken for it', async (t) => {
  const ways = [
    () => Buffer.concat([authentication(0), READY]),
    // Without a word about the login, and with a proof that is none.
    () => READY,
    () => Buffer.concat([authentication(12, 'v=AAAA'), authentication(0), READY]),
    () => Buffer.concat([notification('keys'), READY]),
  ];
  for (const begin of ways) {
    const imposter = await listening(() => ({ begin, answer: () => Buffer.concat([authentication(0), READY]) }));
    t.after(() => imposter.close());
    const { pool, close } = createPool({ kind: 'postgres', url: imposter.url, patience: PATIENCE });
    await assert.rejects(pool.query('select secrets'), /has not shown that it knows the password|SASL|message/);
    await close();
    const heard: string[] = [];
    const dispatch = (channel: string) => void heard.push(channel);
    await assert.rejects(openSession(connectionConfig(imposter.url, false, PATIENCE), dispatch));
    assert.deepEqual(heard, []);
    assert.doesNotMatch(imposter.told(), /select secrets/);
  }
  const guessing = await listening(() => scram('another password'));
  t.after(() => guessing.close());
  await assert.rejects(new ProvenClient(guessing.url as never).connect(), /server signature/);
  await guessing.left();
});

test('attack: another user of the machine listens in the place of PostgreSQL, and says what it never does: no process ends by that', async (t) => {
  const imposter = await listening(() => ({ begin: () => authentication(2), answer: () => nothing }));
  t.after(() => imposter.close());
  const { pool, close } = createPool({ kind: 'postgres', url: imposter.url, patience: PATIENCE });
  await assert.rejects(pool.query('select 1'), /Unknown authenticationOk message type 2/);
  await close();
});

test('attack: another user of the machine listens in the place of PostgreSQL, in a folder that everybody may write to: he is not told the password', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-database-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const imposter = await listening(
    () => ({ begin: () => authentication(3), answer: () => nothing }),
    undefined,
    folder,
  );
  t.after(() => imposter.close());
  chmodSync(folder, 0o1777);
  const { pool, close } = createPool({ kind: 'postgres', url: imposter.url, patience: PATIENCE });
  await assert.rejects(pool.query('select 1'), /asks for the password itself/);
  await close();
  assert.match(imposter.told(), /slipway/);
  assert.doesNotMatch(imposter.told(), new RegExp(PASSWORD));
});

const skip = spawnSync('openssl', ['version']).status === 0 ? false : 'openssl is not installed';

test('attack: another user of the machine listens in the place of PostgreSQL, with a certificate that nobody checks: he is not told the password', {
  skip,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-database-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [key, cert] = [join(folder, 'key'), join(folder, 'cert')];
  const made = ['req', '-newkey', 'rsa:2048', '-nodes', '-x509', '-subj', '/CN=imposter', '-keyout', key, '-out', cert];
  execFileSync('openssl', [...made, '-addext', 'subjectAltName=IP:127.0.0.1'], { stdio: 'pipe' });
  const options = { isServer: true, key: readFileSync(key), cert: readFileSync(cert) };
  const upgrade = (socket: Socket) => new TLSSocket(socket, options);
  const imposter = await listening(() => ({ begin: () => authentication(3), answer: () => nothing }), upgrade);
  t.after(() => imposter.close());
  const unchecked = '?sslmode=no-verify&sslnegotiation=direct';
  const { NODE_TLS_REJECT_UNAUTHORIZED: before } = process.env;
  t.after(() => {
    if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
  });
  for (const [query, said] of [
    [unchecked, '1'],
    ['?sslmode=verify-full&sslnegotiation=direct', '0'],
    ['?sslnegotiation=direct', '0'],
  ] as const) {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = said;
    const { pool, close } = createPool({ kind: 'postgres', url: imposter.url + query, patience: PATIENCE });
    await assert.rejects(pool.query('select 1'), /asks for the password itself/);
    await close();
  }
  assert.match(imposter.told(), /slipway/);
  assert.doesNotMatch(imposter.told(), new RegExp(PASSWORD));
  const postgres = await listening(() => scram(PASSWORD), upgrade);
  t.after(() => postgres.close());
  const known = await listening(
    () => ({ begin: () => authentication(3), answer: () => Buffer.concat([authentication(0), READY]) }),
    upgrade,
  );
  t.after(() => known.close());
  for (const url of [postgres.url + unchecked, `${known.url}?sslrootcert=${cert}&sslnegotiation=direct`]) {
    const client = new ProvenClient({ connectionString: url });
    await client.connect();
    client.on('error', () => {});
    void client.end().catch(() => {});
  }
  assert.match(known.told(), new RegExp(PASSWORD));
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
