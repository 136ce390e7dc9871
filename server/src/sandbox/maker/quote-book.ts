import type { Address } from '@slipway/wire';
import type { Terms } from './check.js';

export interface LiveQuote {
  terms: Terms;
  /** Unix milliseconds. */
  until: number;
  /** The transaction that the quote was used for, and how it was answered. */
  used?: { message: Uint8Array; answer: Promise<SwapAnswer> };
}

export interface SwapAnswer {
  quoteId: string;
  state: 'accepted' | 'rejected' | { rejectedWithReason: string };
  txSignature?: string;
  rejectionReason?: string;
}

/**
 * The quotes that takers can still use. Only a quote that is being used reserves its output, because anybody may ask
 * for any number of quotes under different takers.
 */
interface QuoteBook {
  get(quoteId: string): LiveQuote | undefined;
  add(quoteId: string, terms: Terms): void;
  /** The part of `held` that is not reserved. */
  free(mint: Address, held: bigint): bigint;
  /** Lasts until the quote expires; false if not enough of `held` is free. */
  reserve(quote: LiveQuote, held: bigint): boolean;
  release(quote: LiveQuote): void;
}

export function createQuoteBook(now: () => number, lifeMs: number): QuoteBook {
  const quotes = new Map<string, LiveQuote>();
  const reserved = new Set<LiveQuote>();

  // The oldest expire first, because all live equally long.
  function dropEnded(): void {
    for (const [id, quote] of quotes) {
      if (quote.until > now()) return;
      quotes.delete(id);
      reserved.delete(quote);
    }
  }

  function free(mint: Address, held: bigint): bigint {
    dropEnded();
    let unreserved = held;
    for (const { terms } of reserved) if (terms.outputMint === mint) unreserved -= terms.outAmount;
    return unreserved > 0n ? unreserved : 0n;
  }

  return {
    free,
    get(quoteId) {
      dropEnded();
      return quotes.get(quoteId);
    },
    add(quoteId, terms) {
      quotes.set(quoteId, { terms, until: now() + lifeMs });
    },
    reserve(quote, held) {
      if (free(quote.terms.outputMint, held) < quote.terms.outAmount) return false;
      reserved.add(quote);
      return true;
    },
    release: (quote) => reserved.delete(quote),
  };
}
