import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base58Decode } from '@slipway/wire';
import { inviteKeypair, newInviteCode } from './invite-code.js';
import { inviteAddress } from './invite-escrow.js';

// Made from the published rule by another implementation of SHA-256, ed25519 and base58: code, seed, key, account.
const VECTORS = [
  [
    '1ABcd234567z',
    '2a2fb5cd92c75fb2396171a0b546e9aa0a42a70dc8c679fd434d8b1ac0a945ed',
    '3REiLzR8uKGWSXUjbLEWMNY5eSido9o7kN5ntGsadXht',
    'BzWY1TTPUzXMgYusuoNDY11DWpzLa3DjedCa5w8uy96p',
  ],
  [
    'ZZZZZZZZZZZZ',
    '12940cdd35bc77f50332c03f43d64af310d01f36852035ba25406d570ddd2814',
    '2MjRQpgMmCPN4diCDzjxkQoCDXns5BzQsbC22RMoBaah',
    'Byx16kHpe4ziz3SjNw6LXWXKuCvQwp2f2fxMVvbVN8HA',
  ],
  [
    '111111111111',
    '8ae430dd793160aa74baf48d822146040ce826864ce2d7a6a9e6e9b23082e112',
    '8fYNrjeZpBahbmyLU94fkqfEpeYHzYxSdNsomi61rfUy',
    'G2ntsEVYWdCu4Z8DCihwXbcdnkwjYmas3UoJoHbMm78p',
  ],
  [
    '9KmNpQrStUvW',
    'f8e19cde6cc1ae6e97530110132e5e90308e40d00672653e77b8ac8fccb75b6b',
    '5mxvFgiV5uA1BcTUw2Fk6hXk8ED2HtrWkg4uF9rGaDPH',
    '6LCR11f9gNZcWq5QVQYwCwmLQ1G4gEwVsBffgBSoHFUX',
  ],
] as const;

test('a code gives the key of the published rule, and the key its account', () => {
  for (const [code, seed, key, account] of VECTORS) {
    const { address, secretKey } = inviteKeypair(code);
    assert.equal(Buffer.from(secretKey.subarray(0, 32)).toString('hex'), seed);
    assert.equal(address, key);
    assert.deepEqual(Buffer.from(secretKey.subarray(32)), Buffer.from(base58Decode(key)!));
    assert.equal(inviteAddress(address), account);
  }
});

test('new codes are 12 base58 characters that differ, and are taken', () => {
  const codes = Array.from({ length: 1_000 }, newInviteCode);
  for (const code of codes) assert.match(code, /^[1-9A-HJ-NP-Za-km-z]{12}$/);
  assert.equal(new Set(codes).size, codes.length);
  assert.equal(new Set(codes.map((code) => code.slice(-4))).size > 990, true);
  inviteKeypair(codes[0]!);
});

test('what is no code is refused, and is not in the message', () => {
  for (const wrong of [
    '',
    'ZZZZZZZZZZZ',
    'ZZZZZZZZZZZZZ',
    'ZZZZZZZZZZZ0',
    'OZZZZZZZZZZZ',
    ' ZZZZZZZZZZZ',
    'ZZZZZZZZZZZZ\n',
  ]) {
    assert.throws(
      () => inviteKeypair(wrong),
      (error: Error) => error instanceof RangeError && (wrong === '' || !error.message.includes(wrong)),
    );
  }
});
