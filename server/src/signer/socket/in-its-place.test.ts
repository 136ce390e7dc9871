import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { connectSigner } from '../index.js';
import { endpointOf } from './endpoint.js';
import { encodeFrame } from './frames.js';
import { errorCodes } from './protocol.js';

test('attack: key management in the place of the signer greets with an error of any kind: the connection ends, and no more', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-in-its-place-'));
  const path = join(folder, 'signer.sock');
  let greeting: unknown;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.end(encodeFrame(greeting));
  }).listen(path);
  t.after(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  await once(server, 'listening');
  for (const code of errorCodes) {
    greeting = { id: null, result: null, error: { code, message: 'no', key: null, told: null } };
    await assert.rejects(connectSigner({ endpoint: { path }, name: path, patienceMs: 0 }), /does not answer/, code);
  }
});

test('attack: another user of the machine listens in the place of the signer, in a folder that everybody may write to: he is told nothing', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-in-its-place-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'signer.sock');
  assert.deepEqual(await endpointOf({ url: `unix:${path}` }), { path });
  chmodSync(folder, 0o1777);
  await assert.rejects(endpointOf({ url: `unix:${path}` }), /everybody may put a socket in the folder/);
});
