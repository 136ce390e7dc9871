import type { Registry } from 'prom-client';
import type { Prices } from '../../prices/index.js';
import { makersOf, type OrderMaker } from '../../store/trigger-order-fills.js';
import { isBeyond } from '../../trigger-orders/line.js';
import { tickOf } from '../../trigger-orders/tick.js';
import { Expiries } from '../expiries.js';
import type { GroupPath } from '../fair-queue.js';
import type { KeeperLoop } from '../keeper.js';
import { type InFlight, type Work, Worker } from '../worker.js';
import { newAbsences } from './absences.js';
import type { FillDeps, TriggerKeeperDeps } from './deps.js';
import { COUNTED, type FillOutcome, fillOrder, type PricedOrder } from './fill-order.js';
import { createFillWrites } from './fill-writes.js';
import { Firing } from './firing.js';
import { createMetrics, type TriggerMetrics } from './metrics.js';
import { Recovery, releaseAbandoned } from './recovery.js';
import { returnRents } from './rents.js';
import { UnitsByShape } from './units-by-shape.js';
import { type FiredOrder, WaitingOrders } from './waiting-orders.js';

const INTERVAL_MS = 1_000;
/** So that prices that come together make one turn. */
const SOON_MS = 2;
/** How many turns a new price gets soon, while pools contradict it that may only be late. */
const MOST_LOOKS = 20;
/** How long a keeper that closes goes on to save marks. */
const LONGEST_SAVE_MS = 5_000;

/** Fires and fills trigger orders. Any number of keepers may share a store. */
export interface TriggerKeeper extends KeeperLoop {
  /** Ticks every market once; resolves when the fills of fired orders are under way. */
  tick(): Promise<void>;
  /** Ticks until nothing fires any more and every fill has ended. */
  runDue(): Promise<void>;
  start(): void;
  /** A source has new prices: makes the next tick come soon. */
  priced(): void;
  /** Pools have changed: makes the next tick come soon if they have contradicted a new price. */
  marketMoved(): void;
}

export interface TriggerKeeperOptions extends TriggerKeeperDeps {
  /** No other keeper uses this store. */
  alone: boolean;
  steadyNow: () => number;
  registry: Registry;
}

/** Listens to the store until closed. Ticks on request, and by itself once started. */
export async function createTriggerKeeper(deps: TriggerKeeperOptions): Promise<TriggerKeeper> {
  const orders = await WaitingOrders.open(deps);
  const work = new TriggerWork(deps, orders);
  const worker = new Worker(work, {
    begin: 'queued',
    intervalMs: INTERVAL_MS,
    soonMs: SOON_MS,
    log: deps.log,
    failure: 'cannot check trigger orders; will try again',
  });
  return {
    start: () => worker.start(),
    priced() {
      work.looks = MOST_LOOKS;
      worker.wake();
    },
    marketMoved() {
      if (work.isContradicted && work.looks > 0) worker.wake();
    },
    async tick() {
      await worker.tick();
    },
    async runDue() {
      await work.recovery.finish();
      await worker.runDue();
      await work.recovery.finish();
      await work.returnAllRents();
    },
    async close() {
      const closing = worker.close();
      await orders.close();
      await closing;
      await work.close();
    },
  };
}

/** Ticks every second, and as soon as a source has a new price that pools do not contradict. */
export async function startTriggerKeeper(
  deps: TriggerKeeperOptions & { prices: Pick<Prices, 'onChange'>; onMarketChange: (listener: () => void) => void },
): Promise<KeeperLoop> {
  const keeper = await createTriggerKeeper(deps);
  const unlisten = deps.prices.onChange(keeper.priced);
  deps.onMarketChange(keeper.marketMoved);
  keeper.start();
  return {
    runDue: keeper.runDue,
    async close() {
      unlisten();
      await keeper.close();
    },
  };
}

interface OwnedOrder extends FiredOrder {
  maker: OrderMaker | undefined;
  /** In steady milliseconds. */
  firedAt: number;
}

/** Orders that a price fires are due, and are filled by `fillOrder`. */
class TriggerWork implements Work<OwnedOrder, PricedOrder> {
  readonly #deps: TriggerKeeperOptions & FillDeps;
  readonly #orders: WaitingOrders;
  readonly #firing: Firing;
  /** Orders that have fired while the keeper's wallet could not pay. They are not in the book. */
  readonly #unpaid = new Set<string>();
  readonly #metrics: TriggerMetrics;
  readonly recovery: Recovery;
  /** How many more turns the last new price gets soon. */
  looks = 0;
  #hasReleased = false;
  /** When to clean up, however often the worker is woken. */
  #cleanAt = Number.NEGATIVE_INFINITY;
  #returning: Promise<void> | undefined;

  constructor(deps: TriggerKeeperOptions, orders: WaitingOrders) {
    this.#deps = {
      ...deps,
      // Not as it is now: another key of the wallet may take its place.
      get payer() {
        return deps.payer;
      },
      writes: createFillWrites(deps),
      units: new UnitsByShape(),
      absences: newAbsences(),
      expiries: new Expiries(),
    };
    this.#orders = orders;
    this.#metrics = createMetrics(deps.registry, () => ({ waiting: orders.size, unpaid: this.#unpaid.size }));
    this.#firing = new Firing(deps, orders, this.#metrics);
    this.recovery = new Recovery(this.#deps);
  }

  get hasMore(): boolean {
    return this.#firing.hasMore || this.#orders.hasMore;
  }

  /** Whether pools contradicted a price in the last turn. */
  get isContradicted(): boolean {
    return this.#firing.isContradicted;
  }

  idOf({ id }: FiredOrder): string {
    return id;
  }

  async due(inFlight: InFlight, isWoken: boolean): Promise<OwnedOrder[]> {
    // A new price does not wait for what other keepers have left behind.
    if (!isWoken || this.#deps.steadyNow() >= this.#cleanAt) await this.#cleanUp(inFlight);
    await this.#orders.update(inFlight);
    const firedAt = this.#deps.steadyNow();
    const fired = this.#firing.turn();
    if (this.isContradicted && !this.hasMore) this.looks--;
    if (fired.length === 0) return [];
    try {
      const [canPay, owned] = await Promise.all([
        this.#deps.wallet.canPay(),
        this.#withMakers(fired),
        // Before their claims: another copy may have to go on with them.
        this.#saving(this.#orders.saveMarksOf(fired)),
      ]);
      if (canPay) return owned.map((order) => ({ ...order, firedAt }));
    } catch (error) {
      for (const { id } of fired) this.#orders.readAgain(id);
      throw error;
    }
    // Without a claim and a back-off, so that they go on as soon as the wallet has SOL.
    for (const { id } of fired) this.#unpaid.add(id);
    return [];
  }

  /** Takes over what keepers that have stopped have left behind. */
  async #cleanUp(inFlight: InFlight): Promise<void> {
    const alone = this.#deps.alone && !this.#hasReleased;
    await releaseAbandoned(this.#deps, { alone });
    this.#hasReleased = true;
    this.#cleanAt = this.#deps.steadyNow() + INTERVAL_MS;
    void this.recovery.begin((id) => inFlight.isUnderWay(id));
    this.#returning ??= this.#returnRents(alone).finally(() => {
      this.#returning = undefined;
    });
    await this.#retryUnpaid();
  }

  /**
   * Wallets cost nothing, keys do: so those who share a key share its turns, and of a key that stands in pages those who share an
   * address. All without a key share the turns of one. Orders of whose maker nothing is known are turned by wallet. What was sent
   * in vain takes turns with what was not.
   */
  ownersOf({ maker, leg }: OwnedOrder): GroupPath {
    const wallet = maker?.wallet ?? '';
    const key = maker?.apiKey ?? (maker?.caller ? 'keyless' : wallet);
    return [key, maker?.caller ?? '', maker?.failedLeg === leg ? 'again' : 'first', wallet];
  }

  /**
   * Looks at the price again, which may have gone back since it fired the order: others may have had their turns for long. An order
   * that it does not fire any more waits for it again.
   */
  async prepare(fired: OwnedOrder): Promise<PricedOrder | undefined> {
    const price = tickOf(this.#deps, fired.mint, this.#firing.lastOf(fired.mint));
    if (typeof price !== 'string' && isBeyond(price.usd, fired.line)) return { ...fired, usd: price.usd };
    this.#orders.readAgain(fired.id);
    return undefined;
  }

  async send(fired: OwnedOrder, priced: PricedOrder, isSent: () => void): Promise<void> {
    let outcome: FillOutcome | 'broken' = 'broken';
    try {
      outcome = await fillOrder(this.#deps, priced, isSent);
      this.#orders.tried(fired, COUNTED[outcome]);
    } finally {
      this.#metrics.ended(outcome, this.#deps.steadyNow() - fired.firedAt);
      // Whatever happened to it is in the store.
      this.#orders.readAgain(fired.id);
    }
  }

  failed({ id }: FiredOrder, reason: string): void {
    this.#deps.log.warn({ order: id, reason }, 'a fill is left to the next run');
  }

  async turned(): Promise<void> {
    await this.#saving(this.#orders.saveMarks());
  }

  /** A restart goes on with all marks that can be saved in time. */
  async close(): Promise<void> {
    const until = this.#deps.steadyNow() + LONGEST_SAVE_MS;
    const save = () => this.#saving(this.#orders.saveMarks(Number.POSITIVE_INFINITY));
    while ((await save()) && this.#deps.steadyNow() < until);
  }

  /** What cannot be saved keeps nothing from firing: this copy goes on with the marks that it knows. */
  #saving<T>(saving: Promise<T>): Promise<T | undefined> {
    return saving.catch((error: Error) => {
      this.#deps.log.warn({ reason: error.message }, 'cannot save the marks of trailing orders yet; will try again');
      return undefined;
    });
  }

  /** Also returns rents that became due after the last tick. */
  async returnAllRents(): Promise<void> {
    await this.#returning;
    await this.#returnRents(false);
  }

  /** Puts them back into the book, where they fire if the price is still there. */
  async #retryUnpaid(): Promise<void> {
    if (this.#unpaid.size === 0 || !(await this.#deps.wallet.canPay())) return;
    for (const id of this.#unpaid) this.#orders.readAgain(id);
    this.#unpaid.clear();
  }

  async #withMakers(fired: FiredOrder[]): Promise<Omit<OwnedOrder, 'firedAt'>[]> {
    const makers = await makersOf(
      this.#deps.store,
      fired.map(({ id }) => id),
    );
    return fired.map((order) => ({ ...order, maker: makers.get(order.id) }));
  }

  #returnRents(alone: boolean): Promise<void> {
    return returnRents(this.#deps, { alone }).catch((error: Error) =>
      this.#deps.log.warn({ reason: error.message }, 'cannot return rents yet; will try again'),
    );
  }
}
