import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createClock } from '../../lib/clock.js';
import { sourceOf } from './credential-sources.js';
import { type CredentialSource, Credentials, type Loaded } from './credentials.js';
import { KmsError } from './kms-error.js';
import { createRunningExchange } from './testing.js';

const SECRET = 'a-secret-that-nobody-may-see';
const TOKEN = 'a-session-token-that-nobody-may-see';
const GIVEN = { AccessKeyId: 'ASIAROTATED', SecretAccessKey: SECRET, Token: TOKEN, Expiration: '2030-01-02T03:04:05Z' };
const READ: Loaded = {
  accessKeyId: 'ASIAROTATED',
  secretAccessKey: SECRET,
  sessionToken: TOKEN,
  expiresAt: Date.UTC(2030, 0, 2, 3, 4, 5),
};

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

async function agent(t: TestContext, listener: Listener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const load = (env: Record<string, string>) => sourceOf(env, createRunningExchange()).load();

/** Why there are none, in words without a secret. */
async function whyNot(env: Record<string, string>): Promise<string> {
  const error = await Promise.resolve()
    .then(() => load(env))
    .then(
      () => assert.fail('there are some'),
      (failure: unknown) => failure,
    );
  assert.ok(error instanceof KmsError, String(error));
  for (const secret of [SECRET, TOKEN, 'who:am-i']) assert.ok(!error.message.includes(secret), error.message);
  return error.message;
}

test('credentials of the environment, with a session token and without', async () => {
  const AWS_ACCESS_KEY_ID = 'AKID';
  const AWS_SECRET_ACCESS_KEY = SECRET;
  assert.deepEqual(
    { ...(await load({ AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY })) },
    { accessKeyId: 'AKID', secretAccessKey: SECRET, sessionToken: undefined, expiresAt: undefined },
  );
  const { sessionToken } = await load({ AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN: TOKEN });
  assert.equal(sessionToken, TOKEN);
  assert.match(await whyNot({ AWS_ACCESS_KEY_ID }), /needs AWS_SECRET_ACCESS_KEY/);
  assert.match(await whyNot({ AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY: `${SECRET}\r\nx: y` }), /needs AWS_SECRET/);
  assert.match(await whyNot({ AWS_EC2_METADATA_DISABLED: 'true' }), /no credentials for AWS in the environment/);
});

test("credentials of a container's agent, which is shown the token of the file as it is now", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-agent-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const shown: (string | undefined)[] = [];
  const url = await agent(t, (request, response) => {
    shown.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.end(JSON.stringify(GIVEN));
  });
  const file = join(folder, 'token');
  const env = {
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/v1/credentials`,
    AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file,
  };
  const source = sourceOf(env, createRunningExchange());
  for (const token of ['the first', 'the second']) {
    writeFileSync(file, `${token}\n`);
    assert.deepEqual({ ...(await source.load()) }, READ);
  }
  await load({ AWS_CONTAINER_CREDENTIALS_FULL_URI: url, AWS_CONTAINER_AUTHORIZATION_TOKEN: 'Bearer x' });
  assert.deepEqual(shown, ['GET /v1/credentials the first', 'GET /v1/credentials the second', 'GET / Bearer x']);
  rmSync(file);
  assert.match(await whyNot(env), /AUTHORIZATION_TOKEN_FILE cannot be read \(ENOENT\)/);
});

test('attack: an operator by mistake names an address of the network for credentials, without TLS: refused, and the token of the agent is shown to nobody', async () => {
  const addresses = [
    'http://agent.example',
    'http://169.254.170.3/x',
    'http://who:am-i@127.0.0.1/',
    'file:///x',
    'nothing',
  ];
  for (const address of addresses) {
    const name = 'AWS_CONTAINER_CREDENTIALS_FULL_URI';
    assert.match(
      await whyNot({ [name]: address, AWS_CONTAINER_AUTHORIZATION_TOKEN: TOKEN }),
      /must be a URL with https/,
    );
    assert.match(await whyNot({ AWS_EC2_METADATA_SERVICE_ENDPOINT: address }), /must be a URL with https/);
  }
  assert.match(await whyNot({ AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '@agent.example/x' }), /must begin with \//);
});

test('credentials of the metadata of an instance, by its version 2', async (t) => {
  const asked: string[] = [];
  const role = 'role-of-the-signer';
  const url = await agent(t, ({ method, url: path, headers }, response) => {
    asked.push(`${method} ${path}`);
    if (method === 'PUT') {
      const ttl = Number(headers['x-aws-ec2-metadata-token-ttl-seconds']);
      return response.writeHead(ttl > 0 ? 200 : 400).end('a-token-of-the-metadata');
    }
    if (headers['x-aws-ec2-metadata-token'] !== 'a-token-of-the-metadata') return response.writeHead(401).end();
    const isList = path === '/latest/meta-data/iam/security-credentials/';
    return response.end(isList ? `${role}\n` : JSON.stringify({ Code: 'Success', ...GIVEN }));
  });
  assert.deepEqual({ ...(await load({ AWS_EC2_METADATA_SERVICE_ENDPOINT: url })) }, READ);
  assert.deepEqual(asked, [
    'PUT /latest/api/token',
    'GET /latest/meta-data/iam/security-credentials/',
    `GET /latest/meta-data/iam/security-credentials/${role}`,
  ]);
});

test('an agent that answers something else, too much, elsewhere, or nothing: a reason without a secret', async (t) => {
  const answers: [string, Listener][] = [
    ['no credentials', (_, response) => response.end('{"SecretAccessKey":"a-secret-that-nobody-may-see"}')],
    ['no credentials', (_, response) => response.end(JSON.stringify({ ...GIVEN, Token: `${TOKEN}\n` }))],
    ['no credentials', (_, response) => response.end(JSON.stringify({ ...GIVEN, Expiration: 'soon' }))],
    ['no credentials', (_, response) => response.end(`[${TOKEN}`)],
    ['no credentials', (_, response) => response.end('null')],
    ['status 500', (_, response) => response.writeHead(500).end(JSON.stringify(GIVEN))],
    ['status 302', (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()],
    ['too long', (_, response) => response.end(JSON.stringify({ ...GIVEN, more: 'x'.repeat(100_000) }))],
    ['ECONNRESET', (request) => request.socket.resetAndDestroy()],
    ['no answer in time', () => {}],
  ];
  for (const [expected, listener] of answers) {
    const url = await agent(t, listener);
    const said = await whyNot({ AWS_CONTAINER_CREDENTIALS_FULL_URI: url });
    assert.ok(said.includes(expected), `${expected}: ${said}`);
  }
  const noRole = await agent(t, (_, response) => response.end('../../user-data'));
  assert.match(await whyNot({ AWS_EC2_METADATA_SERVICE_ENDPOINT: noRole }), /name no role/);
});

test('credentials are renewed before they expire, once for all who ask; the old ones are used meanwhile', async () => {
  const clock = createClock();
  const minutes = 60_000;
  let passed = 0;
  // A source is asked once a second at most.
  const pause = async () => {
    await new Promise(setImmediate);
    passed += 1_100;
  };
  const loads: { give(loaded: Loaded): void; fail(): void }[] = [];
  const source: CredentialSource = {
    name: 'a source',
    load: () =>
      new Promise((give, reject) => {
        loads.push({ give, fail: () => reject(new KmsError('not now')) });
      }),
  };
  const named = (accessKeyId: string, minutesLeft: number): Loaded => ({
    accessKeyId,
    secretAccessKey: SECRET,
    expiresAt: clock.now() + minutesLeft * minutes,
  });
  const credentials = new Credentials(source, clock, () => passed);
  const waiting = [credentials.get(), credentials.get()];
  loads[0]!.give(named('first', 60));
  assert.deepEqual(
    (await Promise.all(waiting)).map(({ accessKeyId }) => accessKeyId),
    ['first', 'first'],
  );
  assert.equal((await credentials.get()).accessKeyId, 'first');
  assert.equal(loads.length, 1);

  // Four minutes are left: others are asked for, and nobody waits for them, or hears that there are none.
  clock.setOffset(56 * minutes);
  await pause();
  assert.equal((await credentials.get()).accessKeyId, 'first');
  assert.equal(loads.length, 2);
  loads[1]!.fail();
  assert.equal((await credentials.get()).accessKeyId, 'first');
  await pause();
  assert.equal((await credentials.get()).accessKeyId, 'first');
  loads[2]!.give(named('second', 60));
  await new Promise(setImmediate);
  assert.equal((await credentials.get()).accessKeyId, 'second');

  // None are left: who asks waits, and hears that there are none.
  clock.setOffset(200 * minutes);
  await pause();
  const late = credentials.get();
  loads[3]!.fail();
  await assert.rejects(late, /not now/);
  await pause();
  const again = credentials.get();
  loads[4]!.give(named('third', 60));
  assert.equal((await again).accessKeyId, 'third');

  // Those that AWS refuses are not used again, but what has come in their place is.
  const refused = await credentials.get();
  await pause();
  credentials.refuse(refused);
  const other = credentials.get();
  loads[5]!.give(named('fourth', 60));
  assert.equal((await other).accessKeyId, 'fourth');
  credentials.refuse(refused);
  assert.equal((await credentials.get()).accessKeyId, 'fourth');
  assert.equal(loads.length, 6);
});
