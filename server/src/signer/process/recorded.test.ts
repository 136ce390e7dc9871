import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import fs, { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { compileMessage, generateKeypair, sign, systemTransfer } from '@slipway/wire';
import { PATIENCE_MS } from '../../lib/testing.js';
import { CallerStops } from '../caller-stops.js';
import { CHALLENGE_MS, challengePrefixOf, challengeText } from '../challenge.js';
import { SignerRefused } from '../policies/index.js';
import { readRecord, SignerRecord, verifyRecord } from '../record.js';
import { openSigner } from '../signer.js';
import { connectSigner } from '../socket/client.js';
import type { KeyPort } from '../socket/protocol.js';
import { listenForCallers } from './listen.js';
import { Refusals, recorded, recordRefusals } from './recorded.js';

/** The keys, as a copy has them over a socket; `told` is why entries may not be on the disk. */
async function recordedApi(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-recorded-'));
  const told: string[] = [];
  const record = await SignerRecord.open(folder, (why) => told.push(why));
  const callerStops = await CallerStops.open(join(folder, 'stopped-by-callers.json'));
  const port = await openSigner({ file: join(folder, 'signer.json'), passphrase: 'of the test', create: true });
  const clock = { now: () => Date.UTC(2026, 0, 2) };
  const recording = { record, refusals: new Refusals(), callerStops, clock, note: () => {} };
  const path = join(folder, 'api.sock');
  const callers = [{ name: 'api', roles: ['api'] as const, socket: { path, mode: 0o600 } }];
  const listening = await listenForCallers(
    { callers, tls: undefined },
    (caller) => recorded(port, caller, recording),
    () => {},
  );
  const api = await connectSigner({ endpoint: { path }, name: 'api', patienceMs: PATIENCE_MS });
  t.after(async () => {
    api.close();
    await listening.close();
    record.close();
    rmSync(folder, { recursive: true });
  });
  const cosign = () => {
    const wallet = generateKeypair().address;
    const instructions = [systemTransfer({ from: wallet, to: wallet, lamports: 1n })];
    const message = compileMessage({ version: 0, feePayer: api.address('gas'), instructions, blockhash: wallet });
    return api.cosign({ keys: ['gas'], message });
  };
  return { api, cosign, folder, told };
}

test('once the disk does not take the record, nothing is signed, and whoever asks how the signer is hears it', async (t) => {
  const { api, cosign, told } = await recordedApi(t);
  assert.equal((await api.probe()).fault, undefined);
  t.mock.method(fs, 'fdatasync', (_fd: number, done: (error: Error) => void) => done(new Error('EIO: i/o error')));
  syncBuiltinESMExports();
  await cosign();
  while (told.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  t.mock.restoreAll();
  syncBuiltinESMExports();
  await assert.rejects(cosign(), { code: 'SIGNER_UNAVAILABLE' });
  await assert.rejects(api.probe(), /signs nothing: its last entries may not be on the disk \(EIO: i\/o error\)/);
  assert.match((await api.state()).fault!, /start the signer again/);
});

test('while the disk of the record is full, whoever asks how the signer is hears it; once it has room, to ask is enough', async (t) => {
  const { api, cosign, folder, told } = await recordedApi(t);
  await cosign();
  t.mock.method(fs, 'writeSync', () => {
    throw new Error('ENOSPC: no space left on device, write');
  });
  syncBuiltinESMExports();
  await assert.rejects(cosign());
  for (let asked = 0; asked < 2; asked++)
    await assert.rejects(api.probe(), /signs nothing: its record cannot be written \(ENOSPC: no space left/);
  t.mock.restoreAll();
  syncBuiltinESMExports();
  for (let asked = 0; asked < 2; asked++) assert.equal((await api.probe()).fault, undefined);
  await cosign();
  const acts = [];
  for await (const { entry } of readRecord(folder)) acts.push(`${entry.caller}: ${entry.act}`);
  assert.deepEqual(acts, ['api: cosign', 'signer: go on', 'api: cosign']);
  assert.deepEqual([(await verifyRecord(folder)).fault, told], [undefined, []]);
});

test('what the record would not take is asked of no key: it counts as signed for nowhere, and uses no challenge up', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-recorded-'));
  const record = await SignerRecord.open(folder, assert.fail);
  t.after(() => record.close());
  const asked: string[] = [];
  const ask = (name: string) => async () => {
    asked.push(name);
    return [] as never;
  };
  const names = ['cosign', 'sign', 'issueLogin', 'sealOrder', 'rotate'];
  const port = Object.fromEntries(names.map((name) => [name, ask(name)])) as unknown as KeyPort;
  const noted: string[] = [];
  const { cosign, sign, issueLogin, sealOrder, rotate } = recorded(port, 'api', {
    record,
    refusals: new Refusals(),
    callerStops: { hear: assert.fail },
    clock: { now: () => Date.UTC(2026, 0, 2) },
    note: (event) => noted.push(event),
  });
  const message = Buffer.from('a message');
  const all = (): Promise<unknown>[] => [
    cosign({ keys: ['keeper'], message }),
    sign('gas', message),
    issueLogin({} as never),
    sealOrder({ order: {} } as never),
    rotate('gas', 'add' as never),
  ];
  // As where the disk has no room for the file of a new day.
  rmSync(folder, { recursive: true });
  for (const each of all()) await assert.rejects(each, /ENOENT/);
  assert.deepEqual(asked, []);
  assert.deepEqual([...new Set(noted)], ['the record cannot be written: nothing is signed']);
  mkdirSync(folder);
  t.after(() => rmSync(folder, { recursive: true }));
  await cosign({ keys: ['keeper'], message });
  assert.deepEqual(asked, ['cosign']);
});

test('a login that the record did not take is given once it does: its challenge is not used up before', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-recorded-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const now = Date.UTC(2026, 0, 2);
  const prefix = challengePrefixOf('https://api.example.com');
  const clock = { now: () => now };
  const service = { challengePrefix: () => prefix, host: () => 'api.example.com', maxUnsignedSlippageBps: 0 };
  const file = { file: join(folder, 'signer.json'), passphrase: 'of the test', create: true };
  const port = await openSigner({ ...file, clock, service });
  const wallet = generateKeypair();
  const expiresAt = new Date(now + CHALLENGE_MS);
  const challenge = challengeText(prefix, { wallet: wallet.address, id: randomUUID(), expiresAt });
  const message = { challenge, signature: sign(wallet, Buffer.from(challenge)) };
  let isFull = true;
  // As where its file was opened before the disk was full.
  const append = () => {
    if (isFull) throw new Error('ENOSPC');
  };
  const { issueLogin } = recorded(port as unknown as KeyPort, 'api', {
    record: { append, ready: () => ({ fd: 0 }), refuse: append, tryAgain: assert.fail, fault: undefined },
    refusals: new Refusals(),
    callerStops: { hear: assert.fail },
    clock,
    note: () => {},
  });
  const request = { wallet: wallet.address, proof: { message }, notBefore: 0 };
  await assert.rejects(issueLogin(request), /ENOSPC/);
  isFull = false;
  assert.match(await issueLogin(request), /^eyJ/);
  await assert.rejects(issueLogin(request), /used before/);
});

test('attack: a copy that was broken into asks for what no policy allows, and counts none of it: the signer tells the other copies, for an hour', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-refusals-'));
  const record = await SignerRecord.open(folder, assert.fail);
  const callerStops = await CallerStops.open(join(folder, 'stopped-by-callers.json'));
  const port = await openSigner({ file: join(folder, 'signer.json'), passphrase: 'of the test', create: true });
  const clock = { now: () => Date.UTC(2026, 0, 2) };
  const recording = { record, refusals: new Refusals(), callerStops, clock, note: () => {} };
  const callers = (['api', 'keeper'] as const).map((name) => ({
    name,
    roles: [name],
    socket: { path: join(folder, `${name}.sock`), mode: 0o600 },
  }));
  const portOf = (caller: string) => recorded(port, caller, recording);
  const listening = await listenForCallers({ callers, tls: undefined }, portOf, recordRefusals(recording));
  const connect = (name: string) =>
    connectSigner({ endpoint: { path: join(folder, `${name}.sock`) }, name, patienceMs: 0 });
  const [api, keeper] = [await connect('api'), await connect('keeper')];
  t.after(async () => {
    for (const each of [api, keeper]) each.close();
    await listening.close();
    record.close();
    rmSync(folder, { recursive: true });
  });
  const warnings = async () => (await keeper.state()).warnings;
  assert.deepEqual(await warnings(), []);
  for (let asked = 0; asked < 2; asked++)
    await assert.rejects(api.sign('gas', Buffer.from('a message')), SignerRefused);
  const [warning, ...others] = await warnings();
  assert.match(warning!, /what no policy allows, within the last hour, by api \(2\): "slipway signer audit export"/);
  assert.deepEqual(others, []);
  const later = performance.now() + 3_600_000;
  t.mock.method(performance, 'now', () => later);
  assert.deepEqual(await portOf('keeper').state(), { warnings: [], stopped: [], fault: undefined });
});
