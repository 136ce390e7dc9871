import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { generateKeypair } from '@slipway/wire';
import { type ApiKey, adminTokenOf } from './admin.js';
import { type Ended, launch, run, SLIPWAY } from './command.js';
import { eventually } from './rounds.js';
import { request, type Service, startOnOwnPort, startService } from './service.js';
import { balancesOf, craft, execute, JUP, newToken, newWallet, RECEIVER } from './wallet.js';

interface Verification {
  id: string;
  tokenId: string;
  state: string;
  note: string | null;
}

let service: Service;
/** The working directory of every command; nothing of the service is in it. */
let cwd: string;
before(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'slipway-cli-'));
  service = await startOnOwnPort({ database: 'embedded' });
});
after(async () => {
  await service?.close();
  rmSync(cwd, { recursive: true, force: true });
});

/** What an operator on the same machine has set. */
const settingsOf = ({ url, rpcUrl, dataDir }: Service) => ({
  SLIPWAY_PORT: new URL(url).port,
  SLIPWAY_RPC_PORT: new URL(rpcUrl).port,
  SLIPWAY_DATA_DIR: dataDir,
});

const slipway = (args: string[], env: Record<string, string> = settingsOf(service)): Promise<Ended> =>
  run(SLIPWAY, args, { env, cwd });

/** Runs a command with --json that must work, and answers what it said. */
async function done<T>(args: string[], env?: Record<string, string>): Promise<T> {
  const { code, out, error } = await slipway([...args, '--json'], env);
  assert.deepEqual([code, error], [0, ''], args.join(' '));
  assert.match(out, /^[{[].*\n$/, 'one line of JSON');
  return JSON.parse(out) as T;
}

/** Runs a command that must fail. */
async function expectFailure(args: string[], code: number, says: RegExp, env?: Record<string, string>): Promise<void> {
  const { code: actual, out, error } = await slipway(args, env);
  assert.deepEqual([actual, out], [code, ''], `${args.join(' ')}: ${error}`);
  assert.match(error, code === 2 ? /^slipway: .*\nSee "slipway( [a-z-]+)* --help"\.\n$/ : /^slipway: .*\n$/);
  assert.match(error, says);
}

/** Runs commands that must fail, side by side. */
async function expectFailures(cases: [args: string[], code: number, says: RegExp][]): Promise<void> {
  await Promise.all(cases.map(([args, code, says]) => expectFailure(args, code, says)));
}

const statusWith = async (key: string): Promise<number> =>
  (await request(`${service.url}/sandbox/info`, { headers: { 'x-api-key': key } })).status;

describe('makers', () => {
  it('are registered, listed without their keys, and removed', async () => {
    const url = 'http://:s3cret@127.0.0.1:1/rfq';
    const keyFile = join(cwd, 'maker.key');
    writeFileSync(keyFile, 's3cret\n', { mode: 0o600 });
    const withFile = ['makers', 'add', 'http://127.0.0.1:1/rfq', '--name', 'desk one', '--key-file', keyFile];
    const added = await slipway(withFile);
    assert.equal(added.error, '');
    const [, id = ''] = /^Maker (\S+) \(desk one\) is asked for quotes/.exec(added.out) ?? [];
    const list = await slipway(['makers', 'list']);
    assert.match(list.out, new RegExp(`^ID +NAME +URL +ADDED\n${id} +desk one +http://:\\*{3}@127\\.0\\.0\\.1:1/rfq `));
    const again = await slipway(['makers', 'add', url, '--name', 'again']);
    assert.equal(again.code, 1);
    assert.match(again.error, /^slipway: other users of this machine can see the key.*\n.*registered already.*\(409\)/);
    await expectFailure(['makers', 'add', 'desk', '--name', 'x'], 1, /url/);
    await expectFailure(['makers', 'add', url, '--name', 'x', '--key-file', keyFile], 2, /no password beside/);
    chmodSync(keyFile, 0o644);
    await expectFailure(withFile, 1, /is open to other users/);
    rmSync(keyFile);
    await expectFailure(withFile, 2, /key does not exist/);
    assert.deepEqual(await done(['makers', 'remove', id]), { id });
    assert.deepEqual(await done(['makers', 'list']), []);
  });
});

describe('keys, with the service running', () => {
  it('are made, listed, replaced and revoked', async () => {
    const made = await done<ApiKey>([
      'keys',
      'create',
      '--name',
      'my app',
      '--tier',
      'pro',
      '--prefixes',
      '/tx,/sandbox',
    ]);
    assert.deepEqual([made.name, made.tier, made.prefixes], ['my app', 'pro', ['/tx', '/sandbox']]);
    assert.equal(await statusWith(made.key), 200);
    const list = await done<ApiKey[]>(['keys', 'list']);
    const { key, ...shown } = made;
    assert.deepEqual(list[0], shown);
    assert.equal(JSON.stringify(list).includes(key), false);

    const replaced = await done<ApiKey>(['keys', 'rotate', made.id, '--overlap', '3600']);
    assert.deepEqual([await statusWith(key), await statusWith(replaced.key)], [200, 200]);
    const last = await done<ApiKey>(['keys', 'rotate', replaced.id, '--overlap=0']);
    assert.deepEqual([await statusWith(replaced.key), await statusWith(last.key)], [401, 200]);
    assert.ok((await done<ApiKey>(['keys', 'revoke', last.id])).revokedAt);
    assert.equal(await statusWith(last.key), 401);
    await expectFailure(['keys', 'rotate', last.id], 1, /revoked/);
  });

  it('are shown to people in lines and columns', async () => {
    const made = await slipway(['keys', 'create', '--name', 'for people']);
    const [, key = ''] = /^(slip_\S+)\n\nKey (\S+) \(free\)\. It cannot be shown again\.\n$/.exec(made.out) ?? [];
    assert.equal(await statusWith(key), 200);
    const list = await slipway(['keys', 'list']);
    assert.match(list.out, /^ID +NAME +KEY +TIER +PATHS +PAGES +CREATED +STATE\n/);
    assert.match(list.out, /for people +slip_\S{3}… +free +all +none +\S+ +active\n/);
  });

  it('are made for pages, and work from these', async () => {
    const origin = 'http://localhost:3000';
    const made = await done<ApiKey>(['keys', 'create', '--name', 'page', '--origins', origin]);
    assert.match(made.key, /^slip_pub_/);
    const ask = async (more: Record<string, string>) =>
      (await request(`${service.url}/ultra/v1/order/routers`, { headers: { 'x-api-key': made.key, ...more } })).status;
    assert.deepEqual([await ask({ origin }), await ask({}), await ask({ origin: `${origin}1` })], [200, 403, 403]);
    const replaced = await done<ApiKey>(['keys', 'rotate', made.id]);
    assert.deepEqual([replaced.key.slice(0, 9), replaced.prefix.length], ['slip_pub_', 12]);
    const foreign = ['keys', 'create', '--name', 'page', '--origins', 'https://evil.example'];
    await expectFailure(foreign, 1, /origins: pages of https:\/\/evil\.example may not call.*SLIPWAY_CORS_ORIGINS/);
  });

  it('ask the service, wherever it is, and need its token', async () => {
    const token = adminTokenOf(service);
    const elsewhere = { SLIPWAY_DATA_DIR: join(cwd, 'absent'), SLIPWAY_ADMIN_TOKEN: token };
    assert.ok(Array.isArray(await done(['keys', 'list', '--url', service.url], elsewhere)));
    assert.ok(Array.isArray(await done(['keys', 'list', '--url', `${service.url}/`], elsewhere)));
    const noToken = { SLIPWAY_DATA_DIR: join(cwd, 'absent') };
    await expectFailure(['keys', 'list', '--url', service.url], 1, /SLIPWAY_ADMIN_TOKEN/, noToken);
    const wrong = { ...settingsOf(service), SLIPWAY_ADMIN_TOKEN: 'a-wrong-token' };
    await expectFailure(['keys', 'list'], 1, /admin token.*\(401\)/, wrong);
    await expectFailure(['keys', 'list', '--url', 'http://127.0.0.1:1'], 1, /127\.0\.0\.1:1 does not answer/);
    assert.equal(existsSync(join(cwd, 'absent')), false);
  });

  it('say what is wrong with what they were given', async () => {
    await expectFailures([
      [['keys', 'create'], 2, /name/i],
      [['keys', 'create', '--name', ''], 2, /--name needs a value/],
      [['keys', 'create', '--nam', 'x'], 2, /--nam.*--name/],
      [['keys', 'create', '--name', 'x', '--tier', 'gold'], 1, /tier must be one of/],
      [['keys', 'create', '--name', 'x', '--prefixes', 'tx'], 1, /prefixes/],
      [['keys', 'creat'], 2, /did you mean create\?/],
      [['keys'], 2, /create, list, rotate, revoke/],
      [['keys', 'revoke'], 2, /id/i],
      [['keys', 'revoke', 'nonsense'], 1, /no key with this id \(404\)/],
      [['keys', 'revoke', '../makers'], 1, /404/],
      [['keys', 'rotate', 'x', '--overlap', 'long'], 2, /--overlap/],
      [['keys', 'list', 'more'], 2, /too many arguments/],
      [['keys', 'list', '--url', 'ftp://x'], 2, /--url/],
      [['kyes', 'list'], 2, /did you mean keys\?/],
      [['orders', 'explain', 'x'], 2, /did you mean trigger-orders explain\?/],
    ]);
  });

  it('fail in JSON where JSON was asked for', async () => {
    for (const [args, code, says] of [
      [['keys', 'revoke', 'nonsense'], 1, /no key with this id/],
      [['kyes', 'list'], 2, /did you mean keys\?/],
    ] as const) {
      const { code: actual, out, error } = await slipway([...args, '--json']);
      assert.deepEqual([actual, out], [code, '']);
      assert.match((JSON.parse(error) as { error: string }).error, says);
    }
  });
});

describe('airdrop', () => {
  it('gives SOL and tokens, as people write them or in the smallest unit', async () => {
    const { address } = generateKeypair();
    const first = await slipway(['airdrop', address, '1.5']);
    assert.equal(first.code, 0);
    assert.match(first.out, new RegExp(`^1\\.5 SOL to ${address}\\n[1-9A-HJ-NP-Za-km-z]{64,88}\\n$`));
    await done(['airdrop', address, '1', '--raw']);
    await done(['airdrop', address, '2.000001', '--mint', 'jup']);
    await done(['airdrop', address, '5', '--raw', '--mint', JUP]);
    assert.deepEqual(await balancesOf(service, address), { lamports: 1_500_000_001n, jup: 2_000_006n });
  });

  it('refuses what is no wallet, no amount and no mint', async () => {
    const { address } = generateKeypair();
    const amounts = ['0', '1e3', '1.0000000001'];
    await expectFailures([
      ...amounts.map((amount): [string[], number, RegExp] => [['airdrop', address, amount], 2, /amount/]),
      [['airdrop', address, '-1'], 2, /-1/],
      [['airdrop', address, '1.5', '--raw'], 2, /whole number/],
      [['airdrop', 'nobody', '1'], 2, /WALLET/],
      [['airdrop', address], 2, /amount/i],
      [['airdrop', address, '1', '--mint', 'JUPP'], 2, /did you mean JUP\?/],
      [['airdrop', address, '1', '--raw', '--mint', generateKeypair().address], 1, /no such mint.*404/],
    ]);
    assert.deepEqual(await balancesOf(service, address), { lamports: 0n, jup: 0n });
  });
});

describe('quote', () => {
  interface Order {
    inAmount: string;
    outAmount: string;
    router: string;
    transaction: string | null;
  }

  it('tells what a swap would give, of tokens by symbol and by mint', async () => {
    const { code, out, error } = await slipway(['quote', '1.5', 'sol', 'JUPUSD']);
    assert.deepEqual([code, error], [0, '']);
    const [, sold, bought] = /^([0-9.]+) SOL -> ([0-9.]+) JUPUSD\n/.exec(out)!;
    // A pool leaves what would bring nothing more.
    assert.ok(Number(sold) <= 1.5 && Number(sold) > 1.4999, sold);
    assert.ok(Number(bought) > 215 && Number(bought) < 226, bought);
    assert.match(out, /\n {2}Router .*\n {2}Route .*[\s\S]*\n {2}Price +1 SOL = 1[45]\d\.\d+ JUPUSD\n/);
    const byMint = await done<Order>(['quote', '1', 'USDC', JUP, '--exclude-routers', 'jupiterz']);
    assert.deepEqual([byMint.router, byMint.transaction], ['metis', null]);
    assert.ok(BigInt(byMint.inAmount) <= 1_000_000n && BigInt(byMint.inAmount) > 999_000n);
    const raw = await done<Order>(['quote', '7', 'USDC', JUP, '--raw', '--taker', generateKeypair().address]);
    assert.equal(raw.transaction, '');
    assert.ok(BigInt(raw.inAmount) <= 7n);
  });

  it('refuses what is no token, no amount, no wallet and no router', async () => {
    await expectFailures([
      [['quote', '1', 'USDX', 'SOL'], 2, /no token is called USDX/],
      [['quote', '1', 'USD', 'SOL'], 2, /did you mean one of USDC/],
      [['quote', '0', 'SOL', 'USDC'], 2, /amount/],
      [['quote', '1', 'SOL', 'USDC', '--taker', 'me'], 2, /--taker/],
      [['quote', '1', 'SOL', 'USDC', '--exclude-routers', 'nobody'], 1, /--exclude-routers.*\(400\)/],
      [['quote', '1', 'SOL', 'sol'], 1, /TO: .* FROM/],
    ]);
  });
});

describe('verifications', () => {
  it('are listed, approved and rejected', async () => {
    const wallet = await newWallet(service);
    const tokens = [await newToken(service), await newToken(service), await newToken(service)];
    for (const tokenId of tokens) {
      const paid = await execute(service, await craft(service, wallet.address), wallet, { tokenId });
      assert.equal(paid.body.status, 'Success');
    }
    type Page = { verifications: Verification[]; nextCursor: string | null };
    const first = await done<Page>(['verifications', 'list', '--state', 'pending', '--limit', '2']);
    assert.deepEqual(
      first.verifications.map(({ tokenId }) => tokenId),
      [tokens[2], tokens[1]],
    );
    const second = await done<Page>(['verifications', 'list', '--limit', '2', '--cursor', first.nextCursor!]);
    assert.deepEqual(
      second.verifications.map(({ tokenId }) => tokenId),
      [tokens[0]],
    );
    assert.equal(second.nextCursor, null);

    const [rejected, approved] = first.verifications.map(({ id }) => id);
    const yes = await done<Verification>(['verifications', 'approve', approved!, '--note', 'looks good']);
    assert.deepEqual([yes.state, yes.note], ['approved', 'looks good']);
    assert.match((await slipway(['verifications', 'reject', rejected!])).out, /rejected\n$/);
    await expectFailure(['verifications', 'approve', rejected!], 1, /pending.*409/);
    await expectFailure(['verifications', 'reject', 'nonsense'], 1, /404/);
    await expectFailure(['verifications', 'list', '--state', 'open'], 2, /pending/);
    await expectFailure(['verifications', 'list', '--limit', '0'], 1, /limit: .*1/);
    const eligibility = `${service.url}/tokens/v2/verify/express/check-eligibility?tokenId=`;
    assert.equal((await request(`${eligibility}${tokens[1]}`)).body.isVerified, true);
    assert.equal((await request(`${eligibility}${tokens[2]}`)).body.canVerify, true);
    const table = await slipway(['verifications', 'list']);
    assert.match(table.out, /^ID +TOKEN +KIND +STATE/);
    for (const token of tokens) assert.ok(table.out.includes(token));
  });
});

describe('doctor', () => {
  type Report = { ok: boolean; checks: { name: string; ok: boolean; detail: string; next?: string }[] };

  /** Until just these are wrong: on a busy machine something else may have taken too long. */
  function doctorFinds(wrong: string[], env?: Record<string, string>): Promise<Report> {
    return eventually(`just this is wrong: ${wrong}`, async () => {
      const { code, out } = await slipway(['doctor', '--json'], env);
      const report = JSON.parse(out) as Report;
      assert.deepEqual([code, report.ok], report.checks.every(({ ok }) => ok) ? [0, true] : [1, false]);
      const found = report.checks.filter(({ ok }) => !ok).map(({ name }) => name);
      return found.join() === wrong.join() ? report : undefined;
    });
  }

  it('finds a running service well', async () => {
    const { checks } = await doctorFinds([]);
    const details = new Map(checks.map(({ name, detail }) => [name, detail]));
    assert.match(details.get('service') ?? '', /ready/);
    assert.match(details.get('rpc') ?? '', /healthy/);
    assert.match(details.get('signer') ?? '', /opens/);
    const text = await eventually('it says so in words', async () => {
      const said = await slipway(['doctor']);
      return said.code === 0 ? said : undefined;
    });
    assert.equal(text.error, '');
    assert.equal(text.out.trimEnd().split('\n').length, checks.length);
  });

  it('says what is wrong, what to do about it, and fails', async () => {
    const { checks } = await doctorFinds(['admin token'], { ...settingsOf(service), SLIPWAY_ADMIN_TOKEN: 'wrong' });
    const wrong = checks.filter((check) => !check.ok);
    assert.match(wrong[0]!.next ?? '', /SLIPWAY_ADMIN_TOKEN/);
    const bad = await slipway(['doctor'], { SLIPWAY_PORT: 'x' });
    assert.equal(bad.code, 1);
    assert.match(bad.out, /^failed +configuration +SLIPWAY_PORT/);
  });
});

it('help and version are given to whoever asks, errors go to standard error', async () => {
  for (const args of [['--help'], ['-h'], ['keys', '--help'], ['airdrop', '-h']]) {
    const { code, out, error } = await slipway(args, {});
    assert.deepEqual([code, error], [0, ''], args.join(' '));
    assert.match(out, /USAGE|Usage/);
  }
  for (const words of [
    ['signer'],
    ...['init', 'rekey', 'rotate', 'stop', 'resume', 'audit'].map((each) => ['signer', each]),
  ]) {
    const { out } = await slipway([...words, '--help'], {});
    assert.match(out, new RegExp(`Examples?:\n {2}\\$ slipway ${words.join(' ')}`), words.join(' '));
  }
  assert.match((await slipway(['--version'], {})).out, /^\d+\.\d+\.\d+\n$/);
  await expectFailure(['keys', 'list'], 1, /SLIPWAY_PROT.*SLIPWAY_PORT\?/, { SLIPWAY_PROT: '1' });
});

it('a production service gives nothing away', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipway-test-'));
  writeFileSync(join(dataDir, 'slipway.config.json'), JSON.stringify({ express: { receiver: RECEIVER } }));
  const env = {
    SLIPWAY_RPC_URL: service.rpcUrl,
    SLIPWAY_EMBEDDED_DATABASE: '1',
    SLIPWAY_SIGNER_PASSPHRASE: 'correct horse battery staple',
  };
  const production = await startService({ env, dataDir });
  try {
    const { address } = generateKeypair();
    await expectFailure(['airdrop', address, '1', '--url', production.url], 1, /not a sandbox/);
    assert.equal((await fetch(`${production.url}/sandbox/wallet.js`)).status, 404);
  } finally {
    await production.close();
  }
});

describe('without a service', () => {
  it('keys work on the store itself, but never while somebody holds it', async () => {
    const env = settingsOf(service);
    const unused = { ...env, SLIPWAY_PORT: '1' };
    await expectFailure(['keys', 'list'], 1, /in use by process \d+/, unused);
    await expectFailure(['keys', 'create', '--name', 'x'], 1, /in use by process \d+/, unused);
    assert.equal((await request(`${service.url}/livez`)).status, 200);

    await service.kill('SIGTERM');
    const made = await done<ApiKey>(['keys', 'create', '--name', 'made offline'], env);
    assert.equal((await done<ApiKey[]>(['keys', 'list'], env))[0]?.id, made.id);
    assert.equal(existsSync(join(service.dataDir, 'lock')), false);
    await expectFailure(['airdrop', generateKeypair().address, '1'], 1, /does not answer/, env);
    const { ok } = await done<{ ok: boolean }>(['doctor'], env);
    assert.equal(ok, true);

    service = await startService({ dataDir: service.dataDir });
    assert.equal(await statusWith(made.key), 200);
  });

  it('and without a data folder there is nothing to list, and nothing is made', async () => {
    const absent = join(cwd, 'absent');
    await expectFailure(['keys', 'list'], 1, /no service answers.*slipway serve/, {
      SLIPWAY_PORT: '1',
      SLIPWAY_DATA_DIR: absent,
    });
    assert.equal(existsSync(absent), false);
  });

  it('a token file that others may read is refused', async () => {
    const folder = join(cwd, 'open');
    mkdirSync(folder);
    writeFileSync(join(folder, 'admin.token'), 'x'.repeat(43));
    chmodSync(join(folder, 'admin.token'), 0o644);
    await expectFailure(['keys', 'list', '--url', service.url], 1, /admin\.token/, { SLIPWAY_DATA_DIR: folder });
  });
});

describe('scores watch', () => {
  it('prints the games of the sandbox once, for people or in JSON', async () => {
    const { code, out, error } = await slipway(['scores', 'watch', '--for', '0']);
    assert.deepEqual([code, error], [0, '']);
    assert.match(out, /^\S+Z {2}SIM-1 {2}live {2}Slipway Rovers \d+-\d+ Devnet United {2}\S+/);
    assert.equal(out.trim().split('\n').length, 5);
    const json = await slipway(['scores', 'watch', 'SIM-1', 'none', '--for', '0', '--json']);
    assert.deepEqual([json.code, json.error], [0, '']);
    assert.equal(JSON.parse(json.out).eventId, 'SIM-1');
  });

  it('prints each change until it is interrupted', async () => {
    const watch = launch(SLIPWAY, ['scores', 'watch', 'SIM-5', '--json'], { env: settingsOf(service), cwd });
    await watch.says(/"SIM-5"/);
    await request(`${service.url}/sandbox/clock`, { body: { seconds: 12 * 3_600 } });
    await watch.says(/"ended":true/);
    watch.child.kill('SIGINT');
    const { code, out, error } = await watch.ended;
    assert.deepEqual([code, error], [0, '']);
    const scores = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.ok(scores.every(({ eventId }) => eventId === 'SIM-5'));
    assert.deepEqual([scores.at(0).ended, scores.at(-1).ended], [false, true]);
  });

  it('fails where no service answers', async () => {
    await expectFailure(['scores', 'watch', '--url', 'http://127.0.0.1:1'], 1, /does not answer/);
  });
});
