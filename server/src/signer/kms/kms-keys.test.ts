import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { addressFromBytes, compileMessage, generateKeypair, systemTransfer, verify } from '@slipway/wire';
import { KeyManagementError } from '../key-management.js';
import { initManaged, rekeyManaged } from '../managed-file.js';
import { PrivateFileError } from '../private-file.js';
import { openSigner } from '../signer.js';
import { WALLET_ROLES } from '../wallet-keys.js';
import { type KmsSettings, openKmsKeys } from './kms-keys.js';
import { SESSION, surroundings, usePlace } from './place-testing.js';
import { type Fault, KEYS, type Known } from './testing.js';

const MESSAGE = Buffer.from('a message');
const WALLET = generateKeypair().address;

const place = usePlace();
const { kms } = place;

test('the wallets sign with keys of AWS KMS, and vaults with the seed, of which the file holds the ciphertext only', async () => {
  const signer = await place.open();
  for (const role of WALLET_ROLES) {
    assert.equal(signer.address(role), kms.addressOf(`alias/slipway-${role}`));
    assert.ok(verify(signer.address(role), MESSAGE, await signer.sign(role, MESSAGE)), role);
  }
  const vault = await signer.publicKey(`vault:${WALLET}`);
  assert.ok(verify(vault, MESSAGE, await signer.sign(`vault:${WALLET}`, MESSAGE)));
  const { version, key, context } = JSON.parse(place.sealed) as Record<string, unknown>;
  assert.deepEqual([version, key], [3, kms.aliases.get('alias/slipway-seed')]);
  assert.deepEqual(context, {
    purpose: 'slipway signer seed',
    gas: signer.address('gas'),
    keeper: signer.address('keeper'),
    tracker: signer.address('tracker'),
    seal: signer.address('seal'),
  });
  for (const secret of [place.seed.toString('hex'), place.seed.toString('base64')])
    assert.ok(!place.sealed.includes(secret));
  assert.match(
    await signer.describe(),
    /^AWS KMS \(127\.0\.0\.1:\d+, with credentials of the environment\), and \/.*signer\.json, which it opens$/,
  );
  // What was asked for is what the published API takes: a message as it is, by the key's own name.
  const { input } = kms.asked.findLast(({ operation }) => operation === 'Sign')!;
  assert.deepEqual([input.MessageType, input.SigningAlgorithm], ['RAW', 'ED25519_SHA_512']);
  assert.match(String(input.KeyId), /^arn:aws:kms:/);
  assert.deepEqual(kms.refused, []);
});

test('a message of 4,096 bytes is signed, and a longer one refused without being sent', async () => {
  const signer = await place.open();
  const longest = randomBytes(4_096);
  assert.ok(verify(signer.address('gas'), longest, await signer.sign('gas', longest)));
  const asked = kms.countOf('Sign');
  await assert.rejects(signer.sign('gas', randomBytes(4_097)), { name: 'SignerRefused', reason: /at most 4096 bytes/ });
  assert.equal(kms.countOf('Sign'), asked);
});

test('to ask whether the keys work costs a trial of each in ten seconds at most, unless one has failed since', async () => {
  const signer = await place.open();
  assert.equal(kms.countOf('Sign'), 3);
  await Promise.all(Array.from({ length: 20 }, () => signer.describe()));
  assert.equal(kms.countOf('Sign'), 3);
  kms.fault = ({ operation }) => (operation === 'Sign' ? { error: 'DisabledException' } : undefined);
  await place.whyNot(signer.sign('gas', MESSAGE), KeyManagementError);
  assert.match(await place.whyNot(signer.describe(), KeyManagementError), /DisabledException.*enable the key/);
  kms.fault = () => undefined;
  await signer.describe();
  const asked = kms.countOf('Sign');
  await signer.describe();
  assert.equal(kms.countOf('Sign'), asked);
});

describe('what passes by itself is tried again, within a bound', () => {
  const passing: [string, Fault][] = [
    ['throttled', { error: 'ThrottlingException' }],
    ['429', { raw: 'Too many requests', status: 429 }],
    ['an internal error', { error: 'KMSInternalException', status: 500 }],
    ['a gateway', { raw: '<html>503</html>', status: 503 }],
    ['lost', 'reset'],
    ['cut off', 'half'],
    ['garbage', { raw: '<html>' }],
    ['a list', { raw: '[1]' }],
  ];
  for (const [name, fault] of passing) {
    test(name, async () => {
      const signer = await place.open();
      const first = kms.countOf('Sign');
      kms.fault = ({ operation }, count) => (operation === 'Sign' && count <= first + 2 ? fault : undefined);
      assert.ok(verify(signer.address('gas'), MESSAGE, await signer.sign('gas', MESSAGE)));
      assert.equal(kms.countOf('Sign'), first + 3);
      // And given up.
      kms.fault = ({ operation }) => (operation === 'Sign' ? fault : undefined);
      await place.whyNot(signer.sign('gas', MESSAGE), KeyManagementError);
      assert.ok(kms.countOf('Sign') <= first + 3 + 12, `${kms.countOf('Sign')}`);
      kms.fault = () => undefined;
      await signer.sign('gas', MESSAGE);
    });
  }
});

test('what does not pass by itself is not tried again, and said with what to do', async () => {
  const signer = await place.open();
  const cases: [string, RegExp][] = [
    [
      'AccessDeniedException',
      /does not do kms:Sign with arn:aws:kms:\S+ \(AccessDeniedException, request [0-9a-f-]+\): see the permissions/,
    ],
    ['KMSInvalidStateException', /waits for its deletion/],
    ['DisabledException', /enable the key/],
    ['com.amazonaws.kms#NotFoundException', /\(NotFoundException, .*no such key/],
    ['x\n{"level":10}', /\(status 400, request/],
  ];
  for (const [error, expected] of cases) {
    const first = kms.countOf('Sign');
    kms.fault = () => ({ error, message: `${SESSION} canonical` });
    assert.match(await place.whyNot(signer.sign('gas', MESSAGE), KeyManagementError), expected);
    assert.equal(kms.countOf('Sign'), first + 1, error);
  }
});

test('more than 200 signatures do not wait at the same time for an AWS KMS that hangs; vaults sign meanwhile', async () => {
  const signer = await place.open();
  kms.fault = () => 'hang';
  const waiting = Array.from({ length: 250 }, () => signer.sign('gas', MESSAGE).catch((error: Error) => error.message));
  assert.ok(verify(await signer.publicKey(`vault:${WALLET}`), MESSAGE, await signer.sign(`vault:${WALLET}`, MESSAGE)));
  const said = await Promise.all(waiting);
  assert.equal(said.filter((each) => each === '200 signatures wait for AWS KMS').length, 50);
  assert.equal(said.filter((each) => /does not answer kms:Sign .*no answer in time/.test(String(each))).length, 200);
  kms.fault = () => undefined;
  await signer.sign('gas', MESSAGE);
});

test('what cannot be signed while AWS KMS is away counts once as signed for, so that the outage does not use up the hour', async () => {
  const taken: string[] = [];
  const take = async (message: Uint8Array) => void taken.push(Buffer.from(message).toString('hex'));
  const limits = { take, warning: undefined };
  const signer = await openSigner({ file: place.file, keys: place.keysOf(), create: false, limits });
  const gas = signer.address('gas');
  /** A payment of nothing, whose fee the gas wallet pays. */
  const payment = (number: number) => {
    const blockhash = addressFromBytes(new Uint8Array(32).fill(number));
    const nothing = systemTransfer({ from: WALLET, to: WALLET, lamports: 1n });
    return compileMessage({ version: 0, feePayer: gas, instructions: [nothing], blockhash });
  };
  const cosign = (number: number) => signer.cosign({ keys: ['gas'], message: payment(number) });
  await cosign(1);
  kms.fault = ({ operation }) => (operation === 'Sign' ? { error: 'DisabledException' } : undefined);
  for (let number = 2; number < 12; number++) await place.whyNot(cosign(number), KeyManagementError);
  assert.equal(taken.length, 2);
  kms.fault = () => undefined;
  const [cosigned] = await cosign(20);
  assert.ok(verify(gas, payment(20), cosigned!.signature));
  assert.equal(taken.length, 3);
});

test('credentials that AWS refuses are loaded anew; where there are no others, that is said without them', async () => {
  const temporary: Known = {
    accessKeyId: 'ASIATEMPORARY0000000',
    secretAccessKey: KEYS.secretAccessKey,
    sessionToken: SESSION,
  };
  kms.known = [temporary];
  const signer = await place.open({}, temporary);
  assert.ok(verify(signer.address('gas'), MESSAGE, await signer.sign('gas', MESSAGE)));
  kms.known = [{ ...temporary, expired: true }];
  assert.match(await place.whyNot(signer.sign('gas', MESSAGE), KeyManagementError), /\(ExpiredTokenException, request/);
  kms.known = [{ ...temporary, sessionToken: 'another' }];
  assert.match(await place.whyNot(signer.sign('gas', MESSAGE), KeyManagementError), /\(UnrecognizedClientException, /);
  // AWS repeats the headers of a request whose signature is wrong.
  kms.known = [{ ...temporary, secretAccessKey: 'another' }];
  assert.match(
    await place.whyNot(signer.sign('gas', MESSAGE), KeyManagementError),
    /InvalidSignatureException.*check AWS_SECRET_ACCESS_KEY, kms\.region, and the clock/,
  );
  kms.known = [temporary];
  kms.ahead = 3_600;
  assert.match(await place.whyNot(signer.sign('gas', MESSAGE), KeyManagementError), /the clock of this machine/);
  kms.ahead = 0;
  await signer.sign('gas', MESSAGE);
});

test('credentials of a container that expire early are replaced within the signature that has found it out', async () => {
  const temporary = (n: number): Known => ({
    accessKeyId: `ASIATEMPORARY000000${n}`,
    secretAccessKey: KEYS.secretAccessKey,
    sessionToken: SESSION,
  });
  let current = temporary(1);
  const agent = createServer((_, response) => {
    const { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: Token } = current;
    const Expiration = new Date(Date.now() + 3_600_000).toISOString();
    response.end(JSON.stringify({ AccessKeyId, SecretAccessKey, Token, Expiration }));
  });
  agent.listen(0, '127.0.0.1');
  await once(agent, 'listening');
  try {
    kms.known = [current];
    const url = `http://127.0.0.1:${(agent.address() as AddressInfo).port}/`;
    const env = { AWS_CONTAINER_CREDENTIALS_FULL_URI: url };
    const keys = openKmsKeys(place.settings, { env, ...surroundings() });
    const signer = await openSigner({ file: place.file, keys, create: false });
    assert.match(await signer.describe(), /with credentials of the container's agent/);
    // An agent is asked once a second at most.
    await sleep(1_100);
    kms.known = [{ ...current, expired: true }, temporary(2)];
    current = temporary(2);
    assert.ok(verify(signer.address('gas'), MESSAGE, await signer.sign('gas', MESSAGE)));
    assert.equal(kms.asked.at(-1)!.accessKeyId, current.accessKeyId);
  } finally {
    agent.close().closeAllConnections();
  }
});

test('it needs these permissions and no others: to sign and to decrypt where it runs, to describe and encrypt for init', async () => {
  kms.known = [{ ...KEYS, may: ['GetPublicKey', 'Sign', 'Decrypt'] }];
  await (await place.open()).sign('gas', MESSAGE);
  for (const missing of ['GetPublicKey', 'Sign', 'Decrypt']) {
    kms.known = [{ ...KEYS, may: ['GetPublicKey', 'Sign', 'Decrypt'].filter((each) => each !== missing) }];
    assert.match(
      await place.whyNot(place.open(), KeyManagementError),
      new RegExp(`kms:${missing} .*AccessDeniedException`),
    );
  }
  rmSync(place.file);
  kms.known = [{ ...KEYS, may: ['GetPublicKey', 'DescribeKey', 'Encrypt', 'Decrypt'] }];
  await initManaged({ file: place.file, keys: place.keysOf(), loadSeed: async () => new Uint8Array(place.seed) });
});

test('keys that are of another kind, away, or the same for two wallets', async () => {
  kms.make('p256', 'ECC_NIST_P256');
  const cases: [Partial<KmsSettings['keys']>, RegExp][] = [
    [{ gas: 'alias/p256' }, /alias\/p256 must have the spec ECC_NIST_EDWARDS25519/],
    [{ gas: 'alias/slipway-seed' }, /UnsupportedOperationException/],
    [{ keeper: 'alias/slipway-gas' }, /another key for each of gas, keeper and tracker/],
    [{ tracker: 'alias/nobody' }, /kms:GetPublicKey with alias\/nobody \(NotFoundException/],
  ];
  for (const [changes, expected] of cases)
    assert.match(await place.whyNot(place.open(changes), KeyManagementError), expected);
  rmSync(place.file);
  const init = (changes: Partial<KmsSettings['keys']>) =>
    initManaged({
      file: place.file,
      keys: place.keysOf(changes),
      loadSeed: () => assert.fail('the seed is made only when the keys are there'),
    });
  assert.match(
    await place.whyNot(init({ seed: 'alias/slipway-gas' }), KeyManagementError),
    /must be enabled, and have the spec SYMMETRIC_DEFAULT/,
  );
  kms.keyOf('alias/slipway-seed').enabled = false;
  assert.match(await place.whyNot(init({}), KeyManagementError), /must be enabled/);
});

test('rekey: another key opens the file, the old one no more; again it changes nothing', async () => {
  const before = await place.open();
  const arn = kms.make('seed-2', 'SYMMETRIC_DEFAULT');
  const old = kms.aliases.get('alias/slipway-seed')!;
  const rekey = (wanted: string) => rekeyManaged({ file: place.file, keys: place.keysOf(), wanted });
  assert.deepEqual(await rekey('alias/seed-2'), { old, key: arn, changed: true });
  const changed = readFileSync(place.file, 'utf8');
  assert.match(
    await place.whyNot(place.open(), PrivateFileError),
    /is encrypted with arn:aws:kms:\S+, and not with alias\/slipway-seed: set kms\.keys\.seed/,
  );
  assert.deepEqual(await rekey('alias/seed-2'), { old: arn, key: arn, changed: false });
  assert.equal(readFileSync(place.file, 'utf8'), changed);
  const after = await place.open({ seed: arn });
  for (const key of ['gas', 'seal', `vault:${WALLET}`, 'mint:7'] as const)
    assert.equal(await after.publicKey(key), await before.publicKey(key), key);
  assert.match(await place.whyNot(rekey('alias/slipway-gas'), KeyManagementError), /SYMMETRIC_DEFAULT/);
  assert.match(await place.whyNot(rekey('alias/nobody'), KeyManagementError), /NotFoundException/);
  assert.equal(readFileSync(place.file, 'utf8'), changed);
});
