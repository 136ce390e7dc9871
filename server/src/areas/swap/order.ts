import type { Address } from '@slipway/wire';
import { AppError } from '../../errors/index.js';
import { askedBy, newRequest } from '../../landing/index.js';
import { uuidv7 } from '../../lib/ids.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { isRefused, type Quote, type Refusal, type Token, tokenOf } from '../../routing/router.js';
import { type Attempt, attempt, type Failure, type Obstacle, type Ready } from './attempt.js';
import { AREA, type FeeSources, type SwapDeps, swapRoute, tags } from './deps.js';
import { createFeeAccounts } from './fee-accounts.js';
import { orderAnswer } from './order-answer.js';
import { type OrderRequest, readOrderQuery, refuse } from './order-request.js';
import { payloadOf } from './payload.js';
import { bestQuote, canBeSponsored, candidatesOf, type SponsoredTerms } from './quotes.js';
import { OrderAnswer, OrderQuery } from './schema.js';
import type { Candidate, Inquiry, Order } from './swap-order.js';
import { GASLESS_MIN_USD, gaslessTerms, isTooSmallForGasless, mayBeGasless, termsOf } from './terms.js';
import { createTokenAges } from './token-age.js';
import { readValues } from './usd-values.js';
import { obstacleOfDestination, readWallets } from './wallets.js';

/** How long after its arrival an order still asks for quotes in place of those that cannot be used; how often at most. */
const TRY_MS = 3_000;
const MAX_OTHERS = 12;
/** How many of them an order is not charged for: pools may have moved since. One into an account that requires memos has no more. */
const FREE_OTHERS = 2;
const TOO_SMALL: Obstacle = { code: 3, message: `Minimum $${GASLESS_MIN_USD} for gasless` };
/** The text of code 3 for market makers. */
const NO_TRANSACTION = 'The quote could not be made a transaction';

export function registerOrder(app: TypedServer, deps: SwapDeps): void {
  const sources = {
    accounts: createFeeAccounts({ ...deps, receiver: () => deps.fees.receiver }),
    isNew: createTokenAges(deps),
  };
  app.get(
    '/ultra/v1/order',
    {
      config: { ...swapRoute, crafts: true },
      schema: {
        tags,
        summary: 'Quote a swap, with the transaction for a taker',
        description:
          'Asks all routers and answers the best quote. With a `taker`, sign `transaction` and post it to `execute`.',
        querystring: OrderQuery,
        response: { 200: OrderAnswer },
      },
    },
    (request) => order(askedBy(deps, request), sources, request.query, () => request.charge(1)),
  );
}

/**
 * Quotes a swap and, for a taker, crafts the transaction of the best quote that works. `charge` counts a further call for
 * each further search.
 */
export async function order(
  deps: SwapDeps,
  sources: FeeSources,
  query: OrderQuery,
  charge: () => Promise<{ allowed: boolean } | undefined>,
): Promise<OrderAnswer> {
  const inquiry = await readInquiry(deps, query);
  const { asked } = inquiry;
  if (!isTaken(asked)) {
    const terms = await termsOf(deps, sources, inquiry);
    const quote = await bestQuote(deps, inquiry, terms);
    const usdOf = await readValues(deps, inquiry, quote);
    return orderAnswer({ deps, ...inquiry, candidate: { quote, terms }, usdOf });
  }
  const wallets = await readWallets(deps, asked, inquiry.input, inquiry.output);
  const terms = await termsOf(deps, sources, inquiry, wallets);
  let others = 0;
  const mayTryAnother = async () =>
    ++others <= FREE_OTHERS || (!wallets.destination?.requiresMemo && (await charge())?.allowed !== false);
  const taken: Order = { ...inquiry, asked, wallets, terms, mayTryAnother };
  const outcome = await craft(deps, taken);
  if ('ready' in outcome) await remember(deps, taken, outcome);
  const usdOf = await readValues(deps, inquiry, outcome.candidate.quote);
  return orderAnswer({ deps, ...inquiry, ...outcome, usdOf });
}

async function readInquiry(deps: SwapDeps, query: OrderQuery): Promise<Inquiry> {
  const started = deps.steadyNow();
  const asked = readOrderQuery(query, deps.gasWallet);
  const [input, output] = await Promise.all([
    readToken(deps, 'inputMint', asked.inputMint),
    readToken(deps, 'outputMint', asked.outputMint),
  ]);
  return { requestId: uuidv7(deps.clock), started, asked, input, output };
}

async function readToken({ chain }: SwapDeps, field: string, mint: Address): Promise<Token> {
  const facts = await chain.mint(mint);
  if (!facts) throw refuse(field, 'there is no such token on this chain');
  return tokenOf(mint, facts);
}

function isTaken(asked: OrderRequest): asked is OrderRequest & { taker: Address } {
  return asked.taker !== undefined;
}

type Outcome = { candidate: Candidate } & ({ ready: Ready } | { obstacle: Obstacle });

/** Crafts the transaction, sponsored by the gas wallet if the taker needs that and is eligible. */
async function craft(deps: SwapDeps, order: Order): Promise<Outcome> {
  const isPoor = mayBeGasless(deps, order) && (await deps.landing.barOf(AREA, order.wallets.taker)) === undefined;
  if (!isPoor) return craftOn(deps, order, {});
  const sponsored = await sponsoredTerms(deps, order);
  let outcome = await craftOn(deps, order, sponsored);
  if (!lacksGas(outcome)) return outcome;
  // The taker may be able to pay what the gas wallet would not recover.
  if (sponsored.gas || sponsored.rent) outcome = await craftOn(deps, order, {});
  return lacksGas(outcome) && isTooSmallForGasless(deps, order) ? { ...outcome, obstacle: TOO_SMALL } : outcome;
}

function lacksGas(outcome: Outcome): outcome is Outcome & { obstacle: Obstacle } {
  return 'obstacle' in outcome && outcome.obstacle.code === 2;
}

async function sponsoredTerms(deps: SwapDeps, order: Order): Promise<SponsoredTerms> {
  const { destination, taker } = order.wallets;
  const needsRent =
    destination?.exists === false && (await deps.landing.barOf(AREA, taker, 'handed-over')) === undefined;
  const [gas, rent] = await Promise.all([
    canBeSponsored(deps, order, 'gas') ? gaslessTerms(deps, order, 'gas') : undefined,
    needsRent ? gaslessTerms(deps, order, 'rent') : undefined,
  ]);
  return { gas, rent };
}

async function craftOn(deps: SwapDeps, order: Order, sponsored: SponsoredTerms): Promise<Outcome> {
  return firstPossible(deps, order, await candidatesOf(deps, order, sponsored));
}

/** The best quote that can be crafted, else the first obstacle. */
async function firstPossible(deps: SwapDeps, order: Order, candidates: readonly Candidate[]): Promise<Outcome> {
  let first: Outcome | undefined;
  const failures: string[] = [];
  const errors = new Set<number | undefined>();
  const queue = [...candidates];
  let others = 0;
  for (let candidate = queue.shift(); candidate; candidate = queue.shift()) {
    const outcome: Attempt = await attempt(deps, order, candidate);
    if ('crafted' in outcome) return { candidate, ready: outcome };
    if ('obstacle' in outcome) first ??= { candidate, obstacle: outcome.obstacle };
    else {
      const { router } = candidate.quote;
      deps.log.info({ router, reason: outcome.failed }, 'could not craft the transaction of a quote');
      failures.push(`${router}: ${outcome.failed}`);
      errors.add(outcome.error);
      const quote = others++ < MAX_OTHERS ? await anotherQuote(deps, order, candidate, outcome) : undefined;
      if (quote) insert(queue, { ...candidate, quote });
    }
  }
  if (first) return first;
  const ofDestination = obstacleOfDestination(order.wallets, errors);
  if (ofDestination) throw ofDestination;
  const [best] = candidates;
  if (best?.quote.maker) return { candidate: best, obstacle: { code: 3, message: NO_TRANSACTION } };
  throw new AppError('CRAFT_FAILED', { message: `Failed to craft the swap: ${failures.join('; ')}` });
}

/** A quote of the same router that avoids what made this one unusable; undefined if there is none in time. */
async function anotherQuote(
  { steadyNow }: SwapDeps,
  { started, mayTryAnother }: Order,
  { quote }: Candidate,
  { isTooLarge, suspects = [] }: Failure,
): Promise<Quote | undefined> {
  const search = isTooLarge ? quote.simpler : suspects.length > 0 ? quote.without : undefined;
  const left = started + TRY_MS - steadyNow();
  if (!search || left <= 0 || !(await mayTryAnother())) return undefined;
  const signal = AbortSignal.timeout(Math.ceil(left));
  let another: Quote | Refusal | undefined;
  if (isTooLarge) another = await quote.simpler?.(signal);
  else if (suspects.length > 0) another = await quote.without?.(suspects, signal);
  return another && !isRefused(another) ? another : undefined;
}

/** Puts a candidate before those that pay less. */
function insert(queue: Candidate[], candidate: Candidate): void {
  const at = queue.findIndex(({ quote }) => quote.outAmount <= candidate.quote.outAmount);
  queue.splice(at < 0 ? queue.length : at, 0, candidate);
}

async function remember(
  { clock, remember: store, gasWallet }: SwapDeps,
  { requestId: id, wallets }: Order,
  outcome: { candidate: Candidate; ready: Ready },
): Promise<void> {
  const { crafted, lastValidBlockHeight, swap } = outcome.ready;
  const request = {
    id,
    area: AREA,
    wallet: wallets.taker,
    crafted,
    lastValidBlockHeight,
    cosigners: crafted.signers.includes(gasWallet) ? (['gas'] as const) : [],
    payload: payloadOf(outcome.candidate.quote, swap),
  };
  await store(newRequest(request, clock));
}
