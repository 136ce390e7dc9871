import type { Address } from '@slipway/wire';
import { MAX_BLOCKHASH_AGE } from './blockhashes.js';

interface SlotTransactions {
  messages: string[];
  prices: { price: bigint; writable: Address[] }[];
}

/** What was executed in the slots whose blockhashes can still be used. */
export class RecentTransactions {
  readonly #slots = new Map<bigint, SlotTransactions>();
  readonly #messages = new Set<string>();

  /** Whether a message was executed within the life of its blockhash. */
  has(messageKey: string): boolean {
    return this.#messages.has(messageKey);
  }

  addMessage(slot: bigint, messageKey: string): void {
    this.#messages.add(messageKey);
    this.#at(slot).messages.push(messageKey);
  }

  addPrice(slot: bigint, price: bigint, writable: Address[]): void {
    this.#at(slot).prices.push({ price, writable });
  }

  /** Forgets the slots that lie too far behind the current one. */
  moveTo(current: bigint): void {
    for (const [slot, { messages }] of this.#slots) {
      if (current - slot <= MAX_BLOCKHASH_AGE) continue;
      for (const message of messages) this.#messages.delete(message);
      this.#slots.delete(slot);
    }
  }

  /**
   * For each of the last 150 slots the lowest price in micro-lamports per compute unit of the transactions that wrote
   * all the given accounts; 0 where there was none.
   */
  fees(current: bigint, accounts: Address[]): { slot: bigint; fee: bigint }[] {
    const first = current >= MAX_BLOCKHASH_AGE ? current - MAX_BLOCKHASH_AGE + 1n : 0n;
    const fees: { slot: bigint; fee: bigint }[] = [];
    for (let slot = first; slot <= current; slot++) {
      let lowest: bigint | undefined;
      for (const { price, writable } of this.#slots.get(slot)?.prices ?? []) {
        if (lowest !== undefined && price >= lowest) continue;
        if (accounts.every((account) => writable.includes(account))) lowest = price;
      }
      fees.push({ slot, fee: lowest ?? 0n });
    }
    return fees;
  }

  #at(slot: bigint): SlotTransactions {
    let entry = this.#slots.get(slot);
    if (!entry) {
      entry = { messages: [], prices: [] };
      this.#slots.set(slot, entry);
    }
    return entry;
  }
}
