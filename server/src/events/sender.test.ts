import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { steadyNow } from '../lib/clock.js';
import { PATIENCE_MS } from '../lib/testing.js';
import { createSender, isReceived, type SenderOptions, whyNotUrl } from './sender.js';

const servers: (() => void)[] = [];
after(() => {
  for (const close of servers) close();
});

/** A receiver; `calls` has what has reached it. */
async function receiver(answer: (response: ServerResponse, request: IncomingMessage) => void) {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      calls.push(`${request.headers.host} ${request.url} ${body}`);
      answer(response, request);
    });
  });
  // However long this process stands still, only the sender closes a connection.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, calls, server };
}

const sending = (options: Partial<SenderOptions> = {}) => {
  const send = createSender({
    allowsPrivate: true,
    steadyNow,
    patienceMs: PATIENCE_MS,
    idleMs: PATIENCE_MS,
    ...options,
  });
  return (url: string) => send({ url, body: '{}', headers: { 'webhook-id': '1' } });
};

test('what answers 2xx has received it, and the connection is used again', async () => {
  const { port, calls, server } = await receiver((response) => response.writeHead(204).end());
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  const send = sending();
  for (const host of ['127.0.0.1', 'localhost', 'localhost']) {
    const outcome = await send(`http://${host}:${port}/hook?a=1`);
    assert.ok(isReceived(outcome), JSON.stringify(outcome));
  }
  assert.equal(calls[1], `localhost:${port} /hook?a=1 {}`);
  assert.equal(connections, 2);
});

test('what answers anything else has not', async () => {
  for (const status of [400, 404, 410, 500, 503]) {
    const { port } = await receiver((response) => response.writeHead(status).end('no'));
    const outcome = await sending()(`http://127.0.0.1:${port}/`);
    assert.equal(outcome.status, status);
    assert.ok(!isReceived(outcome));
  }
  const closed = await receiver((response) => response.destroy());
  assert.match((await sending()(`http://127.0.0.1:${closed.port}/`)).error ?? '', /socket hang up|closed/);
});

test('attack: a free key has events sent into the private network by an address in its URL', async () => {
  const { port, calls } = await receiver((response) => response.end());
  const send = sending({ allowsPrivate: false });
  for (const host of ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', '127.1', '017700000001']) {
    const outcome = await send(`https://${host}:${port}/`);
    assert.match(outcome.error ?? '', /private network/, host);
  }
  for (const host of ['169.254.169.254', '[fe80::1]', '2852039166', '0.0.0.0', '[::]']) {
    const outcome = await sending()(`http://${host}:${port}/`);
    assert.match(outcome.error ?? '', /never allowed/, host);
  }
  assert.deepEqual(calls, []);
});

test('attack: a free key has a name that stands for a private address, also only when it is asked again', async () => {
  const { port, calls } = await receiver((response) => response.end());
  const rebinding = [['1.1.1.1'], ['127.0.0.1'], ['1.1.1.1', '127.0.0.1'], ['::ffff:127.0.0.1']];
  // The name that was good when the webhook was added.
  assert.equal(whyNotUrl(new URL('https://rebinding.example'), false), undefined);
  rebinding.shift();
  for (const addresses of rebinding) {
    const outcome = await sending({ allowsPrivate: false, resolve: async () => addresses })(
      `https://rebinding.example:${port}/`,
    );
    assert.match(outcome.error ?? '', /^rebinding\.example is of a private network/, 'nor is the address told');
  }
  for (const addresses of [['169.254.169.254'], ['127.0.0.1', 'fe80::1']]) {
    const outcome = await sending({ resolve: async () => addresses })(`http://rebinding.example:${port}/`);
    assert.match(outcome.error ?? '', /never allowed/);
  }
  assert.deepEqual(calls, []);
});

test('the address that was looked at is the one that is connected to', async () => {
  const { port, calls } = await receiver((response) => response.end());
  let asked = 0;
  const resolve = async () => {
    asked += 1;
    return ['127.0.0.1'];
  };
  assert.ok(isReceived(await sending({ resolve })(`http://receiver.example:${port}/`)));
  assert.deepEqual([asked, calls], [1, [`receiver.example:${port} / {}`]]);
  const gone = await sending({ resolve: async () => [] })(`http://receiver.example:${port}/`);
  assert.match(gone.error ?? '', /has no address/);
});

test('attack: a free key has a receiver that redirects to the metadata service, or into the private network', async () => {
  const inner = await receiver((response) => response.end());
  for (const [status, to] of [
    [302, `http://127.0.0.1:${inner.port}/`],
    [307, `http://127.0.0.1:${inner.port}/`],
    [308, 'http://169.254.169.254/latest/meta-data'],
  ] as const) {
    const { port } = await receiver((response) => response.writeHead(status, { location: to }).end());
    const outcome = await sending()(`http://127.0.0.1:${port}/`);
    assert.deepEqual([outcome.status, outcome.error], [status, 'redirects are not followed']);
    assert.ok(!isReceived(outcome));
  }
  assert.deepEqual(inner.calls, []);
});

test('attack: a free key has a receiver that answers with a body without end, at once or byte by byte', async () => {
  const closed: Promise<unknown>[] = [];
  const huge = await receiver((response) => {
    closed.push(once(response, 'close'));
    response.writeHead(200);
    const part = Buffer.alloc(64 * 1024);
    const write = () => {
      while (!response.destroyed && response.write(part));
    };
    response.on('drain', write);
    write();
  });
  const slow = await receiver((response) => {
    response.writeHead(200).write('.');
    const timer = setInterval(() => response.write('.'), 50);
    closed.push(once(response, 'close').finally(() => clearInterval(timer)));
  });
  for (const { port } of [huge, slow]) assert.ok(isReceived(await sending()(`http://127.0.0.1:${port}/`)));
  await Promise.all(closed);
});

test('attack: a free key has a receiver that never answers, or only with headers without end', async () => {
  const closed: Promise<unknown>[] = [];
  const silent = await receiver((response) => closed.push(once(response, 'close')));
  const endless = await receiver((response, { socket }) => {
    const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n'), 20);
    closed.push(once(response, 'close').finally(() => clearInterval(timer)));
  });
  for (const { port } of [silent, endless]) {
    const outcome = await sending({ patienceMs: 300 })(`http://127.0.0.1:${port}/`);
    assert.match(outcome.error ?? '', /no answer within 0.3 s/);
  }
  const unresolved = await sending({ patienceMs: 100, resolve: () => new Promise(() => {}) })('http://slow.example/');
  assert.match(unresolved.error ?? '', /no answer within 0.1 s/);
  await Promise.all(closed);
});

const skip = spawnSync('openssl', ['version']).status === 0 ? false : 'openssl is not installed';

/** Sends to a URL in a process that trusts this certificate as one of a public authority. */
async function outcomeTrusting(certificate: string, url: string) {
  const code = `
    import { createSender } from ${JSON.stringify(new URL('sender.js', import.meta.url).href)};
    const options = { allowsPrivate: true, steadyNow: () => performance.now(), patienceMs: ${PATIENCE_MS} };
    const outcome = await createSender(options)({ url: ${JSON.stringify(url)}, body: '{}', headers: {} });
    process.stdout.write(JSON.stringify(outcome), () => process.exit());`;
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: certificate };
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], { env });
  return JSON.parse(stdout) as { error?: string };
}

test('attack: a free key has a receiver whose certificate is for a hundred long names: few of them are kept with each attempt', {
  skip,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-receiver-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const label = () => randomBytes(30).toString('hex');
  const names = Array.from({ length: 100 }, () => `DNS:${label()}.${label()}.${label()}.example.com`);
  const [key, cert] = [join(folder, 'key'), join(folder, 'cert')];
  const made = ['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-x509', '-days', '2'];
  const named = ['-subj', '/CN=receiver', '-addext', `subjectAltName=${names.join()}`];
  execFileSync('openssl', [...made, ...named, '-keyout', key, '-out', cert], { stdio: 'pipe' });
  const server = createSecureServer({ key: readFileSync(key), cert: readFileSync(cert) }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { error = '' } = await outcomeTrusting(cert, `https://localhost:${(server.address() as AddressInfo).port}/`);
  assert.match(error, /is not in the cert's altnames/);
  assert.ok(error.length <= 300, `${error.length} characters`);
});

test('only https is called where private networks are not allowed, and never with a password', () => {
  const why = (url: string, allowsPrivate: boolean) => whyNotUrl(new URL(url), allowsPrivate);
  assert.equal(why('https://a.example/hook', false), undefined);
  assert.equal(why('http://a.example/hook', true), undefined);
  assert.match(why('http://a.example/hook', false) ?? '', /expected https:/);
  for (const url of ['ftp://a.example', 'file:///etc/passwd', 'https://u:p@a.example', 'https://u@a.example']) {
    assert.match(why(url, true) ?? '', /expected/, url);
  }
});
