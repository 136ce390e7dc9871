import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  compileMessage,
  deactivateLookupTable,
  generateKeypair,
  setComputeUnitLimit,
  setComputeUnitPrice,
  systemTransfer,
} from '@slipway/wire';
import { connectSigner, type RemoteSigner } from '../../server/dist/signer/index.js';
import { run, SLIPWAY } from './command.js';
import { eventually } from './rounds.js';
import { request, type Service, startService } from './service.js';
import { PUBLIC_URL, type SignerProcess, startSigner } from './signer-process.js';

const ADMIN_TOKEN = 'admin-token-of-the-stops-test';

describe('a stop that an admin sets reaches a signer of its own', () => {
  let signer: SignerProcess;
  let service: Service;
  /** The socket of a copy that does not obey. */
  let evil: RemoteSigner;

  const env = () => ({
    SLIPWAY_SIGNER_URL: signer.urlOf('copy'),
    SLIPWAY_PUBLIC_URL: PUBLIC_URL,
    SLIPWAY_ADMIN_TOKEN: ADMIN_TOKEN,
  });
  before(async () => {
    signer = await startSigner({ copy: ['api', 'keeper', 'sandbox'], evil: ['api', 'keeper'] });
    service = await startService({ env: env() });
    evil = await connectSigner({ endpoint: { path: join(signer.folder, 'evil.sock') }, name: 'evil', patienceMs: 0 });
  });
  after(async () => {
    evil?.close();
    await service?.close();
    await signer?.close();
  });

  const said = (asked: Promise<unknown>) =>
    asked.then(
      () => 'signed',
      (error: Error) => error.message,
    );
  /** What somebody else signs, too. */
  const forClient = () => {
    const wallet = generateKeypair().address;
    const instructions = [
      setComputeUnitLimit(1_000),
      setComputeUnitPrice(1_000n),
      systemTransfer({ from: wallet, to: wallet, lamports: 1n }),
    ];
    const message = compileMessage({ version: 0, feePayer: evil.address('gas'), instructions, blockhash: wallet });
    return said(evil.cosign({ keys: ['gas'], message }));
  };
  /** What the service does by itself. */
  const ownDeed = () => {
    const [keeper, table] = [evil.address('keeper'), generateKeypair().address];
    const instructions = [deactivateLookupTable({ table, authority: keeper })];
    const message = compileMessage({ version: 0, feePayer: keeper, instructions, blockhash: table });
    return said(evil.cosign({ keys: ['keeper'], message }));
  };
  const becomes = (asked: () => Promise<string>, expected: RegExp) =>
    eventually(`${expected}`, async () => (expected.test(await asked()) ? true : undefined), 60, 20);

  const admin = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'x-api-key': undefined };
    const answer = await request(`${service.url}/admin/v1${path}`, { method, headers, ...(body ? { body } : {}) });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  };
  const stop = (what: string, why: string) => admin('PUT', `/stops/${what}`, { why });
  const resume = (what: string) => admin('DELETE', `/stops/${what}`);
  const onMachine = (...args: string[]) => run(SLIPWAY, ['signer', ...args], { cwd: signer.folder });
  const checks = async () => (await request<{ checks: Record<string, string> }>(`${service.url}/readyz`)).body.checks;

  it('attack: a copy that was broken into goes on after an admin has stopped all, takes the stop back, and outlives the others: nothing is signed until he resumes', async () => {
    assert.equal(await forClient(), 'signed');
    await stop('all', 'a copy was broken into');
    await becomes(forClient, /copy has said that all is stopped: a copy was broken into/);
    assert.match(await ownDeed(), /copy has said that all is stopped/);
    assert.deepEqual(await evil.hearStops({}), {});
    assert.match(await forClient(), /copy has said that all is stopped/);
    // It counts before it is written down, which a kill may be too early for.
    await becomes(
      async () => (await onMachine('audit', 'export')).out,
      /"caller":"copy","act":"hear stops","stopped":\{"all":"a copy was broken into"\}/,
    );
    // Without the copy that has said so, after a kill of both.
    await service.kill();
    await signer.kill();
    await signer.start();
    await becomes(() => said(evil.probe()), /^signed$/);
    assert.match(await forClient(), /copy has said that all is stopped: a copy was broken into/);
    assert.match(signer.log(), /"what":"all","reason":"a copy was broken into","caller":"copy","msg":"it is stopped/);
    service = await startService({ env: env(), dataDir: service.dataDir });
    assert.match(await forClient(), /copy has said that all is stopped/);
    await resume('all');
    await becomes(forClient, /^signed$/);
  });

  it('a stop of fills stops what the service does by itself, one of crafts is nothing to the signer', async () => {
    await stop('crafts', 'prices');
    await stop('fills', 'prices');
    await becomes(ownDeed, /copy has said that fills is stopped: prices/);
    assert.equal(await forClient(), 'signed');
    await resume('fills');
    await becomes(ownDeed, /^signed$/);
    await resume('crafts');
  });

  it('attack: a copy that was broken into takes back what "slipway signer stop" has stopped: nothing does but "slipway signer resume"', async () => {
    assert.equal((await onMachine('stop', 'all', '--why', 'theft')).code, 0);
    await becomes(forClient, /its operator has stopped all: theft/);
    await evil.hearStops({});
    await stop('all', 'by the admin');
    await eventually('the copy passes it on', async () => (await evil.state()).stopped.find(({ by }) => by === 'copy'));
    await resume('all');
    await eventually('the copy takes it back', async () =>
      (await evil.state()).stopped.every(({ by }) => by === undefined) ? true : undefined,
    );
    assert.match(await forClient(), /its operator has stopped all: theft/);
    assert.equal((await onMachine('resume')).out, 'Resumed: all.\n');
    await becomes(forClient, /^signed$/);
  });

  it('the operator of the signer goes on, and a copy in which the stop holds says so again; everybody sees it', async () => {
    await stop('all', 'told again');
    await becomes(forClient, /copy has said/);
    assert.match(
      (await onMachine('resume', 'all')).out,
      /^Resumed: all\. Copies in which .* stop it again within seconds/,
    );
    await becomes(async () => (await onMachine('audit', 'export')).out, /"told again".*"told again"/s);
    await becomes(forClient, /copy has said that all is stopped: told again/);
    await eventually('readiness', async () =>
      (await checks()).signerStopped === 'all: told again' ? true : undefined,
    );
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const metrics = async () => `${(await request(`${service.url}/metrics`, { headers })).body}`;
    await becomes(metrics, /slipway_signer_stopped\{what="all"\} 1\n/);
    assert.match(await metrics(), /slipway_signer_warnings 0\n/);
    await resume('all');
    await becomes(forClient, /^signed$/);
  });

  it('attack: a copy that was broken into has its signer stop: that is seen, no other copy takes it back, and the operator of the signer does', async () => {
    await evil.hearStops({ all: 'mischief' });
    await becomes(forClient, /evil has said that all is stopped: mischief/);
    await eventually('readiness', async () => ((await checks()).signerStopped === 'all: mischief' ? true : undefined));
    await sleep(1_000);
    assert.match(await forClient(), /evil has said/);
    assert.match(
      signer.log(),
      /"caller":"evil","stopped":\{"all":"mischief"\},"msg":"a caller has said what is stopped"/,
    );
    assert.match((await onMachine('resume')).out, /^Resumed: all\./);
    await becomes(forClient, /^signed$/);
  });
});
