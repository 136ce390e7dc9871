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
  /** How far below the fair price it quotes. */
  spreadBps: number;
  clock: Clock;
  log: Logger;
}

/** Set by the protocol: a fill expires this long after its quote. */
const FILL_SECONDS = 55;
/** Allows for clock skew of the requesting service, and for the time that a quote travels. */
const SKEW_SECONDS = 5;
/**
 * Codes of the RPC: the simulation failed, a signature is wrong. After any other error the transaction may have been
 * sent.
 */
const REFUSALS: ReadonlySet<number> = new Set([-32002, -32003]);
const U64_MAX = 2n ** 64n - 1n;

interface Holding extends Token {
  account: Address;
}

/** What a quote says: the two sides and how much of each. */
interface Trade {
  input: Holding;
  output: Holding;
  inAmount: bigint;
  outAmount: bigint;
}

/**
 * The trading desk of a market maker: quotes around the prices as far as its inventory goes, and signs what it has
 * quoted while the inventory lasts.
 */
export class Desk {
  /** Its wallet. */
  readonly maker: Address;
  readonly #deps: DeskDeps;
  /** By mint. */
  readonly #stock: ReadonlyMap<string, Holding>;
  readonly #book: ReturnType<typeof createQuoteBook>;

  constructor(deps: DeskDeps) {
    const { signer, clock, tokens } = deps;
    const maker = signer.address('maker');
    const account = ({ mint, tokenProgram }: Token) => associatedTokenAddress(maker, mint, tokenProgram);
    this.maker = maker;
    this.#deps = deps;
    this.#stock = new Map(tokens.map((token) => [token.mint, { ...token, account: account(token) }]));
    this.#book = createQuoteBook(() => clock.now(), (FILL_SECONDS + SKEW_SECONDS) * 1_000);
  }

  /** The mints that it trades. */
  get tokens(): string[] {
    return [...this.#stock.keys()];
  }

  /** Undefined if it does not quote that. */
  async quote(body: QuoteBody): Promise<QuoteAnswer | undefined> {
    const trade = this.#trade(body);
    if (!trade) return undefined;
    const { inAmount, outAmount, output } = trade;
    if (outAmount === 0n || inAmount > U64_MAX) return undefined;
    if (this.#book.free(output.mint, await this.#held(output.account)) < outAmount) return undefined;
    const { requestId, quoteId, tokenIn, tokenOut, quoteType, taker, receiver, suggestedPrioritizationFees } = body;
    if (taker !== undefined && isAddress(taker)) this.#keep(quoteId, taker, trade);
    return {
      requestId,
      quoteId,
      tokenIn,
      tokenOut,
      quoteType,
      maker: this.maker,
      protocol: 'v1',
      amountIn: inAmount.toString(),
      amountOut: outAmount.toString(),
      ...(taker !== undefined && { taker }),
      ...(receiver !== undefined && { receiver }),
      ...(suggestedPrioritizationFees !== undefined && { prioritizationFeeToUse: suggestedPrioritizationFees }),
    };
  }

  async swap({ quoteId, transaction: base64 }: SwapBody): Promise<SwapAnswer> {
    const live = this.#book.get(quoteId);
    if (!live) return rejected(quoteId, 'the quote is unknown or has expired');
    const read = readForSigning(Buffer.from(base64, 'base64'), live.terms);
    if (isObjection(read)) {
      this.#deps.log.debug({ quoteId, reason: read.reason }, 'the maker does not sign');
      if (read.about === 'payload') return rejected(quoteId, read.reason);
      return { quoteId, state: { rejectedWithReason: 'signatureVerificationFailed' } };
    }
    if (!live.used) live.used = { message: read.message, answer: this.#signAndSend(quoteId, live, read) };
    // Posting the same again gets the same answer; nothing else is signed for this quote.
    if (Buffer.compare(live.used.message, read.message) !== 0) return rejected(quoteId, 'the quote has been used');
    return live.used.answer;
  }

  /**
   * Undefined for tokens that it does not trade or has no price for, and for the id of a quote that it has already
   * made.
   */
  #trade({ quoteId, tokenIn, tokenOut, quoteType, amount: text }: QuoteBody): Trade | undefined {
    const { prices, spreadBps } = this.#deps;
    const [input, output] = [this.#stock.get(tokenIn), this.#stock.get(tokenOut)];
    if (!input || !output || input === output || this.#book.get(quoteId)) return undefined;
    const [inUsd, outUsd] = [prices.usd(input.mint), prices.usd(output.mint)];
    if (!inUsd || !outUsd) return undefined;
    const from = { usd: inUsd, decimals: input.decimals };
    const to = { usd: outUsd, decimals: output.decimals };
    const amount = BigInt(text);
    if (quoteType.toLowerCase() === 'exactin') {
      return { input, output, inAmount: amount, outAmount: outputFor(amount, from, to, spreadBps) };
    }
    return { input, output, inAmount: inputFor(amount, from, to, spreadBps), outAmount: amount };
  }

  #keep(quoteId: string, taker: Address, { input, output, inAmount, outAmount }: Trade): void {
    const { clock, orderEngine } = this.#deps;
    const now = Math.floor(clock.now() / 1_000);
    this.#book.add(quoteId, {
      taker,
      maker: this.maker,
      inAmount,
      outAmount,
      orderEngine,
      inputMint: input.mint,
      outputMint: output.mint,
      makerInput: input.account,
      makerOutput: output.account,
      notBefore: now,
      notAfter: now + FILL_SECONDS + SKEW_SECONDS,
    });
  }

  async #held(account: Address): Promise<bigint> {
    const found = await this.#deps.chain.account(account);
    return (found && decodeTokenAccount(found.data)?.amount) ?? 0n;
  }

  async #signAndSend(quoteId: string, live: LiveQuote, unsigned: Transaction): Promise<SwapAnswer> {
    const { chain, signer, log } = this.#deps;
    const account = this.#stock.get(live.terms.outputMint)!.account;
    if (!this.#book.reserve(live, await this.#held(account))) {
      delete live.used;
      return { quoteId, state: { rejectedWithReason: 'insufficientBalance' } };
    }
    const signed = withSignature(unsigned, this.maker, await signer.sign('maker', unsigned.message));
    const txSignature = transactionSignature(signed);
    const wire = Buffer.from(encodeTransaction(signed)).toString('base64');
    try {
      await chain.rpc.call('sendTransaction', [wire, { encoding: 'base64', preflightCommitment: 'confirmed' }]);
    } catch (error) {
      if (!(error instanceof RpcError) || !REFUSALS.has(error.code)) throw error;
      delete live.used;
      this.#book.release(live);
      log.debug({ quoteId, reason: error.message }, 'the chain did not take a fill');
      return rejected(quoteId, error.message);
    }
    return { quoteId, state: 'accepted', txSignature };
  }
}

function rejected(quoteId: string, rejectionReason: string): SwapAnswer {
  return { quoteId, state: 'rejected', rejectionReason };
}
