import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type ApiKey, admin, adminTokenOf, newKey } from './admin.js';
import { type Answer, request, type Service, startService } from './service.js';
import { RECEIVER } from './wallet.js';

const ELIGIBILITY = '/tokens/v2/verify/express/check-eligibility?tokenId=JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN';
const TOKEN = 'a-token-of-the-operator-of-this-test';

let sandbox: Service;
let production: Service;
before(async () => {
  sandbox = await startService({ env: { SLIPWAY_LOG_LEVEL: 'trace' }, database: 'embedded' });
  const dataDir = mkdtempSync(join(tmpdir(), 'slipway-test-'));
  writeFileSync(join(dataDir, 'slipway.config.json'), JSON.stringify({ express: { receiver: RECEIVER } }));
  const env = {
    SLIPWAY_SANDBOX: '0',
    SLIPWAY_RPC_URL: sandbox.rpcUrl,
    SLIPWAY_EMBEDDED_DATABASE: '1',
    SLIPWAY_SIGNER_PASSPHRASE: 'correct horse battery staple',
    SLIPWAY_ADMIN_TOKEN: TOKEN,
    SLIPWAY_LOG_LEVEL: 'trace',
  };
  production = await startService({ env, dataDir });
});
after(async () => {
  await production?.close();
  await sandbox?.close();
});

/** A call that any valid key may make. */
const callWith = (service: Service, key: string | undefined, path = ELIGIBILITY): Promise<Answer<unknown>> =>
  request(`${service.url}${path}`, { headers: { 'x-api-key': key } });

const statusWith = async (service: Service, key: string | undefined, path?: string): Promise<number> =>
  (await callWith(service, key, path)).status;

const productionKeys = (method: string, path: string, body?: unknown) =>
  request<ApiKey>(`${production.url}/admin/v1/keys${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}` },
    ...(body !== undefined && { body }),
  });

describe('the key "sandbox"', () => {
  it('works in a sandbox', async () => {
    assert.equal(await statusWith(sandbox, 'sandbox'), 200);
  });

  it('is unknown in production, where there are no sandbox routes', async () => {
    const { status, body } = await callWith(production, 'sandbox');
    assert.equal(status, 401);
    assert.deepEqual(body, {
      status: 401,
      message: 'Unauthorized: the API key is not known',
      error: 'Unauthorized: the API key is not known',
      code: 'UNAUTHORIZED',
    });
    const { key } = (await productionKeys('POST', '', { name: 'app' })).body;
    assert.equal(await statusWith(production, key), 200);
    const routes = [
      ['GET', '/sandbox/info'],
      ['POST', '/sandbox/airdrop'],
      ['POST', '/sandbox/prices'],
      ['POST', '/sandbox/clock'],
    ] as const;
    for (const [method, path] of routes) {
      const answer = await request(`${production.url}${path}`, {
        method,
        headers: { 'x-api-key': key },
        ...(method === 'POST' && { body: {} }),
      });
      assert.equal(answer.status, 404, path);
      assert.deepEqual(answer.body, { code: 404, message: `Cannot ${method}:${path}` });
    }
    const document = await request<{ paths: object }>(`${production.url}/openapi.json`);
    assert.ok(!Object.keys(document.body.paths).some((path) => path.startsWith('/sandbox')));
  });

  it('is not told of by the welcome of production', () => {
    assert.doesNotMatch(production.welcome, /sandbox|x-api-key/);
  });
});

describe('a key', () => {
  it('is asked for, and must be known, before anything else is looked at', async () => {
    for (const key of [
      undefined,
      '',
      'nonsense',
      'Sandbox',
      'slip_111111111111111111111111111111111',
      'a'.repeat(5_000),
    ]) {
      for (const path of [ELIGIBILITY, '/tokens/v2/verify/express/craft-txn', '/sandbox/info', '/tx/v1/status/x']) {
        assert.equal(await statusWith(sandbox, key, path), 401, `${key?.slice(0, 30)} ${path}`);
      }
      const refused = await request(`${sandbox.url}/tx/v1/submit`, { raw: '{', headers: { 'x-api-key': key } });
      assert.equal(refused.status, 401);
      assert.equal(typeof refused.body.error, 'string');
    }
  });

  it('works as soon as it is made, is shown once, and is listed without its text', async () => {
    const made = await newKey(sandbox, { name: 'my app', tier: 'developer' });
    assert.match(made.key, /^slip_[1-9A-HJ-NP-Za-km-z]{30,34}$/);
    assert.equal(await statusWith(sandbox, made.key), 200);
    const { key, ...shown } = made;
    assert.deepEqual([shown.name, shown.tier, shown.prefixes], ['my app', 'developer', []]);
    assert.deepEqual([shown.expiresAt, shown.revokedAt, shown.rotatedFrom], [null, null, null]);
    assert.ok(key.startsWith(shown.prefix) && shown.prefix.length <= 8);
    const { body } = await admin<{ keys: ApiKey[] }>(sandbox, 'GET', '/keys');
    assert.deepEqual(body.keys[0], shown);
    assert.ok(!JSON.stringify(body).includes(key));
  });

  it('is refused with the name of the field that is wrong', async () => {
    const cases: [unknown, RegExp][] = [
      [{}, /name/],
      [{ name: '' }, /name/],
      [{ name: 'a\u0000b' }, /(name|body): /],
      [{ name: '\ud800' }, /(name|body): /],
      [{ name: 'x'.repeat(101) }, /name/],
      [{ name: 5 }, /name/],
      [{ name: 'x', tier: 'golden' }, /tier.*unlimited, free/],
      [{ name: 'x', tier: '__proto__' }, /tier/],
      [{ name: 'x', prefixes: ['tx'] }, /prefixes/],
      [{ name: 'x', prefixes: '/tx' }, /prefixes/],
      [[], /body/],
    ];
    for (const [body, says] of cases) {
      const refused = await admin(sandbox, 'POST', '/keys', body);
      assert.equal(refused.status, 400, JSON.stringify(body));
      assert.match(String(refused.body.error), says);
    }
  });

  it('that is limited to paths is refused elsewhere with 403, in the shape of the gateway', async () => {
    const { key } = await newKey(sandbox, { prefixes: ['/tokens/v2/verify', '/tx/v1/status/'] });
    assert.equal(await statusWith(sandbox, key), 200);
    assert.equal(await statusWith(sandbox, key, '/tx/v1/status/x'), 400);
    for (const path of ['/sandbox/info', '/tx/v1/submit']) {
      const refused = await request(`${sandbox.url}${path}`, {
        headers: { 'x-api-key': key },
        ...(path.endsWith('submit') && { body: {} }),
      });
      assert.equal(refused.status, 403);
      assert.deepEqual(refused.body, { code: 403, message: 'API key does not have access to this endpoint' });
    }
    const part = await newKey(sandbox, { prefixes: ['/tokens/v2/ver'] });
    assert.equal(await statusWith(sandbox, part.key), 403);
  });

  it('that is revoked is refused at once, by every way', async () => {
    const { key, id } = await newKey(sandbox);
    assert.equal(await statusWith(sandbox, key), 200);
    const revoked = await admin<ApiKey>(sandbox, 'DELETE', `/keys/${id}`);
    assert.equal(revoked.status, 200);
    assert.ok(revoked.body.revokedAt);
    assert.equal(await statusWith(sandbox, key), 401);
    const again = await admin<ApiKey>(sandbox, 'DELETE', `/keys/${id}`);
    assert.deepEqual(again.body, revoked.body);
    assert.equal((await admin(sandbox, 'POST', `/keys/${id}/rotate`)).status, 409);
    for (const absent of ['nonsense', '00000000-0000-7000-8000-000000000000', '%00', 'x'.repeat(65)]) {
      assert.ok([400, 404].includes((await admin(sandbox, 'DELETE', `/keys/${absent}`)).status), absent);
      assert.ok([400, 404].includes((await admin(sandbox, 'POST', `/keys/${absent}/rotate`)).status), absent);
    }
  });

  it('that is replaced works until its overlap is over, by the clock of the service', async () => {
    const old = await newKey(sandbox, { name: 'old', tier: 'pro', prefixes: ['/tokens'] });
    const rotated = await admin<ApiKey>(sandbox, 'POST', `/keys/${old.id}/rotate`, { overlapSeconds: 3_600 });
    assert.equal(rotated.status, 200);
    const { name, tier, prefixes, rotatedFrom } = rotated.body;
    assert.deepEqual(
      { name, tier, prefixes, rotatedFrom },
      { name: 'old', tier: 'pro', prefixes: ['/tokens'], rotatedFrom: old.id },
    );
    assert.deepEqual([await statusWith(sandbox, old.key), await statusWith(sandbox, rotated.body.key)], [200, 200]);
    await request(`${sandbox.url}/sandbox/clock`, { body: { seconds: 3_601 } });
    assert.deepEqual([await statusWith(sandbox, old.key), await statusWith(sandbox, rotated.body.key)], [401, 200]);

    const atOnce = await admin<ApiKey>(sandbox, 'POST', `/keys/${rotated.body.id}/rotate`, { overlapSeconds: 0 });
    assert.equal(await statusWith(sandbox, rotated.body.key), 401);
    assert.equal(await statusWith(sandbox, atOnce.body.key), 200);
    for (const overlapSeconds of [-1, 1.5, '60', 31_536_001, null]) {
      const refused = await admin(sandbox, 'POST', `/keys/${atOnce.body.id}/rotate`, { overlapSeconds });
      assert.equal(refused.status, 400, String(overlapSeconds));
      assert.match(String(refused.body.error), /overlapSeconds/);
    }
    assert.equal(await statusWith(sandbox, atOnce.body.key), 200, 'a refused rotation changes nothing');
  });

  it('stands nowhere in the data folder and in no line of the log', async () => {
    const made = await newKey(sandbox);
    assert.equal(await statusWith(sandbox, made.key), 200);
    const { body } = await admin<ApiKey>(sandbox, 'POST', `/keys/${made.id}/rotate`, {});
    assert.equal(await statusWith(sandbox, body.key), 200);
    await request(`${sandbox.url}/sandbox/airdrop`, { raw: 'broken', headers: { 'x-api-key': body.key } });
    await sandbox.kill('SIGTERM');
    const token = adminTokenOf(sandbox);
    let files = 0;
    for (const entry of readdirSync(sandbox.dataDir, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      files += 1;
      const bytes = readFileSync(join(entry.parentPath ?? entry.path, entry.name));
      for (const key of [made.key, body.key]) assert.equal(bytes.includes(key.slice(5)), false, entry.name);
    }
    assert.ok(files > 100, 'the database was looked through');
    assert.match(sandbox.log(), /request answered/);
    for (const secret of [made.key, body.key, token]) assert.equal(sandbox.log().includes(secret.slice(5)), false);
  });
});

describe('the admin API', () => {
  it('takes the token of the configuration, or the one in a file that only its owner can read', async () => {
    const file = join(sandbox.dataDir, 'admin.token');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.ok(readFileSync(file, 'utf8').trim().length >= 40);
    assert.equal((await productionKeys('GET', '')).status, 200);
    assert.equal(production.log().includes(TOKEN), false);
  });

  it('refuses everybody else with 401', async () => {
    const { key } = (await productionKeys('POST', '', { name: 'app', tier: 'unlimited' })).body;
    const given = [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      `Bearer ${TOKEN}x`,
      `Bearer ${TOKEN.slice(0, -1)}`,
      `Bearer ${TOKEN.toUpperCase()}`,
      `Basic ${Buffer.from(`admin:${TOKEN}`).toString('base64')}`,
      TOKEN,
      `Bearer ${key}`,
      'Bearer undefined',
    ];
    for (const authorization of given) {
      for (const [method, path] of [
        ['GET', '/keys'],
        ['POST', '/keys'],
        ['GET', '/verifications'],
        ['DELETE', '/keys/x'],
      ] as const) {
        const refused = await request(`${production.url}/admin/v1${path}`, {
          method,
          headers: { authorization, 'x-api-key': key },
          ...(method === 'POST' && { body: { name: 'mine' } }),
        });
        assert.equal(refused.status, 401, `${method} ${path} ${authorization}`);
        assert.deepEqual(refused.body, { error: 'Unauthorized: the admin token is missing or wrong' });
      }
    }
  });
});
