import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { generateKeypair } from '@slipway/wire';
import { runCli } from './main.js';

const MINT = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN';
const folder = mkdtempSync(join(tmpdir(), 'slipway-mcp-'));
const keyFile = join(folder, 'key.json');
writeFileSync(keyFile, JSON.stringify([...generateKeypair().secretKey]), { mode: 0o600 });
after(() => rmSync(folder, { recursive: true, force: true }));

test('attack: another user reads the URL of the RPC, and its key, in what slipway mcp was started with: SLIPWAY_RPC_URL is asked in its place', async () => {
  // A service that knows the token, and a node that does not.
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    const isNode = request.url === '/?api-key=secret';
    const token = { id: MINT, symbol: 'JUP', decimals: 6, isVerified: true };
    response.end(
      JSON.stringify(isNode ? { jsonrpc: '2.0', id: 1, result: { context: { slot: 1 }, value: [null] } } : [token]),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const start = async (env: Record<string, string>) => {
    let err = '';
    const stderr = (text: string) => {
      err += text;
    };
    const args = ['mcp', '--url', url, '--key-file', keyFile, '--limit', 'JUP=1'];
    const code = await runCli(args, { env, cwd: folder, colors: false, stdout: () => {}, stderr });
    return { code, err };
  };
  try {
    const without = await start({});
    assert.deepEqual([without.code, /needs --rpc-url or SLIPWAY_RPC_URL/.test(without.err)], [2, true], without.err);
    const { err } = await start({ SLIPWAY_RPC_URL: `${url}/?api-key=secret` });
    assert.match(err, /the node says that there is no such token/);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
