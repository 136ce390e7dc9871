import { type Address, associatedTokenAddress, type Transaction } from '@slipway/wire';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Chain } from '../../chain/index.js';
import { Outage } from '../../errors/index.js';
import type { Clock } from '../../lib/clock.js';
import { uuidv7 } from '../../lib/ids.js';
import { cached } from '../../lib/single-flight.js';
import { listMakers } from '../../store/makers.js';
import type { Sql } from '../../store/sql.js';
import { feeFrom, grossOf } from '../fee.js';
import type { MakerQuote, Quote, QuoteRequest, Refusal, Router, Token } from '../router.js';
import { buildFill } from './build.js';
import { deliverToMaker, type MakerDelivery } from './deliver.js';
import { askForOffer, type Offer, type RfqQuestion, readTokens } from './offers.js';
import { createPatience } from './patience.js';
import { type MakerEndpoint, WebhookFailure } from './webhook.js';

export { MAKERS_SECONDS, type MakerDelivery } from './deliver.js';
export type { MakerEndpoint } from './webhook.js';

export interface Makers extends Router {
  /** Gives a transaction of one of its quotes, signed by the taker, to the maker; for `landing.handOver`. */
  deliver(quote: MakerQuote): (signed: Transaction) => Promise<MakerDelivery>;
}

export interface MakersDeps {
  /** Has the registered makers. */
  store: Sql;
  /** Makers beside the registered ones. */
  own: readonly MakerEndpoint[];
  chain: Pick<Chain, 'account' | 'computeUnitPrice'>;
  /** USD for one whole token; undefined where it is not known. */
  usd: (mint: Address) => number | undefined;
  orderEngine: Address;
  /** Milliseconds that all routers have for a quote. */
  budgetMs: number;
  clock: Clock;
  steadyNow: () => number;
  log: Logger;
}

/** Of the protocol: how long a quote lives, the most that a maker is waited for, how old a list of tokens may be. */
const QUOTE_SECONDS = 55;
const MAX_WAIT_MS = 500;
const TOKENS_TTL_MS = 10 * 60_000;
const MAKERS_TTL_MS = 3_000;
/** What is left of the routers' time when the makers' time is over. */
const MAKERS_SHARE = 0.8;
/** Output for input in USD; beyond it is a mistake, of the maker or of the price. */
const ABSURDLY_GOOD = 1.25;
const ABSURDLY_BAD = 0.5;
const BPS = 10_000n;

/** The router of market makers who answer the public RFQ webhook protocol; the best of them wins. */
export function createMakers(deps: MakersDeps): Makers {
  const { clock, steadyNow, log, chain } = deps;
  const makers = cached(async () => [...deps.own, ...(await listMakers(deps.store))], MAKERS_TTL_MS, steadyNow);
  const tokens = new LRUCache<string, () => Promise<ReadonlySet<string>>>({ max: 1_000 });
  const vaults = new LRUCache<string, Address>({ max: 10_000 });
  const patience = createPatience({ steadyNow, log });
  const timeoutMs = Math.round(Math.min(MAX_WAIT_MS, deps.budgetMs * MAKERS_SHARE));

  function tokensOf(endpoint: MakerEndpoint): Promise<ReadonlySet<string>> {
    let read = tokens.get(endpoint.url);
    if (!read) {
      read = cached(() => readTokens(endpoint, clock), TOKENS_TTL_MS, steadyNow);
      tokens.set(endpoint.url, read);
    }
    return read();
  }

  function vaultOf(maker: Address, { mint, tokenProgram }: Token): Address {
    const key = `${maker} ${mint} ${tokenProgram}`;
    const known = vaults.get(key) ?? associatedTokenAddress(maker, mint, tokenProgram);
    vaults.set(key, known);
    return known;
  }

  /** All makers at once; who is late, errs or answers nonsense is left out, with the reason in the log. */
  async function gather(question: RfqQuestion, request: QuoteRequest, signal: AbortSignal): Promise<Offer[]> {
    const offers: Offer[] = [];
    const ask = async (endpoint: MakerEndpoint) => {
      const list = await whileOpen(tokensOf(endpoint), signal);
      if (!list.has(question.inputMint) || !list.has(question.outputMint)) {
        throw new WebhookFailure('nonsense', 'does not trade these tokens');
      }
      const offer = await askForOffer(endpoint, { ...question, quoteId: uuidv7(clock) }, { timeoutMs, signal, clock });
      const absurd = absurdity(request, offer, deps.usd);
      if (absurd) throw new WebhookFailure('nonsense', absurd);
      offers.push(offer);
      patience.answered(endpoint);
    };
    const leaveOut = (endpoint: MakerEndpoint) => (error: Error) => {
      patience.failed(endpoint, error);
      const level = error instanceof WebhookFailure ? 'debug' : 'error';
      log[level]({ maker: endpoint.name, request: question.requestId, reason: error.message }, 'a maker is left out');
    };
    const all = (await whileOpen(makers(), signal)).filter(patience.isAsked);
    await Promise.all(all.map((endpoint) => ask(endpoint).catch(leaveOut(endpoint))));
    return offers;
  }

  async function quote(request: QuoteRequest, outer: AbortSignal): Promise<Quote | Refusal> {
    const amount = amountToAsk(request);
    if (amount <= 0n) return { refused: 'no-route', reason: 'nothing is left after the fee' };
    const signal = AbortSignal.any([outer, AbortSignal.timeout(timeoutMs)]);
    const { owner, receiver } = request;
    const question: RfqQuestion = {
      requestId: uuidv7(clock),
      quoteType: request.mode === 'exact-in' ? 'exactIn' : 'exactOut',
      inputMint: request.input.mint,
      outputMint: request.output.mint,
      amount,
      ...(owner && { taker: owner, computeUnitPrice: await chain.computeUnitPrice() }),
      ...(receiver && { receiver }),
    };
    const offers = await gather(question, request, signal);
    // Of equal ones the first to arrive stays in front.
    const [best] = offers.sort((a, b) => compare(b.outAmount, a.outAmount) || compare(a.inAmount, b.inAmount));
    if (!best) return { refused: 'no-route', reason: 'no market maker has made an offer' };
    return quoteOf(request, question, best);
  }

  function quoteOf(request: QuoteRequest, question: RfqQuestion, offer: Offer): Quote | Refusal {
    const amounts = withFee(request, offer);
    if (amounts.outAmount <= 0n || amounts.inAmount >= 2n ** 64n) {
      return { refused: 'no-route', reason: 'nothing is left after the fee' };
    }
    const maker: MakerQuote = {
      id: offer.endpoint.id,
      address: offer.maker,
      requestId: question.requestId,
      quoteId: offer.quoteId,
      expireAt: Math.floor(clock.now() / 1_000) + QUOTE_SECONDS,
    };
    const makerInput = vaultOf(offer.maker, request.input);
    const makerOutput = vaultOf(offer.maker, request.output);
    const terms = { request, quote: amounts, maker, makerInput, makerOutput, orderEngine: deps.orderEngine };
    return {
      router: 'jupiterz',
      ...amounts,
      hops: [
        {
          venue: offer.maker,
          label: NAME,
          inputMint: request.input.mint,
          outputMint: request.output.mint,
          inAmount: offer.inAmount,
          outAmount: offer.outAmount,
          fee: 0n,
          bps: Number(BPS),
          vaultIn: makerInput,
          vaultOut: makerOutput,
        },
      ],
      priceImpact: 0,
      guaranteed: true,
      maker,
      build: (parties) => buildFill(terms, parties, chain),
    };
  }

  return {
    id: 'jupiterz',
    name: NAME,
    nativeSol: true,
    exactOut: true,
    thirdPartyPayer: false,
    paysNetworkFee: true,
    sponsorable: 'rent',
    sendsByItself: true,
    quote: (request, signal) =>
      quote(request, signal).catch((error: Error): Refusal => {
        if (error instanceof WebhookFailure) return { refused: 'timeout', reason: error.message };
        if (error instanceof Outage) return { refused: 'unavailable', reason: error.message };
        throw error;
      }),
    deliver: (made) => async (signed) => {
      const endpoint = (await makers().catch(() => deps.own)).find(({ id }) => id === made.id);
      return deliverToMaker(endpoint, made, signed, clock);
    },
  };
}

const NAME = 'JupiterZ';

/** What the makers are to swap, so that with the fee it comes to what is asked for. */
function amountToAsk({ mode, amount, fee }: QuoteRequest): bigint {
  if (mode === 'exact-in') return fee?.side === 'input' ? amount - feeFrom(amount, fee.bps) : amount;
  return fee?.side === 'output' ? grossOf(amount, fee.bps) : amount;
}

function withFee(
  { mode, amount, fee }: QuoteRequest,
  offer: Offer,
): Pick<Quote, 'inAmount' | 'outAmount' | 'feeAmount'> {
  if (fee?.side === 'input') {
    const inAmount = mode === 'exact-in' ? amount : grossOf(offer.inAmount, fee.bps);
    return { inAmount, outAmount: offer.outAmount, feeAmount: inAmount - offer.inAmount };
  }
  const feeAmount = fee ? feeFrom(offer.outAmount, fee.bps) : 0n;
  return { inAmount: offer.inAmount, outAmount: offer.outAmount - feeAmount, feeAmount };
}

/** Why an offer cannot be meant, by the prices that are known. */
function absurdity(
  { input, output }: QuoteRequest,
  { inAmount, outAmount }: Offer,
  usd: MakersDeps['usd'],
): string | undefined {
  const [inUsd, outUsd] = [usd(input.mint), usd(output.mint)];
  if (!inUsd || !outUsd) return undefined;
  const worth = (amount: bigint, price: number, { decimals }: Token) => (Number(amount) / 10 ** decimals) * price;
  const ratio = worth(outAmount, outUsd, output) / worth(inAmount, inUsd, input);
  // The least amounts are worth nothing that could be compared.
  if (outAmount < 100n || inAmount < 100n) return undefined;
  return ratio > ABSURDLY_GOOD || ratio < ABSURDLY_BAD ? `offers ${ratio.toFixed(3)} of what it takes` : undefined;
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The promise's value, unless the time is over first. */
async function whileOpen<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: (() => void) | undefined;
  const over = new Promise<never>((_, reject) => {
    stop = () => reject(new WebhookFailure('timeout', 'did not answer in time'));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([promise, over]);
  } finally {
    if (stop) signal.removeEventListener('abort', stop);
  }
}
