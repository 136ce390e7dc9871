import { randomUUID } from 'node:crypto';
import type { LimitOrder } from '@slipway/programs';
import { type Address, decodeTransaction } from '@slipway/wire';
import { Counter, Gauge } from 'prom-client';
import { rememberOwn } from '../../landing/index.js';
import { holdLease, releaseLease } from '../../store/leases.js';
import type { LedgerRow } from '../../store/ledger.js';
import type { LimitOrderDeps, Prepared, Skipped } from './deps.js';
import { type FillableOrders, type OpenOrder, readFillableOrders } from './open-orders.js';
import { isExpired, lamportsIn, planFill } from './plan.js';
import { prepareCancel } from './prepare-cancel.js';
import { marketOf, NOT_REPAID, networkFee, prepareFill, sidesOf } from './prepare-fill.js';

export { fillsLimitOrders, type LimitOrderDeps } from './deps.js';

/** Fills open limit orders when the market pays for them, and cancels expired ones. */
export interface LimitOrderKeeper {
  /** Sends what can be sent now; resolves with how many transactions that were, before they have come to their end. */
  tick(): Promise<number>;
  /** Goes on until nothing more can be done. */
  finish(): Promise<void>;
  /** Resolves when nothing more is begun. What is under way is left to the landing. */
  close(): Promise<void>;
}

/** The area of the ledger that the keeper's transactions are in. */
export const LIMIT_ORDER_AREA = 'limit-orders';

const LIST_MS = 2_000;
const HOUR_MS = 60 * 60_000;
/** Longer than a transaction lives: a copy that has died holds an order up for no longer. */
const LEASE_MS = 90_000;
/** Where the market nearly pays, an order is not looked at with every change of it, and more and more seldom. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 15_000;
const FIRST_BACK_OFF_MS = 2_000;
const LONGEST_BACK_OFF_MS = 60_000;
const MOST_UNDER_WAY = 16;
const MOST_ROUNDS = 100;
/**
 * Opening orders and letting them expire costs less than cancelling them: for what is worth less than an order must be,
 * and beyond so many in an hour, the keeper does not pay. Anybody else may.
 */
const LEAST_USD_TO_CANCEL = 5;
const CANCELS_AN_HOUR = 200;
/** After so many orders others get a turn. */
const ORDERS_A_TURN = 20;
/** A wallet with less cannot pay for a fill and the accounts that it makes. */
export const KEEPER_LEAST_LAMPORTS = 20_000_000n;

/** How often in a row an order has failed and has waited, when that was last and until when it rests; steady time. */
interface BackOff {
  tries: number;
  waits: number;
  at: number;
  until: number;
}

export function createLimitOrderKeeper(deps: LimitOrderDeps): LimitOrderKeeper {
  const { store, landing, chain, clock, steadyNow, log, taker } = deps;
  const holder = randomUUID();
  const underWay = new Map<Address, { venues: readonly Address[]; end: Promise<void> }>();
  const backOffs = new Map<Address, BackOff>();
  const observed = createMetrics(deps);
  let open: FillableOrders = { orders: [], skipped: new Map() };
  let listAt = Number.NEGATIVE_INFINITY;
  let wasPoor = false;
  let cancelled: number[] = [];
  let closed = false;
  let turn: Promise<unknown> = Promise.resolve();

  async function list(): Promise<void> {
    if (steadyNow() < listAt) return;
    open = await readFillableOrders(chain.rpc, deps.addresses.program);
    listAt = steadyNow() + LIST_MS;
    observed.listed(open);
    const addresses = new Set(open.orders.map(({ address }) => address));
    for (const address of backOffs.keys()) if (!addresses.has(address)) backOffs.delete(address);
  }

  async function tickOnce(): Promise<number> {
    await list();
    let sent = 0;
    // Fills first: they are what makers wait for.
    const isLate = ({ order }: OpenOrder) => isExpired(order, clock.now());
    const lastTried = ({ address }: OpenOrder) => backOffs.get(address)?.at ?? 0;
    // What was tried longest ago goes first: no order that is always nearly due holds up others.
    const fair = open.orders.toSorted((a, b) => lastTried(a) - lastTried(b));
    const orders = [...fair.filter((each) => !isLate(each)), ...fair.filter(isLate)];
    for (const [index, each] of orders.entries()) {
      if (index % ORDERS_A_TURN === ORDERS_A_TURN - 1) await new Promise(setImmediate);
      if (closed || underWay.size >= MOST_UNDER_WAY) break;
      if (!isFree(each.address)) continue;
      try {
        if (!(await isDue(each))) continue;
        if (await isPoor()) break;
        if (await begin(each)) sent++;
      } catch (error) {
        failed(each.address, (error as Error).message);
      }
    }
    return sent;
  }

  const isFree = (address: Address) =>
    !underWay.has(address) && (backOffs.get(address)?.until ?? Number.NEGATIVE_INFINITY) <= steadyNow();

  /** By what is known already, so that it costs next to nothing. */
  async function isDue({ address, order }: OpenOrder): Promise<boolean> {
    if (isExpired(order, clock.now())) return mayCancel(order);
    const sides = await sidesOf(deps, order);
    if (!sides) return failed(address, 'its mints are not what it says');
    const cost = lamportsIn(sides.output, await networkFee(deps), deps.usd);
    if (cost === undefined) return failed(address, NOT_REPAID);
    return (await planFill(order, marketOf(deps, sides), cost)) !== undefined;
  }

  async function mayCancel({ inputMint, makingAmount }: LimitOrder): Promise<boolean> {
    cancelled = cancelled.filter((at) => at > steadyNow() - HOUR_MS);
    if (cancelled.length >= CANCELS_AN_HOUR) return false;
    const [usd, mint] = [deps.usd(inputMint), await chain.mint(inputMint)];
    if (usd === undefined || !mint) return false;
    return (Number(makingAmount) / 10 ** mint.decimals) * usd >= LEAST_USD_TO_CANCEL;
  }

  async function isPoor(): Promise<boolean> {
    const lamports = (await chain.account(taker))?.lamports ?? 0n;
    const isPoorNow = lamports < KEEPER_LEAST_LAMPORTS;
    if (isPoorNow && !wasPoor)
      log.warn({ wallet: taker, lamports: `${lamports}` }, 'orders wait: the keeper wallet needs SOL');
    wasPoor = isPoorNow;
    return isPoorNow;
  }

  /** Whether a transaction was sent. One copy at a time works on an order: two would pay for one fill twice. */
  async function begin({ address, order }: OpenOrder): Promise<boolean> {
    const lease = { name: `limit order ${address}`, holder };
    const now = clock.now() - clock.offsetMs;
    if (!(await store.transaction((tx) => holdLease(tx, lease, now, now + LEASE_MS)))) return false;
    const release = () => store.transaction((tx) => releaseLease(tx, lease)).catch(() => {});
    try {
      const prepared = await (isExpired(order, clock.now()) ? prepareCancel : prepareFill)(deps, address);
      if (isSendable(prepared, address)) {
        const end = send(address, prepared).finally(() => {
          underWay.delete(address);
          return release();
        });
        underWay.set(address, { venues: prepared.venues, end });
        if (prepared.kind === 'cancel') cancelled.push(steadyNow());
        return true;
      }
    } catch (error) {
      await release();
      throw error;
    }
    await release();
    return false;
  }

  function isSendable(prepared: Prepared | Skipped, address: Address): prepared is Prepared {
    if ('skipped' in prepared) {
      if (!prepared.retry) return failed(address, prepared.skipped);
      const { tries = 0, waits = 0 } = backOffs.get(address) ?? {};
      rest(address, { tries, waits: waits + 1 }, Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** waits));
      log.debug({ order: address, reason: prepared.skipped }, 'a limit order waits');
      return false;
    }
    // What moves a pool now would make this trade another one than was tried out.
    const busy = [...underWay.values()].some(({ venues }) => venues.some((venue) => prepared.venues.includes(venue)));
    return !busy && !closed;
  }

  async function send(address: Address, prepared: Prepared): Promise<void> {
    const { kind, crafted, detail } = prepared;
    try {
      const request = await remember(address, prepared);
      const { state, signature } = await landing.execute(request, decodeTransaction(crafted.wire));
      listAt = Number.NEGATIVE_INFINITY;
      if (state !== 'landed') {
        failed(address, `the transaction has ${state}`);
        return;
      }
      backOffs.delete(address);
      observed.ended(kind === 'fill' ? 'filled' : 'cancelled');
      log.info(
        { order: address, signature, ...detail },
        kind === 'fill' ? 'limit order filled' : 'limit order expired',
      );
    } catch (error) {
      failed(address, (error as Error).message);
    }
  }

  async function remember(
    order: Address,
    { kind, crafted, lastValidBlockHeight, maker }: Prepared,
  ): Promise<LedgerRow> {
    const own = { area: LIMIT_ORDER_AREA, wallet: maker, crafted, lastValidBlockHeight, payload: { kind, order } };
    return rememberOwn(store, { ...own, cosigners: ['keeper'] }, clock);
  }

  function rest(address: Address, counts: Pick<BackOff, 'tries' | 'waits'>, ms: number): void {
    const at = steadyNow();
    backOffs.set(address, { ...counts, at, until: at + ms });
  }

  function failed(address: Address, reason: string): false {
    const tries = (backOffs.get(address)?.tries ?? 0) + 1;
    const wait = Math.min(LONGEST_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** (tries - 1));
    rest(address, { tries, waits: backOffs.get(address)?.waits ?? 0 }, wait);
    observed.ended('failed');
    log[tries === 1 ? 'info' : 'debug']({ order: address, reason, tries }, 'a limit order is tried again later');
    return false;
  }

  function tick(): Promise<number> {
    const result = turn.then(() => (closed ? 0 : tickOnce()));
    turn = result.catch(() => {});
    return result;
  }

  return {
    tick,
    async finish() {
      backOffs.clear();
      for (let round = 0; round < MOST_ROUNDS && !closed; round++) {
        listAt = Number.NEGATIVE_INFINITY;
        const sent = await tick();
        const ends = [...underWay.values()].map(({ end }) => end);
        if (sent + ends.length === 0) return;
        await Promise.all(ends);
      }
    },
    async close() {
      closed = true;
      await turn;
    },
  };
}

function createMetrics({ registry }: Pick<LimitOrderDeps, 'registry'>) {
  const orders = new Gauge({
    name: 'slipway_limit_orders',
    help: "The limit order program's accounts: open, or why they are left alone",
    labelNames: ['state'],
    registers: [registry],
  });
  const ends = new Counter({
    name: 'slipway_limit_order_attempts_total',
    help: 'What the keeper has done with limit orders: filled (also a part), cancelled after expiry, failed',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return {
    listed({ orders: open, skipped }: FillableOrders) {
      orders.reset();
      orders.set({ state: 'open' }, open.length);
      for (const [reason, count] of skipped) orders.set({ state: reason }, count);
    },
    ended: (outcome: 'filled' | 'cancelled' | 'failed') => ends.inc({ outcome }),
  };
}
