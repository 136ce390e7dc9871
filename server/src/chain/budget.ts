import { FairLine } from '../lib/fair-line.js';
import type { Guest } from '../lib/places.js';
import { ChainUnavailable, type Rpc, Throttled } from './rpc.js';

/**
 * What the chain is called for; what stands first goes first. `ends`: lists that tell how what clients have posted has ended;
 * `posts`: what clients post, until it is claimed and sent; `searches`: for transactions that others have signed last; `histories`: of programs, to which anybody adds for a fee.
 */
export const PURPOSES = [
  'landing',
  'keeper',
  'ends',
  'posts',
  'quotes',
  'reads',
  'searches',
  'strangers',
  'histories',
] as const;
export type Purpose = (typeof PURPOSES)[number];

interface Own {
  share: number;
  least: number;
}

/** A purpose starts no call while a second has more than this share of the limit: the rest is kept for those before it. */
const SHARE: Readonly<Record<Purpose, number>> = {
  landing: 1,
  keeper: 0.9,
  ends: 0.85,
  posts: 0.82,
  quotes: 0.8,
  reads: 0.7,
  searches: 0.5,
  strangers: 0.4,
  histories: 0.35,
};
/**
 * A purpose of calls that most nodes limit by themselves, and clients have made: what is refused of them slows nothing else, and what is
 * left to them then is so many of their own in a second.
 */
const APART: ReadonlySet<Purpose> = new Set(['ends']);
/**
 * What each purpose has whatever the others do, so that none waits for ever: a share, and at least so many calls a second. What keepers
 * and lists know comes from histories, of which there are two; and somebody waits for the end of what is searched for.
 */
const OWN: Partial<Record<Purpose, Own>> = { histories: { share: 0.1, least: 2 }, searches: { share: 0.1, least: 1 } };
const OWN_OF_OTHERS: Own = { share: 0.02, least: 1 };
/** Posts take no more than this share while quotes wait, half of what is left to both: a key may post far more often than craft. */
const POSTS_BESIDE_QUOTES = 0.4;
/** What is asked once in two seconds, and done without where it is refused: nothing else is slowed for that. */
const DISPENSABLE: ReadonlySet<string> = new Set(['getRecentPrioritizationFees']);
const WINDOW_MS = 1_000;
/** Longer, and a call fails as if the node were away. */
const MAX_WAIT_MS = 5_000;
/** Seconds' worth of calls that may wait for each purpose. */
const MAX_WAITING_SECONDS = 2;
/** What is left to a purpose when the node throttles all the time. */
export const LEAST_CALLS = 10;
/** Calls in a second that a purpose starts while the node has asked it for a pause; the others start none. */
const WHILE_PAUSED: Partial<Record<Purpose, number>> = {
  landing: Number.POSITIVE_INFINITY,
  keeper: LEAST_CALLS,
  ends: Number.POSITIVE_INFINITY,
};
/** Milliseconds without throttling in which a limit comes back from nothing to what is configured. */
const RECOVERY_MS = 60_000;

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
  /** Calls a second that are allowed now, before the shares; below `callsPerSecond` when the node throttles. */
  limit(purpose: Purpose): number;
}

interface BudgetDeps {
  rpc: Rpc;
  /** The most calls in any second. */
  callsPerSecond: number;
  steadyNow: () => number;
}

/**
 * In no second more calls start than the limit, and those before go first. When the node throttles a purpose, its
 * limit and those of the purposes after it are halved, but for one apart; they come back by themselves. A pause that the node asks for is
 * that of the purpose alone: most limit each method by itself, and where all are meant, each purpose is told so.
 */
export function createCallBudget(deps: BudgetDeps): CallBudget {
  return new SlidingBudget(deps);
}

interface Waiter {
  since: number;
  start: () => void;
  refuse: (error: Error) => void;
}

interface Lane extends BudgetCounts {
  purpose: Purpose;
  limit: number;
  recoveredAt: number;
  loweredAt: number;
  pausedUntil: number;
  waiters: FairLine<Waiter>;
  /** Of the calls of the last second. */
  recent: number;
}

function ownOf({ purpose, limit }: Lane): number {
  const { share, least } = OWN[purpose] ?? OWN_OF_OTHERS;
  return Math.max(least, limit * share);
}

class SlidingBudget implements CallBudget {
  readonly name: string;
  readonly #deps: BudgetDeps;
  readonly #lanes: readonly Lane[];
  /** The calls of the last second, oldest first, from `#oldest` on. */
  #started: { at: number; lane: Lane }[] = [];
  #oldest = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: BudgetDeps) {
    this.#deps = deps;
    this.name = deps.rpc.name;
    this.#lanes = PURPOSES.map((purpose) => ({
      purpose,
      limit: deps.callsPerSecond,
      recoveredAt: 0,
      loweredAt: Number.NEGATIVE_INFINITY,
      pausedUntil: Number.NEGATIVE_INFINITY,
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
      call: async <T>(method: string, params: unknown[]): Promise<T> => {
        const turn = this.#enter(lane, caller);
        if (turn) await turn;
        try {
          return await rpc.call<T>(method, params);
        } catch (error) {
          if (error instanceof Throttled && !DISPENSABLE.has(method)) {
            // Nodes limit how much is sent by itself, some to 1 in a second: what is landed goes on, strangers give way to it.
            const isSending = method === 'sendTransaction';
            this.#lower(isSending ? this.#lane('strangers') : lane, error.retryAfterMs);
          }
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
    const lane = this.#lane(purpose);
    this.#recover(lane, this.#deps.steadyNow());
    return lane.limit;
  }

  #lane(purpose: Purpose): Lane {
    return this.#lanes[PURPOSES.indexOf(purpose)]!;
  }

  /** Undefined if the call may start now. */
  #enter(lane: Lane, caller: Guest | undefined): Promise<void> | undefined {
    const now = this.#deps.steadyNow();
    this.#forget(now);
    if (lane.waiters.size === 0 && this.#hasRoom(lane, now)) {
      this.#start(lane, now);
      return undefined;
    }
    return new Promise((start, refuse) => {
      const dropped = lane.waiters.add({ since: now, start, refuse }, caller);
      if (dropped) this.#refuse(lane, dropped, 'too many calls wait');
      this.#wake(now);
    });
  }

  /** Starts what may start, in the order of the purposes, and refuses what has waited too long. */
  #pump(): void {
    const now = this.#deps.steadyNow();
    this.#forget(now);
    for (const lane of this.#lanes) {
      while (lane.waiters.size > 0 && this.#hasRoom(lane, now)) {
        this.#start(lane, now);
        lane.waited++;
        lane.waiters.take()!.start();
      }
      for (
        let oldest = lane.waiters.oldest();
        oldest && now - oldest.since >= MAX_WAIT_MS;
        oldest = lane.waiters.oldest()
      ) {
        lane.waiters.delete(oldest);
        this.#refuse(lane, oldest, `a call has waited ${MAX_WAIT_MS} ms`);
      }
    }
    this.#wake(now);
  }

  /** Pumps again when the oldest call leaves its second, a pause ends, or somebody has waited too long. */
  #wake(now: number): void {
    clearTimeout(this.#timer);
    const waitingSince = this.#lanes.flatMap(({ waiters }) => waiters.oldest()?.since ?? []);
    if (waitingSince.length === 0) return;
    const times = waitingSince.map((since) => since + MAX_WAIT_MS);
    const oldest = this.#started[this.#oldest];
    if (oldest) times.push(oldest.at + WINDOW_MS);
    for (const { pausedUntil } of this.#lanes) if (pausedUntil > now) times.push(pausedUntil);
    this.#timer = setTimeout(() => this.#pump(), Math.max(1, Math.ceil(Math.min(...times) - now)));
  }

  #hasRoom(lane: Lane, now: number): boolean {
    const inAll = this.#started.length - this.#oldest;
    if (inAll >= Math.max(1, this.#deps.callsPerSecond)) return false;
    if (now < lane.pausedUntil && lane.recent >= (WHILE_PAUSED[lane.purpose] ?? 0)) return false;
    this.#recover(lane, now);
    if (lane.recent < ownOf(lane)) return true;
    const isBeside = lane.purpose === 'posts' && this.#lane('quotes').waiters.size > 0;
    if (isBeside && lane.recent >= lane.limit * POSTS_BESIDE_QUOTES) return false;
    if (!APART.has(lane.purpose)) return inAll < lane.limit * SHARE[lane.purpose];
    return lane.recent < lane.limit && inAll < this.#lane('landing').limit * SHARE[lane.purpose];
  }

  #start(lane: Lane, now: number): void {
    lane.calls++;
    lane.recent++;
    this.#started.push({ at: now, lane });
  }

  /** Drops the calls that are older than a second. */
  #forget(now: number): void {
    for (; this.#oldest < this.#started.length; this.#oldest++) {
      const { at, lane } = this.#started[this.#oldest]!;
      if (at > now - WINDOW_MS) break;
      lane.recent--;
    }
    if (this.#oldest < 1_024 || this.#oldest < this.#started.length / 2) return;
    this.#started = this.#started.slice(this.#oldest);
    this.#oldest = 0;
  }

  /** Once a second: the answers to what was under way together say the same thing. */
  #lower(lane: Lane, retryAfterMs: number): void {
    const now = this.#deps.steadyNow();
    lane.pausedUntil = Math.max(lane.pausedUntil, now + retryAfterMs);
    if (now - lane.loweredAt < WINDOW_MS) return;
    this.#forget(now);
    const isApart = APART.has(lane.purpose);
    const made = isApart ? lane.recent : this.#started.length - this.#oldest;
    const least = Math.min(LEAST_CALLS, this.#deps.callsPerSecond);
    const after = this.#lanes.slice(this.#lanes.indexOf(lane)).filter(({ purpose }) => !APART.has(purpose));
    for (const each of isApart ? [lane] : after) {
      this.#recover(each, now);
      each.loweredAt = now;
      each.limit = Math.max(least, Math.min(each.limit, made) / 2);
    }
  }

  #recover(lane: Lane, now: number): void {
    const { callsPerSecond } = this.#deps;
    const gained = (callsPerSecond * (now - lane.recoveredAt)) / RECOVERY_MS;
    lane.limit = Math.min(callsPerSecond, lane.limit + gained);
    lane.recoveredAt = now;
  }

  #refuse(lane: Lane, { refuse }: Waiter, why: string): void {
    lane.refused++;
    const { callsPerSecond } = this.#deps;
    refuse(new ChainUnavailable(`${this.name}: ${why} for ${lane.purpose} within ${callsPerSecond} calls a second`));
  }
}
