import { FairLine } from '../lib/fair-line.js';
import type { Guest } from '../lib/places.js';
import { LastSecond } from './last-second.js';
import {
  isCommon,
  LEAST_CALLS,
  leastOf,
  limitedAs,
  ownOf,
  POSTS_BESIDE_QUOTES,
  PURPOSES,
  type Purpose,
  SHARE,
  WHILE_PAUSED,
} from './purposes.js';
import { RecoveringLimit } from './recovering-limit.js';
import { ChainUnavailable, type Rpc, Throttled } from './rpc.js';

/** Longer, and a call fails as if the node were away. */
const MAX_WAIT_MS = 5_000;
/** Seconds' worth of calls that may wait for each purpose. */
const MAX_WAITING_SECONDS = 2;
/** Refusals of two methods that are no further apart mean all calls. */
const TOGETHER_MS = 2_000;

export interface BudgetCounts {
  /** Calls that were made. */
  calls: number;
  /** Of these, calls that had to wait. */
  waited: number;
  /** Calls that were not made, because too many waited or they waited too long. */
  refused: number;
}

/** Bounds the calls that this process makes to one RPC. */
export interface CallBudget {
  /** Of the RPC. */
  readonly name: string;
  /** The same RPC, within the budget. Calls of the same purpose that wait take turns by `caller`. */
  rpcFor(purpose: Purpose, caller?: Guest): Rpc;
  counts(purpose: Purpose): Readonly<BudgetCounts>;
  /** Calls that wait now. */
  waiting(purpose: Purpose): number;
  /** Calls a second that are allowed now, before the shares; below `callsPerSecond` when the node throttles all that it is asked. */
  limit(purpose: Purpose): number;
}

interface BudgetDeps {
  rpc: Rpc;
  /** The most calls in any second. */
  callsPerSecond: number;
  steadyNow: () => number;
}

/**
 * In no second more calls start than the limit, and those before go first. When the node throttles a method of a purpose, the limit of
 * that method is lowered for this purpose and those after it, and so is that of all calls where it throttles several of the common methods;
 * they come back by themselves. A pause that the node asks for is that of the purpose and method alone: most limit each method by itself,
 * and where all are meant, each is told so.
 */
export function createCallBudget(deps: BudgetDeps): CallBudget {
  return new SlidingBudget(deps);
}

interface Waiter {
  method: Method;
  since: number;
  start: () => void;
  refuse: (error: Error) => void;
}

interface Lane extends BudgetCounts {
  purpose: Purpose;
  limit: RecoveringLimit;
  /** By name. */
  methods: Map<string, Method>;
  waiters: FairLine<Waiter>;
  /** Of the calls of the last second. */
  recent: number;
}

/** Of the calls of a purpose, those that a node limits together. */
interface Method {
  lane: Lane;
  name: string;
  limit: RecoveringLimit;
  pausedUntil: number;
  throttledAt: number;
  waiting: number;
  /** Of the calls of the last second. */
  recent: number;
}

class SlidingBudget implements CallBudget {
  readonly name: string;
  readonly #deps: BudgetDeps;
  readonly #lanes: readonly Lane[];
  readonly #started = new LastSecond<Method>((method) => this.#count(method, -1));
  /** How many of these are of each method, by name. */
  readonly #recent = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: BudgetDeps) {
    this.#deps = deps;
    this.name = deps.rpc.name;
    this.#lanes = PURPOSES.map((purpose) => ({
      purpose,
      limit: new RecoveringLimit(deps.callsPerSecond, LEAST_CALLS),
      methods: new Map(),
      waiters: new FairLine(deps.callsPerSecond * MAX_WAITING_SECONDS),
      recent: 0,
      calls: 0,
      waited: 0,
      refused: 0,
    }));
  }

  rpcFor(purpose: Purpose, caller?: Guest): Rpc {
    const { rpc } = this.#deps;
    const lane = this.#lane(purpose);
    return {
      name: rpc.name,
      call: async <T>(name: string, params: unknown[]): Promise<T> => {
        const method = this.#method(lane, limitedAs(name, params));
        const turn = this.#enter(method, caller);
        if (turn) await turn;
        try {
          return await rpc.call<T>(name, params);
        } catch (error) {
          if (error instanceof Throttled) this.#throttled(method, error.retryAfterMs);
          throw error;
        }
      },
    };
  }

  counts(purpose: Purpose): Readonly<BudgetCounts> {
    const { calls, waited, refused } = this.#lane(purpose);
    return { calls, waited, refused };
  }

  waiting(purpose: Purpose): number {
    return this.#lane(purpose).waiters.size;
  }

  limit(purpose: Purpose): number {
    return this.#lane(purpose).limit.at(this.#deps.steadyNow());
  }

  #lane(purpose: Purpose): Lane {
    return this.#lanes[PURPOSES.indexOf(purpose)]!;
  }

  #method(lane: Lane, name: string): Method {
    const known = lane.methods.get(name);
    if (known) return known;
    const method: Method = {
      lane,
      name,
      limit: new RecoveringLimit(this.#deps.callsPerSecond, leastOf(lane.purpose)),
      pausedUntil: Number.NEGATIVE_INFINITY,
      throttledAt: Number.NEGATIVE_INFINITY,
      waiting: 0,
      recent: 0,
    };
    lane.methods.set(name, method);
    return method;
  }

  /** Undefined if the call may start now. */
  #enter(method: Method, caller: Guest | undefined): Promise<void> | undefined {
    const now = this.#deps.steadyNow();
    const { waiters } = method.lane;
    this.#started.forget(now);
    // What is left in the line afterwards waits for another method.
    if (waiters.size > 0 && this.#hasRoom(method, now)) this.#pump();
    if (this.#hasRoom(method, now)) {
      this.#start(method, now);
      return undefined;
    }
    return new Promise((start, refuse) => {
      method.waiting++;
      const dropped = waiters.add({ method, since: now, start, refuse }, caller);
      if (dropped) this.#refuse(dropped, 'too many calls wait');
      this.#wake(now);
    });
  }

  /** Starts what may start, in the order of the purposes, and refuses what has waited too long. */
  #pump(): void {
    const now = this.#deps.steadyNow();
    this.#started.forget(now);
    for (const lane of this.#lanes) {
      const { waiters, methods } = lane;
      while (waiters.size > 0 && this.#purposeHasRoom(lane, now)) {
        const open = [...methods.values()].filter((method) => method.waiting > 0 && this.#methodHasRoom(method, now));
        if (open.length === 0) break;
        const next = waiters.take(({ method }) => open.includes(method))!;
        this.#start(next.method, now);
        next.method.waiting--;
        lane.waited++;
        next.start();
      }
      for (let oldest = waiters.oldest(); oldest && now - oldest.since >= MAX_WAIT_MS; oldest = waiters.oldest()) {
        waiters.delete(oldest);
        this.#refuse(oldest, `a call has waited ${MAX_WAIT_MS} ms`);
      }
    }
    this.#wake(now);
  }

  /** Pumps again when the oldest call leaves its second, a pause ends, or somebody has waited too long. */
  #wake(now: number): void {
    clearTimeout(this.#timer);
    const times: number[] = [];
    for (const { waiters, methods } of this.#lanes) {
      const oldest = waiters.oldest();
      if (!oldest) continue;
      times.push(oldest.since + MAX_WAIT_MS);
      for (const { pausedUntil } of methods.values()) if (pausedUntil > now) times.push(pausedUntil);
    }
    if (times.length === 0) return;
    times.push(this.#started.nextLeavesAt() ?? Number.POSITIVE_INFINITY);
    this.#timer = setTimeout(() => this.#pump(), Math.max(1, Math.ceil(Math.min(...times) - now)));
  }

  #hasRoom(method: Method, now: number): boolean {
    return this.#purposeHasRoom(method.lane, now) && this.#methodHasRoom(method, now);
  }

  #purposeHasRoom({ purpose, limit, recent }: Lane, now: number): boolean {
    if (this.#started.size >= Math.max(1, this.#deps.callsPerSecond)) return false;
    const most = limit.at(now);
    if (recent < ownOf(purpose, most)) return true;
    const isBeside = purpose === 'posts' && this.#lane('quotes').waiters.size > 0;
    if (isBeside && recent >= most * POSTS_BESIDE_QUOTES) return false;
    return this.#started.size < most * SHARE[purpose];
  }

  #methodHasRoom({ lane, name, limit, pausedUntil, recent }: Method, now: number): boolean {
    const { purpose } = lane;
    if (now < pausedUntil && recent >= (WHILE_PAUSED[purpose] ?? 0)) return false;
    const most = limit.at(now);
    return recent < ownOf(purpose, most) || this.#recentOf(name) < most * SHARE[purpose];
  }

  #start(method: Method, now: number): void {
    method.lane.calls++;
    this.#count(method, 1);
    this.#started.add(method, now);
  }

  #recentOf(name: string): number {
    return this.#recent.get(name) ?? 0;
  }

  #count(method: Method, calls: 1 | -1): void {
    method.recent += calls;
    method.lane.recent += calls;
    this.#recent.set(method.name, this.#recentOf(method.name) + calls);
  }

  #throttled(refused: Method, retryAfterMs: number): void {
    const now = this.#deps.steadyNow();
    this.#started.forget(now);
    // Nodes limit how much is sent by itself, some to 1 in a second: what is landed goes on, strangers give way to it.
    const isSending = refused.name === 'sendTransaction';
    const method = isSending ? this.#method(this.#lane('strangers'), refused.name) : refused;
    method.pausedUntil = Math.max(method.pausedUntil, now + retryAfterMs);
    method.throttledAt = now;
    const first = this.#lanes.indexOf(method.lane);
    const made = this.#recentOf(method.name);
    // What ends do not pause for they would take from those after them.
    const lowered = this.#lanes.filter(({ purpose }, index) => index >= first || purpose === 'ends');
    for (const lane of lowered) this.#method(lane, method.name).limit.lower(made, now);
    method.limit.pause(method.pausedUntil);
    if (!isCommon(method.name)) return;
    const another = this.#lanes.findIndex(({ methods }) => isThrottledToo(methods, method.name, now));
    if (another === -1) return;
    for (const { limit } of this.#lanes.slice(Math.max(first, another))) limit.lower(this.#started.size, now);
  }

  #refuse({ method, refuse }: Waiter, why: string): void {
    const { purpose } = method.lane;
    method.waiting--;
    method.lane.refused++;
    const { callsPerSecond } = this.#deps;
    refuse(new ChainUnavailable(`${this.name}: ${why} for ${purpose} within ${callsPerSecond} calls a second`));
  }
}

/** Whether another common method than the one of this name was throttled of late. */
function isThrottledToo(methods: ReadonlyMap<string, Method>, name: string, now: number): boolean {
  return [...methods.values()].some(
    (method) => method.name !== name && isCommon(method.name) && now - method.throttledAt < TOGETHER_MS,
  );
}
