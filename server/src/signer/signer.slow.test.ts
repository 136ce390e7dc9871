import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { inspect } from 'node:util';
import { addressToBytes, base58Encode, generateKeypair, keypairFromSeed, verify } from '@slipway/wire';
import type { KeyName } from './bare-keys.js';
import { SignerRefused } from './policies/index.js';
import { createPrivateFile, PrivateFileError } from './private-file.js';
import { rekeySeedFile } from './rekey.js';
import { openSeed, sealSeed } from './seed-file.js';
import { openSigner } from './signer.js';
import { deriveEd25519Seed } from './slip10.js';

const passphrase = 'correct horse battery staple';
let folder: string;
let file: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-signer-'));
  file = join(folder, 'signer.json');
  await openSigner({ file, passphrase, create: true });
});

after(() => rm(folder, { recursive: true, force: true }));

test('the same file and passphrase give the same addresses again', async () => {
  const first = await openSigner({ file, passphrase, create: true });
  const second = await openSigner({ file, passphrase, create: false });
  assert.equal(second.address('gas'), first.address('gas'));
});

test('a passphrase that somebody has chosen is slow to try; one of 256 random bits need not be', async () => {
  const costOf = async (path: string) => {
    const { n, r, p } = JSON.parse(await readFile(path, 'utf8')).kdf;
    return n * r * p;
  };
  const [other, random] = [join(folder, 'random.json'), randomBytes(32).toString('base64url')];
  const { address } = await openSigner({ file: other, passphrase: random, isRandom: true, create: true });
  assert.equal(await costOf(file), 2 ** 15 * 8 * 3);
  assert.ok((await costOf(other)) < 2 ** 14);
  const again = await openSigner({ file: other, passphrase: random, create: false });
  assert.equal(again.address('gas'), address('gas'));
  await rekeySeedFile({ file: other, passphrase: random, newPassphrase: passphrase });
  assert.equal(await costOf(other), 2 ** 15 * 8 * 3);
});

test('a signature verifies for the address of its role and for nothing else', async () => {
  const signer = await openSigner({ file, passphrase, create: false });
  const message = Buffer.from('a transaction message');
  const signature = await signer.sign('gas', message);
  assert.equal(signature.length, 64);
  assert.equal(verify(signer.address('gas'), message, signature), true);
  assert.equal(verify(signer.address('gas'), Buffer.from('another message'), signature), false);
});

test('the gas key is the seed at m/44h/501h/0h, as a wallet derives it', async () => {
  const seed = await openSeed(await readFile(file, 'utf8'), passphrase, file);
  const { address } = await openSigner({ file, passphrase, create: false });
  assert.equal(address('gas'), keypairFromSeed(deriveEd25519Seed(seed, [44, 501, 0])).address);
});

test('the vault of a wallet is found from the seed and the wallet alone', async () => {
  const seed = await openSeed(await readFile(file, 'utf8'), passphrase, file);
  const signer = await openSigner({ file, passphrase, create: false });
  const wallet = generateKeypair().address;
  const words = Buffer.from(addressToBytes(wallet));
  const path = [44, 501, 4, ...Array.from({ length: 16 }, (_, index) => words.readUInt16BE(2 * index))];
  const vault = await signer.publicKey(`vault:${wallet}`);
  assert.equal(vault, keypairFromSeed(deriveEd25519Seed(seed, path)).address);
  const message = Buffer.from('a withdrawal');
  assert.equal(verify(vault, message, await signer.sign(`vault:${wallet}`, message)), true);
});

test('no two wallets, login keys or roles share a key', async () => {
  const signer = await openSigner({ file, passphrase, create: false });
  const wallets = Array.from({ length: 20 }, () => generateKeypair().address);
  const near = Buffer.from(addressToBytes(wallets[0]!));
  near[31]! ^= 1;
  const names: KeyName[] = [
    ...(['gas', 'maker', 'keeper', 'tracker'] as const),
    ...[...wallets, keypairFromSeed(near).address].map((wallet) => `vault:${wallet}` as const),
    ...[0, 1, 2, 2_955].map((number) => `login:${number}` as const),
    ...[0, 1, 2 ** 31 - 1, 2 ** 31, 2 ** 53 - 1].flatMap((number) => [`mint:${number}`, `launch:${number}`] as const),
  ];
  const keys = await Promise.all(names.map((name) => signer.publicKey(name)));
  assert.equal(new Set(keys).size, names.length);
});

test('a name that is no key is refused', async () => {
  const signer = await openSigner({ file, passphrase, create: false });
  for (const name of [
    'nobody',
    'vault:',
    'vault:abc',
    'login:',
    'login:-1',
    'login:1.5',
    'login:x',
    'mint:',
    'mint:-1',
    'mint:0.5',
    'mint:9007199254740992',
    'launch:x',
    'gas:1',
    'toString:1',
  ]) {
    await assert.rejects(signer.publicKey(name as KeyName), RangeError, name);
    const expected = name.startsWith('login:') ? SignerRefused : RangeError;
    await assert.rejects(signer.sign(name as KeyName, new Uint8Array(1)), expected, name);
  }
});

test('a mint key is found by the ending of its address, and stops being looked for', async () => {
  const signer = await openSigner({ file, passphrase, create: false });
  const number = await signer.findMint('Z', new AbortController().signal);
  assert.match(await signer.publicKey(`mint:${number}`), /Z$/);
  const stop = new AbortController();
  const search = signer.findMint('zzzzzz', stop.signal);
  stop.abort();
  await assert.rejects(search, { name: 'AbortError' });
});

test('a backup of the file restores the same vaults and login keys', async () => {
  const signer = await openSigner({ file, passphrase, create: false });
  const wallet = generateKeypair().address;
  const backup = join(folder, 'restored', 'signer.json');
  await createPrivateFile(backup, await readFile(file, 'utf8'));
  const restored = await openSigner({ file: backup, passphrase, create: false });
  for (const name of [`vault:${wallet}`, 'login:2955', 'tracker'] as const) {
    assert.equal(await restored.publicKey(name), await signer.publicKey(name));
  }
});

test('the file is readable by its owner only', async () => {
  assert.equal((await stat(file)).mode & 0o777, 0o600);
});

test('attack: another user may read the signer file: it is refused, and the message says what to do', async () => {
  for (const mode of [0o640, 0o604, 0o620, 0o602]) {
    await chmod(file, mode);
    await assert.rejects(openSigner({ file, passphrase, create: true }), (error: Error) => {
      assert.ok(error instanceof PrivateFileError);
      assert.match(error.message, /chmod 600/);
      return true;
    });
  }
  await chmod(file, 0o600);
});

test('a wrong passphrase is told apart from damage', async () => {
  await assert.rejects(openSigner({ file, passphrase: 'wrong', create: true }), /passphrase does not open/);
});

test('a missing passphrase names the variable', async () => {
  await assert.rejects(openSigner({ file, create: true }), /SLIPWAY_SIGNER_PASSPHRASE/);
  await assert.rejects(openSigner({ file, passphrase: '', create: true }), /SLIPWAY_SIGNER_PASSPHRASE/);
});

test('the same passphrase typed on another keyboard opens the file', async () => {
  const sealed = await sealSeed(new Uint8Array(32).fill(7), 'caf\u00e9');
  assert.deepEqual(await openSeed(sealed, 'cafe\u0301', 'x'), new Uint8Array(32).fill(7));
});

test('a file with any one bit flipped, or cut anywhere, is refused as damaged', async () => {
  const whole = await readFile(file);
  for (let at = 0; at < whole.length; at += 1) {
    const flipped = Buffer.from(whole);
    flipped[at]! ^= 1 << (at % 8);
    await assert.rejects(openSeed(flipped.toString('utf8'), passphrase, file), PrivateFileError, `bit of byte ${at}`);
    const cut = whole.subarray(0, at).toString('utf8');
    await assert.rejects(openSeed(cut, passphrase, file), /damaged/, `cut at ${at}`);
  }
});

test('a damaged file is never replaced by a new seed', async () => {
  const path = join(folder, 'damaged.json');
  await writeFile(path, '{"version":1', { mode: 0o600 });
  await assert.rejects(openSigner({ file: path, passphrase, create: true }), /damaged/);
  assert.equal(await readFile(path, 'utf8'), '{"version":1');
});

test('a file that asks for more memory than any of ours is refused before the memory is used', async () => {
  const greedy = JSON.parse(await readFile(file, 'utf8')) as { kdf: { n: number } };
  greedy.kdf.n = 2 ** 40;
  await assert.rejects(openSeed(JSON.stringify(greedy), passphrase, file), /damaged/);
});

test('a missing file is not made when it should be there', async () => {
  const path = join(folder, 'missing.json');
  await assert.rejects(openSigner({ file: path, passphrase, create: false }), /no signer file/);
  await assert.rejects(stat(path), { code: 'ENOENT' });
});

test('a folder in place of the file is a clear error', async () => {
  await assert.rejects(openSigner({ file: folder, passphrase, create: true }), /not a regular file|EISDIR/);
});

test('what a crash before the last step leaves behind does not stop the next start', async () => {
  const path = join(folder, 'crashed', 'signer.json');
  await createPrivateFile(join(folder, 'crashed', 'signer.json.0a1b2c3d4e5f.tmp'), 'half of a fi');
  const signer = await openSigner({ file: path, passphrase, create: true });
  const again = await openSigner({ file: path, passphrase, create: false });
  assert.equal(again.address('gas'), signer.address('gas'));
});

test('an existing file is never written over, and no temporary file stays', async () => {
  const path = join(folder, 'once', 'file');
  assert.equal(await createPrivateFile(path, 'first'), true);
  assert.equal(await createPrivateFile(path, 'second'), false);
  assert.equal(await readFile(path, 'utf8'), 'first');
  assert.deepEqual(await readdir(join(folder, 'once')), ['file']);
});

test('processes that start at once agree on one seed', async () => {
  const path = join(folder, 'race', 'signer.json');
  const signers = await Promise.all(
    Array.from({ length: 6 }, () => openSigner({ file: path, passphrase, create: true })),
  );
  const onDisk = await openSigner({ file: path, passphrase, create: false });
  assert.deepEqual(new Set(signers.map((signer) => signer.address('gas'))), new Set([onDisk.address('gas')]));
});

test('a link to the file is followed, but not to a file that is open to others', async () => {
  const path = join(folder, 'link.json');
  await symlink(file, path);
  await openSigner({ file: path, passphrase, create: false });
  await chmod(file, 0o644);
  await assert.rejects(openSigner({ file: path, passphrase, create: false }), /chmod 600/);
  await chmod(file, 0o600);
});

test('nothing that prints or serializes the signer shows a secret', async () => {
  const seed = await openSeed(await readFile(file, 'utf8'), passphrase, file);
  const signer = await openSigner({ file, passphrase, create: false });
  const key = deriveEd25519Seed(seed, [44, 501, 0]);
  const pair = Buffer.concat([key, addressToBytes(signer.address('gas'))]);
  const printed = [
    inspect(signer, { showHidden: true, depth: null, getters: true, showProxy: true }),
    JSON.stringify(signer),
    String(signer),
    JSON.stringify(Object.getOwnPropertyDescriptors(signer)),
  ].join('\n');
  for (const secret of [seed, key, pair]) {
    const bytes = Buffer.from(secret);
    const forms = [bytes.toString('hex'), bytes.toString('base64'), bytes.toString('base64url'), base58Encode(bytes)];
    for (const form of [...forms, bytes.join(','), bytes.join(', ')]) assert.ok(!printed.includes(form));
  }
  assert.ok(!printed.includes(passphrase));
});

test('no error tells the passphrase or the content of the file', async () => {
  const content = JSON.parse(await readFile(file, 'utf8')) as { ciphertext: string };
  const wrong = 'not-the-passphrase-of-this-file';
  await assert.rejects(openSigner({ file, passphrase: wrong, create: false }), (error: Error) => {
    const printed = inspect(error, { depth: null });
    assert.ok(!printed.includes(wrong));
    assert.ok(!printed.includes(content.ciphertext));
    return true;
  });
});
