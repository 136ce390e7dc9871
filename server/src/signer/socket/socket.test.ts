import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { address, verify } from '@slipway/wire';
import { PATIENCE_MS } from '../../lib/testing.js';
import { connectSigner, openSigner, type RemoteSigner, SignerRefused, sealedRow } from '../index.js';
import { type Listening, listenForCallers } from '../process/listen.js';
import type { CallerSettings } from '../process/settings.js';
import { encodeFrame, MOST_FRAME_BYTES, readFrames } from './frames.js';
import type { CallerRole, KeyPort } from './protocol.js';

const WALLET = address('8gMBNeKwXaoNi9bhbVUWFt4Uc5aobL9PeYMXfYDMePE2');
const MESSAGE = Buffer.from('a message');

let folder: string;
let port: KeyPort;
let listening: Listening;
const notes: string[] = [];
const clients: RemoteSigner[] = [];

const pathOf = (name: string) => join(folder, `${name}.sock`);
const callerOf = (name: string, ...roles: CallerRole[]): CallerSettings => ({
  name,
  roles,
  socket: { path: pathOf(name), mode: 0o600 },
});
const settings = () => ({
  callers: [callerOf('api', 'api'), callerOf('keeper', 'keeper'), callerOf('operator', 'operator')],
  tls: undefined,
});
const note = (event: string, facts: object) => void notes.push(`${event} ${JSON.stringify(facts)}`);

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-socket-'));
  port = await openSigner({ file: join(folder, 'signer.json'), passphrase: 'of the test', create: true });
  listening = await listenForCallers(settings(), () => port, note);
});
after(async () => {
  for (const client of clients) client.close();
  await listening.close();
  rmSync(folder, { recursive: true });
});

async function client(name: string): Promise<RemoteSigner> {
  const signer = await connectSigner({ endpoint: { path: pathOf(name) }, name, patienceMs: PATIENCE_MS });
  clients.push(signer);
  return signer;
}

test('what comes over the socket is what the keys in the process say', async () => {
  const remote = await client('api');
  assert.equal(remote.caller, 'api');
  for (const role of ['gas', 'maker', 'keeper', 'tracker', 'seal'] as const) {
    assert.equal(remote.address(role), port.address(role));
  }
  for (const key of [`vault:${WALLET}`, 'mint:7', 'launch:7', 'gas'] as const) {
    assert.equal(await remote.publicKey(key), await port.publicKey(key));
  }
  assert.equal(await remote.publicKey('login:2942'), await port.publicKey('login:2942'));
  assert.ok(verify(port.address('seal'), sealedRow(MESSAGE), await remote.sealRow(MESSAGE)));
  assert.ok(verify(port.address('gas'), MESSAGE, await (await client('operator')).sign('gas', MESSAGE)));
  const sealed = await remote.secrets.seal('é "secret"\n', 'a place');
  assert.equal(await port.secrets.open(sealed, 'a place'), 'é "secret"\n');
  assert.equal(await remote.secrets.open(sealed, 'a place'), 'é "secret"\n');
  assert.equal(await remote.secrets.open(sealed, 'another place'), undefined);
  assert.deepEqual(await remote.secrets.mark('x'), await port.secrets.mark('x'));
  await remote.probe();
});

test('answers are those of their questions, however many are under way', async () => {
  const remote = await client('api');
  const names = Array.from({ length: 500 }, (_, index) => `mint:${index}` as const);
  const found = await Promise.all(names.map((name) => remote.publicKey(name)));
  assert.deepEqual(found, await Promise.all(names.map((name) => port.publicKey(name))));
});

test('attack: a copy that was broken into asks its signer for what its roles do not need: nothing is signed, and the log names it', async () => {
  const refused = async (name: string, ask: (signer: RemoteSigner) => Promise<unknown>) => {
    const said = notes.length;
    await assert.rejects(ask(await client(name)), (error: Error) => {
      assert.ok(error instanceof SignerRefused);
      assert.match(error.message, new RegExp(`${name} may not ask for this`));
      return true;
    });
    assert.match(notes.slice(said).join('\n'), new RegExp(`not done .*"caller":"${name}".*"code":"refused"`));
  };
  for (const key of ['gas', 'keeper', 'tracker', `vault:${WALLET}`, 'login:1', 'launch:1', 'maker'] as const) {
    await refused('keeper', (signer) => signer.sign(key, MESSAGE));
  }
  await refused('keeper', (signer) => signer.secrets.seal('a', 'b'));
  for (const key of ['gas', 'keeper', 'tracker', `vault:${WALLET}`, 'mint:1', 'maker'] as const) {
    await refused('api', (signer) => signer.sign(key, MESSAGE));
  }
  await refused('api', (signer) => signer.findMint('a', new AbortController().signal));
  for (const key of ['seal', 'login:1', 'mint:1'] as const) {
    await refused('operator', (signer) => signer.sign(key, MESSAGE));
  }
});

test('a search is given up when its caller gives it up, or goes', async () => {
  const remote = await client('keeper');
  const number = await remote.findMint('z', new AbortController().signal);
  assert.match(await port.publicKey(`mint:${number}`), /z$/);
  const stop = new AbortController();
  const search = remote.findMint('zzzzz', stop.signal);
  stop.abort(new Error('enough'));
  await assert.rejects(search, /enough/);
  // Its thread needs a moment to end.
  const again = async (): Promise<number> =>
    remote.findMint('y', new AbortController().signal).catch((error: Error) => {
      assert.match(error.message, /another search/);
      return again();
    });
  await again();
});

test('attack: a copy that was broken into opens many connections and searches for a mint on each: one search keeps one core busy, and other callers go on', {
  timeout: 60_000,
}, async () => {
  const copies = await Promise.all(Array.from({ length: 10 }, () => client('keeper')));
  const stop = new AbortController();
  const ended: string[] = [];
  // Longer than anybody waits.
  const searches = copies.map((copy) =>
    copy.findMint('zzzzz', stop.signal).catch(({ message }: Error) => void ended.push(message)),
  );
  while (ended.length < copies.length - 1) await new Promise((resolve) => setTimeout(resolve, 10));
  for (const message of ended) assert.match(message, /another search is under way/);
  await (await client('api')).probe();
  stop.abort(new Error('enough'));
  await Promise.all(searches);
  assert.equal(ended.at(-1), 'enough');
});

/** Sends bytes as a hostile caller; resolves with what came back once the signer has ended the connection. */
async function say(bytes: Uint8Array): Promise<string> {
  const socket = connect({ path: pathOf('api') });
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk.subarray(4).toString();
  });
  socket.on('error', () => {});
  socket.write(bytes);
  await once(socket, 'close');
  return answer;
}

const hello = encodeFrame({ slipwaySigner: 4 });
const frameOf = (text: string) => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(Buffer.byteLength(text));
  return Buffer.concat([length, Buffer.from(text)]);
};

test('attack: a copy that was broken into sends its signer what is no request: its connection ends, and others go on', async () => {
  const remote = await client('api');
  const tooLong = Buffer.alloc(8);
  tooLong.writeUInt32BE(MOST_FRAME_BYTES + 1);
  const greeted = (value: unknown) => Buffer.concat([hello, encodeFrame(value)]);
  const twice = Buffer.concat([
    hello,
    encodeFrame({ id: 1, method: 'findMint', params: { suffix: 'zzzzz' } }),
    encodeFrame({ id: 1, method: 'ping', params: {} }),
  ]);
  const cases: [string, Uint8Array, RegExp][] = [
    ['a frame that is too long', tooLong, /out of bounds/],
    ['an empty frame', Buffer.alloc(4), /out of bounds/],
    ['no JSON', frameOf('GET / HTTP/1.1'), /holds no JSON/],
    ['another version', encodeFrame({ slipwaySigner: 1 }), /"version".*version 4/],
    ['a request before the greeting', encodeFrame({ id: 1, method: 'ping', params: {} }), /no field but/],
    ['an array', greeted([1]), /expected an object/],
    ['no id', greeted({ method: 'ping' }), /request\.id/],
    ['an id that is no number', greeted({ id: '1', method: 'ping' }), /request\.id/],
    [
      'a field of a prototype',
      Buffer.concat([hello, frameOf('{"id":1,"__proto__":{"method":"sign"}}')]),
      /no field but/,
    ],
  ];
  for (const [why, bytes, expected] of cases) assert.match(await say(bytes), expected, why);
  assert.match(await say(twice).catch(() => ''), /refused|used twice/);
  await remote.probe();
});

test('attack: a copy that was broken into leaves thousands of requests under way on many connections: a caller has 4,000, and others go on', async () => {
  let asked = 0;
  const slow = () => {
    asked += 1;
    return new Promise<never>(() => {});
  };
  const path = join(folder, 'slow.sock');
  const served = await listenForCallers(
    { callers: [{ name: 'slow', roles: ['api'], socket: { path, mode: 0o600 } }], tls: undefined },
    () => ({ ...port, sealRow: slow }),
    note,
  );
  const request = (id: number) => encodeFrame({ id, method: 'sealRow', params: { row: '' } });
  const busy: unknown[] = [];
  const sockets = Array.from({ length: 6 }, () => {
    const socket = connect({ path });
    readFrames(
      socket,
      (value) => (value as { error?: { code: string } }).error?.code === 'busy' && busy.push(value),
      assert.fail,
    );
    socket.write(Buffer.concat([hello, ...Array.from({ length: 1_000 }, (_, id) => request(id + 1))]));
    return socket;
  });
  while (asked + busy.length < 6_000) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.deepEqual([asked, busy.length], [4_000, 2_000]);
  await (await client('api')).probe();
  for (const socket of sockets) socket.destroy();
  await served.close();
});

test('attack: a copy that was broken into asks for thousands of things at once, on many connections: what another caller asks has every other turn', async (t) => {
  const begun: string[] = [];
  const served = await listenForCallers(
    { callers: ['thief', 'another'].map((name) => callerOf(name, 'api')), tls: undefined },
    (name) => ({
      ...port,
      async sealRow() {
        begun.push(name);
        return Buffer.alloc(64);
      },
    }),
    note,
  );
  t.after(() => served.close());
  const connected = async (name: string) => {
    const socket = connect({ path: pathOf(name) });
    t.after(() => socket.destroy());
    socket.write(hello);
    await once(socket, 'data');
    return socket.resume();
  };
  const thief = await Promise.all(Array.from({ length: 4 }, () => connected('thief')));
  const another = await connected('another');
  const ask = (id: number) => encodeFrame({ id, method: 'sealRow', params: { row: '' } });
  const many = Buffer.concat(Array.from({ length: 1_000 }, (_, id) => ask(id + 1)));
  for (const socket of thief) socket.write(many);
  another.write(ask(1));
  while (!begun.includes('another')) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(begun.indexOf('another') < 50, `${begun.indexOf('another')}`);
});

test('a request that is malformed is refused by itself, without what it said', async () => {
  const remote = await client('api');
  const secret = 'S3CRET-THAT-NOBODY-REPEATS';
  for (const [key, message] of [
    ['gas', secret],
    [secret, MESSAGE],
    [`vault:${secret}`, MESSAGE],
    ['vault:../gas', MESSAGE],
    ['constructor', MESSAGE],
    ['__proto__', MESSAGE],
    ['login:-1', MESSAGE],
    ['login:1e3', MESSAGE],
    ['mint:9007199254740993', MESSAGE],
  ] as unknown as [never, Uint8Array][]) {
    const said = notes.length;
    await assert.rejects(
      async () => remote.sign(key, message),
      (error: Error) => !error.message.includes(secret),
      String(key),
    );
    assert.doesNotMatch(notes.slice(said).join(), /S3CRET/);
  }
  await assert.rejects((remote as unknown as { sign(key: string): Promise<unknown> }).sign('toString'));
  await remote.probe();
});

test('a client finds a signer that was started again, and fails at once in the meantime', async () => {
  const path = join(folder, 'again.sock');
  const own = () => ({
    callers: [{ ...callerOf('again', 'api'), socket: { path, mode: 0o600 } }],
    tls: undefined,
  });
  let served = await listenForCallers(own(), () => port, note);
  const changes: string[] = [];
  const remote = await connectSigner({
    endpoint: { path },
    name: 'again',
    patienceMs: PATIENCE_MS,
    onChange: (change) => changes.push('away' in change ? 'away' : 'back'),
  });
  clients.push(remote);
  const known = await remote.publicKey('login:5');
  await served.close();
  await assert.rejects(remote.sealRow(MESSAGE), { code: 'SIGNER_UNAVAILABLE' });
  assert.equal(await remote.publicKey('login:5'), known);
  served = await listenForCallers(own(), () => port, note);
  while (changes.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.deepEqual(changes, ['away', 'back']);
  assert.ok(verify(port.address('seal'), sealedRow(MESSAGE), await remote.sealRow(MESSAGE)));
  await served.close();
  // Another seed behind the same path is not taken for the signer.
  const other = await openSigner({ file: join(folder, 'other.json'), passphrase: 'of the test', create: true });
  served = await listenForCallers(own(), () => other, note);
  while (changes.length < 4) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.deepEqual(changes.slice(2), ['away', 'away']);
  await assert.rejects(remote.sealRow(MESSAGE), { code: 'SIGNER_UNAVAILABLE' });
  remote.close();
  await served.close();
});

test('copies learn of an exchanged key, also when the signer was away meanwhile; only the operator has keys exchanged', async () => {
  const file = join(folder, 'rotated.json');
  const signer = await openSigner({ file, passphrase: 'of the test', create: true });
  const own = [
    { name: 'api', roles: ['api' as const], socket: { path: pathOf('rotated'), mode: 0o600 } },
    { name: 'operator', roles: ['operator' as const], socket: { path: pathOf('rotating'), mode: 0o600 } },
  ];
  const doors = () => listenForCallers({ callers: own, tls: undefined }, () => signer, note);
  let open = await doors();
  const [copy, operator] = [await client('rotated'), await client('rotating')];
  const first = copy.address('gas');
  await assert.rejects(copy.rotate('gas', 'make'), SignerRefused);
  await operator.rotate('gas', 'make');
  await operator.rotate('gas', 'use');
  assert.equal(copy.address('gas'), first);
  await copy.reload();
  const second = signer.address('gas');
  assert.notEqual(second, first);
  assert.equal(copy.address('gas'), second);
  assert.equal(await copy.publicKey('gas'), second);
  assert.deepEqual(copy.wallets(), signer.wallets());
  await open.close();
  for (const step of ['retire', 'make', 'use'] as const) await signer.rotate('gas', step);
  open = await doors();
  const isBack = (remote: RemoteSigner) =>
    remote.probe().then(
      () => true,
      () => false,
    );
  // Each connects again by itself.
  for (const remote of [copy, operator]) while (!(await isBack(remote))) await sleep(20);
  assert.equal(copy.address('gas'), signer.address('gas'));
  assert.notEqual(copy.address('gas'), second);
  assert.ok(verify(first, MESSAGE, await operator.sign(`gas:${first}`, MESSAGE)));
  await open.close();
});

test('a socket is open to its user only, and takes the place of one that was left behind, but of nothing else', async () => {
  assert.equal(statSync(pathOf('api')).mode & 0o777, 0o600);
  await assert.rejects(
    listenForCallers(settings(), () => port, note),
    /in use: another signer/,
  );
  await (await client('api')).probe();
  const path = join(folder, 'file.sock');
  writeFileSync(path, 'mine');
  const caller = { ...callerOf('file', 'api'), socket: { path, mode: 0o660 } };
  await assert.rejects(
    listenForCallers({ callers: [caller], tls: undefined }, () => port, note),
    /is no socket/,
  );
  assert.ok(existsSync(path));
  rmSync(path);
  const served = await listenForCallers({ callers: [caller], tls: undefined }, () => port, note);
  assert.equal(statSync(path).mode & 0o777, 0o660);
  await served.close();
});
