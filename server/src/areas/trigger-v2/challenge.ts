import { randomBytes } from 'node:crypto';
import { type Address, addressFromBytes } from '@slipway/wire';
import { invalidField, requireAddress } from '../../errors/index.js';
import { uuidv7 } from '../../lib/ids.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { CHALLENGE_MS, challengeText } from '../../signer/index.js';
import { addChallenge } from '../../store/challenges.js';
import { craftLoginTransaction, LOGIN_PROGRAMS } from './challenge-transaction.js';
import { loginRoute, type TriggerV2Deps, tags } from './deps.js';

import { ChallengeAnswer, ChallengeBody } from './schema.js';

const MAX_LIVE = 5;

export function registerChallenge(app: TypedServer, deps: TriggerV2Deps): void {
  app.post(
    '/trigger/v2/auth/challenge',
    {
      config: loginRoute,
      schema: {
        tags,
        summary: 'Get a login challenge for a wallet to sign',
        description:
          'Sign `challenge` as a message, or `transaction`, and post the signature to `verify`. It lives five minutes.',
        body: ChallengeBody,
        response: { 200: ChallengeAnswer },
      },
    },
    ({ body }) => challenge(deps, body),
  );
}

/** A login challenge. By signing it, the caller proves that it owns the wallet. */
export async function challenge(deps: TriggerV2Deps, body: ChallengeBody): Promise<ChallengeAnswer> {
  const wallet = requireAddress('walletPubkey', body.walletPubkey);
  if (LOGIN_PROGRAMS.has(wallet)) {
    throw invalidField('walletPubkey', 'expected a wallet, not the address of a program');
  }
  const now = deps.clock.now();
  const id = uuidv7(deps.clock);
  const expiresAt = new Date(now + CHALLENGE_MS);
  const text = challengeText(deps.challengePrefix(), { wallet, id, expiresAt });
  const stored = await deps.store.transaction((tx) =>
    addChallenge(
      tx,
      {
        id,
        wallet,
        type: body.type,
        challenge: text,
        createdAt: new Date(now),
        expiresAt,
        blockhash: body.type === 'transaction' ? addressFromBytes(randomBytes(32)) : null,
      },
      MAX_LIVE,
    ),
  );
  if (stored.blockhash === null) return { type: 'message', challenge: stored.challenge };
  return { type: 'transaction', transaction: loginTransaction(wallet, stored.challenge, stored.blockhash) };
}

function loginTransaction(wallet: Address, text: string, blockhash: string): string {
  return Buffer.from(craftLoginTransaction({ wallet, challenge: text, blockhash })).toString('base64');
}
