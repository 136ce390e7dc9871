import { randomBytes } from 'node:crypto';
import {
  type Address,
  addressToBytes,
  associatedTokenAddress,
  decodeTokenAccount,
  isOnCurve,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { MAX_COMPUTE_UNITS, unitLimitFrom } from '../../crafting/budget.js';
import { type ClaimPlace, craftFeeClaim, type FeeClaim } from '../../crafting/fee-claim.js';
import { temporaryWrappedSol } from '../../crafting/swap.js';
import { AppError, requireAddress } from '../../errors/index.js';
import { calledBy, explain } from '../../landing/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { type StudioDeps, studioRoute, tags } from './deps.js';

import { refuse } from './launch-request.js';
import { type FoundPool, requirePool } from './pool-state.js';
import { ClaimAnswer, ClaimBody } from './schema.js';

export function registerClaimFees(app: TypedServer, deps: StudioDeps): void {
  app.post(
    '/studio/v1/dbc/fee/create-tx',
    {
      config: { ...studioRoute, crafts: true, errors: { 404: 'Proxy account not found for the creator' } },
      schema: {
        tags,
        summary: "Craft the claim of a creator's trading fees",
        description: 'Sign the transaction and send it yourself. It claims at most `maxQuoteAmount`.',
        body: ClaimBody,
        response: { 200: ClaimAnswer },
      },
    },
    (request) => claimFees(calledBy(deps, request), request.body),
  );
}

/** Crafts the transaction that claims the creator's share of a pool's trading fees. */
export async function claimFees(deps: StudioDeps, body: ClaimBody): Promise<ClaimAnswer> {
  const owner = requireAddress('ownerWallet', body.ownerWallet);
  const pool = await requirePool(deps, requireAddress('poolAddress', body.poolAddress));
  requireOwner(pool, owner);
  const claim = await planClaim(deps, pool, BigInt(body.maxQuoteAmount));
  const [first, computeUnitPrice] = await Promise.all([deps.chain.latestBlockhash(), deps.chain.computeUnitPrice()]);
  const sample = craftFeeClaim(claim, first.blockhash, { computeUnitLimit: MAX_COMPUTE_UNITS, computeUnitPrice: 0n });
  const { err, unitsConsumed } = await deps.chain.simulate(sample.wire, { sigVerify: false });
  if (err !== null) throw refuse('ownerWallet', `the chain would refuse this claim: ${explain(err).message}`);
  const { blockhash } = await deps.chain.latestBlockhash();
  const budget = { computeUnitLimit: unitLimitFrom(unitsConsumed), computeUnitPrice };
  return { transaction: Buffer.from(craftFeeClaim(claim, blockhash, budget).wire).toString('base64') };
}

/** A creator that cannot sign is an account of another service's program, which holds the pool for somebody else. */
function requireOwner({ state }: FoundPool, owner: Address): void {
  if (!isOnCurve(addressToBytes(state.creator))) {
    throw new AppError('NOT_FOUND', { message: 'Proxy account not found for the creator' });
  }
  if (state.creator !== owner) throw new AppError('FORBIDDEN', { message: 'You are not the owner of this pool' });
}

async function planClaim(deps: StudioDeps, { address, state, config }: FoundPool, maxQuote: bigint): Promise<FeeClaim> {
  const { creator, baseMint, baseVault, quoteVault, creatorBaseFee } = state;
  const { quoteMint } = config;
  const mints = await Promise.all([deps.chain.mint(baseMint), deps.chain.mint(quoteMint)]);
  if (mints.some((mint) => mint?.tokenProgram !== TOKEN_PROGRAM)) {
    throw refuse('poolAddress', 'expected a pool whose tokens are both of SPL Token; claim from this one elsewhere');
  }
  const [base, quote] = await Promise.all([
    placeOf(deps, creator, baseMint, { keeps: creatorBaseFee > 0n }),
    placeOf(deps, creator, quoteMint, { keeps: quoteMint !== WRAPPED_SOL_MINT }),
  ]);
  return {
    pool: { pool: address, baseMint, quoteMint, baseVault, quoteVault },
    creator,
    base,
    quote,
    maxBase: creatorBaseFee,
    maxQuote,
  };
}

/** SOL is paid out as SOL. An account that receives nothing is not kept, so its rent comes back. */
async function placeOf(
  { chain }: StudioDeps,
  creator: Address,
  mint: Address,
  { keeps }: { keeps: boolean },
): Promise<ClaimPlace> {
  const account = associatedTokenAddress(creator, mint);
  const found = await chain.account(account);
  // The chain refuses to make one that has been given to somebody else.
  const exists = found?.owner === TOKEN_PROGRAM && decodeTokenAccount(found.data)?.owner === creator;
  if (keeps || (exists && mint !== WRAPPED_SOL_MINT)) return { kind: 'associated', account, create: !exists };
  return { ...temporaryWrappedSol(creator, randomBytes(16).toString('hex')), kind: 'temporary' };
}
