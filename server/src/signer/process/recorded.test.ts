import assert from 'node:assert/strict';
import fs, { mkdtempSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { compileMessage, generateKeypair, systemTransfer } from '@slipway/wire';
import { PATIENCE_MS } from '../../lib/testing.js';
import { CallerStops } from '../caller-stops.js';
import { SignerRecord } from '../record.js';
import { openSigner } from '../signer.js';
import { connectSigner } from '../socket/client.js';
import { listenForCallers } from './listen.js';
import { recorded } from './recorded.js';

test('once the disk does not take the record, nothing is signed, and whoever asks how the signer is hears it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-recorded-'));
  const told: string[] = [];
  const record = await SignerRecord.open(folder, (why) => told.push(why));
  const callerStops = await CallerStops.open(join(folder, 'stopped-by-callers.json'));
  const port = await openSigner({ file: join(folder, 'signer.json'), passphrase: 'of the test', create: true });
  const recording = { record, callerStops, clock: { now: () => Date.UTC(2026, 0, 2) }, note: () => {} };
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
