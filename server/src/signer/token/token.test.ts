import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Address, generateKeypair, verify } from '@slipway/wire';
import { sealedRow } from '../guarded-keys.js';
import { openSigner, type Signer } from '../signer.js';
import { connectSigner, type RemoteSigner } from '../socket/client.js';
import { LABEL, LIBRARY, missing, newToken, PIN } from './testing.js';

const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));
const PASSPHRASE = 'a passphrase of the backup';
const WALLET = generateKeypair().address;
const MESSAGE = Buffer.from('a message');

interface Ended {
  code: number | null;
  out: string;
  error: string;
}

describe('keys in a token', { skip: missing() }, () => {
  let folder: string;
  let env: Record<string, string>;
  let running: { child: ChildProcess; log: () => string } | undefined;
  const clients: RemoteSigner[] = [];

  const at = (...names: string[]) => join(folder, ...names);
  const settings = (changes: object = {}) => ({
    file: 'signer.json',
    publicUrl: 'http://slipway.example.com',
    token: { module: LIBRARY, label: LABEL },
    callers: { operator: { roles: ['operator', 'api'], socket: 'operator.sock' } },
    ...changes,
  });
  const write = (name: string, value: object) => writeFileSync(at(name), JSON.stringify(value), { mode: 0o600 });

  function start(words: readonly string[], changes: Record<string, string | undefined> = {}) {
    const child = spawn(process.execPath, [MAIN, 'signer', ...words], {
      cwd: folder,
      env: { ...env, ...changes },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, error] = ['', ''];
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      error += chunk;
    });
    return { child, out: () => out, log: () => error };
  }

  async function slipway(words: readonly string[], changes: Record<string, string | undefined> = {}): Promise<Ended> {
    const { child, out, log } = start(words, changes);
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, out: out(), error: log() };
  }

  const init = (...words: string[]) => slipway(['init', '--backup', 'backup.json', '--json', ...words]);

  async function connect(): Promise<RemoteSigner> {
    const endpoint = { path: at('operator.sock') };
    const client = await connectSigner({ endpoint, name: 'the signer', patienceMs: 120_000 });
    clients.push(client);
    return client;
  }

  async function eventually<T>(what: string, ask: () => Promise<T>, isIt: (value: T) => boolean): Promise<T> {
    const end = performance.now() + 120_000;
    for (;;) {
      const found = await ask();
      if (isIt(found)) return found;
      assert.ok(performance.now() < end, `never: ${what}`);
      await sleep(50);
    }
  }

  const signs = (client: RemoteSigner) =>
    client.sign('gas', MESSAGE).then(
      () => 'yes',
      (error: { code?: string }) => error.code,
    );

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-token-'));
    const { PATH = '', NODE_PATH = '' } = process.env;
    env = {
      PATH,
      NODE_PATH,
      SOFTHSM2_CONF: at('tokens.conf'),
      SLIPWAY_SIGNER_PASSPHRASE: PASSPHRASE,
      SLIPWAY_SIGNER_PIN: PIN,
    };
    newToken(folder, 'tokens');
    write('slipway.signer.json', settings());
  });
  after(async () => {
    for (const client of clients) client.close();
    if (running?.child.exitCode === null) {
      running.child.kill('SIGKILL');
      await once(running.child, 'close');
    }
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  let addresses: { gas: Address; keeper: Address; tracker: Address };
  let backup: Signer;

  test('init makes them there, and a file that only the token opens, and leaves a file that exists alone', async () => {
    const done = await init();
    assert.equal(done.code, 0, done.error);
    ({ addresses } = JSON.parse(done.out));
    backup = await openSigner({ file: at('backup.json'), passphrase: PASSPHRASE, create: false });
    for (const role of ['gas', 'keeper', 'tracker'] as const) assert.notEqual(addresses[role], backup.address(role));
    const file = readFileSync(at('signer.json'), 'utf8');
    assert.equal((JSON.parse(file) as { version: number }).version, 2);
    await assert.rejects(openSigner({ file: at('signer.json'), passphrase: PASSPHRASE, create: true }), /for a token/);
    const again = await init();
    assert.equal(again.code, 1);
    assert.match(again.error, /exists already, and is left as it is/);
    assert.equal(readFileSync(at('signer.json'), 'utf8'), file);
  });

  test('init that was killed before its file was made goes on with the seed and the keys that there are', async () => {
    renameSync(at('signer.json'), at('first.json'));
    const again = await init();
    assert.deepEqual((JSON.parse(again.out) as { addresses: object }).addresses, addresses, again.error);
    assert.notEqual(readFileSync(at('signer.json'), 'utf8'), readFileSync(at('first.json'), 'utf8'));
  });

  test('rekey: another key of the token opens the file, also where it was killed before; the old one stays', async () => {
    const rekey = () => slipway(['rekey', '--json']);
    const first = readFileSync(at('signer.json'), 'utf8');
    const done = await rekey();
    assert.equal(done.code, 0, done.error);
    const { old, key } = JSON.parse(done.out) as { old: string; key: string };
    assert.deepEqual([old, key], ['slipway-seed', 'slipway-seed-2']);
    const second = readFileSync(at('signer.json'), 'utf8');
    assert.notEqual(second, first);
    // Killed after the key was made, and before the file was: the next attempt uses that key.
    writeFileSync(at('signer.json'), first, { mode: 0o600 });
    assert.equal((JSON.parse((await rekey()).out) as { key: string }).key, 'slipway-seed-2');
    assert.equal((JSON.parse((await rekey()).out) as { key: string }).key, 'slipway-seed-3');
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.endsWith('.tmp')),
      [],
    );
    const words = ['rekey', '--new-passphrase-file', 'backup.json'];
    const passphrase = await slipway(words);
    assert.equal(passphrase.code, 2);
    assert.match(passphrase.error, /not for a token/);
    writeFileSync(at('passphrase'), 'another passphrase of a file', { mode: 0o600 });
    const byFile = await slipway(['rekey', '--file', 'signer.json', '--new-passphrase-file', 'passphrase']);
    assert.match(byFile.error, /signer\.json is for a token/);
  });

  test('init wants a backup', async () => {
    renameSync(at('signer.json'), at('away.json'));
    const without = await slipway(['init']);
    renameSync(at('away.json'), at('signer.json'));
    assert.equal(without.code, 2);
    assert.match(without.error, /--backup is needed/);
  });

  test('the signer does not start without its PIN, its token, its library or a key, with a wrong PIN, or another file', async () => {
    newToken(folder, 'others');
    write('label.json', settings({ token: { module: LIBRARY, label: 'nobody' } }));
    write('library.json', settings({ token: { module: '/nowhere/library.so', label: LABEL } }));
    write('passphrase.json', settings({ file: 'backup.json' }));
    write('none.json', settings({ token: undefined }));
    const damaged = readFileSync(at('signer.json'), 'utf8').replace(/"nonce": "../, '"nonce": "zz');
    writeFileSync(at('damaged-signer.json'), damaged, { mode: 0o600 });
    write('damaged.json', settings({ file: 'damaged-signer.json' }));
    const cases: [string, string[], Record<string, string | undefined>, RegExp][] = [
      ['no PIN', [], { SLIPWAY_SIGNER_PIN: undefined }, /needs its PIN: set SLIPWAY_SIGNER_PIN/],
      ['a wrong PIN', [], { SLIPWAY_SIGNER_PIN: '271828' }, /does not take the PIN \(CKR_PIN_INCORRECT\)/],
      ['no token', ['--config', 'label.json'], {}, /token nobody is not there/],
      ['no library', ['--config', 'library.json'], {}, /library\.so cannot be loaded: token\.module/],
      ['a token without keys', [], { SOFTHSM2_CONF: at('others.conf') }, /has no key slipway-seed-3, which .* needs/],
      [
        'a file with a passphrase',
        ['--config', 'passphrase.json'],
        {},
        /has a passphrase, and the settings name a token/,
      ],
      ['no token in the settings', ['--config', 'none.json'], {}, /is for a token/],
      ['a damaged file', ['--config', 'damaged.json'], {}, /is damaged/],
    ];
    for (const [why, words, changes, expected] of cases) {
      const { code, error } = await slipway(words, changes);
      assert.equal(code, why === 'a wrong PIN' ? 3 : 1, `${why}: ${error}`);
      assert.match(error, expected, why);
      for (const secret of [PIN, '271828', PASSPHRASE]) assert.ok(!error.includes(secret), why);
    }
  });

  test('the signer signs with them, and with the vaults of the seed; the backup has the same vaults', async () => {
    running = start([]);
    const client = await connect();
    for (const role of ['gas', 'keeper', 'tracker'] as const) {
      assert.equal(client.address(role), addresses[role]);
      assert.ok(verify(addresses[role], MESSAGE, await client.sign(role, MESSAGE)), role);
    }
    for (const key of [`vault:${WALLET}`, 'mint:7', 'login:2942', 'seal'] as const)
      assert.equal(await client.publicKey(key), await backup.publicKey(key));
    const vault = await client.sign(`vault:${WALLET}`, MESSAGE);
    assert.ok(verify(await backup.publicKey(`vault:${WALLET}`), MESSAGE, vault));
    assert.match(
      await client.describe(),
      /^the token slipway-test \(SoftHSM v2\), and \/.*signer\.json, which it opens$/,
    );
  });

  test('each of many that ask at once gets the signature of its own message', async () => {
    const client = await connect();
    const ask = async (index: number) => {
      const role = index % 2 === 0 ? 'gas' : 'tracker';
      const message = Buffer.from(`message ${index}`);
      assert.ok(verify(addresses[role], message, await client.sign(role, message)));
    };
    // As many as a busy machine signs within what the client waits for an answer.
    for (let begun = 0; begun < 200; begun += 20)
      await Promise.all(Array.from({ length: 20 }, (_, index) => ask(begun + index)));
  });

  test('a token that goes while the signer runs: its keys sign nothing, the others go on, and it is found when it is back', async () => {
    const client = await connect();
    renameSync(at('tokens'), at('gone'));
    assert.equal(await signs(client), 'SIGNER_UNAVAILABLE');
    await assert.rejects(client.describe(), {
      code: 'SIGNER_UNAVAILABLE',
      message: /the token slipway-test cannot be opened/,
    });
    await assert.rejects(client.probe(), { code: 'SIGNER_UNAVAILABLE' });
    assert.ok(verify(client.address('seal'), sealedRow(MESSAGE), await client.sealRow(MESSAGE)));
    await eventually(
      'the log says so',
      async () => running!.log(),
      (log) => log.includes('the token is away'),
    );
    renameSync(at('gone'), at('tokens'));
    await eventually(
      'it signs again',
      () => signs(client),
      (said) => said === 'yes',
    );
    await client.probe();
    await eventually(
      'the log says so',
      async () => running!.log(),
      (log) => log.includes('the token is back'),
    );
    assert.ok(!running!.log().includes(PIN));
  });

  test('another token in the place of the one that was there: its keys are not used', async () => {
    const client = await connect();
    write('other.json', settings({ file: 'other-signer.json' }));
    const made = await slipway(['init', '--config', 'other.json', '--backup', 'other-backup.json'], {
      SOFTHSM2_CONF: at('others.conf'),
    });
    assert.equal(made.code, 0, made.error);
    renameSync(at('tokens'), at('gone'));
    renameSync(at('others'), at('tokens'));
    assert.equal(await signs(client), 'SIGNER_UNAVAILABLE');
    assert.equal(await signs(client), 'SIGNER_UNAVAILABLE');
    await eventually(
      'the log says why',
      async () => running!.log(),
      (log) => /another key slipway-gas than before/.test(log),
    );
    renameSync(at('tokens'), at('others'));
    renameSync(at('gone'), at('tokens'));
    await eventually(
      'it signs again',
      () => signs(client),
      (said) => said === 'yes',
    );
  });
});
