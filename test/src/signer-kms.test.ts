import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { KEYS, KmsDouble } from '../../server/dist/signer/kms/testing.js';
import { run, SLIPWAY } from './command.js';
import { eventually } from './rounds.js';
import { request, type Service, startService } from './service.js';
import { PUBLIC_URL, signerIn } from './signer-process.js';
import {
  type Created,
  deposit,
  hasDied,
  newOrder,
  newUser,
  orderBody,
  post,
  rowOf,
  SOL,
  usdcOf,
} from './trigger-user.js';

const AWAY = 'What signs for the service cannot be reached at the moment';
const PASSPHRASE = 'a passphrase of the backup';

describe('a service whose signer has its keys in AWS KMS', () => {
  const kms = new KmsDouble();
  let folder: string;
  let signer: ReturnType<typeof signerIn>;
  let service: Service;

  const at = (name: string) => join(folder, name);
  const setPrice = (usd: number) => request(`${service.url}/sandbox/prices`, { body: { mint: SOL, usd } });
  const readiness = () => request<{ checks: Record<string, string> }>(`${service.url}/readyz`);
  const ready = () =>
    eventually('it is ready', async () => {
      const { status, body } = await readiness();
      return status === 200 ? body.checks : undefined;
    });

  before(async () => {
    await kms.start();
    folder = mkdtempSync(join(tmpdir(), 'slipway-kms-'));
    const settings = {
      file: 'signer.json',
      publicUrl: PUBLIC_URL,
      kms: kms.makeAll(),
      callers: { sandbox: { roles: ['api', 'keeper', 'sandbox'], socket: 'sandbox.sock' } },
    };
    writeFileSync(at('slipway.signer.json'), JSON.stringify(settings));
    const env = { AWS_ACCESS_KEY_ID: KEYS.accessKeyId, AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey };
    const init = ['signer', 'init', '--backup', 'backup.json'];
    const made = await run(SLIPWAY, init, { cwd: folder, env: { ...env, SLIPWAY_SIGNER_PASSPHRASE: PASSPHRASE } });
    assert.equal(made.code, 0, made.error);
    signer = signerIn({ env, cwd: folder });
    await signer.start();
    service = await startService({
      env: { SLIPWAY_SIGNER_URL: `unix:${at('sandbox.sock')}`, SLIPWAY_PUBLIC_URL: PUBLIC_URL },
    });
  });
  after(async () => {
    await service?.close();
    await signer?.kill();
    await kms.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('takes an order and fills it, with signatures of AWS KMS', async () => {
    assert.equal((await setPrice(150)).status, 200);
    const user = await newUser(service);
    const before = await usdcOf(user);
    const { id: waiting } = await newOrder(user);
    const crafted = await deposit(user);
    const priced = orderBody(user, crafted, { triggerPriceUsd: 160 });
    const { body: created } = await post<Created>(user, '/orders/price', priced);
    assert.equal((await setPrice(165)).status, 200);
    const row = await eventually('it is filled', async () => {
      const found = await rowOf(user, created.id);
      return found.rawState === 'fill_success' ? found : undefined;
    });
    assert.equal((await usdcOf(user)) - before, BigInt(row.outputAmount as string));
    assert.equal((await rowOf(user, waiting)).rawState, 'open');
    for (const role of ['tracker', 'keeper']) {
      const { arn } = kms.keyOf(`alias/slipway-${role}`);
      assert.ok(
        kms.asked.some(({ operation, input }) => operation === 'Sign' && input.KeyId === arn),
        role,
      );
    }
    assert.deepEqual(kms.refused, []);
  });

  it('while AWS KMS is away: 503 with Retry-After, not ready; logins and vaults go on; and all recovers by itself', async () => {
    const user = await newUser(service);
    const crafted = await deposit(user);
    const body = orderBody(user, crafted);
    assert.equal((await ready()).signer, 'ok');
    await kms.stop();
    const answer = await post(user, '/orders/price', body);
    // The contract of trigger orders has no 503.
    assert.equal(answer.status, 500, JSON.stringify(answer.body));
    assert.equal(answer.headers.get('retry-after'), '1');
    assert.deepEqual(answer.body, { error: AWAY });
    // What was found before is kept for a second, in which something else may have taken too long.
    const unready = await eventually('its readiness says so', async () => {
      const found = await readiness();
      return found.body.checks.signer === 'failed' ? found : undefined;
    });
    assert.equal(unready.status, 503);
    const other = await newUser(service).catch((error: Error) => error);
    assert.ok(!(other instanceof Error), String(other));
    assert.notEqual(other.vault, user.vault);
    assert.match(signer.log(), /AWS KMS is away: its keys sign nothing/);
    await kms.start();
    assert.equal((await ready()).signer, 'ok');
    let made = await post<Created>(user, '/orders/price', body);
    // It may have been away for longer than a deposit lives.
    if (hasDied(made)) made = await post<Created>(user, '/orders/price', orderBody(user, await deposit(user)));
    assert.equal(made.status, 200, JSON.stringify(made.body));
    await eventually('the log says so', async () => signer.log().includes('AWS KMS is back') || undefined);
  });

  it('is found by doctor, which says where the keys are, and tries them', async () => {
    const place = { cwd: service.dataDir, env: { SLIPWAY_SIGNER_URL: `unix:${at('sandbox.sock')}` } };
    const doctor = async () => (await run(SLIPWAY, ['doctor', '--url', service.url], place)).out;
    assert.match(
      await doctor(),
      /signer\s.*sandbox\.sock answers, and knows this caller as sandbox; its keys are in AWS KMS \(127\.0\.0\.1:\d+, with credentials of the environment\), and \S+signer\.json, which it opens, and sign/,
    );
    kms.keyOf('alias/slipway-keeper').enabled = false;
    const said = await eventually('it says so', async () => {
      const out = await doctor();
      return /DisabledException/.test(out) ? out : undefined;
    });
    assert.match(
      said,
      /AWS KMS does not do kms:Sign with arn:aws:kms:\S+ \(DisabledException, request [0-9a-f-]+\): enable the key/,
    );
    kms.keyOf('alias/slipway-keeper').enabled = true;
    await ready();
  });

  it('writes no secret anywhere', () => {
    const files = ['signer.json', 'slipway.signer.json'].map((name) => readFileSync(at(name), 'utf8'));
    for (const text of [signer.log(), service.log(), ...files])
      for (const secret of [KEYS.secretAccessKey, PASSPHRASE]) assert.ok(!text.includes(secret));
  });
});
