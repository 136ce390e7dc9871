import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { clientOf } from './client.js';
import { request, type Service, startService } from './service.js';
import { walletNamed } from './wallet.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const withoutCurl = spawnSync('curl', ['--version']).error ? 'there is no curl' : false;

/** They end the login that the others need. */
const LAST = ['post /trigger/v2/auth/logout', 'delete /admin/v1/logins/{wallet}', 'post /sandbox/clock'];
/** The wallet of the test has its vault already. */
const ONCE = 'get /trigger/v2/vault/register';

interface Sample {
  operation: string;
  lang: string;
  source: string;
}

describe('the code samples of the API document', () => {
  let service: Service;
  let samples: Sample[];
  /** Beside the packages of the workspace, so that the samples find the client. */
  let folder: string;
  before(async () => {
    service = await startService();
    type Paths = Record<string, Record<string, { 'x-codeSamples'?: Omit<Sample, 'operation'>[] }>>;
    const { paths } = (await request<{ paths: Paths }>(`${service.url}/openapi.json`)).body;
    samples = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) =>
        (operation['x-codeSamples'] ?? []).map((sample) => ({ operation: `${method} ${path}`, ...sample })),
      ),
    );
    const dist = join(ROOT, 'test', 'dist');
    mkdirSync(dist, { recursive: true });
    folder = mkdtempSync(join(dist, 'samples-'));
  });
  // Anew for each, because the last samples end it.
  beforeEach(async () => {
    const { token } = await clientOf(service, await walletNamed(service, 'alice')).login();
    const adminToken = readFileSync(join(service.dataDir, 'admin.token'), 'utf8').trim();
    Object.assign(process.env, { SLIPWAY_TOKEN: token, SLIPWAY_ADMIN_TOKEN: adminToken });
  });
  after(async () => {
    await service?.close();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  const of = (lang: string) => {
    const found = samples.filter((sample) => sample.lang === lang);
    assert.ok(found.length >= 30, `${found.length}`);
    return found.sort((a, b) => LAST.indexOf(a.operation) - LAST.indexOf(b.operation));
  };

  it('of curl are answered 200', { skip: withoutCurl }, () => {
    // Asked again, as whoever tries it does, where no router had time for a quote.
    const options = `--silent --retry 10 --write-out '\n%{http_code}'`;
    for (const { operation, source } of of('Shell')) {
      const printed = execFileSync('sh', ['-c', `${source} ${options}`], {
        encoding: 'utf8',
      });
      assert.match(printed, operation === ONCE ? /\n409$/ : /\n200$/, `${operation}: ${printed}`);
    }
  });

  it('of the client compile strictly, and run', async (t) => {
    const written = of('TypeScript').map(({ operation, source }, i) => {
      const file = join(folder, `sample-${i}`);
      for (const extension of ['mts', 'mjs']) writeFileSync(`${file}.${extension}`, source);
      return { operation, file };
    });
    const flags =
      '--ignoreConfig --noEmit --strict --skipLibCheck --target es2023 --module nodenext --lib es2023,dom --types node';
    const tsc = join(ROOT, 'node_modules', 'typescript-7', 'bin', 'tsc');
    const files = written.map(({ file }) => `${file}.mts`);
    const { stdout } = spawnSync(process.execPath, [tsc, ...flags.split(' '), ...files], {
      cwd: folder,
      encoding: 'utf8',
    });
    assert.equal(stdout, '');
    const log = t.mock.method(console, 'log', () => {});
    for (const { operation, file } of written) {
      const run = import(pathToFileURL(`${file}.mjs`).href);
      if (operation === ONCE) await assert.rejects(run, { status: 409 });
      else await run;
    }
    assert.equal(log.mock.callCount(), written.length - 1);
  });
});
