import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { address, verify } from '@slipway/wire';
import { PATIENCE_MS } from '../../lib/testing.js';
import { connectSigner, openSigner, type RemoteSigner, sealedRow } from '../index.js';
import { LOOK_MS } from '../process/certificates.js';
import { HANDSHAKE_MS, type Listening, listenForCallers, MOST_UNKNOWN } from '../process/listen.js';
import { encodeFrame } from './frames.js';
import type { KeyPort } from './protocol.js';

const WALLET = address('8gMBNeKwXaoNi9bhbVUWFt4Uc5aobL9PeYMXfYDMePE2');
const HOST = '127.0.0.1';
/** More than one caller may have. */
const MANY = 100;
const HELLO = encodeFrame({ slipwaySigner: 4 });

let folder: string;
let port: KeyPort;
let listening: Listening;
const notes: string[] = [];
const clients: RemoteSigner[] = [];
const sockets: Socket[] = [];

const fileOf = (name: string) => join(folder, name);
const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
const NEW_KEY = ['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

function makeAuthority(name: string): void {
  openssl(...NEW_KEY, '-x509', '-days', '2', '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.pem`);
}

/** A certificate for a name, which is also what its files are called. */
function certify(name: string, authority: string, file = name): void {
  openssl(...NEW_KEY, '-subj', `/CN=${name}`, '-keyout', `${file}.key`, '-out', `${file}.csr`);
  const by = ['-CA', `${authority}.pem`, '-CAkey', `${authority}.key`, '-CAcreateserial'];
  openssl('x509', '-req', '-in', `${file}.csr`, ...by, '-days', '2', '-out', `${file}.pem`);
}

const credentials = (name: string) => ({
  certificate: readFileSync(fileOf(`${name}.pem`)),
  key: readFileSync(fileOf(`${name}.key`)),
});

async function clientOf(name: string): Promise<RemoteSigner> {
  const endpoint = {
    host: 'localhost',
    port: listening.tlsPort!,
    ...credentials(name),
    ca: readFileSync(fileOf('own.pem')),
  };
  const signer = await connectSigner({ endpoint, name, patienceMs: PATIENCE_MS });
  clients.push(signer);
  return signer;
}

/** What a connection with these options hears before it ends. */
async function heard(options: ConnectionOptions): Promise<string> {
  const socket = connectTls({ host: HOST, port: listening.tlsPort!, rejectUnauthorized: false, ...options });
  sockets.push(socket);
  let text = '';
  socket.on('data', (part) => {
    text += part;
  });
  socket.on('error', () => {});
  socket.on('secureConnect', () => socket.write('\0\0\0\x13{"slipwaySigner": 4}'));
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

const missing =
  spawnSync('openssl', ['version']).status === 0 ? false : 'openssl is not installed, which makes the certificates';

describe('callers with certificates', { skip: missing }, () => {
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-tls-'));
    for (const authority of ['own', 'foreign']) makeAuthority(authority);
    for (const name of ['localhost', 'api', 'keeper', 'stranger']) certify(name, 'own');
    certify('keeper', 'foreign', 'forged');
    port = await openSigner({ file: fileOf('signer.json'), passphrase: 'of the test', create: true });
    const tls = {
      host: HOST,
      port: 0,
      certificate: fileOf('localhost.pem'),
      key: fileOf('localhost.key'),
      ca: fileOf('own.pem'),
    };
    const callers = (['api', 'keeper'] as const).map((name) => ({ name, roles: [name], socket: undefined }));
    listening = await listenForCallers(
      { callers, tls },
      () => port,
      (event, facts) => {
        notes.push(`${event} ${JSON.stringify(facts)}`);
      },
    );
  });
  after(async () => {
    for (const each of clients) each.close();
    for (const socket of sockets) socket.destroy();
    await listening?.close();
    rmSync(folder, { recursive: true });
  });

  test('each caller is whom its certificate names', async () => {
    const [api, keeper] = [await clientOf('api'), await clientOf('keeper')];
    assert.deepEqual([api.caller, keeper.caller], ['api', 'keeper']);
    assert.ok(verify(port.address('seal'), sealedRow(Buffer.from('row')), await api.sealRow(Buffer.from('row'))));
    assert.equal(await api.publicKey(`vault:${WALLET}`), await port.publicKey(`vault:${WALLET}`));
  });

  test('certificates that were renewed are used without a start; while they cannot be read, those from before are', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const lay = (name: string) => {
      copyFileSync(fileOf(`${name}.pem`), fileOf('served.pem'));
      copyFileSync(fileOf(`${name}.key`), fileOf('served.key'));
    };
    lay('localhost');
    certify('localhost', 'own', 'renewed');
    const said: string[] = [];
    const files = { certificate: fileOf('served.pem'), key: fileOf('served.key'), ca: fileOf('served-ca.pem') };
    copyFileSync(fileOf('own.pem'), files.ca);
    const own = await listenForCallers(
      { callers: [{ name: 'api', roles: ['api'], socket: undefined }], tls: { host: HOST, port: 0, ...files } },
      () => port,
      (event) => said.push(event),
    );
    t.after(() => own.close());
    const { certificate: cert, key } = credentials('api');
    const open = async () => {
      const options = { host: 'localhost', port: own.tlsPort!, cert, key, ca: readFileSync(fileOf('own.pem')) };
      const socket = connectTls(options).on('error', () => {});
      sockets.push(socket);
      await once(socket, 'secureConnect');
      return socket;
    };
    const served = async () => (await open()).getPeerX509Certificate()!.fingerprint256;
    const fingerprintOf = (name: string) => new X509Certificate(readFileSync(fileOf(`${name}.pem`))).fingerprint256;
    const look = async (event: string) => {
      const before = said.filter((each) => each === event).length;
      t.mock.timers.tick(LOOK_MS);
      while (said.filter((each) => each === event).length === before) await new Promise((next) => setTimeout(next, 10));
    };
    const stays = await open();
    // Who says nothing for seconds is ended.
    stays.write(HELLO);
    assert.match(String(await once(stays, 'data')), /"caller":"api"/);
    const warning = 'the certificates cannot be read again: those from before are used';
    const breakages = [
      () => writeFileSync(files.ca, 'half of it'),
      () => writeFileSync(files.certificate, 'half of it'),
      // Of a renewal that is under way.
      () => copyFileSync(fileOf('api.key'), files.key),
    ];
    let [now, next] = ['localhost', 'renewed'];
    for (const breakOne of breakages) {
      breakOne();
      await look(warning);
      assert.equal(await served(), fingerprintOf(now));
      copyFileSync(fileOf('own.pem'), files.ca);
      lay(next);
      await look('renewed certificates are used');
      assert.equal(await served(), fingerprintOf(next));
      [now, next] = [next, now];
    }
    stays.write(encodeFrame({ id: 1, method: 'ping', params: {} }));
    assert.match(String(await once(stays, 'data')), /"id":1/);
    assert.equal(said.filter((event) => event === warning).length, breakages.length);
  });

  test("attack: another user of the signer's network has no certificate, that of another authority, or one that names no caller: he hears nothing", async () => {
    const of = (name: string) => ({ cert: credentials(name).certificate, key: credentials(name).key });
    assert.equal(await heard({}), '');
    assert.equal(await heard(of('forged')), '');
    assert.equal(await heard(of('stranger')), '');
    assert.equal(await heard({ ...of('keeper'), maxVersion: 'TLSv1.2' }), '');
    assert.match(
      notes.join('\n'),
      /a connection without a valid certificate.*\n.*\na certificate that was not shown anew, or names no caller/s,
    );
    await (await clientOf('api')).probe();
  });

  test('attack: a copy that was broken into goes on after the end of its certificate, by a session that it resumes again and again: a connection shows the certificate each time', async () => {
    const { certificate: cert, key } = credentials('api');
    let session: Buffer | undefined;
    const keeps = (socket: Socket) => socket.on('session', (given: Buffer) => (session ??= given));
    const first = connectTls({ host: HOST, port: listening.tlsPort!, rejectUnauthorized: false, cert, key });
    sockets.push(keeps(first));
    first.on('secureConnect', () => first.write(HELLO));
    assert.match(String(await once(first, 'data')), /"caller":"api"/);
    assert.ok(session);
    assert.equal(await heard({ cert, key, session }), '');
    await (await clientOf('api')).probe();
  });

  test("attack: another user of the signer's network takes its place with a certificate of another authority: no client says anything to him, whatever the environment allows others", async (t) => {
    const { NODE_TLS_REJECT_UNAUTHORIZED: before } = process.env;
    t.after(() => {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    });
    for (const said of ['1', '0']) {
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = said;
      await assert.rejects(
        connectSigner({
          endpoint: {
            host: 'localhost',
            port: listening.tlsPort!,
            ...credentials('api'),
            ca: readFileSync(fileOf('foreign.pem')),
          },
          name: 'api',
          patienceMs: 0,
        }),
        /does not answer \(SELF_SIGNED_CERT_IN_CHAIN\)/,
      );
    }
  });

  test("attack: another user of the signer's network opens connections and says nothing, or a byte now and then: callers go on, and each is ended", async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const open: Socket[] = [];
    for (let i = 0; i < MANY; i++) {
      const socket = connect({ host: HOST, port: listening.tlsPort! });
      socket.on('error', () => {});
      open.push(socket.resume());
      await once(socket, 'connect');
      // How a handshake begins.
      if (i % 2 === 0) socket.write(Buffer.of(22));
    }
    sockets.push(...open);
    const caller = await clientOf('keeper');
    await caller.probe();
    t.mock.timers.tick(HANDSHAKE_MS);
    for (const socket of open) if (!socket.closed) await once(socket, 'close');
    await caller.probe();
  });

  test("attack: another user of the signer's network opens more connections than there are files: those who show no certificate have 500, and callers go on", async () => {
    const open = Array.from({ length: MOST_UNKNOWN + MANY }, () => connect({ host: HOST, port: listening.tlsPort! }));
    for (const socket of open) socket.on('error', () => {}).resume();
    sockets.push(...open);
    const isOpen = () => open.filter((socket) => !socket.closed).length;
    while (isOpen() > MOST_UNKNOWN) await new Promise((resolve) => setTimeout(resolve, 10));
    await (await clientOf('api')).probe();
  });

  test('attack: a copy that was broken into opens ever more connections to its signer: it has 64, and other callers go on', async () => {
    const options = { host: 'localhost', port: listening.tlsPort!, ca: readFileSync(fileOf('own.pem')) };
    const { certificate: cert, key } = credentials('api');
    const open: Socket[] = [];
    for (let i = 0; i < MANY; i++) {
      const socket = connectTls({ ...options, cert, key }).on('error', () => {});
      sockets.push(socket);
      await once(socket, 'secureConnect');
      // Who says nothing for seconds leaves his place to the next one.
      socket.resume().write(HELLO);
      open.push(socket);
    }
    await (await clientOf('keeper')).probe();
    const refused = () => notes.filter((note) => note === 'too many connections of a caller {"caller":"api"}').length;
    while (refused() < MANY - 64) await new Promise((resolve) => setTimeout(resolve, 10));
    const isOpen = () => open.filter((socket) => !socket.closed).length;
    while (isOpen() > 64) await new Promise((resolve) => setTimeout(resolve, 10));
  });
});
