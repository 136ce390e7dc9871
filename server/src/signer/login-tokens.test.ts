import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { addressToBytes, generateKeypair, keypairFromSeed, sign } from '@slipway/wire';
import fc from 'fast-check';
import { CHALLENGE_MS, challengeText } from './challenge.js';
import { openSigner, type Signer } from './index.js';
import { createLoginTokens, type LoginTokens } from './login-tokens.js';
import { openSeed } from './seed-file.js';
import { deriveEd25519Seed } from './slip10.js';

const DAY = 24 * 60 * 60 * 1000;
/** In the middle of a period of one key. */
const START = Math.ceil(Date.UTC(2026, 10, 20) / (7 * DAY)) * 7 * DAY + 3 * DAY;

let folder: string;
let signer: Signer;
let seed: Uint8Array;
let time = START;
let revokedAt: Date | undefined;
let logins: LoginTokens;
const owner = generateKeypair();
const wallet = owner.address;
const clock = { now: () => time };
const service = { challengePrefix: () => 'Log in as', host: () => 'localhost', maxUnsignedSlippageBps: 0 };

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-login-'));
  const file = join(folder, 'signer.json');
  signer = await openSigner({ file, passphrase: 'of the test', create: true, service, clock });
  seed = await openSeed(await readFile(file, 'utf8'), 'of the test', file);
  logins = createLoginTokens({ signer, clock, revokedAt: async () => revokedAt });
});
after(() => rm(folder, { recursive: true, force: true }));

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;

/** A key of the seed, as no caller has it. */
const keyAt = (...path: number[]) => keypairFromSeed(deriveEd25519Seed(seed, [44, 501, ...path]));

async function issuedAt(now: number): Promise<string> {
  time = now;
  const challenge = challengeText('Log in as', { wallet, id: randomUUID(), expiresAt: new Date(now + CHALLENGE_MS) });
  return logins.issue(wallet, { message: { challenge, signature: sign(owner, Buffer.from(challenge)) } });
}

async function walletAt(token: string, now: number): Promise<string | undefined> {
  time = now;
  return logins.walletOf(token);
}

test('a token names its wallet and lives exactly 24 hours', async () => {
  const token = await issuedAt(START);
  const [header, payload] = token.split('.');
  const iat = START / 1000;
  assert.deepEqual(decode(payload!), { sub: wallet, walletPubkey: wallet, iat, exp: iat + 86_400 });
  assert.equal(decode(header!).alg, 'EdDSA');
  assert.equal(await walletAt(token, START), wallet);
  assert.equal(await walletAt(token, START + DAY - 1), wallet);
  assert.equal(await walletAt(token, START + DAY), undefined);
});

test('a token is good in every copy that has the same seed, after any restart', async () => {
  const token = await issuedAt(START);
  const again = await openSigner({ file: join(folder, 'signer.json'), passphrase: 'of the test', create: false });
  const copy = createLoginTokens({ signer: again, clock: { now: () => START }, revokedAt: async () => undefined });
  assert.equal(await copy.walletOf(token), wallet);
  const other = await openSigner({ file: join(folder, 'other.json'), passphrase: 'of the test', create: true });
  const stranger = createLoginTokens({ signer: other, clock: { now: () => START }, revokedAt: async () => undefined });
  assert.equal(await stranger.walletOf(token), undefined);
});

test('whoever is logged out stays so, and may log in again within the same second', async (t) => {
  t.after(() => {
    revokedAt = undefined;
  });
  const before = await issuedAt(START + 100);
  const same = await issuedAt(START + 1_400);
  revokedAt = new Date(START + 1_500);
  assert.equal(await walletAt(before, START + 1_500), undefined);
  assert.equal(await walletAt(same, START + 1_600), undefined);
  const again = await issuedAt(START + 1_700);
  assert.equal(await walletAt(again, START + 1_700), wallet);
  assert.equal(await walletAt(again, START + 2_000 + DAY), undefined);
});

test('a login that was begun at a copy whose clock is ahead ends at one whose clock is not', async (t) => {
  t.after(() => {
    revokedAt = undefined;
  });
  const token = await issuedAt(START + 20_000);
  time = START;
  revokedAt = await logins.endOf(token);
  assert.equal(await walletAt(token, START), undefined);
  assert.equal(await walletAt(token, START + DAY - 1_000), undefined);
  const again = await issuedAt(START + 1_000);
  assert.equal(await walletAt(again, START + 1_000), wallet);
  const late = await issuedAt(START + DAY);
  assert.deepEqual(await logins.endOf(late), new Date(START + DAY));
});

test('keys change every week, and no change ends a login before its time', async () => {
  const keys = new Set<unknown>();
  for (let day = 0; day < 30; day += 0.5) {
    const now = START + day * DAY;
    const token = await issuedAt(now);
    keys.add(decode(token.split('.')[0]!).kid);
    assert.equal(await walletAt(token, now + DAY - 1_000), wallet, `day ${day}`);
    assert.equal(await walletAt(token, now + DAY), undefined, `day ${day}`);
  }
  assert.equal(keys.size, 5);
});

test('a copy whose clock is a few seconds behind takes the token; one from the future is refused', async () => {
  const token = await issuedAt(START);
  assert.equal(await walletAt(token, START - 30_000), wallet);
  assert.equal(await walletAt(token, START - 120_000), undefined);
});

/** Signs any header and payload, with any key. */
type Forge = (header: string, payload: string) => Promise<Uint8Array>;

async function forgedTokens(): Promise<[string, string][]> {
  const good = await issuedAt(START);
  const [header, payload, signature] = good.split('.') as [string, string, string];
  const claims = decode(payload);
  const head = decode(header);
  const kid = Number(head.kid);
  const stranger = generateKeypair();
  const login: Forge = async (h, p) => sign(keyAt(5, kid), Buffer.from(`${h}.${p}`));
  const token = async (h: unknown, p: unknown, by: Forge = login) => {
    const [first, second] = [typeof h === 'string' ? h : encode(h), typeof p === 'string' ? p : encode(p)];
    return `${first}.${second}.${Buffer.from(await by(first, second)).toString('base64url')}`;
  };
  const hmac =
    (key: Uint8Array): Forge =>
    async (h, p) =>
      createHmac('sha256', key).update(`${h}.${p}`).digest();
  const publicKey = addressToBytes(await signer.publicKey(`login:${kid}`));
  const other = generateKeypair().address;
  const forged: [string, string][] = [];
  const add = (why: string, text: string) => forged.push([why, text]);

  for (const alg of ['none', 'None', 'NONE', 'HS256', 'RS256', 'ES256', 'Ed25519', 'eddsa', '', null]) {
    add(`alg ${alg}, our signature`, await token({ ...head, alg }, payload));
    add(`alg ${alg}, no signature`, `${encode({ ...head, alg })}.${payload}.`);
  }
  add('HS256 with the public key', await token({ ...head, alg: 'HS256' }, payload, hmac(publicKey)));
  add('HMAC under our header', await token(head, payload, hmac(publicKey)));
  for (const [why, changed] of Object.entries({
    'another key number': { ...head, kid: String(kid + 1) },
    'an older key number': { ...head, kid: String(kid - 1) },
    'a number for the key': { ...head, kid },
    'no key': { alg: 'EdDSA', typ: 'JWT' },
    'a path for the key': { ...head, kid: '../../gas' },
    'a key of its own': { ...head, jwk: { kty: 'OKP', crv: 'Ed25519', x: 'AA' } },
    'a place to fetch keys': { ...head, jku: 'https://evil.example/jwks' },
    'a critical extension': { ...head, crit: ['b64'], b64: false },
  }))
    add(why, await token(changed, payload));
  for (const [why, changed] of Object.entries({
    'no sub': { ...claims, sub: undefined },
    'no walletPubkey': { ...claims, walletPubkey: undefined },
    'two wallets': { ...claims, sub: other },
    'another walletPubkey': { ...claims, walletPubkey: other },
    'a sub that is no address': { ...claims, sub: 'x', walletPubkey: 'x' },
    'a longer life': { ...claims, exp: Number(claims.exp) + 1 },
    'no end': { ...claims, exp: undefined },
    'no begin': { ...claims, iat: undefined },
    'a begin as text': { ...claims, iat: String(claims.iat) },
    'an endless life': { ...claims, exp: 1e308 },
    'a life from the future': { ...claims, iat: Number(claims.iat) + 3_600, exp: Number(claims.exp) + 3_600 },
    'a life that has ended': { ...claims, iat: Number(claims.iat) - 86_400, exp: Number(claims.exp) - 86_400 },
    'a negative begin': { ...claims, iat: -86_400, exp: 0 },
    'a list': [claims],
    null: null,
    'a text': 'claims',
  }))
    add(why, await token(head, changed === 'claims' ? encode('claims') : changed));
  const next: Forge = async (h, p) => sign(keyAt(5, kid + 1), Buffer.from(`${h}.${p}`));
  add('signed by the next key', await token(head, payload, next));
  for (const role of ['gas', 'keeper', 'tracker', `vault:${wallet}`] as const) {
    add(`signed by ${role}`, await token(head, payload, async (h, p) => signer.sign(role, Buffer.from(`${h}.${p}`))));
  }
  add('signed by a stranger', await token(head, payload, async (h, p) => sign(stranger, Buffer.from(`${h}.${p}`))));
  add(
    'another wallet under our signature',
    `${header}.${encode({ ...claims, sub: other, walletPubkey: other })}.${signature}`,
  );
  const last = signature.at(-1)!;
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  add(
    'a signature written in another way',
    `${header}.${payload}.${signature.slice(0, -1)}${alphabet[alphabet.indexOf(last) + 1]}`,
  );
  for (const [why, text] of Object.entries({
    empty: '',
    dots: '..',
    'one part': header,
    'two parts': `${header}.${payload}`,
    'four parts': `${good}.`,
    'five parts': `${good}.AA.AA`,
    'a swapped order': `${payload}.${header}.${signature}`,
    padding: `${good}==`,
    'a space': `${good} `,
    'a line break': `${header}\n.${payload}.${signature}`,
    'no signature': `${header}.${payload}.`,
    'half a signature': `${header}.${payload}.${signature.slice(0, 43)}`,
    'two signatures': `${header}.${payload}.${signature}${signature}`,
    'plain base64': `${good.replaceAll('-', '+').replaceAll('_', '/')}=`,
    'a payload that is no JSON': await token(head, Buffer.from('{').toString('base64url')),
    much: 'A'.repeat(100_000),
  }))
    add(why, text);
  return forged;
}

test('attack: a free key forges logins in at least 50 ways, most of them signed by the right key: refused', async () => {
  const forged = await forgedTokens();
  assert.ok(forged.length >= 50, String(forged.length));
  for (const [why, token] of forged) assert.equal(await walletAt(token, START), undefined, why);
});

test('attack: a free key changes one character of a login: refused', async () => {
  const token = await issuedAt(START);
  const other = fc.constantFrom(...'AZaz09-_.=+/ {"');
  await fc.assert(
    fc.asyncProperty(fc.nat(token.length - 1), other, async (at, character) => {
      fc.pre(token[at] !== character);
      assert.equal(await walletAt(token.slice(0, at) + character + token.slice(at + 1), START), undefined);
    }),
    { numRuns: 500 },
  );
});
