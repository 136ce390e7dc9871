import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { startTestServer, type TestServer } from '../../http/testing.js';
import { createLocalStore, createObjects, type LocalStore, type Objects } from '../../objects/index.js';
import { noisePng, samples } from '../../objects/testing.js';
import { registerObjects } from './index.js';

const MAX = 20_000;
const HOUR = 3_600_000;
const PNG = 'image/png';

let dir: string;
let server: TestServer;
let store: LocalStore;
let objects: Objects;
let url: string;
let [ahead, wallAhead] = [0, 0];
const clock = { now: () => Date.now() + ahead };
const wallNow = () => Date.now() + wallAhead;

before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'slipway-local-'));
  await mkdir(join(dir, '.unfinished'));
  await writeFile(join(dir, '.unfinished', 'left-by-a-killed-process'), 'x');
  store = createLocalStore({ dir, secret: 'a secret of this test', publicUrl: () => url, clock, wallNow });
  objects = createObjects(store, { maxImageBytes: MAX, urlSeconds: 60 });
  server = await startTestServer((app) => registerObjects(app, { store, maxImageBytes: MAX }));
  url = await server.app.listen({ host: '127.0.0.1', port: 0 });
});
after(async () => {
  await server?.app.close();
  await rm(dir, { recursive: true, force: true });
});

let serial = 0;
const newKey = () => `images/key-${++serial}`;
const presign = (key: string) => objects.presignUpload({ key, contentType: PNG });
const put = (to: string, body: Uint8Array = samples.png.bytes, headers: object = {}) =>
  fetch(to, { method: 'PUT', body, headers: { 'content-type': PNG, ...headers } });

async function complaint(answer: Response): Promise<[number, string]> {
  return [answer.status, ((await answer.json()) as { error: string }).error];
}

it('an upload can be read by everybody once it is published, not before, and is never run as a page', async () => {
  const [upload, key] = [newKey(), newKey()];
  const uploaded = await put(await presign(upload));
  assert.equal(uploaded.status, 200);
  assert.equal(await uploaded.text(), '');
  for (const each of [upload, key]) assert.equal((await fetch(objects.publicUrl(each))).status, 404);
  await objects.publish(upload, key);
  assert.equal((await fetch(objects.publicUrl(upload))).status, 404);
  const answer = await fetch(objects.publicUrl(key), { headers: { origin: 'https://wallet.example' } });
  assert.equal(answer.status, 200);
  assert.ok(samples.png.bytes.equals(Buffer.from(await answer.arrayBuffer())));
  const headers = Object.fromEntries(answer.headers);
  assert.equal(headers['content-type'], PNG);
  assert.equal(headers['content-length'], String(samples.png.bytes.length));
  assert.equal(headers['cache-control'], 'public, max-age=3600');
  assert.equal(headers.etag, uploaded.headers.get('etag'));
  assert.equal(headers['x-content-type-options'], 'nosniff');
  assert.equal(headers['access-control-allow-origin'], '*');
  assert.match(headers['content-security-policy'] ?? '', /default-src 'none'; sandbox/);
});

it('what a browser has already is not sent again, and HEAD sends nothing', async () => {
  const key = newKey();
  await objects.store(key, samples.png);
  const read = (init?: RequestInit) => fetch(objects.publicUrl(key), init);
  const etag = (await read()).headers.get('etag')!;
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const answer = await read({ headers: { 'if-none-match': known } });
    assert.deepEqual([answer.status, await answer.text()], [304, '']);
  }
  assert.equal((await read({ headers: { 'if-none-match': '"other"' } })).status, 200);
  const head = await read({ method: 'HEAD' });
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(samples.png.bytes.length)]);
  await objects.store(key, samples.interlacedPng);
  assert.notEqual((await read()).headers.get('etag'), etag);
});

it('nothing is listed, and nothing but objects is served', async () => {
  await objects.store('images/listed', samples.png);
  for (const path of ['', '/', '/images', '/images/', '/incoming/images/listed', '/.unfinished/x', '/images/none']) {
    const { status } = await fetch(`${url}/objects${path}`);
    assert.equal(status, 404, path);
  }
  assert.ok(!JSON.stringify(await (await fetch(`${url}/openapi.json`)).json()).includes('/objects'));
});

it('a refusal says what was expected and what to do', async () => {
  const right = await presign(newKey());
  assert.deepEqual(await complaint(await put(`${right}0`)), [
    403,
    'The URL is not signed by this service; ask for a new one, and use it as it is',
  ]);
  const type = await put(right, samples.png.bytes, { 'content-type': 'image/gif' });
  assert.deepEqual(await complaint(type), [403, 'content-type: expected image/png, for which the URL is signed']);
  const large = await put(right, noisePng(200));
  const expected = `content-length: expected at most ${MAX} bytes; upload a smaller file`;
  assert.deepEqual(await complaint(large), [413, expected]);
  assert.match((await complaint(await put(right, samples.gif.bytes)))[1], /expected image\/png, but .* image\/gif/);
  ahead += 61_000;
  const late = await complaint(await put(right));
  ahead -= 61_000;
  assert.deepEqual(late, [403, 'The URL is expired; ask for a new one, and use it as it is']);
  assert.ok(!server.logged().includes(new URL(right).searchParams.get('signature')!), 'signatures are not logged');
});

it('metadata may be longer than a small limit for images', async () => {
  const key = `metadata/${++serial}.json`;
  const text = { name: 'N', symbol: 'S', image: 'https://x.example/i', description: 'x'.repeat(2 * MAX) };
  const right = await objects.presignUpload({ key, contentType: 'application/json' });
  const answer = await put(right, Buffer.from(JSON.stringify(text)), { 'content-type': 'application/json' });
  assert.equal(answer.status, 200);
  await objects.publish(key, key);
  const read = await fetch(objects.publicUrl(key));
  assert.deepEqual([read.headers.get('content-type'), await read.json()], ['application/json', text]);
});

it('attack: a caller without a key uploads slowly from many addresses, with the URLs of one launch: those of keys upload as before', async (t) => {
  const largest = 5 * 1024 * 1024;
  const wide = createObjects(store, { maxImageBytes: largest, urlSeconds: 60 });
  let begun = 0;
  const { app } = await startTestServer(
    (server) => {
      server.addHook('preParsing', async () => {
        begun += 1;
      });
      registerObjects(server, { store, maxImageBytes: largest });
    },
    { env: { SLIPWAY_TRUSTED_PROXIES: '127.0.0.1' } },
  );
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
  const sockets: Socket[] = [];
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    return app.close();
  });
  const pathFor = async (uploader: string) => {
    const { pathname, search } = new URL(await wide.presignUpload({ key: newKey(), contentType: PNG, uploader }));
    return pathname + search;
  };
  const theirs = await pathFor('keyless');
  let refused = 0;
  for (let n = 0; n < 24; n++) {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => {});
    socket.once('data', () => {
      refused += 1;
    });
    const head = [`PUT ${theirs} HTTP/1.1`, 'host: localhost', `x-forwarded-for: 203.0.113.${n >> 1}`];
    socket.write([...head, `content-type: ${PNG}`, `content-length: ${largest}`, '', ''].join('\r\n'));
  }
  while (begun + refused < 24) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(begun, 6);
  const payload = noisePng(2_000);
  assert.ok(payload.length > 3 * 1024 * 1024 && payload.length < largest);
  const headers = { 'content-type': PNG, 'x-forwarded-for': '198.51.100.1' };
  const upload = async (uploader: string) =>
    (await app.inject({ method: 'PUT', url: await pathFor(uploader), headers, payload })).statusCode;
  assert.deepEqual([await upload('keyless'), await upload('one'), await upload('another')], [429, 200, 200]);
});

it('browsers of permitted origins may upload', async () => {
  const right = await presign(newKey());
  const preflight = (origin: string) => {
    const asked = { 'access-control-request-method': 'PUT', 'access-control-request-headers': 'content-type' };
    return fetch(right, { method: 'OPTIONS', headers: { origin, ...asked } });
  };
  const permitted = await preflight('http://localhost:3000');
  assert.equal(permitted.status, 204);
  assert.equal(permitted.headers.get('access-control-allow-origin'), 'http://localhost:3000');
  assert.match(permitted.headers.get('access-control-allow-methods') ?? '', /PUT/);
  assert.equal((await preflight('https://evil.example')).headers.get('access-control-allow-origin'), null);
});

it('an upload stays where the clock of a sandbox is moved by days: files have the time of the machine', async () => {
  const fresh = newKey();
  ahead = 25 * HOUR;
  await put(await presign(fresh));
  ahead = 50 * HOUR;
  wallAhead = 2 * HOUR;
  await put(await presign(newKey()));
  [ahead, wallAhead] = [0, 0];
  assert.ok(await objects.uploaded(fresh));
});

it('what a killed process left is removed, and uploads nobody published a day later', async () => {
  assert.ok(!(await readdir(dir)).includes('.unfinished') || (await readdir(join(dir, '.unfinished'))).length === 0);
  const [forgotten, published, late] = [newKey(), newKey(), newKey()];
  for (const key of [forgotten, published]) await put(await presign(key));
  await objects.publish(published, published);
  wallAhead = 23 * HOUR;
  await put(await presign(late));
  assert.ok(await objects.uploaded(forgotten));
  wallAhead = 25 * HOUR;
  await put(await presign(newKey()));
  wallAhead = 0;
  assert.equal(await objects.uploaded(forgotten), undefined);
  assert.equal((await fetch(objects.publicUrl(published))).status, 200);
});

it('a folder that cannot be written is an outage, and a damaged file none of ours', async () => {
  const folder = join(dir, 'broken');
  const broken = createLocalStore({ dir: folder, secret: 's', publicUrl: () => url, clock });
  await mkdir(folder);
  await writeFile(join(folder, 'images'), 'a file where a folder should be');
  await assert.rejects(broken.put('images/x', samples.png), { code: 'STORAGE_UNAVAILABLE' });
  const key = newKey();
  await objects.store(key, samples.png);
  await writeFile(join(dir, ...key.split('/')), '<html>');
  const answer = await fetch(objects.publicUrl(key));
  assert.deepEqual(await complaint(answer), [503, 'The storage of files cannot be reached at the moment']);
});
