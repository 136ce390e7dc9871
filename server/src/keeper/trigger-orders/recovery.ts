import { Outage } from '../../errors/index.js';
import { type Deaths, newDeaths } from '../../landing/index.js';
import { BackOffs } from '../../lib/back-offs.js';
import { changeOrders } from '../../store/trigger-order-changes.js';
import { abandonedClaims, landedFills, type PendingFill } from '../../store/trigger-order-fills.js';
import type { TriggerOrderRow } from '../../store/trigger-orders.js';
import { concludeByBalances, concludeFill } from './conclude-fill.js';
import type { FillDeps, TriggerKeeperDeps } from './deps.js';
import { hasNotLanded, recordLost } from './lost-fills.js';
import { isSameTime } from './settlement.js';

const BATCH = 500;
const AT_ONCE = 16;
const UNREAD = { firstMs: 1_000, longestMs: 60_000 };
/** After so many questions, over some four minutes, a node does not lag but has forgotten, or tells something else. */
const MOST_QUESTIONS = 9;
/** After so many looks in a row from then on, a minute apart, that show that a fill has not landed, it is lost. */
const LOST_LOOKS = 3;

/**
 * Releases the orders that a stopped keeper has claimed and sent nothing for. `alone`: no other keeper is at work, so
 * every claim is abandoned.
 */
export async function releaseAbandoned(
  { store, clock }: Pick<TriggerKeeperDeps, 'store' | 'clock'>,
  { alone }: { alone: boolean },
): Promise<void> {
  const released = { event: { type: 'released' }, times: { leaseUntil: null } } as const;
  for (const { id, leaseUntil } of await abandonedClaims(store, { all: alone }, BATCH)) {
    // Not one that somebody has claimed again meanwhile.
    const when = (order: TriggerOrderRow) => isSameTime(order.leaseUntil, leaseUntil);
    const now = new Date(clock.now());
    await store.transaction((tx) => changeOrders(tx, [{ id, ...released, when }], now, { skip: true }));
  }
}

/**
 * Records fills that were told landed, and of which no keeper has recorded what they moved; as lost where they have not landed after
 * all. It runs beside the ticks, because a node may take minutes to tell, or never do.
 */
export class Recovery {
  readonly #deps: FillDeps;
  readonly #backOffs: BackOffs;
  /** How many looks in a row have shown that a fill has not landed, and what nodes have said of its death, by its request. */
  readonly #lostLooks = new Map<string, { inARow: number; said: Deaths }>();
  #running: Promise<void> | undefined;

  constructor(deps: FillDeps & { steadyNow: () => number }) {
    this.#deps = deps;
    this.#backOffs = new BackOffs(UNREAD, deps.steadyNow);
  }

  /** Begins a turn unless one is running. `isUnderWay`: this process records the order's fill itself. */
  begin(isUnderWay: (order: string) => boolean): Promise<void> {
    this.#running ??= this.#turn(isUnderWay)
      .catch((error: Error) =>
        this.#deps.log.warn({ reason: error.message }, 'cannot record landed fills yet; will try again'),
      )
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }

  /** Ends the running turn, and makes one in which nothing rests. */
  async finish(): Promise<void> {
    await this.#running;
    this.#backOffs.clear();
    this.#lostLooks.clear();
    await this.begin(() => false);
  }

  async #turn(isUnderWay: (order: string) => boolean): Promise<void> {
    const seen = new Set<string>();
    let page: PendingFill[];
    let after = '';
    do {
      page = await landedFills(this.#deps.store, after, BATCH);
      after = page.at(-1)?.orderId ?? after;
      for (const { requestId } of page) seen.add(requestId);
      const due = page.filter(({ requestId, orderId }) => !this.#backOffs.isResting(requestId) && !isUnderWay(orderId));
      while (due.length > 0) await Promise.all(due.splice(0, AT_ONCE).map((fill) => this.#conclude(fill)));
    } while (page.length === BATCH);
    this.#backOffs.keepOnly(seen);
    for (const id of this.#lostLooks.keys()) if (!seen.has(id)) this.#lostLooks.delete(id);
  }

  async #conclude(fill: PendingFill): Promise<void> {
    const { orderId, requestId } = fill;
    let reason: string | undefined;
    let isAway = false;
    try {
      const isAskedEnough = this.#backOffs.triesOf(requestId) >= MOST_QUESTIONS;
      reason = await this.#whyUntold(fill, isAskedEnough);
      if (reason === undefined) return;
      if (isAskedEnough && (await this.#concludeUntold(fill))) return;
    } catch (error) {
      reason = (error as Error).message;
      isAway = error instanceof Outage;
    }
    // What nobody has answered was no question: after a silence, too, a node may lag.
    if (isAway) this.#backOffs.wait(requestId, UNREAD);
    else this.#backOffs.fail(requestId);
    const tries = this.#backOffs.restsOf(requestId);
    const { log } = this.#deps;
    log[tries === 1 ? 'warn' : 'debug']({ order: orderId, reason, tries }, 'cannot record a landed fill yet');
  }

  /**
   * Records a fill that nobody tells of, as lost or by what the accounts hold; false if neither shows yet. What accounts hold is the
   * weaker proof: it says nothing of a fill that can land no more and that no node has.
   */
  async #concludeUntold(fill: PendingFill): Promise<boolean> {
    const { requestId } = fill;
    const looks = this.#lostLooks.get(requestId) ?? { inARow: 0, said: newDeaths() };
    this.#lostLooks.set(requestId, looks);
    // A node without a history tells nothing of that, and still what accounts hold.
    const isLost = await hasNotLanded(this.#deps, fill, looks.said).catch((error: Error) => error);
    if (isLost !== true) {
      if (await concludeByBalances(this.#deps, fill)) return true;
      if (isLost instanceof Error) throw isLost;
      looks.inARow = 0;
      return false;
    }
    looks.inARow += 1;
    if (looks.inARow < LOST_LOOKS) return false;
    await recordLost(this.#deps, fill);
    return true;
  }

  /**
   * Records a fill by its transaction; otherwise, why that cannot be done: the node does not have it, it cannot be a fill of
   * this order, the order's accounts contradict it, or it cannot be read, as where the mint of the output is gone.
   * @throws Outage
   */
  async #whyUntold(fill: PendingFill, isAskedEnough: boolean): Promise<string | undefined> {
    try {
      return await concludeFill(this.#deps, fill, { tries: 1, isAskedEnough });
    } catch (error) {
      if (error instanceof Outage) throw error;
      return (error as Error).message;
    }
  }
}
