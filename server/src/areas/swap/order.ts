import type { Address } from '@slipway/wire';
import { AppError } from '../../errors/index.js';
import { newRequest } from '../../landing/index.js';
import { uuidv7 } from '../../lib/ids.js';
import { isRefused, type Token } from '../../routing/router.js';
import type { AreaServer } from '../area.js';
import { type Attempt, attempt, type Obstacle, type Ready } from './attempt.js';
import { AREA, type FeeSources, type SwapDeps, swapRoute, tags } from './deps.js';
import { createFeeAccounts } from './fee-accounts.js';
import { orderAnswer } from './order-answer.js';
import { type OrderRequest, readOrderQuery, refuse } from './order-request.js';
import { payloadOf } from './payload.js';
import { bestQuote, canBeSponsored, candidatesOf, type SponsoredTerms } from './quotes.js';
import { OrderAnswer, OrderQuery } from './schema.js';
import { mayHaveGasPaid } from './settlement.js';
import type { Candidate, Inquiry, Order } from './swap-order.js';
import { GASLESS_MIN_USD, gaslessTerms, isTooSmallForGasless, mayBeGasless, termsOf } from './terms.js';
import { createTokenAges } from './token-age.js';
import { readWallets } from './wallets.js';

/** What a router has for another quote where a transaction had no room for its first. */
const SIMPLER_MS = 400;
const TOO_SMALL: Obstacle = { code: 3, message: `Minimum $${GASLESS_MIN_USD} for gasless` };
/** Of market makers, whose code 3 it is. */
const NO_TRANSACTION = 'The quote could not be made a transaction';

export function registerOrder(app: AreaServer, deps: SwapDeps): void {
  const sources = {
    accounts: createFeeAccounts({ ...deps, receiver: deps.fees.receiver }),
    isNew: createTokenAges({ ...deps, rpc: deps.chain.rpc }),
  };
  app.get(
    '/ultra/v1/order',
    {
      config: swapRoute,
      schema: {
        tags,
        summary: 'Quote a swap, with the transaction for a taker',
        querystring: OrderQuery,
        response: { 200: OrderAnswer },
      },
    },
    ({ query }) => order(deps, sources, query),
  );
}

/** Quotes a swap and, for a taker, makes the transaction of the best quote that can be made one. */
export async function order(deps: SwapDeps, sources: FeeSources, query: OrderQuery): Promise<OrderAnswer> {
  const inquiry = await readInquiry(deps, query);
  const { asked } = inquiry;
  if (!isTaken(asked)) {
    const terms = await termsOf(deps, sources, inquiry);
    return orderAnswer({ deps, ...inquiry, candidate: { quote: await bestQuote(deps, inquiry, terms), terms } });
  }
  const wallets = await readWallets(deps, asked, inquiry.input, inquiry.output);
  const terms = await termsOf(deps, sources, inquiry, wallets);
  const taken: Order = { ...inquiry, asked, wallets, terms };
  const made = await make(deps, taken);
  if ('ready' in made) await remember(deps, taken, made);
  return orderAnswer({ deps, ...inquiry, ...made });
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
  return { mint, tokenProgram: facts.tokenProgram, decimals: facts.decimals };
}

function isTaken(asked: OrderRequest): asked is OrderRequest & { taker: Address } {
  return asked.taker !== undefined;
}

type Made = { candidate: Candidate } & ({ ready: Ready } | { obstacle: Obstacle });

/** The transaction, with the gas wallet's help where the taker needs it and may have it. */
async function make(deps: SwapDeps, order: Order): Promise<Made> {
  const isPoor = mayBeGasless(deps, order) && (await mayHaveGasPaid(deps.store, deps.clock, order.wallets.taker));
  if (!isPoor) return makeOn(deps, order, {});
  const sponsored = await sponsoredTerms(deps, order);
  let made = await makeOn(deps, order, sponsored);
  if (!lacksGas(made)) return made;
  // What the gas wallet would not get back, the taker may be able to pay.
  if (sponsored.gas || sponsored.rent) made = await makeOn(deps, order, {});
  return lacksGas(made) && isTooSmallForGasless(deps, order) ? { ...made, obstacle: TOO_SMALL } : made;
}

function lacksGas(made: Made): made is Made & { obstacle: Obstacle } {
  return 'obstacle' in made && made.obstacle.code === 2;
}

async function sponsoredTerms(deps: SwapDeps, order: Order): Promise<SponsoredTerms> {
  const needsRent = order.wallets.destination?.exists === false;
  const [gas, rent] = await Promise.all([
    canBeSponsored(deps, order, 'gas') ? gaslessTerms(deps, order, 'gas') : undefined,
    needsRent ? gaslessTerms(deps, order, 'rent') : undefined,
  ]);
  return { gas, rent };
}

async function makeOn(deps: SwapDeps, order: Order, sponsored: SponsoredTerms): Promise<Made> {
  return firstPossible(deps, order, await candidatesOf(deps, order, sponsored));
}

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
  { requestId: id, wallets }: Order,
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
