import { randomBytes } from 'node:crypto';
import {
  type Address,
  associatedTokenAddress,
  associatedTokenRent,
  rentExemptLamports,
  TOKEN_ACCOUNT_SPACE,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { type ChainAccount, isMade } from '../../chain/index.js';
import { PRICE_IN_TOKENS } from '../../crafting/payment.js';
import { type Swap, temporaryWrappedSol } from '../../crafting/swap.js';
import { feeOf } from '../../crafting/transaction.js';
import { AppError } from '../../errors/index.js';
import { explain, isOutOfUnits, suspectHops, tryOutSwap } from '../../landing/index.js';
import {
  type Hop,
  isRefused,
  type Quote,
  type QuoteRequest,
  type Refusal,
  type Router,
  type Token,
} from '../../routing/router.js';
import { checkLamports, checkSolPayment, checkTokens, type Obstacle, type Ready } from './checks.js';
import { type Currency, paidIn } from './currency.js';
import type { ExpressDeps } from './deps.js';
import { readToken } from './token.js';

/** Added to the input of the exact-out quote, so that a small move of the market still leaves enough. */
const SIZING_BUFFER_BPS = 50n;
const BPS = 10_000n;
/** How often to quote again, over fewer pools or without those that have made the simulation fail, and for how long. */
const MOST_OTHERS = 4;
const OTHER_MS = 2_000;
/** A payment is sized by its output, and must be landed by this service, which records what it pays for. */
const canPay = ({ exactOut, sendsByItself }: Router) => exactOut && !sendsByItself;

export interface SwapPayment {
  input: Token;
  /** The most that leaves the sender, in the smallest unit of the input. */
  inputAmount: bigint;
  /** The quoted output. */
  outputAmount: bigint;
  /** The network fee, and the rent of the receiver's account if it must be created; lamports. */
  feeLamports: bigint;
  rentLamports: bigint;
  /** All that the sender's wallet must have meanwhile, with what it pays in SOL and what comes back at the end. */
  neededLamports: bigint;
}

/**
 * Crafts a payment in another currency: a swap whose output goes straight to the receiver. The input is what the price
 * costs now; at least the price arrives, or nothing happens.
 */
export async function craftSwapPayment(
  deps: ExpressDeps,
  sender: Address,
  currency: Exclude<Currency, 'PLATFORM_TOKEN'>,
): Promise<{ payment: SwapPayment; tokenDecimals: number } & ({ ready: Ready } | { obstacle: Obstacle })> {
  const { platform, receiver, chain } = deps;
  const paid = paidIn(deps, currency);
  const { symbol } = paid;
  const [input, output] = await Promise.all([readToken(chain, paid), readToken(chain, platform)]);
  const tokenDecimals = output.decimals;
  const price = PRICE_IN_TOKENS * 10n ** BigInt(output.decimals);
  let quote = await sizedQuote(deps, { input, output, sender, price }, symbol);
  const isSol = input.mint === WRAPPED_SOL_MINT;
  const source = isSol ? undefined : associatedTokenAddress(sender, input.mint, input.tokenProgram);
  const destination = associatedTokenAddress(receiver, output.mint, output.tokenProgram);
  const [own, held, receiving] = await Promise.all([
    chain.account(sender),
    source && chain.account(source),
    chain.account(destination),
  ]);
  const create = !isMade(receiving);
  const payment: SwapPayment = {
    input,
    inputAmount: quote.request.amount,
    outputAmount: quote.outAmount,
    feeLamports: feeOf(1, { computeUnitLimit: 0, computeUnitPrice: 0n }),
    rentLamports: create ? associatedTokenRent(output.tokenProgram) : 0n,
    neededLamports: 0n,
  };
  const { inputAmount } = payment;
  const poor = isSol ? undefined : checkTokens(held, { ...input, sender, amount: inputAmount }, symbol);
  if (poor) return { payment, tokenDecimals, obstacle: poor };

  const place = placeOf(source, sender);
  const wrapped = isSol ? inputAmount + rentExemptLamports(TOKEN_ACCOUNT_SPACE) : 0n;
  for (let others = 0; ; others++) {
    const built = await quote.build({
      owner: sender,
      source: place.account,
      destination,
      receiver,
      feePayer: sender,
      rentPayer: sender,
      absentSigners: new Set([deps.gasWallet]),
      minOut: price,
    });
    if (isRefused(built)) throw noRoute(deps, symbol, built.reason);
    const swap: Swap = {
      taker: sender,
      receiver,
      feePayer: sender,
      rentPayer: sender,
      trade: built,
      programs: deps.programs,
      input: { ...input, place, amount: inputAmount },
      output: { ...output, place: { kind: 'token', account: destination }, least: price, create },
    };
    const draft = { payment, swap, own, lent: built.lentLamports, wrapped, hops: quote.hops };
    const { failure, ...tried } = await tryOut(deps, draft);
    const another = failure && others < MOST_OTHERS ? await anotherQuote(quote, failure, price) : undefined;
    if (!another) return { tokenDecimals, ...tried };
    payment.outputAmount = another.outAmount;
    quote = { ...another, request: quote.request };
  }
}

/** Another quote of the same amount that avoids what made this one fail; undefined if there is none that pays the price. */
async function anotherQuote(
  quote: Quote,
  { needsFewer, suspects }: Failure,
  price: bigint,
): Promise<Quote | undefined> {
  const signal = AbortSignal.timeout(OTHER_MS);
  let another: Quote | Refusal | undefined;
  if (needsFewer && quote.simpler) another = await quote.simpler(signal);
  else if (suspects.length > 0) another = await quote.without?.(suspects, signal);
  return another && !isRefused(another) && another.outAmount >= price ? another : undefined;
}

/**
 * Where the input is: in the sender's token account, or in a temporary one of wrapped SOL. Everybody reads the seed of that, so
 * it is not the request id: whoever knows the id says what a payment is for, if he posts it first.
 */
function placeOf(source: Address | undefined, sender: Address) {
  if (source) return { kind: 'token', account: source } as const;
  return temporaryWrappedSol(sender, randomBytes(16).toString('hex'));
}

interface Draft {
  payment: SwapPayment;
  swap: Swap;
  /** The sender's wallet. */
  own: ChainAccount | undefined;
  /** Lamports that come back when the transaction ends. */
  lent: bigint;
  /** Lamports of an input in SOL, which is wrapped into an account whose rent comes back at the end. */
  wrapped: bigint;
  hops: readonly Hop[];
}

/** What made a simulation fail. */
interface Failure {
  /** It has used up the compute units of a transaction: fewer pools might do. */
  needsFewer: boolean;
  suspects: readonly Hop[];
}

async function tryOut(
  { chain }: ExpressDeps,
  { payment, swap, own, lent, wrapped, hops }: Draft,
): Promise<{ payment: SwapPayment; failure?: Failure } & ({ ready: Ready } | { obstacle: Obstacle })> {
  const lacking = () => {
    payment.neededLamports = payment.feeLamports + payment.rentLamports + lent + wrapped;
    const { neededLamports } = payment;
    return wrapped > 0n ? checkSolPayment(own, neededLamports) : checkLamports(own, neededLamports, false);
  };
  const poor = lacking();
  if (poor) return { payment, obstacle: poor };
  const tried = await tryOutSwap(chain, swap);
  if ('err' in tried) {
    const error = `The chain would refuse this payment: ${explain(tried.err).message}`;
    const suspects = suspectHops(hops, tried, swap.programs.router);
    return { payment, obstacle: { code: 2001, error }, failure: { needsFewer: isOutOfUnits(tried), suspects } };
  }
  payment.feeLamports = tried.crafted.feeLamports;
  const tooDear = lacking();
  return tooDear ? { payment, obstacle: tooDear } : { payment, ready: tried };
}

/** The best quote that yields the price with room to spare, and its request. */
async function sizedQuote(
  deps: ExpressDeps,
  { input, output, sender, price }: { input: Token; output: Token; sender: Address; price: bigint },
  symbol: string,
): Promise<Quote & { request: QuoteRequest }> {
  const common = { input, output, excludeVenues: new Set<string>(), receiver: deps.receiver };
  const best = async (request: QuoteRequest) => {
    const { ranked, answers } = await deps.routing.best(request, canPay);
    const [quote] = ranked;
    const [answer] = answers;
    if (!quote) throw noRoute(deps, symbol, answer && 'refused' in answer ? answer.reason : 'no router is in use');
    return quote;
  };
  const sized = await best({ ...common, mode: 'exact-out', amount: price });
  const amount = (sized.inAmount * (BPS + SIZING_BUFFER_BPS) + BPS - 1n) / BPS;
  const request: QuoteRequest = { ...common, mode: 'exact-in', amount, owner: sender };
  const quote = await best(request);
  if (quote.outAmount < price) throw noRoute(deps, symbol, 'the market has just moved; try again');
  return { ...quote, request };
}

function noRoute({ platform }: ExpressDeps, symbol: string, reason: string): AppError {
  return new AppError('NO_ROUTE', {
    message: `No route is available from ${symbol} to ${PRICE_IN_TOKENS} ${platform.symbol}: ${reason}`,
  });
}
