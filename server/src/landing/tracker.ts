import { type Address, decodeTransaction } from '@slipway/wire';
import type { Logger } from 'pino';
import type { Chain, Rpc, SignatureStatus, TransactionEnd } from '../chain/index.js';
import type { Guest } from '../lib/places.js';
import { broadcast } from './broadcast.js';
import { EndLooks, type Look } from './end-looks.js';
import { GIVEN_UP, rfqError } from './explain.js';
import { FORGOTTEN, historySince, isForgotten, UNCERTAIN } from './history-since.js';
import { type Deaths, deadAt, type Lifetime, mayBeDead, newDeaths } from './lifetime.js';
import { AT_REST, CLOSE, type Pace, type Resending } from './pace.js';

/** The outcome of a transaction, according to the chain. */
export type Verdict =
  | { event: 'landed'; slot: bigint; error: null }
  | { event: 'failed'; slot: bigint | null; error: unknown }
  | { event: 'expired'; slot: null; error: unknown };

interface Flight {
  signature: string;
  wire: Uint8Array;
  lifetime: Lifetime;
  /** Steady milliseconds after which it is followed no more, though it may yet land (durable nonces never expire). */
  giveUpAt?: number;
  /** Taken over from a stopped instance, which may not have sent it yet: it is sent at once. */
  takenOver?: boolean;
  /** When it was sent, in Unix milliseconds, and whether that is so long ago that a node may know nothing of it. */
  sent?: { at: number; isOld(): boolean };
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
  /** Polls now instead of at the next interval, because something has just been accepted. */
  pollNow(): void;
  close(): void;
}

interface TrackerDeps {
  chain: Chain;
  sendRpcs: readonly Rpc[];
  log: Logger;
  steadyNow: () => number;
  /** `CLOSE` when left out. */
  pace?: Pace;
}

/** The most signatures that getSignatureStatuses takes. */
const MAX_STATUSES = 256;
/** Slots. For 300 of them nodes know what has landed by a part of its signature; what is older, by the whole. */
const PART_KNOWN = 500n;
/** What has been followed for less, and by nobody before, has not landed so many slots ago, whatever a status says. */
const PART_KNOWN_MS = 200_000;
/**
 * So many statuses in a row must say that it has failed, and as many lists of its payer; or more, where these or those say it alone: one
 * of several nodes may be wrong, or a status be that of another one with the same nonce, which has landed.
 */
const FAILED_WORDS = { agreed: 2, alone: 4 };
/** Until what may be dead has its next turn. */
const DYING_MS = 2_000;
/** From so many unanswered questions on, the log says so. */
const MANY_ASKED = 3;

/** Where a node looks a status up: what is older it tells only when it is asked to look further, which is asked seldom. */
type Memory = 'recent' | 'history';

interface Tracked extends Flight {
  deaths: Deaths;
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
  /** Steady milliseconds. */
  begun: number;
  /** How many statuses in a row have said that it has failed, of late, and of all that nodes have kept. */
  failedStatuses: Record<Memory, number>;
  /** What the node says of it now by its status. */
  told: TransactionEnd | undefined;
  /** Whether the node did not have it, whose status it told. */
  isMissing: boolean;
  /** How many lists in a row have said that it has failed. */
  failedLists: number;
  look: Look | undefined;
}

/** In which order flights have their turn, where not all do: those that have waited longest first. */
const byTurn = (one: Tracked, other: Tracked) => one.sendAgainAt - other.sendAgainAt;

/** Follows all transactions in flight with one shared poll, and rebroadcasts each until it lands or is dead. */
export function createTracker(deps: TrackerDeps): Tracker {
  return new PollingTracker(deps);
}

class PollingTracker implements Tracker {
  readonly #deps: TrackerDeps;
  readonly #pace: Pace;
  readonly #flights = new Map<string, Tracked>();
  readonly #looks: EndLooks;
  #timer: NodeJS.Timeout | undefined;
  #polling = false;
  #pollAgain = false;
  #closed = false;

  constructor(deps: TrackerDeps) {
    this.#deps = deps;
    this.#pace = deps.pace ?? CLOSE;
    const { chain, steadyNow } = deps;
    this.#looks = new EndLooks({ rpc: chain.rpc, steadyNow, atOnce: this.#pace.looksAtOnce });
  }

  track(flight: Flight): Promise<Verdict> {
    const known = this.#flights.get(flight.signature);
    if (known) return known.verdict;
    const { promise, resolve, reject } = withResolvers<Verdict>();
    if (this.#closed) reject(new Error('the service is shutting down'));
    else {
      const { takenOver, resending = this.#pace } = flight;
      const times = takenOver ? 0 : 1;
      const begun = this.#deps.steadyNow();
      const sendAgainAt = begun + (takenOver ? 0 : resending.resendAfterMs(times));
      const failedStatuses = { recent: 0, history: 0 };
      const said = { isWorthResending: false, asksAgainAt: 0, failedStatuses };
      const looking = { told: undefined, isMissing: false, failedLists: 0, look: undefined };
      const promised = { verdict: promise, resolve, reject };
      const tracked = {
        ...flight,
        deaths: newDeaths(),
        ...promised,
        ...said,
        ...looking,
        resending,
        begun,
        sendAgainAt,
        times,
      };
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

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const flight of this.#flights.values()) {
      if (flight.look) this.#looks.forget(flight.look);
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
    const all = [...this.#flights.values()];
    const { maxResends, maxLooks, maxLongLooks } = this.#pace;
    if (all.length > maxResends) all.sort(byTurn);
    this.#looks.allow(maxLooks, maxLongLooks);
    let turns = maxResends;
    for (let from = 0; from < all.length; from += MAX_STATUSES) {
      const group = all.slice(from, from + MAX_STATUSES);
      const taken = await this.#pollGroup(group, turns).catch((error: Error) => {
        this.#deps.log.warn({ reason: error.message, underWay: group.length }, 'cannot read statuses; will ask again');
        return 0;
      });
      turns -= taken;
    }
    this.#polling = false;
    if (this.#flights.size > 0) this.#wake(this.#pollAgain ? 0 : this.#pace.pollMs);
    this.#pollAgain = false;
  }

  /** Returns how many of the `turns` it took to look closely at a transaction, or to send it again. */
  async #pollGroup(group: Tracked[], turns: number): Promise<number> {
    const { chain, steadyNow } = this.#deps;
    const { slot, found } = await chain.statuses(signaturesOf(group), { history: false });
    const unknown = group.filter((flight, index) => !this.#conclude(flight, found[index], slot, 'recent'));
    const due = unknown.filter((flight) => flight.sendAgainAt <= steadyNow()).slice(0, Math.max(0, turns));
    if (due.length === 0) return 0;
    try {
      await this.#concludeDead(due);
    } finally {
      for (const flight of due) if (this.#flights.has(flight.signature)) this.#sendAgain(flight);
    }
    return due.length;
  }

  #sendAgain(flight: Tracked): void {
    const { log, steadyNow } = this.#deps;
    // What was taken over may not have been sent at all: it begins at 0.
    flight.times++;
    const afterMs = flight.resending.resendAfterMs(flight.times);
    flight.sendAgainAt = steadyNow() + (mayBeDead(flight.deaths) ? Math.min(afterMs, DYING_MS) : afterMs);
    this.#resend(flight).catch((error: Error) =>
      log.debug({ signature: flight.signature, reason: error.message }, 'rebroadcast failed'),
    );
  }

  async #resend(flight: Tracked): Promise<void> {
    const { sendRpcs, log } = this.#deps;
    if (flight.times > flight.resending.unasked && !(await this.#isWorthResending(flight))) return;
    await broadcast(sendRpcs, flight.wire, log);
  }

  /** A node that says no may be behind, or what the transaction takes under way: it is asked again, ever more seldom. */
  async #isWorthResending(flight: Tracked): Promise<boolean> {
    const { resending, times } = flight;
    if (flight.isWorthResending || times < flight.asksAgainAt) return flight.isWorthResending;
    flight.isWorthResending = await resending.isWorthResending(flight.wire);
    flight.asksAgainAt = 2 * times - resending.unasked;
    return flight.isWorthResending;
  }

  /** Checks for death before status: in the other order, it could land between the two reads. */
  async #concludeDead(due: Tracked[]): Promise<void> {
    const { chain, steadyNow } = this.#deps;
    const deaths = await Promise.all(due.map((flight) => this.#deathOf(flight)));
    const isGivenUp = due.map((flight) => steadyNow() >= (flight.giveUpAt ?? Number.POSITIVE_INFINITY));
    const ended = due.filter((_, index) => deaths[index] !== undefined || isGivenUp[index]);
    if (ended.length === 0) return;
    const { slot, found } = await chain.statuses(signaturesOf(ended), { history: true });
    const asks = ended.some(({ sent }, index) => sent?.isOld() && !found[index]);
    const since = asks ? await historySince(chain.rpc).catch(() => Number.POSITIVE_INFINITY) : undefined;
    for (const [index, flight] of ended.entries()) {
      // Whose status that is shows by itself, once the node knows no more of that time by parts of signatures.
      if (this.#conclude(flight, found[index], slot, 'history') || found[index]?.confirmed) continue;
      const death = deaths[due.indexOf(flight)];
      // A node that lags behind the one that reported the death may not have seen it land yet.
      if (death === undefined) this.#finish(flight, { event: 'expired', slot: null, error: rfqError(GIVEN_UP) });
      // It is in a block that will be confirmed, or be gone: by a nonce, it is dead because it has landed.
      else if (found[index]) continue;
      else if (flight.sent?.isOld() && isForgotten(flight.sent.at, since)) this.#rest(flight);
      else if (slot >= death) this.#finish(flight, { event: 'expired', slot: null, error: null });
    }
  }

  /** The node cannot know whether it has landed. */
  #rest(flight: Tracked): void {
    if (flight.resending !== AT_REST)
      this.#deps.log.warn({ signature: flight.signature, reason: FORGOTTEN }, UNCERTAIN);
    flight.resending = AT_REST;
  }

  /** A failed read counts as alive until the next poll, so that it does not hold up the others. */
  #deathOf({ lifetime, deaths, signature }: Tracked): Promise<bigint | undefined> {
    const { chain, log } = this.#deps;
    return deadAt(lifetime, chain, deaths).catch((error: Error) => {
      log.debug({ signature, reason: error.message }, 'cannot tell whether a transaction can still land');
      return undefined;
    });
  }

  /**
   * True when the status settles the flight, or would if the node says it again: one that has failed can be posted anew,
   * so that must be said again, because it may still be undone, or not be so. `now` is the node's slot.
   */
  #conclude(flight: Tracked, status: SignatureStatus | undefined, now: bigint, memory: Memory): boolean {
    const said = flight.failedStatuses;
    const isFailed = status?.confirmed === true && status.err !== null;
    said[memory] = isFailed ? said[memory] + 1 : 0;
    flight.told = undefined;
    if (!status?.confirmed) return false;
    const { slot, err } = status;
    const isAlone = flight.isOurs || this.#isKnownWhole(flight, slot, now);
    if (isFailed && said[memory] < (isAlone ? FAILED_WORDS.alone : FAILED_WORDS.agreed)) return true;
    if (!isAlone) return this.#lookFor(flight, { slot, err });
    this.#finish(flight, verdictOf({ slot, err }));
    return true;
  }

  /** Whether a status of this slot is of this very transaction. */
  #isKnownWhole({ takenOver, begun }: Tracked, slot: bigint, now: bigint): boolean {
    return now - slot >= PART_KNOWN && (takenOver || this.#deps.steadyNow() - begun >= PART_KNOWN_MS);
  }

  /**
   * Whoever signs two transactions with one nonce has their signatures begin alike, and nodes tell the status of one for the other,
   * which never lands: so it has ended only where the node has it, or is so old that nodes know it by all of its signature. True
   * unless the node did not have it when it was asked last.
   */
  #lookFor(flight: Tracked, told: TransactionEnd): boolean {
    const { signature, caller } = flight;
    const since = told.slot - PART_KNOWN;
    flight.told = told;
    flight.look ??= this.#looks.of({
      signature,
      payer: decodeTransaction(flight.wire).decoded.accounts[0]! as Address,
      caller,
      since,
      end: (end) => this.#heed(flight, end),
      fail: (error, asked) =>
        this.#deps.log[asked === MANY_ASKED ? 'warn' : 'debug'](
          { signature, reason: error.message },
          'cannot tell how a transaction has ended',
        ),
    });
    // The slot that it was told with at first may have been too high.
    if (since < flight.look.since) flight.look.since = since;
    this.#looks.want(flight.look);
    return !flight.isMissing;
  }

  /** What a list of its payer says; `untold` where the node keeps none, and a status says it alone. */
  #heed(flight: Tracked, end: TransactionEnd | 'untold' | undefined): void {
    flight.isMissing = end === undefined;
    const { told, failedStatuses } = flight;
    if (end !== 'untold') flight.failedLists = isFailure(end) ? flight.failedLists + 1 : 0;
    const words = end === 'untold' ? Math.max(...Object.values(failedStatuses)) : flight.failedLists;
    const needed = end !== 'untold' && isFailure(told) ? FAILED_WORDS.agreed : FAILED_WORDS.alone;
    const known = end === 'untold' ? told : end;
    if (known && (!isFailure(known) || words >= needed)) this.#finish(flight, verdictOf(known));
  }

  #finish(flight: Tracked, verdict: Verdict): void {
    if (flight.look) this.#looks.forget(flight.look);
    if (this.#flights.get(flight.signature) === flight) this.#flights.delete(flight.signature);
    flight.resolve(verdict);
  }
}

const isFailure = (end: TransactionEnd | undefined): boolean => end !== undefined && end.err !== null;

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
