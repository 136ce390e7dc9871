import { randomInt } from 'node:crypto';
import type { Address } from '@slipway/wire';
import { saveMarks } from '../../store/trigger-order-fills.js';
import { TRIGGER_ORDERS_CHANNEL, type TriggerOrderRow } from '../../store/trigger-orders.js';
import { type WaitingOrder, waitingAmong, waitingOrders } from '../../store/trigger-orders-waiting.js';
import type { Leg } from '../../trigger-orders/order.js';
import { isCrossed, triggersOf } from '../../trigger-orders/order-triggers.js';
import type { Tick } from '../../trigger-orders/price-guard.js';
import { tickOf } from '../../trigger-orders/tick.js';
import { TriggerBook } from '../../trigger-orders/trigger-book.js';
import type { TriggerKeeperDeps } from './deps.js';
import { fillOrder, recover } from './fills.js';
import { returnRents } from './rents.js';
import { firingTermsOf } from './terms.js';

export type { TriggerKeeperDeps } from './deps.js';
export { RENT_AREA, rentSettlement } from './rents.js';
export { FILL_AREA, fillSettlement } from './settlement.js';

/** Fires trigger orders at prices, and fills them. Any number may run over one store. */
export interface TriggerKeeper {
  /** Ticks every market once; resolves when what has fired is under way. */
  tick(): Promise<void>;
  /** Ticks until nothing fires any more, and all that has fired has come to its end. */
  runDue(): Promise<void>;
  /** Begins nothing more. What was sent is left to the landing. */
  close(): Promise<void>;
}

interface Fired {
  id: string;
  leg: Leg;
  usd: number;
  trailingBps: number | null;
}

const PAGE = 5_000;
const MOST_UNDER_WAY = 16;
const MOST_ROUNDS = 100;
/** Notifications are lost while the database's connection is down. */
const RELOAD_MS = 60_000;

/** `alone`: no other keeper works with this store. Listens to the store until it is closed. */
export async function createTriggerKeeper(
  deps: TriggerKeeperDeps & { alone: boolean; steadyNow: () => number },
): Promise<TriggerKeeper> {
  const { store, clock, steadyNow, log } = deps;
  const book = new TriggerBook();
  const mints = new Set<Address>();
  const ticks = new Map<Address, Tick>();
  /** Trailing orders with the mark that is in the store. */
  const trailing = new Map<string, { mint: string; bps: number; stored: number }>();
  const changed = new Set<string>();
  /** Orders to be looked at again, by clock. */
  const waiting = new Map<string, number>();
  const tries = new Map<string, number>();
  const queue = new Map<string, Fired>();
  const underWay = new Map<string, Promise<void>>();
  const isBusy = (id: string) => queue.has(id) || underWay.has(id);
  let reloadAt = Number.NEGATIVE_INFINITY;
  let recovered = false;
  let returning: Promise<void> | undefined;
  let closed = false;
  let turn: Promise<unknown> = Promise.resolve();

  const unlisten = await store.listen(TRIGGER_ORDERS_CHANNEL, (ids) => {
    for (const id of ids.split(' ')) changed.add(id);
  });

  function enter(order: WaitingOrder): void {
    const { id, triggerMint, trailingBps, retryAt } = order;
    leave(id);
    if (retryAt && retryAt.getTime() > clock.now()) {
      waiting.set(id, retryAt.getTime());
      return;
    }
    const triggers = triggersOf(order);
    book.add(id, triggers);
    mints.add(triggerMint as Address);
    const [first] = triggers;
    if (first && 'mark' in first) trailing.set(id, { mint: triggerMint, bps: trailingBps!, stored: first.mark });
  }

  function leave(id: string): void {
    book.remove(id);
    trailing.delete(id);
    waiting.delete(id);
  }

  async function load(): Promise<void> {
    if (steadyNow() >= reloadAt) {
      await saveTrailing();
      // Of the others nobody has to know: when they fire, nothing comes of their claim.
      const gone = new Set([...trailing.keys(), ...tries.keys()]);
      for (let after = '', more = true; more; ) {
        const page = await waitingOrders(store, after, PAGE);
        for (const order of page) {
          if (!isBusy(order.id)) enter(order);
          gone.delete(order.id);
        }
        more = page.length === PAGE;
        after = page.at(-1)?.id ?? after;
      }
      for (const id of gone) {
        leave(id);
        tries.delete(id);
      }
      reloadAt = steadyNow() + RELOAD_MS;
    }
    const now = clock.now();
    for (const [id, at] of waiting) if (at <= now) changed.add(id);
    if ([...changed].some((id) => trailing.has(id))) await saveTrailing();
    await readChanged();
  }

  /** What is under way here is read when it has ended. */
  async function readChanged(): Promise<void> {
    const ids = [...changed].filter((id) => !underWay.has(id));
    for (let from = 0; from < ids.length; from += PAGE) {
      const page = ids.slice(from, from + PAGE);
      for (const id of page) changed.delete(id);
      const found = await waitingAmong(store, page).catch((error) => {
        for (const id of page) changed.add(id);
        throw error;
      });
      const byId = new Map(found.map((order) => [order.id, order]));
      for (const id of page) readAgain(id, byId.get(id));
    }
  }

  function readAgain(id: string, order: WaitingOrder | undefined): void {
    if (underWay.has(id)) return;
    if (order) {
      // What is in the queue is looked at once more when it is claimed.
      if (!queue.has(id)) enter(order);
      return;
    }
    // Another keeper has it, or nobody any more.
    queue.delete(id);
    leave(id);
  }

  function tickMarkets(): void {
    for (const mint of mints) {
      const price = tickOf(deps, mint, ticks.get(mint));
      if (typeof price === 'string') {
        log.debug({ mint, reason: price }, 'a price fires nothing');
        continue;
      }
      ticks.set(mint, price);
      // Not in the same order as the other keepers, who would claim what this one is about to.
      for (const { order: id, leg } of shuffled(book.tick(mint, price.usd))) {
        queue.set(id, { id, leg, usd: price.usd, trailingBps: trailing.get(id)?.bps ?? null });
        trailing.delete(id);
      }
    }
  }

  async function saveTrailing(): Promise<void> {
    const moved = [...trailing].flatMap(([id, known]) => {
      const mark = book.mark(id);
      return mark === undefined || mark === known.stored ? [] : [{ id, mark, known }];
    });
    if (moved.length === 0) return;
    await store.single((tx) =>
      saveMarks(
        tx,
        moved.map(({ id, mark }) => ({ id, mark })),
      ),
    );
    for (const { mark, known } of moved) known.stored = mark;
  }

  function begin(): void {
    for (const [id, fired] of queue) {
      if (closed || underWay.size >= MOST_UNDER_WAY) return;
      queue.delete(id);
      const end = fill(fired).finally(() => {
        underWay.delete(id);
        // Whatever has become of it: the store tells.
        changed.add(id);
        begin();
      });
      underWay.set(id, end);
    }
  }

  async function fill({ id, leg, usd, trailingBps }: Fired): Promise<void> {
    const stillFires = (order: TriggerOrderRow) => {
      if (order.expiresAt.getTime() <= clock.now() || order.trailingBps !== trailingBps) return false;
      return trailingBps !== null || isCrossed(firingTermsOf(order), leg, usd);
    };
    try {
      const outcome = await fillOrder(deps, { id, leg, tries: tries.get(id) ?? 0 }, stillFires);
      if (outcome === 'released') tries.set(id, (tries.get(id) ?? 0) + 1);
      else tries.delete(id);
    } catch (error) {
      log.warn({ order: id, reason: (error as Error).message }, 'a fill was left to the next run');
    }
  }

  async function tickOnce(): Promise<void> {
    if (closed) return;
    const alone = deps.alone && !recovered;
    await recover(deps, { alone });
    recovered = true;
    returning ??= returnRents(deps, { alone })
      .catch((error: Error) => log.warn({ reason: error.message }, 'rents are not returned yet'))
      .finally(() => {
        returning = undefined;
      });
    await load();
    tickMarkets();
    begin();
    await saveTrailing();
  }

  function tick(): Promise<void> {
    const result = turn.then(tickOnce);
    turn = result.catch(() => {});
    return result;
  }

  return {
    tick,
    async runDue() {
      for (let round = 0; round < MOST_ROUNDS && !closed; round++) {
        await tick();
        await returning;
        if (underWay.size + queue.size === 0) return;
        while (underWay.size > 0) await Promise.all(underWay.values());
      }
    },
    async close() {
      closed = true;
      await unlisten();
      await turn;
    },
  };
}

function shuffled<T>(items: T[]): T[] {
  for (let left = items.length - 1; left > 0; left--) {
    const other = randomInt(left + 1);
    [items[left], items[other]] = [items[other]!, items[left]!];
  }
  return items;
}
