import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { generateKeypair, sign } from '@slipway/wire';
import { CHALLENGE_MS, challengePrefixOf, challengeText } from '../challenge.js';
import { createLoginPolicy } from './login.js';

const START = Date.UTC(2026, 10, 20);
const MINUTE_MS = 60_000;
const PREFIX = challengePrefixOf('https://api.example.com');
const wallet = generateKeypair();

/** What the wallet has signed of a challenge that was made then. */
function proofOf(madeAt: number) {
  const terms = { wallet: wallet.address, id: randomUUID(), expiresAt: new Date(madeAt + CHALLENGE_MS) };
  const challenge = challengeText(PREFIX, terms);
  return { message: { challenge, signature: sign(wallet, Buffer.from(challenge)) } };
}

test('attack: an operator by mistake starts the signer while the clock of its machine is an hour ahead, or some minutes behind: once that is right, wallets log in, but not by what an earlier process may have taken', () => {
  for (const aheadMs of [60 * MINUTE_MS, -3 * MINUTE_MS]) {
    let elapsed = 1_000;
    let wrongBy = aheadMs;
    const check = createLoginPolicy({ prefix: () => PREFIX, age: () => elapsed });
    const logIn = (madeAt: number) => check(wallet.address, proofOf(madeAt), START + elapsed + wrongBy);
    assert.throws(() => logIn(START + elapsed), aheadMs > 0 ? /has expired/ : /lives longer than one may/);
    wrongBy = 0;
    for (elapsed of [2_000, MINUTE_MS]) {
      logIn(START + 1_000);
      assert.throws(() => logIn(START - 1), /older than this signer/);
    }
  }
});

test('attack: a thief of a login has a challenge that was used, while the clock of the signer jumps an hour ahead and back, or is set back: it is not taken again', () => {
  for (const jumpedMs of [60 * MINUTE_MS, -60 * MINUTE_MS]) {
    let elapsed = MINUTE_MS;
    const check = createLoginPolicy({ prefix: () => PREFIX, age: () => elapsed });
    const used = proofOf(START + elapsed);
    check(wallet.address, used, START + elapsed);
    elapsed += 1_000;
    const jumped = START + elapsed + jumpedMs;
    if (jumpedMs > 0) check(wallet.address, proofOf(jumped), jumped);
    else assert.throws(() => check(wallet.address, used, jumped), /longer than one may/);
    for (elapsed of [MINUTE_MS + 2_000, 5 * MINUTE_MS]) {
      assert.throws(() => check(wallet.address, used, START + elapsed), /was used before/);
    }
  }
});

test('a login while the clock was a year ahead keeps no other one among those that may still be used', () => {
  let elapsed = MINUTE_MS;
  const check = createLoginPolicy({ prefix: () => PREFIX, age: () => elapsed, mostUsed: 2 });
  const logIn = (now: number) => check(wallet.address, proofOf(now), now);
  logIn(START + 365 * 24 * 60 * MINUTE_MS);
  for (elapsed of [2 * MINUTE_MS, 20 * MINUTE_MS, 40 * MINUTE_MS]) logIn(START + elapsed);
  assert.throws(() => logIn(START + elapsed), /too many logins at a time/);
});
