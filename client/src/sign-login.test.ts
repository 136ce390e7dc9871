import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateKeypair, sign } from '@slipway/wire';
import { signLogin } from './sign-login.js';

const wallet = generateKeypair();
const signer = {
  address: wallet.address,
  signTransaction: () => assert.fail('no transaction'),
  signMessage: (message: Uint8Array) => sign(wallet, message),
};
const NONCE = 'This challenge expires at 2026-01-01T00:00:00.000Z with the nonce of 1.';

function login(words: string, url: string, challengePrefix?: string): Promise<string> {
  return signLogin({ url, challengePrefix }, signer, `${words} ${wallet.address}.\n\n${NONCE}`, wallet.address);
}

const wordsOf = (host: string) => `Sign this message to authenticate with Slipway at ${host} that you are the owner of`;

test('attack: a lying service passes on the login of another one, to be let in there: not signed', async () => {
  const refused = { code: 'refused_to_sign' };
  await assert.rejects(login(wordsOf('api.victim.example'), 'https://api.evil.example'), refused);
  await assert.rejects(login(wordsOf('api.victim.example'), 'http://127.0.0.1:8080'), refused);
  await assert.rejects(login(wordsOf('localhost.victim.example'), 'http://localhost:8080'), refused);
  await assert.rejects(login(wordsOf('api.victim.example at api.evil.example'), 'https://api.evil.example'), refused);
  await assert.rejects(login('Sign in to another service as the owner of', 'https://api.evil.example'), refused);
  await assert.rejects(login(wordsOf('evil.example'), 'https://evil.example', 'Words of the operator'), refused);
});

test('a login is signed that names the service, or this machine by another name, or says what the app was told', async () => {
  assert.ok(await login(wordsOf('api.example.com'), 'https://api.example.com/'));
  assert.ok(await login(wordsOf('api.example.com:8443'), 'https://api.example.com:8443/v'));
  assert.ok(await login(wordsOf('127.0.0.1:8080'), 'http://localhost:18080'));
  assert.ok(await login(wordsOf('0.0.0.0:8080'), 'http://[::1]:8080'));
  assert.ok(await login('Words of the operator', 'https://api.example.com', 'Words of the operator'));
});
