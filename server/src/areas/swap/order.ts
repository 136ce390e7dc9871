import type { Address } from '@slipway/wire';
import { AppError } from '../../errors/index.js';
import { newRequest } from '../../landing/index.js';
import { uuidv7 } from '../../lib/ids.js';
import type { Answer, Best } from '../../routing/race.js';
import { isRefused, type QuoteRequest, type Router, type Token } from '../../routing/router.js';
import { type Attempt, attempt, type Candidate, type Obstacle, type Order, type Ready } from './attempt.js';
import { AREA, type FeeSources, type SwapDeps } from './deps.js';
import { orderAnswer } from './order-answer.js';
import { type OrderRequest, readOrderQuery, refuse } from './order-request.js';
import { payloadOf } from './payload.js';
import type { OrderAnswer, OrderQuery } from './schema.js';
import { mayHaveGasPaid } from './settlement.js';
import {
  GASLESS_MIN_USD,
  gaslessTerms,
  isTooSmallForGasless,
  mayBeGasless,
  type Sponsored,
  type Terms,
  termsOf,
} from './terms.js';
import { readWallets, type Wallets } from './wallets.js';

/** What a router has for another quote where a transaction had no room for its first. */
const SIMPLER_MS = 400;

/** Quotes a swap and, for a taker, makes the transaction of the best quote that can be made one. */
export async function order(deps: SwapDeps, sources: FeeSources, query: OrderQuery): Promise<OrderAnswer> {
  const started = deps.steadyNow();
  const asked = readOrderQuery(query, deps.gasWallet);
  const [input, output] = await Promise.all([
    readToken(deps, 'inputMint', asked.inputMint),
    readToken(deps, 'outputMint', asked.outputMint),
  ]);
  const requestId = uuidv7(deps.clock);
  const common = { deps, asked, input, output, requestId, started };
  if (!isTaken(asked)) {
    const terms = await termsOf(deps, sources, asked, input, output, undefined);
    const best = await deps.routing.best(quoteRequest(asked, input, output, terms), mayTake(asked));
    const [quote] = best.ranked;
    if (!quote) throw noQuotes(best.answers);
    return orderAnswer({ ...common, candidate: { quote, terms } });
  }
  const wallets = await readWallets(deps, asked, input, output);
  const terms = await termsOf(deps, sources, asked, input, output, wallets);
  const isPoor = mayBeGasless(deps, asked, wallets) && (await mayHaveGasPaid(deps.store, deps.clock, wallets.taker));
  const sponsor = (what: Sponsored) => gaslessTerms(deps, asked, input, output, wallets, terms, what);
  const needsRent = wallets.destination?.exists === false;
  const [gas, rent] = isPoor
    ? await Promise.all([
        deps.routing.routers.some(mayTake(asked, 'gas')) ? sponsor('gas') : undefined,
        needsRent ? sponsor('rent') : undefined,
      ])
    : [];
  const make = async (sponsored: { gas?: Terms | undefined; rent?: Terms | undefined }) => {
    const candidates = await race(deps, asked, input, output, terms, sponsored);
    return firstPossible(deps, { requestId, asked, input, output, wallets }, candidates);
  };
  let made = await make({ gas, rent });
  // What the gas wallet would not get back, the taker may be able to pay.
  if ((gas || rent) && 'obstacle' in made && made.obstacle.code === 2) made = await make({});
  if ('obstacle' in made) {
    const isTooSmall = isPoor && made.obstacle.code === 2 && isTooSmallForGasless(deps, asked, input);
    return orderAnswer({ ...common, ...made, ...(isTooSmall && { obstacle: TOO_SMALL }) });
  }
  await remember(deps, requestId, wallets, made);
  return orderAnswer({ ...common, ...made });
}

function isTaken(asked: OrderRequest): asked is OrderRequest & { taker: Address } {
  return asked.taker !== undefined;
}

async function readToken({ chain }: SwapDeps, field: string, mint: Address): Promise<Token> {
  const facts = await chain.mint(mint);
  if (!facts) throw refuse(field, 'there is no such token on this chain');
  return { mint, tokenProgram: facts.tokenProgram, decimals: facts.decimals };
}

/** The routers that can do what is asked; with `sponsorable`, only those where the gas wallet may pay that much. */
function mayTake({ exclude, payer, manual }: OrderRequest, sponsorable?: Router['sponsorable']) {
  const setsFee = manual?.priorityFee !== undefined || (manual?.tipLamports ?? 0n) > 0n;
  return (router: Router): boolean =>
    !exclude.has(router.id) &&
    (!payer || router.thirdPartyPayer) &&
    (!setsFee || !router.paysNetworkFee) &&
    (sponsorable === undefined || router.sponsorable === sponsorable);
}

function quoteRequest(asked: OrderRequest, input: Token, output: Token, terms: Terms): QuoteRequest {
  const { amount, taker, receiver, excludeVenues } = asked;
  return {
    ...{ mode: 'exact-in', input, output, amount, excludeVenues },
    ...(taker && { owner: taker }),
    ...(receiver && receiver !== taker && { receiver }),
    ...(terms.bps > 0 && { fee: { bps: terms.bps, side: terms.side } }),
  };
}

/** Where the gas wallet pays, the quote bears that: all gas, only rent or nothing, as the router allows. */
async function race(
  { routing }: SwapDeps,
  asked: OrderRequest,
  input: Token,
  output: Token,
  terms: Terms,
  { gas, rent }: { gas?: Terms | undefined; rent?: Terms | undefined },
): Promise<Candidate[]> {
  const lap = async (on: Terms, sponsorable?: Router['sponsorable']): Promise<Best & { terms: Terms }> => ({
    terms: on,
    ...(await routing.best(quoteRequest(asked, input, output, on), mayTake(asked, sponsorable))),
  });
  const laps = await Promise.all(
    gas || rent ? [lap(gas ?? terms, 'gas'), lap(rent ?? terms, 'rent'), lap(terms, 'nothing')] : [lap(terms)],
  );
  const candidates = laps.flatMap((each) => each.ranked.map((quote) => ({ quote, terms: each.terms })));
  if (candidates.length === 0) throw noQuotes(laps.flatMap(({ answers }) => answers));
  return candidates.sort(
    (a, b) => Number(b.quote.outAmount > a.quote.outAmount) - Number(b.quote.outAmount < a.quote.outAmount),
  );
}

function noQuotes(answers: readonly Answer[]): AppError {
  // A token that cannot be priced is certain, whatever other routers lack.
  const certain = answers.find((answer) => 'refused' in answer && answer.refused === 'unsupported-token');
  const reasons = (certain ? [certain] : answers).flatMap((answer) =>
    'refused' in answer ? [`${answer.router}: ${answer.reason}`] : [],
  );
  const reason = reasons.length > 0 ? reasons.join('; ') : 'no router is left that takes such an order';
  return new AppError('INVALID_REQUEST', { message: `Failed to get quotes: ${reason}` });
}

const TOO_SMALL: Obstacle = { code: 3, message: `Minimum $${GASLESS_MIN_USD} for gasless` };
/** Of market makers, whose code 3 it is. */
const NO_TRANSACTION = 'The quote could not be made a transaction';

type Made = { candidate: Candidate } & ({ ready: Ready } | { obstacle: Obstacle });

/** The best quote that can be had, else why the best one cannot. */
async function firstPossible(deps: SwapDeps, order: Order, candidates: readonly Candidate[]): Promise<Made> {
  let first: Made | undefined;
  const failures: string[] = [];
  const left = [...candidates];
  for (let candidate = left.shift(); candidate; candidate = left.shift()) {
    const made: Attempt = await attempt(deps, order, candidate);
    if ('crafted' in made) return { candidate, ready: made };
    if ('obstacle' in made) first ??= { candidate, obstacle: made.obstacle };
    else {
      const { router } = candidate.quote;
      deps.log.info({ router, reason: made.failed }, 'a quote could not be made a transaction');
      failures.push(`${router}: ${made.failed}`);
      const simpler = made.isTooLarge && (await candidate.quote.simpler?.(AbortSignal.timeout(SIMPLER_MS)));
      if (simpler && !isRefused(simpler)) left.unshift({ ...candidate, quote: simpler });
    }
  }
  if (first) return first;
  const [best] = candidates;
  if (best?.quote.maker) return { candidate: best, obstacle: { code: 3, message: NO_TRANSACTION } };
  throw new AppError('CRAFT_FAILED', { message: `Failed to craft the swap: ${failures.join('; ')}` });
}

async function remember(
  { clock, remember: store, gasWallet }: SwapDeps,
  id: string,
  wallets: Wallets,
  made: { candidate: Candidate; ready: Ready },
): Promise<void> {
  const { crafted, lastValidBlockHeight, swap } = made.ready;
  const request = {
    id,
    area: AREA,
    wallet: wallets.taker,
    crafted,
    lastValidBlockHeight,
    cosigners: crafted.signers.includes(gasWallet) ? (['gas'] as const) : [],
    payload: payloadOf(made.candidate.quote, swap),
  };
  await store(newRequest(request, clock));
}
