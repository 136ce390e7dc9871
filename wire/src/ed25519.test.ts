import assert from 'node:assert/strict';
import { createHash, createPublicKey, verify as nodeVerify } from 'node:crypto';
import { test } from 'node:test';
import {
  createKeyPairFromPrivateKeyBytes,
  getAddressFromPublicKey,
  getPublicKeyFromAddress,
  address as kitAddress,
  signatureBytes,
  signBytes,
  verifySignature,
} from '@solana/kit';
import fc from 'fast-check';
import { type Address, addressFromBytes, addressToBytes } from './address.js';
import { anyBytes, RUNS } from './arbitraries.js';
import { generateKeypair, keypairFromSecret, keypairFromSeed, sign, verify } from './ed25519.js';

const GROUP_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

test('keys and signatures are those of kit, and each accepts the other’s', async () => {
  await fc.assert(
    fc.asyncProperty(anyBytes(32), fc.uint8Array({ maxLength: 300, size: 'max' }), async (seed, message) => {
      const keypair = keypairFromSeed(seed);
      const kitKeys = await createKeyPairFromPrivateKeyBytes(seed);
      assert.equal(keypair.address, await getAddressFromPublicKey(kitKeys.publicKey));
      const signature = sign(keypair, message);
      assert.deepEqual(signature, await signBytes(kitKeys.privateKey, message));
      assert.equal(verify(keypair.address, message, signature), true);
      const publicKey = await getPublicKeyFromAddress(kitAddress(keypair.address));
      assert.equal(await verifySignature(publicKey, signatureBytes(signature), message), true);
    }),
    RUNS,
  );
});

test('one changed bit in message, signature or key is found', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 100, size: 'max' }), fc.nat(), (message, bit) => {
      const keypair = generateKeypair();
      const signature = sign(keypair, message);
      const flip = (bytes: Uint8Array): Uint8Array => {
        const copy = Uint8Array.from(bytes);
        copy[(bit >> 3) % copy.length]! ^= 1 << (bit & 7);
        return copy;
      };
      assert.equal(verify(keypair.address, message, signature), true);
      assert.equal(verify(keypair.address, flip(message), signature), false);
      assert.equal(verify(keypair.address, message, flip(signature)), false);
      assert.equal(verify(addressFromBytes(flip(addressToBytes(keypair.address))), message, signature), false);
    }),
    RUNS,
  );
});

test('malformed keys and signatures are false and do not throw', () => {
  const keypair = generateKeypair();
  const message = Uint8Array.of(1, 2, 3);
  const signature = sign(keypair, message);
  for (const length of [0, 1, 32, 63, 65, 128]) {
    assert.equal(verify(keypair.address, message, new Uint8Array(length).fill(9)), false);
  }
  for (const text of ['', 'nonsense', '1'.repeat(33), '0'.repeat(44)]) {
    assert.equal(verify(text as Address, message, signature), false, text);
  }
  fc.assert(
    fc.property(anyBytes(32), anyBytes(64), (key, noise) => {
      assert.equal(verify(addressFromBytes(key), message, noise), false);
    }),
    RUNS,
  );
});

/** Node 26 refuses points of small order by itself; on earlier versions, the check is ours alone. */
const OPENSSL_TAKES_SMALL_ORDER = Number(process.versions.node.split('.')[0]) < 26;

/** Whether OpenSSL takes the signature: where it does and validators do not, the check is ours. */
function opensslVerifies(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key).toString('base64url') };
  return nodeVerify(null, message, createPublicKey({ key: jwk, format: 'jwk' }), signature);
}

test('a key of small order, for which anybody can sign, is refused', () => {
  const seed = new Uint8Array(32).fill(5);
  // R = S * B; the key adds nothing to it whenever the hash is a multiple of its order.
  const r = addressToBytes(keypairFromSeed(seed).address);
  const forged = Uint8Array.from([...r, ...littleEndian(secretScalar(seed) % GROUP_ORDER)]);
  for (const text of [
    '0100000000000000000000000000000000000000000000000000000000000000',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    '0000000000000000000000000000000000000000000000000000000000000000',
    '0000000000000000000000000000000000000000000000000000000000000080',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
    // Other ways to write the points with y = 0 and y = 1.
    'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  ]) {
    const key = Buffer.from(text, 'hex');
    const messages = Array.from({ length: 200 }, (_, index) => Buffer.from(`message ${index}`));
    const taken = messages.some((message) => opensslVerifies(key, message, forged));
    assert.equal(taken, OPENSSL_TAKES_SMALL_ORDER, `OpenSSL takes ${text}`);
    for (const message of messages) assert.equal(verify(addressFromBytes(key), message, forged), false, text);
  }
});

test('a signature whose R has small order is refused', () => {
  const seed = new Uint8Array(32).fill(5);
  const { address } = keypairFromSeed(seed);
  const key = addressToBytes(address);
  const message = Buffer.from('anything');
  const identity = Uint8Array.from({ length: 32 }, (_, index) => (index === 0 ? 1 : 0));
  // With R the identity, S = k * a fulfils the equation.
  const k = fromLittleEndian(sha512(Buffer.concat([identity, key, message])));
  const forged = Uint8Array.from([...identity, ...littleEndian((k * secretScalar(seed)) % GROUP_ORDER)]);
  assert.equal(opensslVerifies(key, message, forged), OPENSSL_TAKES_SMALL_ORDER);
  assert.equal(verify(address, message, forged), false);
});

test('a secret key gives its key pair; halves that do not belong together are refused', () => {
  const keypair = generateKeypair();
  const again = keypairFromSecret(keypair.secretKey);
  assert.deepEqual(again, keypair);
  assert.equal(verify(keypair.address, Uint8Array.of(1), sign(again, Uint8Array.of(1))), true);
  const mixed = Uint8Array.from(keypair.secretKey);
  mixed.set(generateKeypair().secretKey.subarray(32), 32);
  assert.throws(() => keypairFromSecret(mixed), { name: 'RangeError', message: /do not belong together/ });
  assert.throws(() => keypairFromSecret(keypair.secretKey.subarray(1)), RangeError);
  assert.throws(() => keypairFromSeed(new Uint8Array(31)), RangeError);
});

test('a key pair made by hand signs as well', () => {
  const { address, secretKey } = generateKeypair();
  const message = Uint8Array.of(4, 5, 6);
  assert.equal(verify(address, message, sign({ address, secretKey }, message)), true);
});

test('the caller’s seed and secret key may be wiped afterwards', () => {
  const original = generateKeypair();
  const copy = Uint8Array.from(original.secretKey);
  const keypair = keypairFromSecret(copy);
  copy.fill(0);
  assert.deepEqual(keypair, original);
});

test('every fresh key is another one', () => {
  const addresses = new Set(Array.from({ length: 100 }, () => generateKeypair().address));
  assert.equal(addresses.size, 100);
});

function sha512(bytes: Uint8Array): Uint8Array {
  return createHash('sha512').update(bytes).digest();
}

function secretScalar(seed: Uint8Array): bigint {
  const scalar = sha512(seed).subarray(0, 32);
  scalar[0]! &= 248;
  scalar[31] = (scalar[31]! & 127) | 64;
  return fromLittleEndian(scalar);
}

function littleEndian(value: bigint): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, index) => Number((value >> BigInt(8 * index)) & 255n));
}

function fromLittleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
}
