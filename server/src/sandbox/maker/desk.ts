import {
  type Address,
  associatedTokenAddress,
  decodeTokenAccount,
  encodeTransaction,
  isAddress,
  type Transaction,
  transactionSignature,
  withSignature,
} from '@slipway/wire';
import type { Logger } from 'pino';
import { type Chain, RpcError } from '../../chain/index.js';
import type { Clock } from '../../lib/clock.js';
import type { Token } from '../../routing/router.js';
import type { Signer } from '../../signer/index.js';
import { isObjection, readForSigning } from './check.js';
import { inputFor, outputFor, type QuotedPrices } from './pricing.js';
import { createQuoteBook, type LiveQuote, type SwapAnswer } from './quote-book.js';
import type { QuoteAnswer, QuoteBody, SwapBody } from './schema.js';

export interface DeskDeps {
  chain: Pick<Chain, 'account' | 'rpc'>;
  signer: Signer;
  prices: QuotedPrices;
  /** What it holds and trades. */
  tokens: readonly Token[];
  orderEngine: Address;
  /** How much less than its worth it gives. */
  spreadBps: number;
  clock: Clock;
  log: Logger;
}

/** The protocol's: a fill expires so long after its quote. */
const FILL_SECONDS = 55;
/** For a clock of the service that asks, and for the time that a quote travels. */
const SKEW_SECONDS = 5;
/** Of the RPC: the simulation failed, a signature is wrong. After any other error it may have left. */
const REFUSALS: ReadonlySet<number> = new Set([-32002, -32003]);
const U64_MAX = 2n ** 64n - 1n;

/**
 * The trading of a market maker: quotes around the prices as far as its inventory goes, and signs what it has quoted
 * while the inventory lasts.
 */
export function createDesk(deps: DeskDeps) {
  const { chain, signer, clock, log, orderEngine } = deps;
  const maker = signer.address('maker');
  const stock = new Map(
    deps.tokens.map((token) => [
      token.mint as string,
      { ...token, account: associatedTokenAddress(maker, token.mint, token.tokenProgram) },
    ]),
  );
  const book = createQuoteBook(() => clock.now(), (FILL_SECONDS + SKEW_SECONDS) * 1_000);

  async function held(account: Address): Promise<bigint> {
    const found = await chain.account(account);
    return (found && decodeTokenAccount(found.data)?.amount) ?? 0n;
  }

  /** Undefined where it does not quote that. */
  async function quote(body: QuoteBody): Promise<QuoteAnswer | undefined> {
    const [input, output] = [stock.get(body.tokenIn), stock.get(body.tokenOut)];
    if (!input || !output || input === output || book.get(body.quoteId)) return undefined;
    const [inUsd, outUsd] = [deps.prices.usd(input.mint), deps.prices.usd(output.mint)];
    if (!inUsd || !outUsd) return undefined;
    const [from, to] = [
      { usd: inUsd, decimals: input.decimals },
      { usd: outUsd, decimals: output.decimals },
    ];
    const amount = BigInt(body.amount);
    const exactIn = body.quoteType.toLowerCase() === 'exactin';
    const inAmount = exactIn ? amount : inputFor(amount, from, to, deps.spreadBps);
    const outAmount = exactIn ? outputFor(amount, from, to, deps.spreadBps) : amount;
    if (outAmount === 0n || inAmount > U64_MAX) return undefined;
    if (book.free(output.mint, await held(output.account)) < outAmount) return undefined;
    const { requestId, quoteId, tokenIn, tokenOut, quoteType, taker, receiver, suggestedPrioritizationFees } = body;
    if (taker !== undefined && isAddress(taker)) {
      const now = Math.floor(clock.now() / 1_000);
      book.add(quoteId, {
        ...{ taker, maker, inAmount, outAmount, orderEngine },
        ...{ inputMint: input.mint, outputMint: output.mint, makerInput: input.account, makerOutput: output.account },
        ...{ notBefore: now, notAfter: now + FILL_SECONDS + SKEW_SECONDS },
      });
    }
    return {
      ...{ requestId, quoteId, tokenIn, tokenOut, quoteType, maker, protocol: 'v1' as const },
      amountIn: inAmount.toString(),
      amountOut: outAmount.toString(),
      ...(taker !== undefined && { taker }),
      ...(receiver !== undefined && { receiver }),
      ...(suggestedPrioritizationFees !== undefined && { prioritizationFeeToUse: suggestedPrioritizationFees }),
    };
  }

  async function swap({ quoteId, transaction: base64 }: SwapBody): Promise<SwapAnswer> {
    const live = book.get(quoteId);
    if (!live) return rejected(quoteId, 'the quote is unknown or has expired');
    const read = readForSigning(Buffer.from(base64, 'base64'), live.terms);
    if (isObjection(read)) {
      log.debug({ quoteId, reason: read.reason }, 'the maker does not sign');
      if (read.about === 'payload') return rejected(quoteId, read.reason);
      return { quoteId, state: { rejectedWithReason: 'signatureVerificationFailed' } };
    }
    if (!live.used) live.used = { message: read.message, answer: signAndSend(quoteId, live, read) };
    // Whoever posts the same again gets the same answer; nothing else is signed for this quote.
    if (Buffer.compare(live.used.message, read.message) !== 0) return rejected(quoteId, 'the quote has been used');
    return live.used.answer;
  }

  async function signAndSend(quoteId: string, live: LiveQuote, unsigned: Transaction): Promise<SwapAnswer> {
    const account = stock.get(live.terms.outputMint)!.account;
    if (!book.reserve(live, await held(account))) {
      delete live.used;
      return { quoteId, state: { rejectedWithReason: 'insufficientBalance' } };
    }
    const signed = withSignature(unsigned, maker, await signer.sign('maker', unsigned.message));
    const txSignature = transactionSignature(signed);
    const wire = Buffer.from(encodeTransaction(signed)).toString('base64');
    try {
      await chain.rpc.call('sendTransaction', [wire, { encoding: 'base64', preflightCommitment: 'confirmed' }]);
    } catch (error) {
      if (!(error instanceof RpcError) || !REFUSALS.has(error.code)) throw error;
      delete live.used;
      book.release(live);
      log.debug({ quoteId, reason: error.message }, 'the chain did not take a fill');
      return rejected(quoteId, error.message);
    }
    return { quoteId, state: 'accepted', txSignature };
  }

  return { maker, tokens: [...stock.keys()], quote, swap };
}

function rejected(quoteId: string, rejectionReason: string): SwapAnswer {
  return { quoteId, state: 'rejected', rejectionReason };
}
