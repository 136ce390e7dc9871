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

/** The quotes that takers can still use; what they promise is not promised again. */
export interface QuoteBook {
  get(quoteId: string): LiveQuote | undefined;
  add(quoteId: string, terms: Terms): void;
  /** Of `held`, what no living quote has been promised. */
  free(mint: Address, held: bigint): bigint;
}

export function createQuoteBook(now: () => number, lifeMs: number): QuoteBook {
  const quotes = new Map<string, LiveQuote>();
  const promised = new Map<Address, bigint>();
  const promise = (mint: Address, amount: bigint) => promised.set(mint, (promised.get(mint) ?? 0n) + amount);

  // In the order of their ends, because all live equally long.
  function dropEnded(): void {
    for (const [id, { terms, until }] of quotes) {
      if (until > now()) return;
      quotes.delete(id);
      promise(terms.outputMint, -terms.outAmount);
    }
  }

  return {
    get(quoteId) {
      dropEnded();
      return quotes.get(quoteId);
    },
    add(quoteId, terms) {
      quotes.set(quoteId, { terms, until: now() + lifeMs });
      promise(terms.outputMint, terms.outAmount);
    },
    free(mint, held) {
      dropEnded();
      const left = held - (promised.get(mint) ?? 0n);
      return left > 0n ? left : 0n;
    },
  };
}
