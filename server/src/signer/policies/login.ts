import { createHash } from 'node:crypto';
import { type Address, decodeTransaction, verify } from '@slipway/wire';
import { steadyNow } from '../../lib/clock.js';
import { CHALLENGE_MS, challengeExpiry } from '../challenge.js';
import { SKEW_SECONDS } from '../login-claims.js';
import { isFullySigned, readLoginTransaction } from '../login-transaction.js';
import { allow } from './refusal.js';

/** A challenge that the wallet has signed: as a message, or as the memo of a transaction that no chain accepts. */
export type LoginProof = { message: { challenge: string; signature: Uint8Array } } | { transaction: Uint8Array };

const SKEW_MS = SKEW_SECONDS * 1_000;
/** From its first use on, a challenge can be used for so long. */
const LONGEST_USE_MS = CHALLENGE_MS + 2 * SKEW_MS;
/** More than can be signed by honest wallets while a challenge lives. */
const MOST_USED = 100_000;

interface LoginPolicyOptions {
  prefix: () => string;
  age?: (() => number) | undefined;
  /** How many challenges may have been used at a time. */
  mostUsed?: number;
}

/**
 * A wallet logs in by its signature over a challenge that names this service, lives now, and was not used before.
 *
 * `age`: for how many milliseconds it has been known what was used, so that no challenge of before is taken. By a steady clock:
 * that of the machine may have been wrong at the start, and be right since.
 */
export function createLoginPolicy({ prefix, age, mostUsed = MOST_USED }: LoginPolicyOptions) {
  /** By their digests, and until when they could be used, by both clocks: that of the machine may jump ahead for a moment. */
  const used = new Map<string, { until: number; steadyUntil: number }>();

  /**
   * Uses the challenge up; returns what gives it back, for where no login was given for it.
   * @throws NotAllowed
   */
  return function checkLogin(wallet: Address, proof: LoginProof, now: number): () => void {
    const challenge = signedChallenge(wallet, proof);
    allow(challenge !== undefined, 'the wallet has not signed this challenge');
    const expiresAt = challengeExpiry(challenge, prefix(), wallet)?.getTime();
    allow(expiresAt !== undefined, 'this is no challenge of this service for this wallet');
    allow(now < expiresAt + SKEW_MS, 'the challenge has expired');
    allow(expiresAt <= now + CHALLENGE_MS + SKEW_MS, 'the challenge lives longer than one may');
    const steady = (age ?? steadyNow)();
    const since = age ? now - steady : 0;
    allow(expiresAt - CHALLENGE_MS >= since, 'the challenge is older than this signer');
    for (const [digest, { until, steadyUntil }] of used) {
      // By the steady clock, they are in the order of their ends.
      if (steadyUntil > steady) break;
      // One that was used while the other clock was ahead keeps its place until then, and none behind it.
      if (until <= now) used.delete(digest);
    }
    const digest = createHash('sha256').update(challenge).digest('base64');
    allow(!used.has(digest), 'the challenge was used before');
    allow(used.size < mostUsed, 'too many logins at a time');
    used.set(digest, { until: now + LONGEST_USE_MS, steadyUntil: steady + LONGEST_USE_MS });
    return () => void used.delete(digest);
  };
}

/** The text that the wallet has signed; undefined if it has not. */
function signedChallenge(wallet: Address, proof: LoginProof): string | undefined {
  if ('message' in proof) {
    const { challenge, signature } = proof.message;
    return verify(wallet, Buffer.from(challenge), signature) ? challenge : undefined;
  }
  const transaction = decodeTransaction(proof.transaction);
  const login = isFullySigned(transaction) ? readLoginTransaction(transaction) : undefined;
  return login?.wallet === wallet ? login.challenge : undefined;
}
