import type { Logger } from 'pino';
import type { Chain, Rpc, TransactionEnd } from '../chain/index.js';
import { inTurns } from '../lib/in-turns.js';
import type { Guest } from '../lib/places.js';
import { waitAtMost } from '../lib/wait-at-most.js';
import { broadcast, NotAccepted } from './broadcast.js';
import { Conclusions, type Dying, MAX_STATUSES } from './conclusions.js';
import { EndLooks } from './end-looks.js';
import { FORGOTTEN, UNCERTAIN } from './history-since.js';
import { mayBeDead, newDeaths } from './lifetime.js';
import { AT_REST, CLOSE, type Pace, type Resending } from './pace.js';
import { ToldEnd } from './told-end.js';

/** The outcome of a transaction, according to the chain. */
export type Verdict =
  | { event: 'landed'; slot: bigint; error: null }
  | { event: 'failed'; slot: bigint | null; error: unknown }
  | { event: 'expired'; slot: null; error: unknown };

interface Flight extends Pick<Dying, 'signature' | 'lifetime' | 'giveUpAt' | 'sent'> {
  wire: Uint8Array;
  /** Taken over from a stopped instance, which may not have sent it yet: it is sent at once. */
  takenOver?: boolean;
  /** How often it is sent again; as the tracker does by default. */
  resending?: Resending;
  /** A key of ours signs first: nobody else chooses how the signature begins, by which nodes know it. */
  isOurs?: boolean;
  /** For whom it is followed: the questions for how it has ended have their turns by that. */
  caller?: Guest | undefined;
}

export interface Tracker {
  /** Resolves with the outcome at commitment `confirmed`. Rejects only when the tracker closes. */
  track(flight: Flight): Promise<Verdict>;
  /** Has what goes first sent again with one of the next polls, where an RPC has taken too many. */
  refused(signature: string, error: Error): void;
  /** Polls now instead of at the next interval, because something has just been accepted. */
  pollNow(): void;
  /** For how many milliseconds no status of what is under way could be read; 0 where nothing is. */
  blindFor(): number;
  close(): void;
}

interface TrackerDeps {
  chain: Chain;
  sendRpcs: readonly Rpc[];
  /** For what goes first; the same when left out. */
  ownRpcs?: readonly Rpc[];
  /** By which ends are looked up; `chain` when left out. */
  endsChain?: Chain;
  log: Logger;
  steadyNow: () => number;
  /** `CLOSE` when left out. */
  pace?: Pace;
}

/** Until what goes first and was refused has its next turn, for each that was: of a hundred each is sent as often as all others are. */
const REFUSED_MS = 20;
/** Until what may be dead has its next turn. */
const DYING_MS = 2_000;
/** A poll waits for no longer until it is known what is dead. */
const LONGEST_WAIT_MS = 1_000;

interface Tracked extends Omit<Flight, keyof Dying>, Dying {
  told: ToldEnd;
  resending: Resending;
  verdict: Promise<Verdict>;
  resolve: (verdict: Verdict) => void;
  reject: (error: Error) => void;
  sendAgainAt: number;
  /** How often it was sent, or was not worth it. */
  times: number;
  isWorthResending: boolean;
  /** How often it has its turn to be sent before that is asked again. */
  asksAgainAt: number;
}

const longestFirst = (one: Tracked, other: Tracked): number => one.sendAgainAt - other.sendAgainAt;

/** Follows all transactions in flight with one shared poll, and rebroadcasts each until it lands or is dead. */
export function createTracker(deps: TrackerDeps): Tracker {
  return new PollingTracker(deps);
}

class PollingTracker implements Tracker {
  readonly #deps: TrackerDeps;
  readonly #pace: Pace;
  readonly #flights = new Map<string, Tracked>();
  readonly #looks: EndLooks;
  readonly #conclusions: Conclusions;
  /** What goes first and was refused when it was last sent. */
  readonly #refused = new Set<Tracked>();
  #timer: NodeJS.Timeout | undefined;
  /** When statuses were last read, or there were none to read. */
  #readAt = 0;
  #polling = false;
  #pollAgain = false;
  #closed = false;

  constructor(deps: TrackerDeps) {
    this.#deps = deps;
    this.#pace = deps.pace ?? CLOSE;
    const { chain, endsChain = chain, steadyNow } = deps;
    this.#looks = new EndLooks({ chain: endsChain, steadyNow, atOnce: this.#pace.looksAtOnce });
    this.#conclusions = new Conclusions({ chain, log: deps.log, steadyNow });
  }

  track(flight: Flight): Promise<Verdict> {
    const known = this.#flights.get(flight.signature);
    if (known) return known.verdict;
    const { promise, resolve, reject } = withResolvers<Verdict>();
    if (this.#closed) reject(new Error('the service is shutting down'));
    else {
      const { takenOver, resending = this.#pace } = flight;
      const times = takenOver ? 0 : 1;
      const { steadyNow, log } = this.#deps;
      const sendAgainAt = steadyNow() + (takenOver ? 0 : resending.resendAfterMs(times));
      const end = (end: TransactionEnd) => this.#finish(tracked, verdictOf(end));
      const tracked: Tracked = {
        ...flight,
        verdict: promise,
        resolve,
        reject,
        deaths: newDeaths(),
        told: new ToldEnd(flight, { looks: this.#looks, steadyNow, log, end }),
        goesFirst: resending.goesFirst === true,
        expire: (error) => this.#finish(tracked, { event: 'expired', slot: null, error }),
        rest: () => this.#rest(tracked),
        resending,
        sendAgainAt,
        times,
        isWorthResending: false,
        asksAgainAt: 0,
      };
      if (this.#flights.size === 0) this.#readAt = steadyNow();
      this.#flights.set(flight.signature, tracked);
      if (takenOver) this.pollNow();
      else if (this.#flights.size === 1 && !this.#polling) this.#wake(this.#pace.pollMs);
    }
    return promise;
  }

  /** An arrow function, because it is passed as a callback. */
  readonly pollNow = (): void => {
    if (this.#polling) this.#pollAgain = true;
    else this.#wake(0);
  };

  refused(signature: string, error: Error): void {
    const flight = this.#flights.get(signature);
    if (!flight?.resending.goesFirst || !(error instanceof NotAccepted && error.throttled)) return;
    // Between tries of its death, time passes.
    if (mayBeDead(flight.deaths)) return;
    this.#refused.add(flight);
    const afterMs = Math.min(REFUSED_MS * this.#refused.size, flight.resending.resendAfterMs(flight.times));
    flight.sendAgainAt = Math.min(flight.sendAgainAt, this.#deps.steadyNow() + afterMs);
  }

  blindFor(): number {
    return this.#flights.size === 0 ? 0 : this.#deps.steadyNow() - this.#readAt;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const flight of this.#flights.values()) {
      flight.told.forget();
      flight.reject(new Error('the service is shutting down'));
    }
    this.#flights.clear();
  }

  #wake(delay: number): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#poll(), delay);
  }

  async #poll(): Promise<void> {
    if (this.#polling) {
      this.#pollAgain = true;
      return;
    }
    this.#polling = true;
    const { maxResends, maxLooks, maxLongLooks } = this.#pace;
    let all = [...this.#flights.values()];
    if (all.length > maxResends) all = inTurns(all.toSorted(longestFirst), ({ caller }) => caller);
    this.#looks.allow(maxLooks, maxLongLooks);
    let turns = maxResends;
    const until = this.#deps.steadyNow() + LONGEST_WAIT_MS;
    for (let from = 0; from < all.length; from += MAX_STATUSES) {
      const group = all.slice(from, from + MAX_STATUSES);
      const taken = await this.#pollGroup(group, turns, until).catch((error: Error) => {
        this.#deps.log.warn({ reason: error.message, underWay: group.length }, 'cannot read statuses; will ask again');
        return 0;
      });
      turns -= taken;
    }
    this.#polling = false;
    if (this.#flights.size > 0) this.#wake(this.#pollAgain ? 0 : this.#pace.pollMs);
    this.#pollAgain = false;
  }

  /**
   * Returns how many of the `turns` it took to look closely at a transaction, or to send it again. Whether one is dead is waited for
   * until then: the others are read and sent again meanwhile.
   */
  async #pollGroup(group: Tracked[], turns: number, until: number): Promise<number> {
    const { chain, steadyNow } = this.#deps;
    const { slot, found } = await chain.statuses(signaturesOf(group), { history: false });
    this.#readAt = steadyNow();
    const unknown = group.filter((flight, index) => !flight.told.hear(found[index], slot, 'recent'));
    const due = unknown.filter((flight) => flight.sendAgainAt <= steadyNow()).slice(0, Math.max(0, turns));
    if (due.length === 0) return 0;
    await waitAtMost(
      Math.max(0, until - steadyNow()),
      this.#conclusions.reach(due).then(() => this.#hasten(due)),
    );
    for (const flight of due) if (this.#flights.has(flight.signature)) this.#sendAgain(flight);
    return due.length;
  }

  #sendAgain(flight: Tracked): void {
    const { log, steadyNow } = this.#deps;
    // What was taken over may not have been sent at all: it begins at 0.
    flight.times++;
    const afterMs = flight.resending.resendAfterMs(flight.times);
    flight.sendAgainAt = steadyNow() + (mayBeDead(flight.deaths) ? Math.min(afterMs, DYING_MS) : afterMs);
    this.#refused.delete(flight);
    this.#resend(flight).catch((error: Error) => {
      this.refused(flight.signature, error);
      log.debug({ signature: flight.signature, reason: error.message }, 'rebroadcast failed');
    });
  }

  async #resend(flight: Tracked): Promise<void> {
    const { sendRpcs, ownRpcs = sendRpcs, log } = this.#deps;
    if (flight.times > flight.resending.unasked && !(await this.#isWorthResending(flight))) return;
    await broadcast(flight.resending.goesFirst ? ownRpcs : sendRpcs, flight.wire, log);
  }

  /** A node that says no may be behind, or what the transaction takes under way: it is asked again, ever more seldom. */
  async #isWorthResending(flight: Tracked): Promise<boolean> {
    const { resending, times } = flight;
    if (flight.isWorthResending || times < flight.asksAgainAt) return flight.isWorthResending;
    flight.isWorthResending = await resending.isWorthResending(flight.wire);
    flight.asksAgainAt = 2 * times - resending.unasked;
    return flight.isWorthResending;
  }

  /** The node cannot know whether it has landed. */
  #rest(flight: Tracked): void {
    if (flight.resending !== AT_REST)
      this.#deps.log.warn({ signature: flight.signature, reason: FORGOTTEN }, UNCERTAIN);
    flight.resending = AT_REST;
  }

  /** Has what may be dead its next turn soon, also where that was known only after its last one. */
  #hasten(flights: readonly Tracked[]): void {
    const soon = this.#deps.steadyNow() + DYING_MS;
    for (const flight of flights) if (mayBeDead(flight.deaths)) flight.sendAgainAt = Math.min(flight.sendAgainAt, soon);
  }

  #finish(flight: Tracked, verdict: Verdict): void {
    flight.told.forget();
    this.#refused.delete(flight);
    if (this.#flights.get(flight.signature) === flight) this.#flights.delete(flight.signature);
    flight.resolve(verdict);
  }
}

function verdictOf({ slot, err }: TransactionEnd): Verdict {
  return err === null ? { event: 'landed', slot, error: null } : { event: 'failed', slot, error: err };
}

function signaturesOf(flights: Tracked[]): string[] {
  return flights.map((flight) => flight.signature);
}

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: Error) => void } {
  let resolve!: (value: T) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
