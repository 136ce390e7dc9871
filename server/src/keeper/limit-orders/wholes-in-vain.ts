import type { LimitOrder } from '@slipway/programs';
import type { Address } from '@slipway/wire';
import { fillFor } from './plan.js';

/** After so many milliseconds an order is asked for again, whatever the shared sizes tell. */
const BELIEVED_MS = 15_000;

interface Seen {
  /** The rest of the order at that time. */
  makingAmount: bigint;
  /** What the market gave for it; 0 if it did not take it. */
  out: bigint;
  /** The most that it could have given, as the shared sizes told it; 0 if they did not tell. */
  most: bigint;
  until: number;
}

/**
 * Orders that seemed to pay and did not, with the price of that time: anybody opens ever more of them, and each takes a
 * question to the market of its own.
 */
export class WholesInVain {
  readonly #steadyNow: () => number;
  readonly #seen = new Map<Address, Seen>();

  constructor(steadyNow: () => number) {
    this.#steadyNow = steadyNow;
  }

  /** Whether the market must be asked for the whole order: not before its price has come half of the way that was missing. */
  isWorthAsking(address: Address, order: LimitOrder, most: bigint | undefined, cost: number): boolean {
    const seen = this.#seen.get(address);
    if (!seen || seen.makingAmount !== order.makingAmount || this.#steadyNow() >= seen.until) return true;
    const gain = seen.most > 0n && most !== undefined && most > seen.most ? most - seen.most : 0n;
    const likely = seen.out + (gain === 0n ? 0n : (2n * seen.out * gain) / seen.most + 1n);
    return fillFor(order, order.makingAmount, likely, cost) !== undefined;
  }

  note(address: Address, { makingAmount }: LimitOrder, out: bigint | undefined, most: bigint | undefined): void {
    this.#seen.set(address, {
      makingAmount,
      out: out ?? 0n,
      most: most ?? 0n,
      until: this.#steadyNow() + BELIEVED_MS,
    });
  }

  delete(address: Address): void {
    this.#seen.delete(address);
  }

  keepOnly(addresses: { has(address: string): boolean }): void {
    for (const address of this.#seen.keys()) if (!addresses.has(address)) this.#seen.delete(address);
  }
}
