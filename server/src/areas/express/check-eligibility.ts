import type { Address } from '@slipway/wire';
import { requireAddress } from '../../errors/index.js';
import { calledBy } from '../../landing/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { type Eligibility, eligibility, type VerificationKind } from '../../store/verifications.js';
import { type ExpressDeps, expressRoute, tags } from './deps.js';
import { HELD_MS } from './give-way.js';

import { EligibilityAnswer, EligibilityQuery } from './schema.js';

export function registerCheckEligibility(app: TypedServer, deps: ExpressDeps): void {
  app.get(
    '/tokens/v2/verify/express/check-eligibility',
    {
      config: expressRoute,
      schema: {
        tags,
        summary: 'What may be requested for a token',
        description: 'If both `canVerify` and `canMetadata` are false, `execute` refuses before anything is paid.',
        querystring: EligibilityQuery,
        response: { 200: EligibilityAnswer },
      },
    },
    (request) => checkEligibility(calledBy(deps, request), request.query),
  );
}

/** What may be requested for a token now. */
export async function checkEligibility(deps: ExpressDeps, query: EligibilityQuery): Promise<EligibilityAnswer> {
  const tokenId = requireAddress('tokenId', query.tokenId);
  const [mint, taken] = await Promise.all([deps.chain.mint(tokenId), takenOf(deps, tokenId)]);
  const verificationError = mint ? conflict('verification', taken) : 'There is no such token on the chain';
  const metadataError = mint ? conflict('metadata', taken) : 'There is no such token on the chain';
  return {
    tokenExists: mint !== undefined,
    isVerified: taken.verification === 'approved',
    canVerify: verificationError === undefined,
    canMetadata: metadataError === undefined,
    ...(verificationError !== undefined && { verificationError }),
    ...(metadataError !== undefined && { metadataError }),
  };
}

/** What blocks new requests for a token. What the operator vouches for counts as approved. */
async function takenOf({ store, clock, tokens }: ExpressDeps, tokenId: Address): Promise<Eligibility> {
  const taken = await eligibility(store, tokenId, new Date(clock.now() - HELD_MS));
  return tokens.has(tokenId) ? { ...taken, verification: 'approved' } : taken;
}

/** Why a request of this kind cannot be made for the token; undefined if it can. */
export function conflict(kind: VerificationKind, taken: Eligibility): string | undefined {
  const state = taken[kind];
  if (state === undefined) return undefined;
  if (state === 'approved') return 'This token is verified already';
  const what = kind === 'verification' ? 'verification' : 'metadata update';
  return `A premium ${what} request for this token already exists`;
}
