import { type Address, base58Decode, encodeTransaction, verify as isSignedBy } from '@slipway/wire';
import { AppError, requireAddress } from '../../errors/index.js';
import { isRefusal, readSigned } from '../../landing/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { isFullySigned, type LoginProof, readLoginTransaction, SignerRefused } from '../../signer/index.js';
import { type Challenge, consumeChallenge, recentChallenges, returnChallenge } from '../../store/challenges.js';
import { loginRoute, type TriggerV2Deps, tags } from './deps.js';

import { VerifyAnswer, VerifyBody } from './schema.js';

/** More than can be open at a time, so that an expired challenge is told apart from an unknown one. */
const RECENT = 20;
const AGAIN = { challenge: 'ask for a new one: POST /trigger/v2/auth/challenge' };

export function registerVerify(app: TypedServer, deps: TriggerV2Deps): void {
  app.post(
    '/trigger/v2/auth/verify',
    {
      config: loginRoute,
      schema: {
        tags,
        summary: 'Log in with what was signed',
        description:
          'The token is for the header `Authorization: Bearer`. It lives 24 hours and can never move funds by itself.',
        body: VerifyBody,
        response: { 200: VerifyAnswer },
      },
    },
    ({ body }) => verify(deps, body),
  );
}

/** Logs in a wallet that has signed one of its challenges. Only a valid signature uses a challenge up. */
export async function verify(deps: TriggerV2Deps, body: VerifyBody): Promise<VerifyAnswer> {
  const wallet = requireAddress('walletPubkey', body.walletPubkey);
  const { isProof, proofOf } =
    body.type === 'message' ? messageProof(wallet, body.signature) : transactionProof(wallet, body);
  const now = new Date(deps.clock.now());
  const known = await recentChallenges(deps.store, wallet, body.type, RECENT);
  const signed = known.find(isProof);
  if (signed === undefined) throw unproved(known, now);
  if (signed.usedAt !== null) throw notFound();
  if (signed.expiresAt <= now) throw expired();
  const { id } = signed;
  if (!(await deps.store.single((tx) => consumeChallenge(tx, wallet, id, now)))) throw notFound();
  try {
    return { token: await deps.logins.issue(wallet, proofOf(signed)), authMode: 'access_only' };
  } catch (error) {
    // Such as one from before the signer was started again.
    if (error instanceof SignerRefused) throw notFound();
    // The same post gets in once the signer is back, which itself takes a challenge once.
    await deps.store.single((tx) => returnChallenge(tx, wallet, id, now)).catch(() => {});
    throw error;
  }
}

/** What the caller has signed. */
interface Signed {
  isProof(challenge: Challenge): boolean;
  /** For the signer, which believes nobody that there is a proof. */
  proofOf(challenge: Challenge): LoginProof;
}

function messageProof(wallet: Address, signature: string | undefined): Signed {
  const bytes = signature === undefined ? undefined : base58Decode(signature);
  if (bytes?.length !== 64) throw invalid('signature', 'expected a signature in base58 (64 bytes)');
  return {
    isProof: ({ challenge }) => isSignedBy(wallet, Buffer.from(challenge), bytes),
    proofOf: ({ challenge }) => ({ message: { challenge, signature: bytes } }),
  };
}

function transactionProof(wallet: Address, { signedTransaction }: { signedTransaction?: string | undefined }): Signed {
  if (signedTransaction === undefined) throw invalid('signedTransaction', 'required');
  const signed = readSigned(signedTransaction);
  if (isRefusal(signed)) throw invalid('signedTransaction', 'expected the base64 of a signed transaction');
  const read = readLoginTransaction(signed.transaction);
  // Of a login, there is one signature to check.
  const login = read && isFullySigned(signed.transaction) ? read : undefined;
  return {
    isProof: ({ challenge, blockhash }) =>
      login?.wallet === wallet && login.challenge === challenge && login.blockhash === blockhash,
    proofOf: () => ({ transaction: encodeTransaction(signed.transaction) }),
  };
}

/** Why a signature that matches none of the known challenges is refused. */
function unproved(known: readonly Challenge[], now: Date): AppError {
  const unused = known.filter(({ usedAt }) => usedAt === null);
  if (unused.some(({ expiresAt }) => expiresAt > now)) {
    return new AppError('UNAUTHORIZED', { message: 'Invalid signature' });
  }
  return unused.length > 0 ? expired() : notFound();
}

function notFound(): AppError {
  return new AppError('INVALID_REQUEST', { message: 'Challenge not found', details: AGAIN });
}

function expired(): AppError {
  return new AppError('UNAUTHORIZED', { message: 'Challenge expired', details: AGAIN });
}

function invalid(field: string, expected: string): AppError {
  return new AppError('INVALID_REQUEST', { message: `${field}: ${expected}`, details: { [field]: expected } });
}
