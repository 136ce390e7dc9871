import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, randomBytes, sign as signBy } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { generateKeypair, verify } from '@slipway/wire';
import { PATIENCE_MS } from '../../lib/testing.js';
import { KeyManagementError } from '../key-management.js';
import { initManaged, rekeyManaged } from '../managed-file.js';
import { PrivateFileError } from '../private-file.js';
import { openSigner } from '../signer.js';
import { createExchange, type Exchange, NoAnswer } from './exchange.js';
import type { KmsSettings } from './kms-keys.js';
import { usePlace } from './place-testing.js';
import { KEYS } from './testing.js';

const MESSAGE = Buffer.from('a message');
const WALLET = generateKeypair().address;

const place = usePlace();
const { kms } = place;

describe("attack: key management answers with another key's signature, public key or seed, or somebody in its place: nothing of it is used", () => {
  const another = generateKeyPairSync('ed25519');
  const spki = another.publicKey.export({ format: 'der', type: 'spki' });
  const changing = (operation: string, change: (output: Record<string, unknown>) => Record<string, unknown>) => {
    kms.fault = (asked) => (asked.operation === operation ? { change } : undefined);
  };
  test('a signature of another key, of another message, of another length, or none', async () => {
    const signer = await place.open();
    const good = await signer.sign('gas', MESSAGE);
    const cases: [unknown, RegExp][] = [
      [signBy(null, MESSAGE, another.privateKey).toString('base64'), /does not fit the key's address: it is not used/],
      [Buffer.from(await signer.sign('keeper', MESSAGE)).toString('base64'), /does not fit/],
      [Buffer.from(await signer.sign('gas', Buffer.from('another'))).toString('base64'), /does not fit/],
      [Buffer.from(good.subarray(0, 63)).toString('base64'), /is no signature/],
      [Buffer.concat([good, good]).toString('base64'), /is no signature/],
      [`${Buffer.from(good).toString('base64')}\n`, /is no signature/],
      [undefined, /is no signature/],
      [7, /is no signature/],
      [{ length: 64 }, /is no signature/],
    ];
    for (const [Signature, expected] of cases) {
      changing('Sign', (output) => ({ ...output, Signature }));
      assert.match(await place.whyNot(signer.sign('gas', MESSAGE), KeyManagementError), expected);
      await place.whyNot(signer.describe(), KeyManagementError);
    }
    kms.fault = () => undefined;
    await signer.describe();
  });

  test('another public key, from the start on: the file is one of other wallets', async () => {
    const { arn } = kms.keyOf('alias/slipway-gas');
    kms.fault = ({ operation, input }) => {
      if (operation === 'GetPublicKey' && input.KeyId === 'alias/slipway-gas') {
        return { change: (output) => ({ ...output, PublicKey: spki.toString('base64') }) };
      }
      const isGas = operation === 'Sign' && input.KeyId === arn;
      const signature = () => signBy(null, Buffer.from(String(input.Message), 'base64'), another.privateKey);
      return isGas ? { change: (output) => ({ ...output, Signature: signature().toString('base64') }) } : undefined;
    };
    assert.match(
      await place.whyNot(place.open(), PrivateFileError),
      /is for the gas wallet \w+, and kms\.keys\.gas is \w+: name the key/,
    );
  });

  test('what is no public key', async () => {
    const cases = [
      undefined,
      '',
      'AAAA',
      spki.subarray(1).toString('base64'),
      Buffer.concat([spki, spki]).toString('base64'),
    ];
    for (const PublicKey of cases) {
      changing('GetPublicKey', (output) => ({ ...output, PublicKey }));
      assert.match(await place.whyNot(place.open(), KeyManagementError), /is no Ed25519 key/);
    }
  });

  test('another seed, or none', async () => {
    for (const Plaintext of [
      randomBytes(32).toString('base64'),
      place.seed.subarray(0, 31).toString('base64'),
      '',
      undefined,
    ]) {
      changing('Decrypt', (output) => ({ ...output, Plaintext }));
      assert.match(await place.whyNot(place.open(), KeyManagementError), /is another seed: it is not used/);
    }
  });

  test('another seed for init and rekey: no file is made, and none changed', async () => {
    const arn = kms.make('seed-3', 'SYMMETRIC_DEFAULT');
    const other = randomBytes(32).toString('base64');
    kms.fault = ({ operation, input }) =>
      operation === 'Decrypt' && input.KeyId === arn
        ? { change: (output) => ({ ...output, Plaintext: other }) }
        : undefined;
    await place.whyNot(rekeyManaged({ file: place.file, keys: place.keysOf(), wanted: arn }), KeyManagementError);
    assert.equal(readFileSync(place.file, 'utf8'), place.sealed);
    changing('Encrypt', (output) => ({ ...output, CiphertextBlob: Buffer.alloc(7_000).toString('base64') }));
    assert.match(
      await place.whyNot(rekeyManaged({ file: place.file, keys: place.keysOf(), wanted: arn }), KeyManagementError),
      /is no ciphertext/,
    );
    assert.equal(readFileSync(place.file, 'utf8'), place.sealed);
  });
});

describe('attack: a writer of the signer file puts in a ciphertext, a context or a key of his own: the signer does not start with it', () => {
  type Written = { key: string; context: Record<string, string>; ciphertext: string };
  const changed = (change: (written: Written) => void) => {
    const written = JSON.parse(place.sealed) as Written & { checksum?: string };
    delete written.checksum;
    change(written);
    place.write(withChecksum(written));
  };
  /** A file of another service with the same keys of AWS KMS but for one. */
  async function ofAnother(changes: Partial<KmsSettings['keys']>): Promise<Written> {
    const path = join(place.folder, 'another.json');
    await initManaged({
      file: path,
      keys: place.keysOf(changes),
      loadSeed: async () => new Uint8Array(randomBytes(32)),
    });
    return JSON.parse(readFileSync(path, 'utf8')) as Written;
  }

  test('each single changed character of the ciphertext', async () => {
    const { ciphertext } = JSON.parse(place.sealed) as Written;
    for (let at = 0; at < ciphertext.length; at += 16) {
      changed((written) => {
        const other = ciphertext[at] === '0' ? '1' : '0';
        written.ciphertext = `${ciphertext.slice(0, at)}${other}${ciphertext.slice(at + 1)}`;
      });
      assert.match(await place.whyNot(place.open(), PrivateFileError), /it was changed, so restore|is encrypted with/);
    }
  });

  test('the ciphertext of another seed under the same key: the context is another one', async () => {
    const another = await ofAnother({});
    changed((written) => {
      written.ciphertext = another.ciphertext;
    });
    assert.match(await place.whyNot(place.open(), PrivateFileError), /does not open .*it was changed/);
  });

  test('the file of another service, whose wallets are others', async () => {
    kms.make('another-gas', 'ECC_NIST_EDWARDS25519');
    await ofAnother({ gas: 'alias/another-gas' });
    place.write(readFileSync(join(place.folder, 'another.json'), 'utf8'));
    assert.match(await place.whyNot(place.open(), PrivateFileError), /is for the gas wallet/);
  });

  test('a context that was changed to the wallets of this one, or in any other way', async () => {
    kms.make('more-gas', 'ECC_NIST_EDWARDS25519');
    const another = await ofAnother({ gas: 'alias/more-gas' });
    const { context } = JSON.parse(place.sealed) as Written;
    place.write(withChecksum({ ...another, context: { ...another.context, gas: context.gas! }, checksum: undefined }));
    assert.match(await place.whyNot(place.open(), PrivateFileError), /it was changed/);
    for (const name of ['purpose', 'seal', 'keeper'] as const) {
      changed((written) => {
        written.context[name] = name === 'purpose' ? 'another' : WALLET;
      });
      await place.whyNot(place.open(), PrivateFileError);
    }
    changed((written) => {
      written.context.more = 'x';
    });
    assert.match(await place.whyNot(place.open(), PrivateFileError), /is damaged/);
  });

  test('a whole file of his own, with a key in an account of his own: only the key of the settings is asked', async () => {
    const arn = kms.make('his', 'SYMMETRIC_DEFAULT');
    await ofAnother({ seed: arn });
    place.write(readFileSync(join(place.folder, 'another.json'), 'utf8'));
    assert.match(
      await place.whyNot(place.open(), PrivateFileError),
      /is encrypted with .*, and not with alias\/slipway-seed/,
    );
    assert.match(
      await place.whyNot(
        rekeyManaged({ file: place.file, keys: place.keysOf(), wanted: 'alias/slipway-seed' }),
        PrivateFileError,
      ),
      /is encrypted with/,
    );
  });

  test('a file that is none, or of another kind', async () => {
    for (const text of ['', '{', 'null', '7', '{"version":3}', '{"version":3,"context":null}', place.sealed.trim()]) {
      place.write(text);
      await place.whyNot(place.open(), PrivateFileError);
    }
    rmSync(place.file);
    await openSigner({ file: place.file, passphrase: 'a passphrase', create: true });
    assert.match(
      await place.whyNot(place.open(), PrivateFileError),
      /has a passphrase, and the settings name keys in AWS KMS/,
    );
    place.write(place.sealed);
    const without = openSigner({ file: place.file, passphrase: 'a passphrase', create: false });
    assert.match(
      await place.whyNot(without, PrivateFileError),
      /is for keys in AWS KMS, which the settings of "slipway signer" name/,
    );
  });
});

test('attack: a free key has more deposits signed at once than may wait for AWS KMS: fills are signed meanwhile', async () => {
  // Nothing is given up before the fill is signed, however long a busy machine takes for that.
  let now = 0;
  let giveUp!: (error: Error) => void;
  const givenUp = new Promise<never>((_, reject) => {
    giveUp = reject;
  });
  const send = createExchange();
  const exchange: Exchange = (outgoing) => Promise.race([send({ ...outgoing, timeoutMs: PATIENCE_MS }), givenUp]);
  const keys = place.keysOf({}, KEYS, { exchange, steadyNow: () => now });
  const signer = await openSigner({ file: place.file, keys, create: false });
  const tracker = kms.aliases.get('alias/slipway-tracker');
  kms.fault = ({ operation, input }) => (operation === 'Sign' && input.KeyId === tracker ? 'hang' : undefined);
  const deposits = Array.from({ length: 250 }, () =>
    signer.sign('tracker', MESSAGE).catch((error: Error) => error.message),
  );
  assert.ok(verify(signer.address('keeper'), MESSAGE, await signer.sign('keeper', MESSAGE)));
  now += PATIENCE_MS;
  giveUp(new NoAnswer('no answer in time'));
  const said = await Promise.all(deposits);
  assert.equal(said.filter((each) => each === '200 signatures wait for AWS KMS').length, 50);
  assert.equal(said.filter((each) => /does not answer kms:Sign .*no answer in time/.test(String(each))).length, 200);
});

/** As the file is written, with a checksum that is right. */
function withChecksum(written: object): string {
  const { version, key, context, ciphertext } = written as Record<string, unknown>;
  const body = { version, key, context, ciphertext };
  return `${JSON.stringify({ ...body, checksum: createHash('sha256').update(JSON.stringify(body)).digest('hex') }, undefined, 2)}\n`;
}
