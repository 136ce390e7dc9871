import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { withAdmin } from './admin-client.js';
import { usersListening } from './listeners.js';
import { NotOurs, requireOurs, Unreachable } from './service.js';

/** A line of the system's table, of the user with this number. */
const line = (local: string, state: string, user: number) =>
  `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000  ${user}        0 123 1 0000 100 0 0 10 0\n`;
const tables =
  (four: string, six = '') =>
  (path: string) =>
    `  sl  local_address ...\n${path.endsWith('6') ? six : four}`;

test('those who listen at an address are found, and at those where everything arrives', () => {
  const [port, other] = ['1F90', '1F91'];
  const four =
    line(`0100007F:${port}`, '0A', 1) +
    line(`0200007F:${port}`, '0A', 2) +
    line(`00000000:${port}`, '0A', 3) +
    line(`0100007F:${other}`, '0A', 4) +
    line(`0502A8C0:${port}`, '0A', 10) +
    line(`0100007F:${port}`, '01', 5);
  const six =
    line(`${'0'.repeat(32)}:${port}`, '0A', 6) +
    line(`0000000000000000FFFF00000100007F:${port}`, '0A', 7) +
    line(`00000000000000000000000001000000:${port}`, '0A', 8) +
    line(`000000FDEFCDAB00000000000D000000:${port}`, '0A', 9);
  const at = (host: string) => usersListening(`http://${host}:8080`, tables(four, six));
  assert.deepEqual(at('127.0.0.1'), [1, 3, 6, 7]);
  assert.deepEqual(at('127.0.0.2'), [2, 3, 6]);
  assert.deepEqual(at('[::1]'), [6, 8]);
  assert.deepEqual(at('localhost'), [1, 3, 6, 7, 8]);
  assert.deepEqual(at('192.168.2.5'), [3, 10, 6]);
  assert.deepEqual(at('[fd00:0:ab:cdef::d]'), [6, 9]);
  // Whatever address the name has.
  assert.deepEqual(at('slipway'), [1, 2, 3, 10, 6, 7, 8, 9]);
  const nothing = () => {
    throw new Error('no such file');
  };
  assert.equal(usersListening('http://127.0.0.1:8080', nothing), undefined);
});

test('attack: another user of the machine listens where the service would, on a machine without IPv6, which has no table of it: he is found', () => {
  const [four, nothing] = [line('0100007F:1F90', '0A', 1), new Error('no such file')];
  const read = (path: string) => {
    if (path.endsWith('6')) throw nothing;
    return tables(four)(path);
  };
  assert.deepEqual(usersListening('http://127.0.0.1:8080', read), [1]);
  assert.deepEqual(usersListening('http://localhost:8080', read), [1]);
});

test('attack: another user of the machine listens where the service would, while it does not run: he is not told the admin token', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-listeners-'));
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  t.after(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const base = `http://127.0.0.1:${port}`;
  const env = { SLIPWAY_DATA_DIR: folder, SLIPWAY_PORT: String(port) };
  const context = { env, cwd: folder, colors: false, stdout() {}, stderr() {} };
  const own = process.getuid?.();
  if (own === undefined) return t.skip('users have no numbers here');
  const stranger = own + 1;

  const there = line('0502A8C0:1F90', '0A', stranger);
  assert.deepEqual(usersListening('http://192.168.2.5:8080', tables(there)), [stranger]);
  assert.throws(() => requireOurs(context, base, [stranger]), NotOurs);
  assert.throws(
    () => requireOurs(context, base, [own, stranger]),
    new RegExp(`number ${stranger}\\) listens at ${base}`),
  );
  assert.throws(() => requireOurs(context, base, []), Unreachable);
  // This user or root, where somebody has said that it is his, and elsewhere.
  requireOurs(context, base, [own, 0]);
  requireOurs({ ...context, env: { ...env, SLIPWAY_URL: base } }, base, [stranger]);
  requireOurs(context, 'https://slipway.example.com', [stranger]);
  if (process.platform !== 'linux') return;
  assert.deepEqual(usersListening(base), [own]);
  requireOurs(context, base);
});

test('attack: another user of the machine makes a data folder where a command runs, and listens in the place of the service: he is not told the admin token', (t) => {
  if (process.getuid?.() !== 0) return t.skip('only root gives folders to others');
  const folder = mkdtempSync(join(tmpdir(), 'slipway-listeners-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const stranger = 65_534;
  const made = join(folder, '.slipway');
  mkdirSync(made, { mode: 0o700 });
  chownSync(made, stranger, stranger);
  const [base, env] = ['http://127.0.0.1:8080', { SLIPWAY_PORT: '8080' }];
  const context = { env, cwd: folder, colors: false, stdout() {}, stderr() {} };
  for (const mode of [0o1777, 0o775]) {
    chmodSync(folder, mode);
    assert.throws(() => requireOurs(context, base, [stranger]), NotOurs);
  }
  chmodSync(folder, 0o755);
  chownSync(folder, stranger, stranger);
  assert.throws(() => requireOurs(context, base, [stranger]), NotOurs);
  chownSync(folder, 0, 0);
  // Where the folder is named, or nobody else can have made it.
  requireOurs({ ...context, env: { ...env, SLIPWAY_DATA_DIR: made } }, base, [stranger]);
  requireOurs(context, base, [stranger]);
});

test('attack: another user of the machine holds the answer to a command back until the service has started in his place: he is not told the admin token', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-listeners-'));
  writeFileSync(join(folder, 'admin.token'), 'the-token-of-the-admin\n', { mode: 0o600 });
  const service = createServer((_request, response) => response.end('{"makers":["of the service"]}'));
  let told = '';
  const held: Socket[] = [];
  const imposter = createTcpServer((socket) => {
    held.push(socket.on('error', () => {}));
    socket.on('data', async (bytes) => {
      told += bytes.toString('latin1');
      imposter.close();
      if (!service.listening) await once(service.listen(port, '127.0.0.1'), 'listening');
      socket.write('HTTP/1.1 200 OK\r\nkeep-alive: timeout=60\r\ncontent-length: 2\r\n\r\n{}');
    });
  }).listen(0, '127.0.0.1');
  await once(imposter, 'listening');
  const { port } = imposter.address() as AddressInfo;
  t.after(() => {
    service.close();
    service.closeAllConnections();
    for (const socket of held) socket.destroy();
    rmSync(folder, { recursive: true, force: true });
  });
  const env = { SLIPWAY_DATA_DIR: folder, SLIPWAY_PORT: String(port) };
  const context = { env, cwd: folder, colors: false, stdout() {}, stderr() {} };
  const found = await withAdmin(context, undefined, (admin) => admin.request('GET', '/makers'));
  assert.deepEqual(found, { makers: ['of the service'] });
  assert.match(told, /livez/);
  assert.doesNotMatch(told, /the-token-of-the-admin/);
});
