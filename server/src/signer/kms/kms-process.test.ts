import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateKeypair, verify } from '@slipway/wire';
import { sealedRow } from '../guarded-keys.js';
import type { Signer } from '../signer.js';
import type { RemoteSigner } from '../socket/client.js';
import { PATIENT, type Running } from '../testing.js';
import { PASSPHRASE, useProcessPlace } from './process-testing.js';
import { KEYS } from './testing.js';

const MESSAGE = Buffer.from('a message');
const WALLET = generateKeypair().address;
const ROLES = ['gas', 'keeper', 'tracker'] as const;

const place = useProcessPlace();
const { kms } = place;
/** What AWS KMS may take matters where it hangs. */
const hurried = [...place.preload];
beforeEach(() => {
  place.preload.splice(0, place.preload.length, ...hurried, PATIENT);
});

/** The vault of a wallet, as the signer that the settings make has it. */
async function vaultInKms(): Promise<string> {
  const running = place.start();
  try {
    const client = await place.connect();
    try {
      return await client.publicKey(`vault:${WALLET}`);
    } finally {
      client.close();
    }
  } finally {
    running.child.kill('SIGKILL');
    await running.ended;
  }
}

test('init makes a file that only AWS KMS opens, and a backup with the same vaults; rekey gives the file another key', async () => {
  const made = await place.init();
  assert.equal(made.code, 0, made.error);
  const { addresses, backUp } = JSON.parse(made.out) as { addresses: Record<string, string>; backUp: string[] };
  for (const role of ROLES) assert.equal(addresses[role], kms.addressOf(`alias/slipway-${role}`));
  assert.deepEqual(backUp, [place.at('backup', 'signer.json'), 'its passphrase']);
  const first = place.signerFile();
  const again = await place.init();
  assert.equal(again.code, 1);
  assert.match(again.error, /exists already, and is left as it is/);
  const vault = await vaultInKms();
  assert.equal(await (await place.openBackup()).publicKey(`vault:${WALLET}`), vault);

  const arn = kms.make('next', 'SYMMETRIC_DEFAULT');
  const rekey = () => place.run(['rekey', '--new-key', 'alias/next', '--json']);
  const done = await rekey();
  assert.deepEqual(JSON.parse(done.out), {
    file: place.at('keys', 'signer.json'),
    changed: true,
    old: kms.aliases.get('alias/slipway-seed'),
    key: arn,
  });
  assert.notEqual(place.signerFile(), first);
  const refused = await place.run([]);
  assert.equal(refused.code, 1);
  assert.match(
    refused.error,
    /is encrypted with arn:aws:kms:\S+, and not with alias\/slipway-seed: set kms\.keys\.seed/,
  );
  assert.equal((JSON.parse((await rekey()).out) as { changed: boolean }).changed, false);
  place.writeSettings({ kms: { ...place.settings, keys: { ...place.settings.keys, seed: 'alias/next' } } });
  assert.equal(await vaultInKms(), vault);
});

test('wrong usage is said before anything is asked for', async () => {
  const cases: [string[], object, RegExp][] = [
    [['init'], {}, /--backup is needed: to lose the key in AWS KMS/],
    [['rekey'], {}, /--new-key is needed/],
    [['rekey', '--new-key', 'alias/x', '--new-passphrase-file', 'x'], {}, /not for a token or AWS KMS/],
    [['init', '--new-key', 'alias/x'], {}, /Unknown option '--new-key'/],
    [['init'], { token: { module: 'x.so', label: 'x' } }, /kms: expected none beside a token/],
    [
      ['init'],
      { kms: { ...place.settings, endpoint: 'http://kms.example.com' } },
      /kms\.endpoint: expected a URL with https/,
    ],
    [['init'], { kms: { ...place.settings, endpoint: 'https://a:b@kms.example.com' } }, /kms\.endpoint: expected/],
    [['init'], { kms: { ...place.settings, region: 'x/../y' } }, /kms\.region: expected a region/],
    [
      ['init'],
      { kms: { ...place.settings, keys: { ...place.settings.keys, gas: '' } } },
      /kms\.keys\.gas: expected the id/,
    ],
  ];
  for (const [words, changes, expected] of cases) {
    place.writeSettings(changes);
    const { code, error } = await place.run(words);
    assert.equal(code, 2, error);
    assert.match(error, expected);
  }
  place.writeSettings({ kms: undefined });
  assert.match((await place.run(['rekey', '--new-key', 'alias/x'])).error, /--new-key is for AWS KMS/);
  assert.deepEqual(kms.asked, []);
});

describe('a signer with keys in AWS KMS', () => {
  let running: Running;
  let client: RemoteSigner;
  let backup: Signer;

  beforeEach(async () => {
    assert.equal((await place.init()).code, 0);
    backup = await place.openBackup();
    running = place.start();
    client = await place.connect();
  });
  afterEach(async () => {
    client?.close();
    running.child.kill('SIGKILL');
    await running.ended;
  });

  async function eventually<T>(what: string, ask: () => Promise<T> | T, isIt: (value: T) => boolean): Promise<T> {
    const end = performance.now() + 120_000;
    for (;;) {
      const found = await ask();
      if (isIt(found)) return found;
      assert.ok(performance.now() < end, `never: ${what}`);
      await sleep(50);
    }
  }
  const failureOf = (work: Promise<unknown>) =>
    work.then(
      () => assert.fail('it was done'),
      (error: { code?: string; message: string }) => error,
    );
  /** What needs none of the three wallets: a vault, the seal of a row, and somebody's secret. */
  async function assertOthersSign(): Promise<void> {
    const vault = await client.sign(`vault:${WALLET}`, MESSAGE);
    assert.ok(verify(await backup.publicKey(`vault:${WALLET}`), MESSAGE, vault));
    assert.ok(verify(backup.address('seal'), sealedRow(MESSAGE), await client.sealRow(MESSAGE)));
    assert.equal(await client.secrets.open(await client.secrets.seal('a secret', 'here'), 'here'), 'a secret');
  }

  test('signs with them; AWS KMS that is away: its keys sign nothing, the others go on, and it is found when it is back', async () => {
    for (const role of ROLES) {
      assert.equal(client.address(role), kms.addressOf(`alias/slipway-${role}`));
      assert.ok(verify(client.address(role), MESSAGE, await client.sign(role, MESSAGE)), role);
    }
    assert.match(await client.describe(), /^AWS KMS \(127\.0\.0\.1:\d+, with credentials of the environment\), and \//);
    await client.probe();
    await kms.stop();
    const failure = await failureOf(client.sign('gas', MESSAGE));
    assert.equal(failure.code, 'SIGNER_UNAVAILABLE');
    assert.match(failure.message, /AWS KMS does not answer kms:Sign/);
    assert.equal((await failureOf(client.probe())).code, 'SIGNER_UNAVAILABLE');
    await assertOthersSign();
    assert.match(running.error(), /AWS KMS is away: its keys sign nothing/);
    await kms.start();
    await eventually(
      'it signs again',
      () =>
        client.sign('gas', MESSAGE).then(
          () => true,
          () => false,
        ),
      Boolean,
    );
    await eventually(
      'the log says so',
      () =>
        client.probe().then(
          () => running.error(),
          () => '',
        ),
      (log) => log.includes('AWS KMS is back'),
    );
    for (const secret of [KEYS.secretAccessKey, PASSPHRASE]) assert.ok(!running.error().includes(secret));
  });

  test('AWS KMS that hangs: what waits for it fails by itself, on a connection on which vaults and seals go on', async (t) => {
    client.close();
    running.child.kill('SIGKILL');
    await running.ended;
    place.preload.splice(0, place.preload.length, ...hurried);
    running = place.start();
    client = await place.connect();
    // The client is so patient that what fails does so in the signer, on a machine that is however busy.
    const [now, start] = [performance.now.bind(performance), performance.now()];
    const slow = t.mock.method(performance, 'now', () => start + (now() - start) / 20);
    let isHanging = true;
    kms.fault = () => (isHanging ? 'hang' : undefined);
    const waiting = Array.from({ length: 300 }, () => failureOf(client.sign('gas', MESSAGE)));
    let done = 0;
    const end = Promise.all(waiting);
    let isOver = false;
    void end.then(() => {
      isOver = true;
    });
    while (!isOver) {
      await assertOthersSign();
      done += 1;
      await sleep(20);
    }
    // Had they ended the connection, they would say so.
    for (const { code, message } of await end) {
      assert.equal(code, 'SIGNER_UNAVAILABLE');
      assert.match(message, /no answer in time|200 signatures wait/);
      assert.doesNotMatch(message, /the signer is away/);
    }
    slow.mock.restore();
    assert.ok(done >= 2, `${done}`);
    isHanging = false;
    await eventually(
      'it signs again',
      () =>
        client.sign('gas', MESSAGE).then(
          () => true,
          () => false,
        ),
      Boolean,
    );
  });

  test('an alias that is moved to another key while it runs changes nothing; the next start refuses it', async () => {
    const gas = client.address('gas');
    const arn = kms.aliases.get('alias/slipway-gas')!;
    kms.make('slipway-gas', 'ECC_NIST_EDWARDS25519');
    try {
      assert.ok(verify(gas, MESSAGE, await client.sign('gas', MESSAGE)));
      running.child.kill('SIGTERM');
      await running.ended;
      const { code, error } = await place.run([]);
      assert.equal(code, 1);
      assert.match(error, /is for the gas wallet \w+, and kms\.keys\.gas is/);
    } finally {
      kms.aliases.set('alias/slipway-gas', arn);
    }
  });

  test('a signer does not start without AWS KMS, credentials, a key, or its file', async () => {
    const starts = async (env: Record<string, string> = {}) => {
      const { code, error } = await place.run([], env);
      assert.equal(code, 1, error);
      return error;
    };
    running.child.kill('SIGTERM');
    await running.ended;
    assert.match(await starts({ AWS_ACCESS_KEY_ID: '', AWS_EC2_METADATA_DISABLED: 'true' }), /no credentials for AWS/);
    assert.match(await starts({ AWS_SECRET_ACCESS_KEY: 'another' }), /InvalidSignatureException/);
    kms.keyOf('alias/slipway-keeper').enabled = false;
    assert.match(await starts(), /DisabledException.*enable the key/);
    kms.keyOf('alias/slipway-keeper').enabled = true;
    const sealed = place.signerFile();
    writeFileSync(place.at('keys', 'signer.json'), sealed.replace('"purpose"', '"Purpose"'));
    assert.match(await starts(), /is damaged/);
    rmSync(place.at('keys', 'signer.json'));
    assert.match(await starts(), /there is no signer file/);
    writeFileSync(place.at('keys', 'signer.json'), sealed, { mode: 0o600 });
    await kms.stop();
    try {
      assert.match(await starts(), /AWS KMS does not answer kms:GetPublicKey .*ECONNREFUSED/);
    } finally {
      await kms.start();
    }
  });
});
