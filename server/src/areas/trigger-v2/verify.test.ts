import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base58Encode, generateKeypair, sign } from '@slipway/wire';
import { Outage } from '../../errors/index.js';
import { SignerRefused } from '../../signer/index.js';
import { addChallenge } from '../../store/challenges.js';
import { openTestStore } from '../../store/testing.js';
import { verify } from './verify.js';

const NOW = Date.UTC(2026, 10, 21);
const GONE = { code: 'INVALID_REQUEST', message: 'Challenge not found' };

test('a login that the signer could not give uses no challenge up: the same post gets in once, when the signer is back', async (t) => {
  const { store, close } = await openTestStore();
  t.after(close);
  const wallet = generateKeypair();
  let issued: () => Promise<string> = assert.fail;
  let asked = 0;
  const issue = () => {
    asked++;
    return issued();
  };
  const deps = { store, clock: { now: () => NOW }, logins: { issue } } as unknown as Parameters<typeof verify>[0];
  const challenged = async (challenge: string) => {
    const times = { createdAt: new Date(NOW), expiresAt: new Date(NOW + 300_000) };
    const fresh = {
      id: challenge,
      wallet: wallet.address,
      type: 'message',
      challenge,
      blockhash: null,
      ...times,
    } as const;
    await store.transaction((tx) => addChallenge(tx, fresh, 5));
    const signature = base58Encode(sign(wallet, Buffer.from(challenge)));
    return () => verify(deps, { type: 'message', walletPubkey: wallet.address, signature });
  };

  const post = await challenged('the first');
  issued = async () => {
    throw new Outage('SIGNER_UNAVAILABLE', 'the signer is away');
  };
  for (let tries = 0; tries < 2; tries++) await assert.rejects(post(), { code: 'SIGNER_UNAVAILABLE' });
  issued = async () => 'the login';
  const all = await Promise.allSettled([post(), post(), post()]);
  const tokens = all.flatMap((each) => (each.status === 'fulfilled' ? [each.value.token] : []));
  assert.deepEqual(tokens, ['the login']);
  for (const each of all) if (each.status === 'rejected') assert.equal(each.reason.message, GONE.message);
  await assert.rejects(post(), GONE);

  // What it refuses, such as a challenge from before its start, it is asked for once.
  const refused = await challenged('the second');
  asked = 0;
  issued = async () => {
    throw new SignerRefused('login', 'the challenge is older than this signer');
  };
  for (let tries = 0; tries < 3; tries++) await assert.rejects(refused(), GONE);
  assert.equal(asked, 1);
});
