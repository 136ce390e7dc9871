import { randomInt } from 'node:crypto';
import type { Address } from '@slipway/wire';
import type { Logger } from 'pino';
import type { Prices } from '../../prices/index.js';
import type { Tick } from '../../trigger-orders/price-guard.js';
import { type TickDeps, tickOf } from '../../trigger-orders/tick.js';
import type { TriggerMetrics } from './metrics.js';
import type { FiredOrder, WaitingOrders } from './waiting-orders.js';

/** How many orders a turn fires; the next one follows soon. So no turn asks the database for more than it answers quickly. */
export const MOST_FIRED = 5_000;

interface FiringDeps extends TickDeps {
  prices: TickDeps['prices'] & Pick<Prices, 'follow'>;
  log: Logger;
}

/** Compares the orders that wait with the prices of now. */
export class Firing {
  readonly #deps: FiringDeps;
  readonly #orders: Pick<WaitingOrders, 'mints' | 'priced' | 'tick'>;
  readonly #metrics: Pick<TriggerMetrics, 'unchecked'>;
  /** The last price of each market. */
  readonly #ticks = new Map<Address, Tick>();
  /** Where the last turn had fired the most that it may: the next one begins after it. */
  #fullAt: Address | undefined;
  /** Mints whose orders could not be compared with the price in the last turn. */
  readonly #unchecked = new Set<Address>();
  /** Whether pools contradicted a price in the last turn. */
  isContradicted = false;

  constructor(
    deps: FiringDeps,
    orders: Pick<WaitingOrders, 'mints' | 'priced' | 'tick'>,
    metrics: Pick<TriggerMetrics, 'unchecked'>,
  ) {
    this.#deps = deps;
    this.#orders = orders;
    this.#metrics = metrics;
  }

  /** Whether the last turn may have left some to the next one. */
  get hasMore(): boolean {
    return this.#fullAt !== undefined;
  }

  lastOf(mint: Address): Tick | undefined {
    return this.#ticks.get(mint);
  }

  /** Takes orders that the prices fire, and that are to be filled now, from those that wait. */
  turn(): FiredOrder[] {
    this.isContradicted = false;
    this.#deps.prices.follow([...this.#orders.priced]);
    const mints = this.#mintsInTurn();
    this.#fullAt = undefined;
    const fired: FiredOrder[] = [];
    for (const mint of mints) {
      // At a limit of 0, too: the price also moves the marks of trailing orders.
      for (const order of this.#fireAt(mint, MOST_FIRED - fired.length)) fired.push(order);
      if (fired.length === MOST_FIRED) this.#fullAt ??= mint;
    }
    return fired;
  }

  #mintsInTurn(): Address[] {
    const mints = [...this.#orders.mints];
    const first = this.#fullAt === undefined ? 0 : mints.indexOf(this.#fullAt) + 1;
    return [...mints.slice(first), ...mints.slice(0, first)];
  }

  /** One mint that fails does not stop the others, and what it has fired before is filled. */
  #fireAt(mint: Address, most: number): FiredOrder[] {
    let error: Error | undefined;
    const failed = (reason: Error) => {
      error = reason;
    };
    let fired: FiredOrder[] = [];
    try {
      const price = tickOf(this.#deps, mint, this.#ticks.get(mint));
      if (typeof price === 'string') {
        this.#deps.log.debug({ mint, reason: price }, 'ignoring a price');
        this.isContradicted ||= price === 'contradicting';
      } else {
        this.#ticks.set(mint, price);
        // In random order, so that keepers do not compete for the same claims.
        fired = shuffled(this.#orders.tick(mint, price.usd, { most, failed }));
      }
    } catch (reason) {
      failed(reason as Error);
    }
    this.#noteCheck(mint, error);
    return fired;
  }

  /** Turns follow each other quickly: the log tells only of the first failure in a row. */
  #noteCheck(mint: Address, error: Error | undefined): void {
    if (!error) {
      this.#unchecked.delete(mint);
      return;
    }
    this.#metrics.unchecked();
    if (this.#unchecked.has(mint)) return;
    this.#unchecked.add(mint);
    this.#deps.log.warn({ mint, reason: error.message }, 'cannot check the trigger orders of a token; will try again');
  }
}

function shuffled<T>(items: T[]): T[] {
  for (let left = items.length - 1; left > 0; left--) {
    const other = randomInt(left + 1);
    [items[left], items[other]] = [items[other]!, items[left]!];
  }
  return items;
}
