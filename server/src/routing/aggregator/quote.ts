import type { Address, LookupTable } from '@slipway/wire';
import { MAX_TRANSACTION_SIZE } from '@slipway/wire';
import type { Built, Hop, Quote, QuoteRequest, Refusal, SwapParties } from '../router.js';
import { type BuildInput, buildPlan } from './build.js';
import type { Found } from './found.js';
import { tablesFor } from './lookup-tables.js';
import { type Done, priceImpact } from './plan.js';
import { transactionSize } from './size.js';

export interface Builder {
  router: Address | undefined;
  lookupTables(): readonly LookupTable[];
  /** Called with the tables of each transaction that is built. */
  used(tables: readonly LookupTable[]): void;
  tokenOf: BuildInput['tokenOf'];
}

/** Converts what was found to a quote of the port. */
export function quoteOf(found: Found, request: QuoteRequest, builder: Builder): Quote {
  const { outAmount, feeAmount, trades } = found.outcome;
  // An exact output costs what must be offered for it, even if a little may be left over.
  const inAmount = request.mode === 'exact-out' ? found.amount : found.outcome.inAmount;
  return {
    router: 'metis',
    inAmount,
    outAmount,
    feeAmount,
    hops: trades.map((trade) => hopOf(found, trade)),
    priceImpact: priceImpact(found.outcome),
    guaranteed: false,
    build: async (parties) => build(found, request, parties, builder),
  };
}

function hopOf({ plan }: Found, { part, step, paid, rest, received, fee }: Done): Hop {
  const { input, output } = plan.steps[step]!;
  const { tokens } = part.state;
  return {
    venue: part.pool.address,
    label: part.pool.venue.label,
    inputMint: input,
    outputMint: output,
    inAmount: paid + rest,
    outAmount: received,
    fee,
    bps: part.bps,
    vaultIn: tokens[part.from].vault,
    vaultOut: tokens[part.from === 0 ? 1 : 0].vault,
  };
}

function build(found: Found, request: QuoteRequest, parties: SwapParties, builder: Builder): Built | Refusal {
  const { source, destination, owner, rentPayer } = parties;
  const unsupported = (reason: string): Refusal => ({ refused: 'unsupported-request', reason });
  if (request.mode === 'exact-out')
    return unsupported('a quote for an exact output sizes an input and cannot be built');
  if (!source || !destination) return unsupported('SOL must come and go through token accounts of wrapped SOL');
  if (request.fee && !parties.feeAccount) return unsupported('a fee needs an account that gets it');
  const { instructions, lentLamports } = buildPlan({
    plan: found.plan,
    outcome: found.outcome,
    request,
    router: builder.router,
    tokenOf: builder.tokenOf,
    parties: { ...parties, source, destination },
  });
  for (const signer of lentLamports > 0n ? [owner, rentPayer] : [owner]) {
    if (parties.absentSigners.has(signer)) return unsupported(`the route needs the signature of ${signer}`);
  }
  const lookupTables = tablesFor(instructions, builder.lookupTables());
  const { receiver, feeAccount = destination, leftTo = owner } = parties;
  const inFull = [source, destination, owner, rentPayer, receiver, feeAccount, leftTo];
  const size = transactionSize(parties.feePayer, instructions, lookupTables, inFull);
  if (size > MAX_TRANSACTION_SIZE)
    return { refused: 'too-large', reason: `${size} bytes, of which a transaction has ${MAX_TRANSACTION_SIZE}` };
  return { instructions, extraSigners: [], lookupTables, lentLamports, moreUnits: moreUnitsOf(found, parties.minOut) };
}

/** Of all trades, where the prices move as far as the minimum output allows. */
function moreUnitsOf({ outcome: { trades, outAmount } }: Found, minOut: bigint): number {
  const share = Math.max(0, 1 - Number(minOut) / Number(outAmount));
  const units = trades.map(({ part, offered }) => part.state.moreUnits?.(part.from, offered, share) ?? 0);
  return units.reduce((sum, each) => sum + each, 0);
}
