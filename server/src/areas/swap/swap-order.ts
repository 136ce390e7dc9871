import type { Address } from '@slipway/wire';
import type { Quote, Token } from '../../routing/router.js';
import type { OrderRequest } from './order-request.js';
import type { Wallets } from './wallets.js';

/** What a client asks for, with its tokens. */
export interface Inquiry {
  requestId: string;
  /** When it came in, by `steadyNow`. */
  started: number;
  asked: OrderRequest;
  input: Token;
  output: Token;
}

/** An inquiry of a taker, with all that its transaction depends on beside the quote. */
export interface Order extends Inquiry {
  asked: OrderRequest & { taker: Address };
  wallets: Wallets;
  /** Where the taker pays the gas. */
  terms: Terms;
}

/** What is taken of a swap, and who pays its gas. */
export interface Terms {
  side: 'input' | 'output';
  mint: Address;
  /** All that is taken of that side, in basis points. */
  bps: number;
  /** What of it is the fee of the operator or the integrator; the rest pays the gas. */
  platformBps: number;
  /** Gets it; there is one wherever `bps` is above 0. */
  account?: Address | undefined;
  /** The most that the gas wallet pays, where it does; lamports. */
  gasless?: { maxLamports: bigint } | undefined;
}

/** A quote, and the terms on which it was made. */
export interface Candidate {
  quote: Quote;
  terms: Terms;
}
