import type { Address } from '@slipway/wire';
import type { Quote, Token } from '../../routing/router.js';
import type { OrderRequest } from './order-request.js';
import type { Wallets } from './wallets.js';

/** A client's request and its tokens. */
export interface Inquiry {
  requestId: string;
  /** When the request arrived, by `steadyNow`. */
  started: number;
  asked: OrderRequest;
  input: Token;
  output: Token;
}

/** An inquiry with a taker, and all that its transaction depends on besides the quote. */
export interface Order extends Inquiry {
  asked: OrderRequest & { taker: Address };
  wallets: Wallets;
  /** The terms if the taker pays the gas. */
  terms: Terms;
  /** Whether there may be another search in place of a quote that cannot be used; the caller is charged for many. */
  mayTryAnother: () => Promise<boolean>;
}

/** The fee of a swap, and who pays its gas. */
export interface Terms {
  side: 'input' | 'output';
  mint: Address;
  /** The whole fee, in basis points of that side. */
  bps: number;
  /** The part of `bps` that is the operator's or the integrator's fee; the rest pays the gas. */
  platformBps: number;
  /** Receives the fee; always set if `bps` is above 0. */
  account?: Address | undefined;
  /** Set if the gas wallet pays: the most that it pays, in lamports. */
  gasless?: { maxLamports: bigint } | undefined;
}

/** A quote and the terms that it was made on. */
export interface Candidate {
  quote: Quote;
  terms: Terms;
}
