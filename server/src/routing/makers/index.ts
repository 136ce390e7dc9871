import { type Address, associatedTokenAddress, type Transaction } from '@slipway/wire';
import type { Chain } from '../../chain/index.js';
import { errorTable, Outage } from '../../errors/index.js';
import { GrowingCache } from '../../lib/growing-cache.js';
import { uuidv7 } from '../../lib/ids.js';
import { feeFrom, grossOf } from '../fee.js';
import type { MakerQuote, Quote, QuoteRequest, Refusal, Router, Token } from '../router.js';
import { buildFill } from './build.js';
import { deliverToMaker, type MakerDelivery } from './deliver.js';
import { type LastAnswer, OfferDesk, type OfferDeskDeps } from './offer-desk.js';
import type { Offer, RfqQuestion } from './offers.js';
import { WebhookFailure } from './webhook.js';

export { MAKERS_SECONDS, type MakerDelivery } from './deliver.js';
export { type LastAnswer, makersTimeout } from './offer-desk.js';
export type { MakerEndpoint } from './webhook.js';

export interface Makers extends Router {
  /** Gives a transaction of one of its quotes, signed by the taker, to the maker; for `landing.handOver`. */
  deliver(quote: MakerQuote): (signed: Transaction) => Promise<MakerDelivery>;
  /** What a maker has answered last, by its id; undefined where it was not asked yet. */
  lastAnswer(maker: string): LastAnswer | undefined;
}

export interface MakersDeps extends OfferDeskDeps {
  chain: Pick<Chain, 'account' | 'computeUnitPrice'>;
  orderEngine: Address;
}

const NAME = 'JupiterZ';
/** Set by the protocol: how long a quote lives. */
const QUOTE_SECONDS = 55;
const BPS = 10_000n;

/** The router of the market makers that answer the public RFQ webhook protocol; the best offer wins. */
export function createMakers(deps: MakersDeps): Makers {
  const desk = new OfferDesk(deps);
  const quoter = new MakersQuoter(deps, desk);
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
      quoter.quote(request, signal).catch((error: Error): Refusal => {
        if (error instanceof WebhookFailure) return { refused: 'timeout', reason: error.message };
        if (error instanceof Outage) {
          deps.log.debug({ reason: error.message }, 'market makers cannot be asked');
          // Clients read it: not what is for the log.
          return { refused: 'unavailable', reason: error.told ?? errorTable[error.code].message };
        }
        throw error;
      }),
    lastAnswer: (maker) => desk.lastAnswer(maker),
    deliver: (made) => async (signed) => {
      const answer = await deliverToMaker(await desk.endpointOf(made.id), made, signed, deps.clock);
      if (answer.outcome !== 'denied') return answer;
      return { ...answer, whenSent: (signature) => desk.suspend(made.id, signature) };
    },
  };
}

class MakersQuoter {
  readonly #deps: MakersDeps;
  readonly #desk: OfferDesk;
  readonly #vaults = new GrowingCache<string, Address>(10_000);

  constructor(deps: MakersDeps, desk: OfferDesk) {
    this.#deps = deps;
    this.#desk = desk;
  }

  async quote(request: QuoteRequest, outer: AbortSignal): Promise<Quote | Refusal> {
    const { clock, chain } = this.#deps;
    const amount = amountToAsk(request);
    if (amount <= 0n) return { refused: 'no-route', reason: 'nothing is left after the fee' };
    const { owner, receiver } = request;
    const computeUnitPrice = owner && (await chain.computeUnitPrice());
    if (outer.aborted) return { refused: 'timeout', reason: 'no time is left to ask market makers' };
    // From here on, as far as the node has left it to them.
    const signal = AbortSignal.any([outer, AbortSignal.timeout(this.#desk.timeoutMs)]);
    const question: RfqQuestion = {
      requestId: uuidv7(clock),
      quoteType: request.mode === 'exact-in' ? 'exactIn' : 'exactOut',
      inputMint: request.input.mint,
      outputMint: request.output.mint,
      amount,
      ...(owner && { taker: owner, computeUnitPrice: computeUnitPrice! }),
      ...(receiver && { receiver }),
    };
    const { offers, silent } = await this.#desk.gather(question, request, signal);
    // Of equal offers, the first to arrive stays in front.
    const [best] = offers.sort((a, b) => compare(b.outAmount, a.outAmount) || compare(a.inAmount, b.inAmount));
    if (!best && silent > 0) return { refused: 'timeout', reason: 'no market maker has answered in time' };
    if (!best) return { refused: 'no-route', reason: 'no market maker has made an offer' };
    return this.#quoteOf(request, question, best);
  }

  #quoteOf(request: QuoteRequest, question: RfqQuestion, offer: Offer): Quote | Refusal {
    const amounts = withFee(request, offer);
    if (amounts.outAmount <= 0n || amounts.inAmount >= 2n ** 64n) {
      return { refused: 'no-route', reason: 'nothing is left after the fee' };
    }
    const maker: MakerQuote = {
      id: offer.endpoint.id,
      address: offer.maker,
      requestId: question.requestId,
      quoteId: offer.quoteId,
      expireAt: Math.floor(this.#deps.clock.now() / 1_000) + QUOTE_SECONDS,
    };
    const makerInput = this.#vaultOf(offer.maker, request.input);
    const makerOutput = this.#vaultOf(offer.maker, request.output);
    const terms = { request, quote: amounts, maker, makerInput, makerOutput, orderEngine: this.#deps.orderEngine };
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
      build: (parties) => buildFill(terms, parties, this.#deps.chain),
    };
  }

  #vaultOf(maker: Address, { mint, tokenProgram }: Token): Address {
    const key = `${maker} ${mint} ${tokenProgram}`;
    const known = this.#vaults.get(key) ?? associatedTokenAddress(maker, mint, tokenProgram);
    this.#vaults.set(key, known);
    return known;
  }
}

/** The amount to ask the makers for, so that with the fee it comes to the requested amount. */
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

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
