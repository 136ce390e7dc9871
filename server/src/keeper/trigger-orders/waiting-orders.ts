import type { Address } from '@slipway/wire';
import type { Clock } from '../../lib/clock.js';
import type { Store } from '../../store/sql.js';
import { TRIGGER_ORDERS_CHANNEL } from '../../store/trigger-orders.js';
import { type WaitingOrder, waitingAmong, waitingOrders } from '../../store/trigger-orders-waiting.js';
import type { Line } from '../../trigger-orders/line.js';
import type { Leg } from '../../trigger-orders/order.js';
import { triggersOf } from '../../trigger-orders/order-triggers.js';
import { type TickOptions, TriggerBook } from '../../trigger-orders/trigger-book.js';
import type { InFlight } from '../worker.js';
import { NeededMints } from './needed-mints.js';
import { BACK_OFF, longestRestMs } from './settlement.js';
import { TrailingMarks } from './trailing-marks.js';

/** An order that a price has fired, and what its claim needs to know. */
export interface FiredOrder {
  id: string;
  leg: Leg;
  /** The mint whose price fired it, and where. */
  mint: Address;
  line: Line;
  trailingBps: number | null;
  /** How often in a row it has fired by this leg and been released. */
  tries: number;
}

export interface WaitingOrdersDeps {
  store: Store;
  clock: Clock;
  steadyNow: () => number;
}

/** How many orders are read in one piece: nothing else of this process goes on meanwhile. */
const PAGE = 1_000;
/** For how long a turn goes on with a reading of all: what a price fires waits for it. */
const READING_MS = 250;
/** For what no notification tells of. */
const RELOAD_MS = 60_000;
/** A rest that is longer by more than the clocks of copies may differ was begun by a keeper whose clock was ahead. */
const CLOCKS_DIFFER_MS = 60_000;

/** Twice as long as an order rests at most: one that goes on firing keeps its count. */
const TRIES_COUNT_MS = 2 * BACK_OFF.longestMs;

/** A reading of all orders, as far as it has come. */
interface Reading {
  /** The id of the last one that was read. */
  after: string;
  /** What is known of these, unless they are read until its end. */
  readonly gone: Set<string>;
  readonly mints: Set<Address>;
  readonly priced: Set<Address>;
  /** Changes of those that are read may not have been told meanwhile: a page could not be read, or notifications were lost. */
  hasGap: boolean;
}

/**
 * A cache of the stored orders that wait for a price, by what fires them. The store notifies it of changes, and it is
 * reloaded every minute, and when notifications were lost, in as many updates as that takes. An order that fires is
 * removed, and added again when it is read again. The cache may be out of date: the claim of an order that no longer waits is a no-op.
 */
export class WaitingOrders {
  readonly #deps: WaitingOrdersDeps;
  readonly #book = new TriggerBook();
  readonly #mints = new NeededMints();
  readonly #priced = new NeededMints();
  readonly #marks: TrailingMarks;
  /** Ids of orders to be read again. */
  readonly #changed = new Set<string>();
  /** When legs that back off are tried again, by order. The other one of an order goes on: what is vain for a target may not be for a stop. */
  readonly #rests = new Map<string, ReadonlyMap<Leg, number>>();
  readonly #tries = new Map<string, Map<Leg, { count: number; at: number }>>();
  #reloadAt = Number.NEGATIVE_INFINITY;
  #reading: Reading | undefined;
  #unlisten: () => Promise<void> = async () => {};

  private constructor(deps: WaitingOrdersDeps) {
    this.#deps = deps;
    this.#marks = new TrailingMarks(deps.store, (id) => this.#book.mark(id));
  }

  /** Listens to the store until closed. Empty until the first update. */
  static async open(deps: WaitingOrdersDeps): Promise<WaitingOrders> {
    const orders = new WaitingOrders(deps);
    const hear = (ids: string) => {
      for (const id of ids.split(' ')) orders.#changed.add(id);
    };
    orders.#unlisten = await deps.store.listen(TRIGGER_ORDERS_CHANNEL, hear, () => {
      orders.#reloadAt = Number.NEGATIVE_INFINITY;
      if (orders.#reading) orders.#reading.hasGap = true;
    });
    return orders;
  }

  close(): Promise<void> {
    return this.#unlisten();
  }

  /** How many orders wait. */
  get size(): number {
    return this.#book.size;
  }

  /** The tokens whose prices fire orders. */
  get mints(): ReadonlySet<Address> {
    return this.#mints.all;
  }

  /** Those, and the tokens that orders sell and buy; of the oldest orders first. */
  get priced(): ReadonlySet<Address> {
    return this.#priced.all;
  }

  /** Whether the next update goes on with what this one has begun. */
  get hasMore(): boolean {
    return this.#reading !== undefined;
  }

  /** Reads changed orders, and now and then all of them. Orders in flight are left out. */
  async update(inFlight: InFlight): Promise<void> {
    const { steadyNow, clock } = this.#deps;
    if (steadyNow() >= this.#reloadAt) this.#reading ??= this.#newReading();
    if (this.#reading) await this.#goOn(this.#reading, inFlight);
    const now = clock.now();
    for (const [id, rests] of this.#rests) {
      // What is queued by its other leg is read again once it was tried.
      if (!inFlight.isQueued(id) && [...rests.values()].some((at) => at <= now)) this.#changed.add(id);
    }
    await this.#readChanged(inFlight);
  }

  /** Removes and returns the orders that a price fires. */
  tick(mint: Address, usd: number, options: TickOptions = {}): FiredOrder[] {
    return this.#book.tick(mint, usd, options).map(({ order: id, leg, line, mark }) => {
      const trailingBps = mark === undefined ? null : this.#marks.bpsOf(id);
      this.#marks.leaves(id, mark);
      return { id, leg, mint, line, trailingBps, tries: this.#triesOf(id, leg) };
    });
  }

  /** Records whether a fired order was released, and how many tries in a row count at most for that; 0 where it was not released. */
  tried({ id, leg, tries }: FiredOrder, most: number): void {
    const ofOrder = this.#tries.get(id) ?? new Map<Leg, { count: number; at: number }>();
    const count = Math.max(tries, Math.min(tries + 1, most));
    if (most > 0) this.#tries.set(id, ofOrder.set(leg, { count, at: this.#deps.clock.now() }));
    else if (ofOrder.delete(leg) && ofOrder.size === 0) this.#tries.delete(id);
  }

  /** What was vain before the price had left it for long says nothing of a stop that fires now. */
  #triesOf(id: string, leg: Leg): number {
    const { count, at } = this.#tries.get(id)?.get(leg) ?? { count: 0, at: 0 };
    return this.#deps.clock.now() - at <= TRIES_COUNT_MS ? count : 0;
  }

  /** Marks an order to be read by the next update at which it is no longer in flight. */
  readAgain(id: string): void {
    this.#changed.add(id);
  }

  /** Stores marks of trailing orders that have moved, each in its turn; `most`, `true`: as `saveSome` of the marks. */
  saveMarks(most?: number): Promise<boolean> {
    return this.#marks.saveSome(most);
  }

  /** Stores the marks of orders that have fired. */
  saveMarksOf(fired: readonly FiredOrder[]): Promise<void> {
    return this.#marks.save(fired.map(({ id }) => id));
  }

  #newReading(): Reading {
    // Others that no longer wait may stay: their claim is a no-op.
    const gone = new Set([...this.#marks.ids, ...this.#tries.keys()]);
    return { after: '', gone, mints: new Set(), priced: new Set(), hasGap: false };
  }

  async #goOn(reading: Reading, inFlight: InFlight): Promise<void> {
    const { store, steadyNow } = this.#deps;
    const until = steadyNow() + READING_MS;
    for (let more = true; more; ) {
      const page = await waitingOrders(store, reading.after, PAGE).catch((error) => {
        reading.hasGap = true;
        throw error;
      });
      for (const order of page) {
        reading.mints.add(order.triggerMint as Address);
        for (const mint of mintsOf(order)) reading.priced.add(mint);
        if (!inFlight.isUnderWay(order.id) && !inFlight.isQueued(order.id)) this.#add(order);
        reading.gone.delete(order.id);
      }
      more = page.length === PAGE;
      reading.after = page.at(-1)?.id ?? reading.after;
      if (more && steadyNow() >= until) return;
    }
    this.#reading = undefined;
    this.#mints.replaceBy(reading.mints);
    this.#priced.replaceBy(reading.priced);
    for (const id of reading.gone) {
      this.#remove(id);
      this.#tries.delete(id);
    }
    this.#reloadAt = steadyNow() + (reading.hasGap ? 0 : RELOAD_MS);
  }

  async #readChanged(inFlight: InFlight): Promise<void> {
    const ids = [...this.#changed].filter((id) => !inFlight.isUnderWay(id));
    for (let from = 0; from < ids.length; from += PAGE) {
      const page = ids.slice(from, from + PAGE);
      for (const id of page) this.#changed.delete(id);
      const found = await waitingAmong(this.#deps.store, page).catch((error) => {
        for (const id of page) this.#changed.add(id);
        throw error;
      });
      const byId = new Map(found.map((order) => [order.id, order]));
      for (const id of page) this.#replace(id, byId.get(id), inFlight);
    }
  }

  #replace(id: string, order: WaitingOrder | undefined, inFlight: InFlight): void {
    if (inFlight.isUnderWay(id)) return;
    if (order) {
      // A queued order is checked again when it is claimed.
      if (!inFlight.isQueued(id)) this.#add(order);
      // It may have been claimed as its page was read.
      this.#reading?.gone.delete(id);
      return;
    }
    // Another keeper has it, or it no longer waits.
    inFlight.dequeue(id);
    this.#remove(id);
  }

  #add(order: WaitingOrder): void {
    const { id, triggerMint } = order;
    const all = triggersOf(order);
    const rests = this.#restsOf(
      order,
      all.map(({ leg }) => leg),
    );
    const awake = all.filter(({ leg }) => !rests.has(leg));
    const triggers = awake.map((trigger) => {
      if (!('mark' in trigger)) return trigger;
      const { mint, condition, trailingBps: bps, mark } = trigger;
      return { ...trigger, mark: this.#marks.enters(id, { mint, condition, bps, mark }) };
    });
    if (!triggers.some((trigger) => 'mark' in trigger)) this.#marks.leaves(id, this.#book.mark(id));
    this.#book.add(id, triggers);
    this.#mints.note(triggerMint as Address);
    for (const mint of mintsOf(order)) this.#priced.note(mint);
  }

  /** The row says when the leg that was tried last is tried again; what this copy has tried before that, it knows itself. */
  #restsOf({ id, fired, retryAt, failures }: WaitingOrder, legs: readonly Leg[]): ReadonlyMap<Leg, number> {
    const now = this.#deps.clock.now();
    // Its owner has changed it since: what it was tried with says nothing of it any more.
    if (retryAt === null) this.#tries.delete(id);
    const rests = new Map(retryAt === null ? [] : this.#rests.get(id));
    const until = retryAt?.getTime() ?? 0;
    const isBelieved = until - now <= longestRestMs(failures) + CLOCKS_DIFFER_MS;
    // The row of a version before says of no leg that it was tried.
    for (const leg of fired ? [fired] : legs) rests.set(leg, isBelieved ? until : 0);
    for (const [leg, at] of rests) if (at <= now) rests.delete(leg);
    if (rests.size > 0) this.#rests.set(id, rests);
    else this.#rests.delete(id);
    return rests;
  }

  #remove(id: string): void {
    this.#marks.leaves(id, this.#book.mark(id));
    this.#book.remove(id);
    this.#rests.delete(id);
  }
}

const mintsOf = ({ triggerMint, inputMint, outputMint }: WaitingOrder) =>
  [triggerMint, inputMint, outputMint] as Address[];
