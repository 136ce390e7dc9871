import type { LimitOrder } from '@slipway/programs';
import { type Address, decodeTransaction } from '@slipway/wire';
import { rememberOwn } from '../../landing/index.js';
import { BackOffs } from '../../lib/back-offs.js';
import { insertCrafted } from '../../store/ledger.js';
import { Expiries } from '../expiries.js';
import { OwnTime } from '../own-time.js';
import { type Work, Worker, type WorkerOptions } from '../worker.js';
import type { LimitOrderDeps, Prepared, Skipped } from './deps.js';
import type { OpenOrder } from './fillable-orders.js';
import { createMetrics, type LimitOrderMetrics } from './metrics.js';
import { OrderList } from './order-list.js';
import { inTurns, urgencyOf } from './order-of-trying.js';
import { fillFor, isExpired, lamportsIn, type Market, planFill } from './plan.js';
import { prepareCancel } from './prepare-cancel.js';
import { exactMarketOf, marketOf, NOT_REPAID, networkFee, prepareFill, sidesOf } from './prepare-fill.js';
import { type Attempt, LIMIT_ORDER_AREA } from './settlement.js';
import { SharedAnswers } from './shared-answers.js';
import { WholesInVain } from './wholes-in-vain.js';

const INTERVAL_MS = 2_000;
/** The shortest interval between two turns while the market keeps moving. */
const SOON_MS = 250;
const HOUR_MS = 60 * 60_000;
const FAILED = { firstMs: 2_000, longestMs: 60_000 };
/** Delays for an order that the market nearly pays for, so that it is not tried at every change. */
const NEARLY = { firstMs: 1_000, longestMs: 15_000 };
/** Anybody opens orders that seem to pay and cannot be filled. So many of them may be tried before what is due by then. */
const MOST_IN_VAIN = 8;
/** Orders that were tried in vain so often take turns with all others. */
const OFTEN_IN_VAIN = 3;
/**
 * Opening orders and letting them expire costs an attacker less than cancelling costs us. So the keeper does not pay to
 * cancel orders below the minimum order size, nor more than a number in an hour. Anybody else may cancel them.
 */
const LEAST_USD_TO_CANCEL = 5;
const CANCELS_AN_HOUR = 200;
/**
 * Makers close the account that they are paid to and take its rent, and the next part makes it again: it is paid for, but turns
 * the wallet's SOL into tokens. The same one is made once in an hour, so that one maker does not use up what others need. The
 * transaction that opens an order makes it, so that hardly any order needs that.
 */
const MADE_AN_HOUR = 50;

/** Fills open limit orders when the market pays for it, and cancels expired ones. */
export type LimitOrderKeeper = Worker<OpenOrder, Prepared>;

export function createLimitOrderKeeper(
  deps: LimitOrderDeps,
  { longestSendMs }: Pick<WorkerOptions, 'longestSendMs'> = {},
): LimitOrderKeeper {
  const { store, steadyNow, log, wallet } = deps;
  const backOffs = new BackOffs(FAILED, steadyNow);
  const ownTime = new OwnTime();
  return new Worker(new LimitOrderWork(deps, backOffs, ownTime), {
    begin: 'serially',
    intervalMs: INTERVAL_MS,
    soonMs: SOON_MS,
    log,
    failure: 'open limit orders cannot be read; trying again',
    logsFirstFailureOnly: true,
    backOffs,
    mostInVain: MOST_IN_VAIN,
    sharing: { busyNow: () => ownTime.now() },
    longestSendMs,
    lease: { store, nameOf: (address) => `limit order ${address}` },
    wallet,
  });
}

/** Checks the orders every two seconds, and soon after the market has moved. */
export function startLimitOrderKeeper(
  deps: LimitOrderDeps & { onMarketChange: (listener: () => void) => void },
): LimitOrderKeeper {
  const keeper = createLimitOrderKeeper(deps);
  deps.onMarketChange(() => keeper.wake());
  keeper.start();
  return keeper;
}

class LimitOrderWork implements Work<OpenOrder, Prepared> {
  readonly #deps: LimitOrderDeps;
  readonly #backOffs: BackOffs;
  readonly #ownTime: OwnTime;
  readonly #expiries = new Expiries();
  readonly #metrics: LimitOrderMetrics;
  /** The pools that transactions in flight trade with, by order. */
  readonly #venues = new Map<Address, readonly Address[]>();
  /** Orders that found such a pool in use, since when, and the place that they keep in the order of trying until it is free; steady time. */
  readonly #waiting = new Map<Address, { venues: readonly Address[]; place: number; since: number }>();
  readonly #list: OrderList;
  /** When orders were cancelled within the last hour; steady time. */
  #cancelledAt: number[] = [];
  /** Which token accounts of makers fills have made within the last hour, and when; steady time. */
  readonly #madeAt = new Map<Address, number>();
  /** What was more than looked at in this turn, and what markets have answered in it. */
  #tried = new Set<OpenOrder>();
  #answers: SharedAnswers;
  readonly #inVain: WholesInVain;

  constructor(deps: LimitOrderDeps, backOffs: BackOffs, ownTime: OwnTime) {
    this.#deps = deps;
    this.#list = new OrderList(deps);
    this.#backOffs = backOffs;
    this.#ownTime = ownTime;
    this.#metrics = createMetrics(deps.registry);
    this.#answers = new SharedAnswers(deps.steadyNow);
    this.#inVain = new WholesInVain(deps.steadyNow);
  }

  idOf({ address }: OpenOrder): string {
    return address;
  }

  /**
   * The least recently tried first, or the first to come, so that all get a turn: anybody opens ever more new ones. In half of the
   * turns the most urgent, which are worth more: anybody opens many small ones. By chance, because a pool may be free in every second
   * turn only. Every second one that is tried is a fill that was not often tried in vain; the other fills take turns with what has
   * expired. What found a pool in use keeps its place: of others, parts are filled by that pool again and again.
   */
  async due(): Promise<Iterable<OpenOrder>> {
    await this.#refresh();
    this.#tried = new Set();
    this.#answers = new SharedAnswers(this.#deps.steadyNow);
    const isOftenInVain = ({ address }: OpenOrder) =>
      !this.#waiting.has(address) && this.#backOffs.restsOf(address) >= OFTEN_IN_VAIN;
    const [fresh, stale, late]: OpenOrder[][] = [[], [], []];
    for (const each of this.#inOrder()) {
      if (this.#isExpired(each.order)) late!.push(each);
      else (isOftenInVain(each) ? stale! : fresh!).push(each);
    }
    const [fills, others, expired] = [fresh!.values(), stale!.values(), late!.values()];
    return inTurns([fills, others, fills, expired], (order) => this.#tried.has(order));
  }

  forget(): void {
    this.#list.forget();
  }

  /** Decides by what is known already. @throws if something blocks the fill */
  async isDue(each: OpenOrder): Promise<boolean> {
    const { order } = each;
    const isDue = this.#isExpired(order) ? await this.#mayCancel(order) : await this.#mayFill(each);
    if (isDue) this.#tried.add(each);
    return isDue;
  }

  async #mayFill({ address, order }: OpenOrder): Promise<boolean> {
    if (this.#isBusy(this.#waiting.get(address)?.venues ?? [])) return false;
    const deps = this.#deps;
    const sides = await sidesOf({ chain: { mint: (mint) => this.#list.mint(mint) } }, order);
    if (!sides) throw new Error('its mints are not what it says');
    const cost = lamportsIn(sides.output, await networkFee(deps), deps.usd);
    if (cost === undefined) throw new Error(NOT_REPAID);
    const others = () => this.#ownTime.turnOfOthers();
    const markets = { any: marketOf(deps, sides, others), exact: exactMarketOf(deps, sides, others) };
    const most = await this.#answers.mostOf(order, markets);
    const mayPay = most === undefined || fillFor(order, order.makingAmount, most, cost) !== undefined;
    const whole = mayPay && this.#inVain.isWorthAsking(address, order, most, cost);
    const shared = this.#answers.of(order, markets.any);
    const market: Market = async (amount) => {
      const out = await shared(amount);
      if (whole && amount === order.makingAmount) this.#inVain.note(address, order, out, most);
      return out;
    };
    const search = {
      whole,
      parts: !this.#backOffs.isResting(partsOf(address)),
      exact: false,
      nearly: () => this.#backOffs.wait(partsOf(address), NEARLY),
    };
    const plan = await planFill(order, market, cost, search);
    if (plan) {
      this.#backOffs.delete(partsOf(address));
      this.#inVain.delete(address);
    } else {
      // It waits for a price now, and for no pool.
      this.#waiting.delete(address);
    }
    return plan !== undefined;
  }

  async prepare({ address, order }: OpenOrder): Promise<Prepared | undefined> {
    const place = this.#placeOf(address);
    const since = this.#waiting.get(address)?.since ?? this.#deps.steadyNow();
    this.#waiting.delete(address);
    // One wallet throughout, though another key may take its place meanwhile.
    const deps = { ...this.#deps };
    const expired = this.#expiries.of(address);
    const prepared = this.#isExpired(order)
      ? await this.#ownTime.wait(prepareCancel(deps, address, expired))
      : await this.#prepareFill(deps, address, expired);
    if (!('skipped' in prepared)) {
      if (prepared.makesForMaker) this.#requireRoomFor(prepared.makesForMaker);
      if (!this.#isBusy(prepared.venues)) return prepared;
      this.#waiting.set(address, { venues: prepared.venues, place, since });
      return undefined;
    }
    if (!prepared.retry) throw new Error(prepared.skipped);
    this.#backOffs.wait(address, NEARLY);
    this.#deps.log.debug({ order: address, reason: prepared.skipped }, 'a limit order waits');
    return undefined;
  }

  /** What expired bids more, where the market pays for that, too. */
  async #prepareFill(deps: LimitOrderDeps, address: Address, expired: number): Promise<Prepared | Skipped> {
    const prepared = await prepareFill(deps, address, this.#ownTime, expired);
    return 'skipped' in prepared && expired > 0 ? prepareFill(deps, address, this.#ownTime) : prepared;
  }

  async send({ address }: OpenOrder, prepared: Prepared): Promise<void> {
    const { kind, crafted, lastValidBlockHeight, maker, detail, venues, makesForMaker } = prepared;
    const { store, landing, clock, steadyNow, log } = this.#deps;
    if (kind === 'cancel') this.#cancelledAt.push(steadyNow());
    if (makesForMaker) this.#madeAt.set(makesForMaker, steadyNow());
    this.#venues.set(address, venues);
    try {
      const own = { area: LIMIT_ORDER_AREA, wallet: maker, payload: { kind, order: address } };
      const made = { ...own, crafted, lastValidBlockHeight, cosigners: ['keeper'] as const };
      const request = await rememberOwn((row) => store.single((tx) => insertCrafted(tx, [row])), made, clock);
      const attempt: Attempt = { at: new Date(clock.now()) };
      const { state, signature } = await landing.execute(request, decodeTransaction(crafted.wire), attempt);
      this.#expiries.ended(address, state);
      this.forget();
      if (state !== 'landed') {
        if (makesForMaker) this.#madeAt.delete(makesForMaker);
        throw new Error(`the transaction has ${state}`);
      }
      this.#metrics.attempted(kind === 'fill' ? 'filled' : 'cancelled');
      const message = kind === 'fill' ? 'limit order filled' : 'limit order expired';
      log.info({ order: address, signature, ...detail }, message);
    } finally {
      // It may be under way again, where the worker has waited for this one long enough.
      if (this.#venues.get(address) === venues) this.#venues.delete(address);
    }
  }

  failed({ address }: OpenOrder, reason: string, tries: number): void {
    this.#venues.delete(address);
    this.#metrics.attempted('failed');
    const level = tries === 1 ? 'info' : 'debug';
    this.#deps.log[level]({ order: address, reason, tries }, 'a limit order is tried again later');
  }

  async #refresh(): Promise<void> {
    const listed = await this.#list.refresh();
    if (!listed) return;
    this.#metrics.listed(listed);
    const { seenAt } = this.#list;
    this.#backOffs.keepOnly({ has: (id) => seenAt.has(id.replace(PARTS_OF, '')) });
    this.#inVain.keepOnly(seenAt);
    for (const address of this.#waiting.keys()) if (!seenAt.has(address)) this.#waiting.delete(address);
  }

  async #mayCancel(order: LimitOrder): Promise<boolean> {
    const { steadyNow } = this.#deps;
    this.#cancelledAt = this.#cancelledAt.filter((at) => at > steadyNow() - HOUR_MS);
    if (this.#cancelledAt.length >= CANCELS_AN_HOUR) return false;
    return ((await this.#list.usdOf(order)) ?? 0) >= LEAST_USD_TO_CANCEL;
  }

  /** @throws Error where this token account of a maker, or so many others, were made within the hour */
  #requireRoomFor(account: Address): void {
    const since = this.#deps.steadyNow() - HOUR_MS;
    for (const [made, at] of this.#madeAt) if (at <= since) this.#madeAt.delete(made);
    if (this.#madeAt.has(account) || this.#madeAt.size >= MADE_AN_HOUR)
      throw new Error('its maker has no account for the output, and it, or enough others, were made within the hour');
  }

  #inOrder(): OpenOrder[] {
    const now = this.#deps.steadyNow();
    const isByUrgency = Math.random() < 0.5;
    const ranked = this.#list.orders.map((each) => {
      const untriedMs = Math.max(1, now - this.#placeOf(each.address));
      const waitsMs = now - (this.#waiting.get(each.address)?.since ?? now);
      const usd = this.#list.worthOf(each.order);
      return { each, rank: isByUrgency ? urgencyOf({ untriedMs, waitsMs, usd }) : untriedMs };
    });
    return ranked.sort((a, b) => b.rank - a.rank).map(({ each }) => each);
  }

  #placeOf(address: Address): number {
    return this.#waiting.get(address)?.place ?? (this.#backOffs.lastAt(address) || this.#list.seenAt.get(address)!);
  }

  /** Whether a transaction in flight may move one of these pools, so that another would not trade as it was simulated. */
  #isBusy(venues: readonly Address[]): boolean {
    return [...this.#venues.values()].some((busy) => busy.some((venue) => venues.includes(venue)));
  }

  #isExpired(order: LimitOrder): boolean {
    return isExpired(order, this.#deps.clock.now());
  }
}

/** Under which name it is noted that no part of an order pays, though the smallest nearly does. */
const partsOf = (address: Address) => `${PARTS_OF}${address}`;
const PARTS_OF = 'parts of ';
