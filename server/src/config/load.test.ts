import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ConfigError, describeConfig, loadConfig } from './index.js';

const folder = mkdtempSync(join(tmpdir(), 'slipway-config-'));
after(() => rmSync(folder, { recursive: true }));

let files = 0;
function load(env: Record<string, string> = {}, settings?: unknown) {
  if (settings === undefined) return loadConfig(env, { cwd: folder });
  const path = join(folder, `settings-${++files}.json`);
  writeFileSync(path, typeof settings === 'string' ? settings : JSON.stringify(settings));
  return loadConfig({ ...env, SLIPWAY_CONFIG: path }, { cwd: folder });
}

function complaint(env: Record<string, string>, settings?: unknown): string {
  try {
    load(env, settings);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    for (const fault of error.faults) {
      assert.equal(fault.includes('\n'), false, 'a line for each fault');
      assert.ok(error.message.includes(fault));
    }
    return error.faults.join('\n');
  }
  assert.fail(`accepted: ${JSON.stringify({ env, settings })}`);
}

const MINT = 'So11111111111111111111111111111111111111112';
const production = {
  SLIPWAY_RPC_URL: 'https://rpc.example.com/?api-key=rpcsecret',
  DATABASE_URL: 'postgres://slipway:databasesecret@db.example.com/slipway',
  SLIPWAY_SIGNER_PASSPHRASE: 'passphrasesecret',
};
const receiver = { express: { receiver: MINT } };

test('nothing set is a sandbox on this machine with everything inside', () => {
  const config = load();
  assert.equal(config.sandbox, true);
  assert.deepEqual([...config.roles], ['api', 'keeper']);
  assert.deepEqual(config.http, {
    host: '127.0.0.1',
    port: 8080,
    publicUrl: 'http://127.0.0.1:8080',
    hosts: [],
    keyless: false,
    console: true,
    trustedProxies: [],
    corsOrigins: 'localhost',
    strict: false,
  });
  assert.deepEqual(config.chain, { kind: 'embedded', rpcPort: 8899 });
  assert.equal(config.dataDir, join(folder, '.slipway'));
  assert.deepEqual(config.signer, { kind: 'file', file: join(folder, '.slipway', 'signer.json') });
  assert.deepEqual(config.store, { kind: 'embedded' });
  assert.equal(config.adminToken, undefined);
  assert.equal(config.logLevel, 'warn');
  assert.equal(config.tokens.platform.symbol, 'JUP');
  assert.deepEqual(config.tiers.free, { perMinute: 60, executePer10s: 500 });
  const bounds = { underWayPerKey: 500, underWay: 5_000, keepDays: 7 };
  assert.deepEqual(config.submit, { minTipLamports: 0n, tipAccounts: [], ...bounds });
  assert.equal(config.rpc.callsPerSecond, 100_000);
});

test('an outside RPC or NODE_ENV=production ends the sandbox, unless it is asked for', () => {
  assert.equal(load(production, receiver).sandbox, false);
  assert.equal(load(production, receiver).http.corsOrigins.length, 0);
  assert.equal(load({ SLIPWAY_RPC_URL: 'http://127.0.0.1:8899', SLIPWAY_SANDBOX: '1' }).sandbox, true);
  assert.equal(load({ NODE_ENV: 'production', SLIPWAY_SANDBOX: '1' }).sandbox, true);
  assert.match(complaint({ NODE_ENV: 'production' }), /SLIPWAY_RPC_URL is required/);
});

test('every variable reaches its place', () => {
  const config = load(
    {
      ...production,
      SLIPWAY_HOST: '0.0.0.0',
      SLIPWAY_PORT: '9000',
      SLIPWAY_PUBLIC_URL: 'https://api.example.com/base/',
      SLIPWAY_CORS_ORIGINS: 'https://a.example.com, http://localhost:3000',
      SLIPWAY_HOSTS: 'slipway,box.lan',
      SLIPWAY_OPERATIONS_PORT: '9090',
      SLIPWAY_KEYLESS: '1',
      SLIPWAY_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8,2001:db8::/32',
      SLIPWAY_ROLES: 'keeper',
      SLIPWAY_RPC_WS_URL: 'wss://rpc.example.com',
      SLIPWAY_SEND_URLS: 'https://send1.example.com,https://send2.example.com',
      SLIPWAY_DATA_DIR: 'data',
      SLIPWAY_SIGNER_FILE: 'keys/signer.json',
      SLIPWAY_ADMIN_TOKEN: 'token-of-22-characters',
      SLIPWAY_LOG_LEVEL: 'debug',
      DATABASE_URL: 'postgresql://user:password@db/slipway',
    },
    {
      tokens: { platform: { symbol: 'ACME', mint: MINT, decimals: 9 } },
      express: { receiver: MINT, gasless: true },
      fees: { percentile: 50, maxMicroLamports: 1000, walletSolPerHour: 0.5, walletSolPerDay: 4 },
      tiers: { free: { perMinute: 1, executePer10s: 2 }, gold: { perMinute: 3, executePer10s: 4 } },
      submit: { minTipLamports: '1000000', tipAccounts: [MINT], underWayPerKey: 2, underWay: 3, keepDays: 4 },
      rpc: { callsPerSecond: 50 },
    },
  );
  assert.deepEqual([...config.roles], ['keeper']);
  assert.equal(config.http.publicUrl, 'https://api.example.com/base');
  assert.equal(config.http.keyless, true);
  assert.deepEqual(config.http.trustedProxies, ['127.0.0.1', '10.0.0.0/8', '2001:db8::/32']);
  assert.deepEqual(config.http.corsOrigins, ['https://a.example.com', 'http://localhost:3000']);
  assert.deepEqual(config.chain, {
    kind: 'outside',
    rpcUrl: production.SLIPWAY_RPC_URL,
    wsUrl: 'wss://rpc.example.com',
    sendUrls: ['https://send1.example.com', 'https://send2.example.com'],
  });
  const { passphrase } = config.signer as { passphrase?: string };
  assert.deepEqual(config.signer, { kind: 'file', file: join(folder, 'keys/signer.json'), passphrase });
  assert.equal(config.dataDir, join(folder, 'data'));
  assert.deepEqual(config.store, { kind: 'postgres', url: 'postgresql://user:password@db/slipway' });
  assert.deepEqual([config.tokens.platform.symbol, config.tokens.usdc.symbol], ['ACME', 'USDC']);
  assert.deepEqual(config.express, { receiver: MINT, gasless: true });
  assert.deepEqual(config.fees, { percentile: 50, maxMicroLamports: 1000, walletSolPerHour: 0.5, walletSolPerDay: 4 });
  assert.deepEqual(Object.keys(config.tiers), ['keyless', 'free', 'developer', 'launch', 'pro', 'gold']);
  assert.equal(config.tiers.free?.perMinute, 1);
  const bounds = { underWayPerKey: 2, underWay: 3, keepDays: 4 };
  assert.deepEqual(config.submit, { minTipLamports: 1_000_000n, tipAccounts: [MINT], ...bounds });
  assert.equal(config.rpc.callsPerSecond, 50);
  assert.equal(load(production, receiver).rpc.callsPerSecond, 300);

  const embedded = load({
    SLIPWAY_PROGRAMS_DIR: 'programs',
    SLIPWAY_FORK_URL: 'https://up.example',
    SLIPWAY_RPC_PORT: '0',
  });
  assert.deepEqual(embedded.chain, {
    kind: 'embedded',
    rpcPort: 0,
    programsDir: join(folder, 'programs'),
    forkUrl: 'https://up.example',
  });
  assert.equal(load({ SLIPWAY_HOST: '::1' }).http.publicUrl, 'http://[::1]:8080');
});

test('a public sandbox listens on all addresses, is called by a name, and calls nothing in private networks', () => {
  const { sandbox, publicSandbox, http, events } = load({ SLIPWAY_SANDBOX_PUBLIC: '1', NODE_ENV: 'production' });
  assert.deepEqual([sandbox, publicSandbox, events.privateWebhooks], [true, true, false]);
  assert.deepEqual([http.host, http.publicUrl], ['0.0.0.0', 'http://localhost:8080']);
  const behindProxy = {
    SLIPWAY_SANDBOX_PUBLIC: '1',
    SLIPWAY_HOST: '127.0.0.1',
    SLIPWAY_PUBLIC_URL: 'https://box.example',
  };
  assert.deepEqual(
    [load(behindProxy).http.host, load(behindProxy).http.publicUrl],
    ['127.0.0.1', 'https://box.example'],
  );
  const { publicSandbox: otherwise, events: others } = load();
  assert.deepEqual([otherwise, others.privateWebhooks], [false, true]);
});

test('the games behind the events of a feed are read, without those of the sandbox', () => {
  assert.deepEqual(load().scores, { url: 'wss://sports-api.polymarket.com/ws', games: {} });
  const games = { 'POLY-351731': '90086923', 'POLY-351732': 'nfl-den-kc-2026-11-22' };
  const { scores } = load({ SLIPWAY_SCORES_URL: 'ws://127.0.0.1:9/ws' }, { scores: { games } });
  assert.deepEqual(scores, { url: 'ws://127.0.0.1:9/ws', games });
  assert.match(complaint({ SLIPWAY_SCORES_URL: 'https://x.example' }), /^SLIPWAY_SCORES_URL .*ws:\/\/ or wss:/);
  assert.match(complaint({}, { scores: { games: { 'SIM-2': '1' } } }), /scores\.games has SIM-2/);
  for (const eventId of ['', 'a,b', 'nul \u0000', 'x'.repeat(201)]) {
    assert.match(complaint({}, { scores: { games: { [eventId]: '1' } } }), /scores\.games/);
  }
  for (const game of [7, '', null]) {
    assert.match(complaint({}, { scores: { games: { 'POLY-1': game } } }), /scores\.games/);
  }
});

const bucket = {
  SLIPWAY_S3_BUCKET: 'uploads',
  SLIPWAY_S3_REGION: 'eu-central-1',
  SLIPWAY_S3_PUBLIC_URL: 'https://cdn.example.com/u/',
};
const bucketKeys = { SLIPWAY_S3_ACCESS_KEY_ID: 'AKID', SLIPWAY_S3_SECRET_ACCESS_KEY: 'bucketsecret' };

test('uploads go into the data folder, or into the bucket that is named whole', () => {
  assert.deepEqual(load().objects, { store: { kind: 'local' }, maxImageBytes: 5_242_880, urlSeconds: 900 });
  const publicUrl = 'https://cdn.example.com/u';
  const store = { kind: 's3', bucket: 'uploads', region: 'eu-central-1', publicUrl };
  assert.deepEqual(load(bucket).objects.store, store);
  const endpoint = 'http://127.0.0.1:9000';
  const all = load({ ...bucket, ...bucketKeys, SLIPWAY_S3_ENDPOINT: `${endpoint}/` }, { uploads: { urlSeconds: 60 } });
  const credentials = { accessKeyId: 'AKID', secretAccessKey: 'bucketsecret' };
  assert.deepEqual(all.objects, {
    store: { ...store, endpoint, credentials },
    maxImageBytes: 5_242_880,
    urlSeconds: 60,
  });
  assert.doesNotMatch(JSON.stringify(describeConfig(all)), /bucketsecret/);
  const none = { ...bucket, SLIPWAY_S3_BUCKET: '' };
  assert.match(complaint(none), /SLIPWAY_S3_REGION belongs to a bucket, but SLIPWAY_S3_BUCKET is not set/);
  assert.match(complaint(bucketKeys), /SLIPWAY_S3_ACCESS_KEY_ID belongs to a bucket/);
  for (const name of ['SLIPWAY_S3_REGION', 'SLIPWAY_S3_PUBLIC_URL']) {
    assert.match(complaint({ ...bucket, [name]: '' }), new RegExp(`^${name} is required`));
  }
  for (const name of Object.keys(bucketKeys)) {
    const half = complaint({ ...bucket, ...bucketKeys, [name]: '' });
    assert.match(half, /set both or neither/);
    assert.doesNotMatch(half, /bucketsecret/);
  }
  for (const name of ['x', 'Uploads', 'a/b', 'a_b', `${'a'.repeat(64)}`]) {
    assert.match(complaint({ ...bucket, SLIPWAY_S3_BUCKET: name }), /SLIPWAY_S3_BUCKET is /);
  }
  for (const url of ['cdn.example.com', 's3://x', 'https://u:p@x.example', 'https://x.example/?a=1']) {
    assert.match(complaint({ ...bucket, SLIPWAY_S3_PUBLIC_URL: url }), /SLIPWAY_S3_PUBLIC_URL must be/);
  }
  assert.match(complaint({}, { uploads: { maxImageBytes: 0 } }), /uploads\.maxImageBytes/);
  assert.match(complaint({}, { uploads: { urlSeconds: 700_000 } }), /uploads\.urlSeconds/);
});

test('slipway.config.json is read from the working directory', () => {
  const cwd = mkdtempSync(join(folder, 'cwd-'));
  writeFileSync(join(cwd, 'slipway.config.json'), JSON.stringify({ fees: { percentile: 42 } }));
  assert.equal(loadConfig({}, { cwd }).fees.percentile, 42);
});

test('an empty variable is one that is not set', () => {
  assert.equal(load({ SLIPWAY_PORT: '', SLIPWAY_RPC_URL: '', SLIPWAY_SANDBOX: '' }).http.port, 8080);
});

test('an unknown name is refused with the nearest known one', () => {
  assert.match(complaint({ SLIPWAY_PROT: '1' }), /SLIPWAY_PROT is not a known variable.*SLIPWAY_PORT\?/);
  assert.match(complaint({ SLIPWAY_SIGNER_PASS: 'mysecret' }), /did you mean SLIPWAY_SIGNER_(?:FILE|PASSPHRASE)\?/);
  assert.match(complaint({}, { token: {} }), /token is not a known field; did you mean tokens\?/);
  assert.match(complaint({}, { express: { gassless: true } }), /express\.gassless .* did you mean express\.gasless\?/);
  assert.match(complaint({}, { tiers: { Gold: { perMinute: 1, executePer10s: 1 } } }), /tiers\.Gold/);
});

const wrong: [Record<string, string>, RegExp][] = [
  [{ SLIPWAY_SANDBOX: 'yes' }, /SLIPWAY_SANDBOX is "yes", but must be one of 1, 0/],
  [{ SLIPWAY_PORT: '80a' }, /SLIPWAY_PORT is "80a"/],
  [{ SLIPWAY_PORT: '65536' }, /SLIPWAY_PORT is "65536".* 0 to 65535/],
  [{ SLIPWAY_PORT: '-1' }, /SLIPWAY_PORT/],
  [{ SLIPWAY_RPC_PORT: '65535' }, /SLIPWAY_RPC_PORT is 65535/],
  [
    { SLIPWAY_PORT: '9000', SLIPWAY_OPERATIONS_PORT: '9000' },
    /SLIPWAY_OPERATIONS_PORT is 9000, which is the port of the API/,
  ],
  [{ SLIPWAY_PORT: '8899' }, /SLIPWAY_PORT is 8899.*SLIPWAY_RPC_PORT/],
  [{ SLIPWAY_PORT: '9001', SLIPWAY_RPC_PORT: '9000' }, /SLIPWAY_PORT is 9001.*9000 and 9001/],
  [{ SLIPWAY_ROLES: 'api,watcher' }, /SLIPWAY_ROLES has "watcher".*api, keeper/],
  [{ SLIPWAY_ROLES: 'api,' }, /SLIPWAY_ROLES/],
  [{ SLIPWAY_LOG_LEVEL: 'loud' }, /SLIPWAY_LOG_LEVEL is "loud".*silent/],
  [{ SLIPWAY_HOST: '0.0.0.0' }, /SLIPWAY_HOST.*SLIPWAY_SANDBOX/],
  [{ SLIPWAY_HOST: '::' }, /SLIPWAY_HOST.*SLIPWAY_SANDBOX/],
  [{ SLIPWAY_HOST: 'localhost.example.com' }, /SLIPWAY_HOST.*SLIPWAY_SANDBOX/],
  [{ SLIPWAY_SANDBOX_PUBLIC: '1', SLIPWAY_SANDBOX: '0' }, /SLIPWAY_SANDBOX_PUBLIC belongs to a sandbox/],
  [{ SLIPWAY_SANDBOX_PUBLIC: '1', SLIPWAY_RPC_URL: 'http://127.0.0.1:8899' }, /PUBLIC wants the embedded chain/],
  [{ SLIPWAY_SANDBOX_PUBLIC: '1', SLIPWAY_ADMIN_TOKEN: 'short' }, /SLIPWAY_ADMIN_TOKEN has fewer/],
  [{ SLIPWAY_PUBLIC_URL: 'ftp://x' }, /SLIPWAY_PUBLIC_URL/],
  [{ SLIPWAY_PUBLIC_URL: 'https://x/?a=1' }, /SLIPWAY_PUBLIC_URL/],
  [{ SLIPWAY_CORS_ORIGINS: '*' }, /SLIPWAY_CORS_ORIGINS has "\*"/],
  [{ SLIPWAY_CORS_ORIGINS: 'https://a.example/' }, /SLIPWAY_CORS_ORIGINS/],
  ...['10.0.0.0/33', '0.0.0.0/0', '::/0', '2001:db8::/129', 'proxy.example', '10.0.0', ''].map(
    (range): [Record<string, string>, RegExp] => [
      { SLIPWAY_TRUSTED_PROXIES: `127.0.0.1,${range}` },
      /^SLIPWAY_TRUSTED_PROXIES has ".*", but must be a comma list of IP addresses and ranges such as 10\.0\.0\.0\/8$/,
    ],
  ),
  [{ SLIPWAY_RPC_WS_URL: 'ws://x' }, /SLIPWAY_RPC_WS_URL.*SLIPWAY_RPC_URL is not set/],
  [{ SLIPWAY_SEND_URLS: 'https://x' }, /SLIPWAY_SEND_URLS.*SLIPWAY_RPC_URL is not set/],
  [{ ...production, SLIPWAY_PROGRAMS_DIR: 'x' }, /SLIPWAY_PROGRAMS_DIR belongs to the embedded chain/],
  [{ ...production, SLIPWAY_FORK_URL: 'https://x' }, /SLIPWAY_FORK_URL belongs to the embedded chain/],
  [{ SLIPWAY_SANDBOX: '0' }, /SLIPWAY_RPC_URL is required/],
  [{ SLIPWAY_RPC_URL: 'https://x' }, /SLIPWAY_SIGNER_PASSPHRASE is required/],
  [production, /express\.receiver/],
  [{ ...production, SLIPWAY_ADMIN_TOKEN: 'x'.repeat(19) }, /SLIPWAY_ADMIN_TOKEN has fewer than 20 characters/],
  [{ ...production, DATABASE_URL: '' }, /DATABASE_URL is required.* SLIPWAY_EMBEDDED_DATABASE=1/],
  [{ DATABASE_URL: 'mysql://user:dbsecret@host' }, /DATABASE_URL must be a URL that begins with postgres/],
  [{ SLIPWAY_ADMIN_TOKEN: 'two words' }, /SLIPWAY_ADMIN_TOKEN/],
  [{ SLIPWAY_CHALLENGE_PREFIX: 'two\nlines' }, /SLIPWAY_CHALLENGE_PREFIX/],
  [{ SLIPWAY_CHALLENGE_PREFIX: 'x'.repeat(201) }, /SLIPWAY_CHALLENGE_PREFIX/],
  [{ SLIPWAY_CONFIG: 'missing.json' }, /missing\.json cannot be read \(ENOENT\)/],
];

for (const [env, expected] of wrong) {
  test(`refused: ${JSON.stringify(env)}`, () => {
    assert.match(complaint(env), expected);
  });
}

test('a settings file that is wrong says where', () => {
  const cases: [unknown, RegExp][] = [
    ['{ not json', /is not valid JSON/],
    [[], /expected an object/],
    [
      { tokens: { platform: { symbol: 'A', mint: 'x', decimals: 6 } } },
      /tokens\.platform\.mint: expected a public key/,
    ],
    [{ tokens: { platform: { symbol: 'A', mint: MINT } } }, /tokens\.platform\.decimals: required/],
    [{ tokens: { platform: { symbol: 'A', mint: MINT, decimals: '6' } } }, /decimals: expected an integer/],
    [{ fees: { percentile: 101 } }, /fees\.percentile: expected at most 100/],
    [{ tiers: { free: { perMinute: 0, executePer10s: 1 } } }, /tiers\.free\.perMinute: expected at least 1/],
    [{ tiers: { unlimited: { perMinute: 1, executePer10s: 1 } } }, /tiers\.unlimited is built in/],
    [{ submit: { minTipLamports: 5 } }, /submit\.minTipLamports: expected a string/],
    [{ submit: { minTipLamports: '-5' } }, /submit\.minTipLamports: expected lamports/],
    [{ submit: { minTipLamports: '5' } }, /submit\.tipAccounts names nobody/],
  ];
  for (const [settings, expected] of cases) assert.match(complaint({}, settings), expected);
});

test('a routing service of another company is asked only with all of its credentials', () => {
  assert.deepEqual(load({}).services, {});
  const okx = { SLIPWAY_OKX_API_KEY: 'a', SLIPWAY_OKX_SECRET_KEY: 'b', SLIPWAY_OKX_PASSPHRASE: 'c' };
  assert.deepEqual(load({ ...okx, SLIPWAY_DFLOW_API_KEY: 'd', SLIPWAY_DFLOW_URL: 'https://dflow.example/' }).services, {
    dflow: { url: 'https://dflow.example', apiKey: 'd' },
    okx: { url: 'https://web3.okx.com', apiKey: 'a', secretKey: 'b', passphrase: 'c' },
  });
  assert.match(complaint({ ...okx, SLIPWAY_OKX_PASSPHRASE: '' }), /all three of SLIPWAY_OKX_API_KEY/);
  assert.match(complaint({ ...okx, SLIPWAY_OKX_URL: 'http://okx.example' }), /SLIPWAY_OKX_URL must be an https URL/);
});

test('no secret is described or repeated in an error', () => {
  const secrets = {
    ...production,
    DATABASE_URL: 'postgres://user:dbsecret@db.example.com/slipway',
    SLIPWAY_ADMIN_TOKEN: 'admintokensecret-admintokensecret',
    SLIPWAY_HERMES_KEY: 'hermeskeysecret',
    SLIPWAY_DFLOW_API_KEY: 'dflowsecret',
    SLIPWAY_OKX_API_KEY: 'okxsecret',
    SLIPWAY_OKX_SECRET_KEY: 'okxsecret',
    SLIPWAY_OKX_PASSPHRASE: 'okxsecret',
    SLIPWAY_SEND_URLS: 'https://send.example.com/pathsecret',
    SLIPWAY_RPC_WS_URL: 'wss://rpc.example.com/?key=wssecret',
  };
  const described = JSON.stringify(describeConfig(load(secrets, receiver)));
  assert.doesNotMatch(described, /secret/);
  assert.match(described, /db\.example\.com.*"passphrase":"set".*"adminToken":"set"/);
  assert.match(described, /send\.example\.com/);
  const scores = describeConfig(load({ SLIPWAY_SCORES_URL: 'wss://scores.example.com/ws?key=secret' })).scores;
  assert.deepEqual(scores, { url: 'scores.example.com', games: 0 });
  assert.doesNotMatch(
    JSON.stringify(describeConfig(load({ SLIPWAY_FORK_URL: 'https://up.example/forksecret' }))),
    /secret/,
  );

  for (const [name, value] of Object.entries({
    SLIPWAY_RPC_URL: 'rpc.example.com/secret',
    SLIPWAY_RPC_WS_URL: 'https://rpc.example.com/secret',
    SLIPWAY_SEND_URLS: 'https://fine.example,secret',
    SLIPWAY_FORK_URL: 'ws://secret',
    SLIPWAY_SCORES_URL: 'wss://scores.example.com/ws#secret',
    DATABASE_URL: 'secret',
    SLIPWAY_ADMIN_TOKEN: 'my secret',
    SLIPWAY_HERMES_KEY: 'my secret',
    SLIPWAY_DFLOW_API_KEY: 'my secret',
    SLIPWAY_OKX_PASSPHRASE: 'my secret',
    SLIPWAY_SIGNER_PASPHRASE: 'secret',
  })) {
    const message = complaint({ [name]: value });
    assert.match(message, new RegExp(`^${name}`, 'm'));
    assert.doesNotMatch(message, /secret/);
  }
});

test('all faults are listed at once, and what follows from a fault is not', () => {
  const found = complaint(
    { NODE_ENV: 'production', SLIPWAY_PORT: '80a', SLIPWAY_PROT: '1', SLIPWAY_OKX_API_KEY: 'a' },
    { fees: { percentile: 101, maxMicroLamport: 5 }, express: { gasless: 'no' } },
  ).split('\n');
  const expected = [
    /^SLIPWAY_PROT is not a known variable; did you mean SLIPWAY_PORT\?$/,
    /^SLIPWAY_RPC_URL is required/,
    /^SLIPWAY_SIGNER_PASSPHRASE is required/,
    /^express\.receiver must be set/,
    /^SLIPWAY_PORT is "80a", but must be a port from 0 to 65535$/,
    /fees\.maxMicroLamport is not a known field; did you mean fees\.maxMicroLamports\?$/,
    /fees\.percentile: expected at most 100$/,
    /express\.gasless: expected true or false$/,
    /^DATABASE_URL is required/,
    /^OKX wants all three/,
  ];
  for (const each of expected)
    assert.ok(
      found.some((fault) => each.test(fault)),
      `${each}: ${found.join('\n')}`,
    );
  assert.equal(found.length, expected.length);
  assert.equal(complaint({ SLIPWAY_RPC_PORT: 'x', SLIPWAY_PORT: '8899' }).split('\n').length, 1);
});

test('a settings file that cannot be read is one fault', () => {
  const faults = complaint({ ...production, SLIPWAY_CONFIG: 'missing.json' });
  assert.match(faults, /^[^\n]*missing\.json cannot be read \(ENOENT\)$/);
});

test('a feed of what is no mint is refused', () => {
  const feeds = { ['z'.repeat(44)]: 'a'.repeat(64) };
  assert.match(complaint({}, { prices: { feeds } }), /prices\.feeds has z+, which is not the address of a mint/);
});
