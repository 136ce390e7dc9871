import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { whileLocked } from './private-file.js';
import { rekeySeedFile } from './rekey.js';
import { openSeed } from './seed-file.js';
import { openSigner } from './signer.js';
import { CHEAP, deriveCheaply, KILLER, runSigner } from './testing.js';

const OLD = 'the passphrase of before';
const NEW = 'the passphrase of afterwards';

let folder: string;
let seed: Uint8Array;
let sealed: string;
let addresses: { gas: string };

const slipway = (words: readonly string[], env: Record<string, string> = {}) =>
  runSigner(words, { folder, env, preload: [CHEAP, ...(env.KILL_AT === undefined ? [] : [KILLER])] });

function privateFile(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

/** A folder with a signer file that has the old passphrase. */
function newFile(name: string): string {
  const path = join(folder, name, 'signer.json');
  mkdirSync(join(folder, name));
  writeFileSync(path, sealed, { mode: 0o600 });
  return path;
}

const seedOf = (file: string, passphrase: string) => openSeed(readFileSync(file, 'utf8'), passphrase, file);

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-rekey-'));
  await deriveCheaply();
  privateFile('old', `${OLD}\n`);
  privateFile('new', `${NEW}\n`);
  const made = await slipway(['init', '--file', 'signer.json', '--passphrase-file', 'old', '--json']);
  assert.equal(made.code, 0, made.error);
  const file = join(folder, 'signer.json');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  sealed = readFileSync(file, 'utf8');
  seed = await openSeed(sealed, OLD, file);
  ({ addresses } = JSON.parse(made.out));
});
after(() => rmSync(folder, { recursive: true, force: true }));

test('init shows the addresses that the service will have, and leaves a file that exists alone', async () => {
  const signer = await openSigner({ file: join(folder, 'signer.json'), passphrase: OLD, create: false });
  assert.deepEqual(addresses, {
    gas: signer.address('gas'),
    keeper: signer.address('keeper'),
    tracker: signer.address('tracker'),
  });
  const again = await slipway(['init', '--file', 'signer.json', '--passphrase-file', 'new', '--json']);
  assert.equal(again.code, 1);
  assert.match((JSON.parse(again.error) as { error: string }).error, /exists already, and is left as it is/);
  assert.equal(readFileSync(join(folder, 'signer.json'), 'utf8'), sealed);
});

test('init takes the file and the passphrase from settings, and refuses a passphrase that is too short or open to others', async () => {
  const env = { SLIPWAY_SIGNER_FILE: 'other/signer.json', SLIPWAY_SIGNER_PASSPHRASE: OLD };
  const short = await slipway(['init'], { ...env, SLIPWAY_SIGNER_PASSPHRASE: 'nineteen characters' });
  assert.equal(short.code, 1);
  assert.match(short.error, /fewer than 20 characters/);
  assert.ok(!existsSync(join(folder, 'other')));
  chmodSync(privateFile('open', OLD), 0o644);
  assert.match((await slipway(['init', '--passphrase-file', 'open'], env)).error, /open to other users/);
  const nowhere = await slipway(['init'], { SLIPWAY_SIGNER_PASSPHRASE: OLD });
  assert.equal(nowhere.code, 2);
  assert.match(nowhere.error, /--file or SLIPWAY_SIGNER_FILE/);
  const made = await slipway(['init'], env);
  assert.equal(made.code, 0, made.error);
  assert.match(made.out, /^gas +[1-9A-Za-z]{32,44}$/m);
  assert.match(made.out, /Back up the file and its passphrase now/);
  assert.ok(!made.out.includes(OLD));
  await seedOf(join(folder, 'other', 'signer.json'), OLD);
});

test('rekey: the old passphrase opens the file no more, and every key is as before', async () => {
  const file = newFile('changed');
  const link = join(folder, 'link.json');
  symlinkSync(file, link);
  const words = ['rekey', '--file', 'link.json', '--new-passphrase-file', 'new', '--json'];
  const done = await slipway(words, { SLIPWAY_SIGNER_PASSPHRASE: OLD });
  assert.deepEqual(JSON.parse(done.out), { file: link, changed: true }, done.error);
  await assert.rejects(seedOf(file, OLD), /passphrase does not open/);
  assert.deepEqual(await seedOf(file, NEW), seed);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const signer = await openSigner({ file: link, passphrase: NEW, create: false });
  assert.equal(signer.address('gas'), addresses.gas);
  for (const passphrase of [OLD, NEW]) {
    const again = await slipway(words, { SLIPWAY_SIGNER_PASSPHRASE: passphrase });
    assert.deepEqual(JSON.parse(again.out), { file: link, changed: false }, again.error);
  }
});

test('rekey with a wrong passphrase, or one that is too short, leaves the file as it was', async () => {
  const file = newFile('kept');
  const words = ['rekey', '--file', file, '--new-passphrase-file'];
  const wrong = await slipway([...words, 'new'], { SLIPWAY_SIGNER_PASSPHRASE: 'another passphrase of somebody' });
  assert.equal(wrong.code, 1);
  assert.match(wrong.error, /passphrase does not open/);
  privateFile('short', 'short');
  const short = await slipway([...words, 'short'], { SLIPWAY_SIGNER_PASSPHRASE: OLD });
  assert.match(short.error, /fewer than 20 characters/);
  assert.equal((await slipway(['rekey', '--file', file])).code, 2);
  assert.equal(readFileSync(file, 'utf8'), sealed);
  assert.deepEqual(readdirSync(join(folder, 'kept')), ['signer.json']);
});

test('rekey killed after each of its steps: one of the two passphrases opens every byte of the seed, and it can be run again', async () => {
  const opened = { old: 0, new: 0 };
  for (let step = 1; ; step++) {
    const file = newFile(`step-${step}`);
    const at = join(folder, `step-${step}`);
    const words = ['rekey', '--file', file, '--new-passphrase-file', 'new', '--json'];
    const env = { SLIPWAY_SIGNER_PASSPHRASE: OLD };
    const { code, error } = await slipway(words, { ...env, KILL_AT: `${step}`, KILL_IN: at });
    if (code !== null) {
      assert.equal(code, 0, error);
      break;
    }
    const isOld = readFileSync(file, 'utf8') === sealed;
    opened[isOld ? 'old' : 'new'] += 1;
    if (!isOld) assert.deepEqual(await seedOf(file, NEW), seed);
    const again = await slipway(words, env);
    assert.deepEqual(JSON.parse(again.out), { file, changed: isOld }, again.error);
    assert.deepEqual(await seedOf(file, NEW), seed, `step ${step}`);
    assert.deepEqual(readdirSync(at), ['signer.json'], `step ${step}`);
  }
  assert.ok(opened.old >= 10 && opened.new >= 2, JSON.stringify(opened));
});

test('of two rekeys at once one is refused, and what the other one says is so', async () => {
  const third = 'a third passphrase of somebody else';
  privateFile('third', `${third}\n`);
  const passphrases: Record<string, string> = { new: NEW, third };
  for (let round = 0; round < 5; round++) {
    const file = newFile(`at-once-${round}`);
    const rekey = (name: string) =>
      slipway(['rekey', '--file', file, '--new-passphrase-file', name, '--json'], { SLIPWAY_SIGNER_PASSPHRASE: OLD });
    const names = Object.keys(passphrases);
    const runs = await Promise.all(names.map(rekey));
    assert.deepEqual(runs.map(({ code }) => code).sort(), [0, 1], JSON.stringify(runs));
    const winner = runs.findIndex(({ code }) => code === 0);
    assert.deepEqual(JSON.parse(runs[winner]!.out), { file, changed: true });
    // The one that began when the other had ended does not know the passphrase any more.
    const { error } = JSON.parse(runs[1 - winner]!.error) as { error: string };
    assert.match(error, /^another command changes .*signer\.json \(process \d+\)|passphrase does not open/);
    assert.deepEqual(await seedOf(file, passphrases[names[winner]!]!), seed);
    assert.deepEqual(readdirSync(join(folder, `at-once-${round}`)), ['signer.json']);
  }
});

test('a rekey is refused by the name of the process that is at it, also by another name of the file', async () => {
  const file = newFile('held');
  const link = join(folder, 'held.json');
  symlinkSync(file, link);
  const at = (path: string, newPassphrase: string) =>
    rekeySeedFile({ file: path, passphrase: OLD, newPassphrase }).catch((error: Error) => error.message);
  const results = await whileLocked(file, () => Promise.all([at(file, NEW), at(link, NEW)]));
  const held = (path: string) => `another command changes ${path} (process ${process.pid}): wait until it has ended`;
  assert.deepEqual(results, [held(file), held(link)]);
  assert.equal(readFileSync(file, 'utf8'), sealed);
  assert.equal(await at(link, NEW), true);
  assert.deepEqual(await seedOf(file, NEW), seed);
});
