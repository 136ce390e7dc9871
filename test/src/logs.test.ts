import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, it } from 'node:test';
import { admin, adminTokenOf, newKey } from './admin.js';
import { launch, run, SLIPWAY } from './command.js';
import { eventually } from './rounds.js';
import { onFreePort, request, type Service, startService } from './service.js';
import { askOrder, SOL, USDC } from './swap.js';
import { logIn } from './trigger-wallet.js';
import { walletNamed } from './wallet.js';

const secretOf = (what: string) => `${what}CANARY${randomBytes(12).toString('hex')}`;
/** What the service is configured with, and what callers send. */
const given = {
  rpc: secretOf('rpc'),
  send: secretOf('send'),
  hermes: secretOf('hermes'),
  dflow: secretOf('dflow'),
  okx: secretOf('okx'),
  okxSecret: secretOf('okxSecret'),
  okxPassphrase: secretOf('okxPassphrase'),
  signer: secretOf('signer'),
  maker: secretOf('maker'),
  hook: secretOf('hook'),
  hookPath: secretOf('hookPath'),
  wrongKey: secretOf('wrongKey'),
  wrongToken: secretOf('wrongToken'),
  query: secretOf('query'),
  body: secretOf('body'),
  cookie: secretOf('cookie'),
};

let chain: Service;
let service: Service;
let port: number;

before(async () => {
  chain = await startService();
  await onFreePort(async (free) => {
    port = free;
    service = await start();
  });
});
after(async () => {
  await service?.close();
  await chain?.close();
});

const start = (dataDir?: string): Promise<Service> =>
  startService({
    ...(dataDir !== undefined && { dataDir }),
    env: {
      SLIPWAY_PORT: String(port),
      SLIPWAY_LOG_LEVEL: 'trace',
      SLIPWAY_SANDBOX: '1',
      SLIPWAY_RPC_URL: `${chain.rpcUrl}/?api-key=${given.rpc}`,
      SLIPWAY_SEND_URLS: `http://127.0.0.1:1/${given.send}?api-key=${given.send}`,
      SLIPWAY_PRICES: 'fixed,hermes,pools',
      SLIPWAY_HERMES_URL: 'http://127.0.0.1:1',
      SLIPWAY_HERMES_KEY: given.hermes,
      SLIPWAY_DFLOW_URL: 'http://127.0.0.1:1',
      SLIPWAY_DFLOW_API_KEY: given.dflow,
      SLIPWAY_OKX_URL: 'http://127.0.0.1:1',
      SLIPWAY_OKX_API_KEY: given.okx,
      SLIPWAY_OKX_SECRET_KEY: given.okxSecret,
      SLIPWAY_OKX_PASSPHRASE: given.okxPassphrase,
      SLIPWAY_SIGNER_PASSPHRASE: given.signer,
    },
  });

const place = () => ({ cwd: service.dataDir, env: { SLIPWAY_ADMIN_TOKEN: adminTokenOf(service) } });
const logs = (...args: string[]) => run(SLIPWAY, ['logs', '--url', service.url, ...args], place());

interface Line {
  number: number;
  level: string;
  message: string;
  requestId: string | null;
}
const linesOf = (out: string) =>
  out
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => JSON.parse(text) as Line);

/** Has everything that holds a secret be used, and fail. */
async function useSecrets(): Promise<string[]> {
  const { key, id } = await newKey(service);
  const reader = await admin<{ token: string }>(service, 'POST', '/admins', { name: 'reader', roles: ['read'] });
  const login = await logIn(service, await walletNamed(service, 'alice'));
  const answered = await Promise.all([
    admin(service, 'POST', '/makers', { name: 'away', url: `http://:${given.maker}@127.0.0.1:1/rfq` }),
    request<{ id: string; secret: string }>(`${service.url}/events/v1/webhooks`, {
      body: { url: `http://127.0.0.1:1/${given.hookPath}?token=${given.hook}` },
      headers: { 'x-api-key': key },
    }),
    request(`${service.url}/admin/v1/keys`, { headers: { authorization: `Bearer ${given.wrongToken}` } }),
    request(`${service.url}/tokens/v2/search?query=${given.query}`, { headers: { 'x-api-key': given.wrongKey } }),
    request(`${service.url}/tx/v1/submit`, { body: { transaction: given.body }, headers: { cookie: given.cookie } }),
    request(`${service.url}/ultra/v1/execute`, { raw: `{"signedTransaction": ${given.body}` }),
    request(`${service.url}/trigger/v2/orders/history?cursor=${given.query}`, {
      headers: { authorization: `Bearer ${login}` },
    }),
  ]);
  assert.deepEqual([answered[0].status, answered[1].status], [200, 200], JSON.stringify(answered[1].body));
  const hook = `${service.url}/events/v1/webhooks/${answered[1].body.id}/test`;
  assert.equal((await request(hook, { method: 'POST', headers: { 'x-api-key': key } })).status, 200);
  await askOrder(service, { inputMint: SOL, outputMint: USDC, amount: '1000000' });
  await request(`${service.url}/sandbox/airdrop`, {
    body: { wallet: (await walletNamed(service, 'bob')).address, amount: '1' },
  });
  await admin(service, 'DELETE', `/keys/${id}`);
  const { body: info } = await request<{ wallets: { secretKey: string }[] }>(`${service.url}/sandbox/info`);
  const made = [key, reader.body.token, login, adminTokenOf(service), answered[1].body.secret];
  return [...made, ...info.wallets.map(({ secretKey }) => secretKey)];
}

it('attack: an operator by mistake shows the log to others, at its most talkative: no key, token, password in a URL, or body is in it', async () => {
  const made = await useSecrets();
  assert.ok(made.every((secret) => typeof secret === 'string' && secret.length > 20));
  await eventually('what is away is told', async () => {
    const { out } = await logs('--lines', '2000', '--json');
    const isTold = /hermes/i.test(out) && linesOf(out).some(({ message }) => message === 'request answered');
    return isTold || undefined;
  });
  const raw = await admin<object>(service, 'GET', '/logs?limit=1000');
  const texts = [await logs('--lines', '2000'), await logs('--lines', '2000', '--json')].map(({ out }) => out);
  for (const [name, secret] of [...Object.entries(given), ...made.map((each) => ['made', each] as const)])
    for (const text of [...texts, JSON.stringify(raw.body)]) assert.equal(text.includes(secret), false, name);
});

it('the log has what the terminal has, and lines for a request by its id', async () => {
  const { headers, status } = await request(`${service.url}/ultra/v1/order?inputMint=nothing`);
  assert.equal(status, 400);
  const id = headers.get('x-api-gateway-request-id')!;
  const { code, out, error } = await logs('--request', id, '--json');
  assert.equal(code, 0, error);
  const lines = linesOf(out);
  assert.ok(lines.every(({ requestId }) => requestId === id));
  assert.deepEqual(
    lines.map(({ level, message }) => [level, message.replace(/ \d+ ms.*/, '')]),
    [
      ['info', 'GET /ultra/v1/order 400'],
      ['debug', 'request answered'],
    ],
  );
  assert.match((await logs('--request', id)).out, /Z {2}info {3}GET \/ultra\/v1\/order 400 \d+ ms {2}.*requestId=/);
  const { out: own } = await logs('--lines', '2000', '--json');
  assert.doesNotMatch(own, /admin\/v1\/logs/, 'who reads the log adds nothing to it');
});

it('an admin who may only look reads it, nobody else does', async () => {
  const reader = await admin<{ token: string }>(service, 'POST', '/admins', { name: 'looks', roles: ['read'] });
  const path = `${service.url}/admin/v1/logs`;
  const statusWith = async (headers: Record<string, string>) => (await request(path, { headers })).status;
  assert.equal(await statusWith({ authorization: `Bearer ${reader.body.token}` }), 200);
  assert.equal(await statusWith({ authorization: `Bearer ${given.wrongToken}` }), 401);
  assert.equal(await statusWith({}), 401);
});

it('--follow goes on with the service that is started again, and Ctrl-C ends it with 0', async () => {
  const following = launch(SLIPWAY, ['logs', '--follow', '--lines', '0', '--json', '--url', service.url], place());
  // What is logged before it has read to the end is no news.
  const asked: string[] = [];
  const shown = following.says(/GET \/ultra\/v1\/order 400.*\n/);
  let isShown = false;
  const showing = shown.then(() => {
    isShown = true;
  });
  const ask = async () => {
    if (isShown) return true;
    const { headers } = await request(`${service.url}/ultra/v1/order?inputMint=first`);
    asked.push(headers.get('x-api-gateway-request-id')!);
    return undefined;
  };
  await eventually('it follows', ask, 120, 500);
  await showing;
  const [line] = await shown;
  assert.ok(
    asked.some((id) => line.includes(id)),
    line,
  );
  const { dataDir } = service;
  await service.kill('SIGTERM');
  await eventually('it waits', async () => following.log().includes('waiting until it does') || undefined);
  service = await start(dataDir);
  await following.says(/"number":1,/);
  const second = await request(`${service.url}/ultra/v1/order?inputMint=second`);
  await following.says(new RegExp(`GET /ultra/v1/order 400.*${second.headers.get('x-api-gateway-request-id')}`));
  following.child.kill('SIGINT');
  const { code, error } = await following.ended;
  assert.equal(code, 0, error);
  assert.match(error, /the service has started again, and its lines begin with 1/);
  const away = await run(SLIPWAY, ['logs'], { cwd: dataDir, env: { SLIPWAY_PORT: '1' } });
  assert.deepEqual([away.code, away.out], [1, '']);
  assert.match(away.error, /does not answer: start it.*The log of a service that has ended/);
});
