import type { Line } from './line.js';
import type { Leg } from './order.js';
import { SlotHeap } from './slot-heap.js';
import { SlotTable } from './slot-table.js';
import { TrailingGroup } from './trailing-group.js';

/** Fires when the price of `mint` is at `usd` or beyond. */
interface PriceTrigger {
  leg: Leg;
  mint: string;
  condition: 'above' | 'below';
  usd: number;
}

/**
 * Fires when the price of `mint` is `trailingBps` or more away from `mark`, the best price since the order opened:
 * below the highest, or above the lowest.
 */
interface TrailingTrigger {
  leg: Leg;
  mint: string;
  condition: 'above' | 'below';
  trailingBps: number;
  /** In USD, as far as known. */
  mark: number;
}

export type Trigger = PriceTrigger | TrailingTrigger;

/** An order that a price has fired, with its leg and the line that was crossed. */
export interface Fired {
  order: string;
  leg: Leg;
  line: Line;
  /** The best price that it has seen, if it trails. */
  mark?: number;
}

export interface TickOptions {
  /** How many orders to fire at most; without a limit by default. Others stay, and fire at the next tick if the price is still there. */
  most?: number;
  /** Told what went wrong; by default it is thrown. */
  failed?: (error: Error) => void;
}

interface Market {
  above: SlotHeap;
  below: SlotHeap;
  /** By side and distance: those that are not empty. */
  trailing: Map<string, TrailingGroup>;
}

/**
 * All waiting orders by what fires them. A tick that fires nothing only costs a look at the nearest threshold of each
 * side. A tick returns exactly the orders whose thresholds it crosses, even if the price jumped past them, and each
 * leaves the book with all its legs. An order that is added with its threshold already crossed fires at the next tick.
 */
export class TriggerBook {
  private readonly table = new SlotTable();
  private readonly markets = new Map<string, Market>();
  /** The first slot of each order, by order. */
  private readonly orders = new Map<string, number>();

  /** The number of orders, not legs. */
  get size(): number {
    return this.orders.size;
  }

  /**
   * Adds an order, replacing what the book knew of it. One that it has with the same triggers stays where it is.
   * @throws RangeError where a price is NaN; the book is as it was then
   */
  add(order: string, triggers: readonly Trigger[]): void {
    if (triggers.some((trigger) => Number.isNaN('usd' in trigger ? trigger.usd : trigger.mark)))
      throw new RangeError(`a price of ${order} is not a number`);
    if (this.has(order, triggers)) return;
    this.remove(order);
    let slot = -1;
    for (const trigger of triggers) slot = this.addTrigger(order, trigger, slot);
    if (slot >= 0) this.orders.set(order, slot);
  }

  /** Removes an order with all its legs. False if it was not in the book. */
  remove(order: string): boolean {
    const first = this.orders.get(order);
    if (first === undefined) return false;
    this.orders.delete(order);
    for (let slot = first; slot >= 0; ) {
      const next = this.table.next[slot]!;
      this.table.holder[slot]!.remove(slot);
      this.table.free(slot);
      slot = next;
    }
    return true;
  }

  /**
   * Removes and returns the orders that a price fires. An invalid price (zero or NaN) fires nothing. What throws is told to
   * `failed`: it keeps nothing that has fired, and nothing else of the market from firing.
   */
  tick(mint: string, usd: number, { most = Number.POSITIVE_INFINITY, failed = rethrow }: TickOptions = {}): Fired[] {
    const market = this.markets.get(mint);
    if (!market || !(usd > 0 && usd < Number.POSITIVE_INFINITY)) return [];
    const fired: Fired[] = [];
    const attempt = (step: () => void) => {
      try {
        step();
      } catch (error) {
        failed(error as Error);
      }
    };
    for (const group of market.trailing.values()) {
      attempt(() => {
        for (const slot of group.tick(usd, most - fired.length)) {
          this.fire(slot, { line: group.lineOf(slot), mark: group.markOf(slot)! }, fired);
        }
      });
    }
    attempt(() => this.drain(market, 'above', usd, most, fired));
    attempt(() => this.drain(market, 'below', usd, most, fired));
    return fired;
  }

  /** The best price that a trailing order has seen; undefined if it does not trail or is not in the book. */
  mark(order: string): number | undefined {
    const slot = this.orders.get(order);
    const holder = slot === undefined ? undefined : this.table.holder[slot];
    return holder instanceof TrailingGroup ? holder.markOf(slot!) : undefined;
  }

  private has(order: string, triggers: readonly Trigger[]): boolean {
    let slot = this.orders.get(order) ?? -1;
    // The first slot is that of the last trigger.
    for (let at = triggers.length - 1; at >= 0; at -= 1) {
      if (slot < 0 || !this.isAt(slot, triggers[at]!)) return false;
      slot = this.table.next[slot]!;
    }
    return slot < 0;
  }

  private isAt(slot: number, trigger: Trigger): boolean {
    const { leg, holder, key } = this.table;
    if (leg[slot] !== trigger.leg) return false;
    const market = this.market(trigger.mint);
    if ('usd' in trigger) return holder[slot] === market[trigger.condition] && key[slot] === keyOf(trigger);
    return trailingGroup(market, trigger).markOf(slot) === trigger.mark;
  }

  private addTrigger(order: string, trigger: Trigger, next: number): number {
    const market = this.market(trigger.mint);
    if ('trailingBps' in trigger) {
      const group = trailingGroup(market, trigger);
      const slot = this.table.allocate(order, trigger.leg, group, next);
      group.add(slot, trigger.mark);
      return slot;
    }
    const heap = market[trigger.condition];
    const slot = this.table.allocate(order, trigger.leg, heap, next);
    this.table.key[slot] = keyOf(trigger);
    heap.add(slot);
    return slot;
  }

  private drain(market: Market, condition: Line['condition'], usd: number, most: number, fired: Fired[]): void {
    const [heap, sign] = [market[condition], condition === 'above' ? 1 : -1];
    for (let slot = heap.first; slot !== undefined && this.table.key[slot]! <= sign * usd; slot = heap.first) {
      if (fired.length >= most) return;
      this.fire(slot, { line: { condition, usd: sign * this.table.key[slot]! } }, fired);
    }
  }

  private fire(slot: number, by: Pick<Fired, 'line' | 'mark'>, fired: Fired[]): void {
    const { order, leg } = { order: this.table.order[slot]!, leg: this.table.leg[slot]! };
    if (this.remove(order)) fired.push({ order, leg, ...by });
  }

  private market(mint: string): Market {
    const known = this.markets.get(mint);
    if (known) return known;
    const market = { above: new SlotHeap(this.table), below: new SlotHeap(this.table), trailing: new Map() };
    this.markets.set(mint, market);
    return market;
  }
}

/** For thresholds below, the highest comes first. */
const keyOf = ({ condition, usd }: PriceTrigger) => (condition === 'above' ? usd : -usd);

function rethrow(error: Error): never {
  throw error;
}

function trailingGroup({ trailing }: Market, { condition, trailingBps }: TrailingTrigger): TrailingGroup {
  const name = `${condition} ${trailingBps}`;
  const known = trailing.get(name);
  if (known) return known;
  const group = new TrailingGroup(condition === 'below' ? 1 : -1, trailingBps, () => trailing.delete(name));
  trailing.set(name, group);
  return group;
}
