import { randomInt } from 'node:crypto';
import type { Address } from '@slipway/wire';
import { walletsOf } from '../../store/trigger-orders.js';
import type { Tick } from '../../trigger-orders/price-guard.js';
import { tickOf } from '../../trigger-orders/tick.js';
import type { KeeperLoop } from '../keeper.js';
import { type InFlight, type Work, Worker } from '../worker.js';
import type { FillDeps, TriggerKeeperDeps } from './deps.js';
import { fillOrder } from './fill-order.js';
import { createFillWrites } from './fill-writes.js';
import { Recovery, releaseAbandoned } from './recovery.js';
import { returnRents } from './rents.js';
import { type FiredOrder, WaitingOrders } from './waiting-orders.js';

const INTERVAL_MS = 1_000;
/** An instance that is notified of a price has to read it first. */
const SOON_MS = 100;

/** Fires and fills trigger orders. Any number of keepers may share a store. */
export interface TriggerKeeper extends KeeperLoop {
  /** Ticks every market once; resolves when the fills of fired orders are under way. */
  tick(): Promise<void>;
  /** Ticks until nothing fires any more and every fill has ended. */
  runDue(): Promise<void>;
  start(): void;
  /** Makes the next tick come soon. */
  wake(): void;
}

export interface TriggerKeeperOptions extends TriggerKeeperDeps {
  /** No other keeper uses this store. */
  alone: boolean;
  steadyNow: () => number;
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
    wake: () => worker.wake(),
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
    },
  };
}

/** Ticks every second, and soon after prices have been set. */
export async function startTriggerKeeper(
  deps: TriggerKeeperOptions & {
    /** Calls the listener when prices have changed; resolves with a function that unsubscribes. */
    onPrices: (listener: () => void) => Promise<() => Promise<void>>;
  },
): Promise<KeeperLoop> {
  const keeper = await createTriggerKeeper(deps);
  const unlisten = await deps.onPrices(keeper.wake);
  keeper.start();
  return {
    runDue: keeper.runDue,
    async close() {
      const closing = keeper.close();
      await unlisten();
      await closing;
    },
  };
}

interface OwnedOrder extends FiredOrder {
  wallet: string;
}

/** Orders that a price fires are due, and are filled by `fillOrder`. */
class TriggerWork implements Work<OwnedOrder, OwnedOrder> {
  readonly #deps: TriggerKeeperOptions & FillDeps;
  readonly #orders: WaitingOrders;
  /** The last price of each market. */
  readonly #ticks = new Map<Address, Tick>();
  /** Orders that have fired while the keeper's wallet could not pay. They are not in the book. */
  readonly #unpaid = new Set<string>();
  readonly recovery: Recovery;
  #hasReleased = false;
  #returning: Promise<void> | undefined;

  constructor(deps: TriggerKeeperOptions, orders: WaitingOrders) {
    this.#deps = { ...deps, writes: createFillWrites(deps) };
    this.#orders = orders;
    this.recovery = new Recovery(this.#deps);
  }

  idOf({ id }: FiredOrder): string {
    return id;
  }

  async due(inFlight: InFlight): Promise<OwnedOrder[]> {
    const alone = this.#deps.alone && !this.#hasReleased;
    await releaseAbandoned(this.#deps, { alone });
    this.#hasReleased = true;
    void this.recovery.begin((id) => inFlight.isUnderWay(id));
    this.#returning ??= this.#returnRents(alone).finally(() => {
      this.#returning = undefined;
    });
    await this.#retryUnpaid();
    await this.#orders.update(inFlight);
    const fired = this.#fire();
    if (fired.length === 0 || (await this.#deps.wallet.canPay())) return this.#withWallets(fired);
    // Without a claim and a back-off, so that they go on as soon as the wallet has SOL.
    for (const { id } of fired) this.#unpaid.add(id);
    return [];
  }

  ownerOf({ wallet }: OwnedOrder): string {
    return wallet;
  }

  /** Nothing to prepare: `fillOrder` claims the order, and only then is known whether it still fires. */
  async prepare(fired: OwnedOrder): Promise<OwnedOrder> {
    return fired;
  }

  async send(fired: FiredOrder): Promise<void> {
    try {
      const outcome = await fillOrder(this.#deps, fired);
      this.#orders.tried(fired, outcome === 'released');
    } finally {
      // Whatever happened to it is in the store.
      this.#orders.readAgain(fired.id);
    }
  }

  failed({ id }: FiredOrder, reason: string): void {
    this.#deps.log.warn({ order: id, reason }, 'a fill is left to the next run');
  }

  turned(): Promise<void> {
    return this.#orders.saveMarks();
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

  /** Beyond what is filled at once, wallets take turns, so that nobody's stop waits behind all orders of another. */
  async #withWallets(fired: FiredOrder[]): Promise<OwnedOrder[]> {
    if (fired.length === 0) return [];
    const wallets = await walletsOf(
      this.#deps.store,
      fired.map(({ id }) => id),
    );
    return fired.map((order) => ({ ...order, wallet: wallets.get(order.id) ?? '' }));
  }

  #fire(): FiredOrder[] {
    const fired: FiredOrder[] = [];
    this.#deps.prices.follow([...this.#orders.priced]);
    for (const mint of this.#orders.mints) {
      const price = tickOf(this.#deps, mint, this.#ticks.get(mint));
      if (typeof price === 'string') {
        this.#deps.log.debug({ mint, reason: price }, 'ignoring a price');
        continue;
      }
      this.#ticks.set(mint, price);
      // In random order, so that keepers do not compete for the same claims.
      fired.push(...shuffled(this.#orders.tick(mint, price.usd)));
    }
    return fired;
  }

  #returnRents(alone: boolean): Promise<void> {
    return returnRents(this.#deps, { alone }).catch((error: Error) =>
      this.#deps.log.warn({ reason: error.message }, 'cannot return rents yet; will try again'),
    );
  }
}

function shuffled<T>(items: T[]): T[] {
  for (let left = items.length - 1; left > 0; left--) {
    const other = randomInt(left + 1);
    [items[left], items[other]] = [items[other]!, items[left]!];
  }
  return items;
}
