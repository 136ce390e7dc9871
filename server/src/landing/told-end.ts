import { type Address, decodeTransaction } from '@slipway/wire';
import type { Logger } from 'pino';
import type { SignatureStatus, TransactionEnd } from '../chain/index.js';
import type { Guest } from '../lib/places.js';
import type { EndLooks, Look } from './end-looks.js';

/** Slots. For 300 of them nodes know what has landed by a part of its signature; what is older, by the whole. */
const PART_KNOWN = 500n;
/** What has been followed for less, and by nobody before, has not landed so many slots ago, whatever a status says. */
const PART_KNOWN_MS = 200_000;
/**
 * So many statuses in a row must say that it has failed, and as many lists of its payer; or more, where these or those say it alone: one
 * of several nodes may be wrong, or a status be that of another one with the same nonce, which has landed.
 */
const FAILED_WORDS = { agreed: 2, alone: 4 };
/** From so many unanswered questions on, the log says so. */
const MANY_ASKED = 3;

/** Where a node looks a status up: what is older it tells only when it is asked to look further, which is asked seldom. */
type Memory = 'recent' | 'history';

interface Followed {
  signature: string;
  wire: Uint8Array;
  caller?: Guest | undefined;
  isOurs?: boolean;
  takenOver?: boolean;
}

interface ToldEndDeps {
  looks: EndLooks;
  steadyNow: () => number;
  log: Logger;
  /** Called once it is known how it has ended. */
  end(end: TransactionEnd): void;
}

/** What nodes have told of how one transaction has ended, until that is enough. */
export class ToldEnd {
  readonly #deps: ToldEndDeps;
  readonly #flight: Followed;
  readonly #begun: number;
  /** How many statuses in a row have said that it has failed, of late, and of all that nodes have kept. */
  readonly #failedStatuses: Record<Memory, number> = { recent: 0, history: 0 };
  /** How many lists in a row have said so. */
  #failedLists = 0;
  /** What the node says of it now by its status. */
  #status: TransactionEnd | undefined;
  /** Whether the node did not have it, whose status it told. */
  #isMissing = false;
  #look: Look | undefined;

  constructor(flight: Followed, deps: ToldEndDeps) {
    this.#flight = flight;
    this.#deps = deps;
    this.#begun = deps.steadyNow();
  }

  /**
   * True when the status settles the flight, or would if the node says it again: one that has failed can be posted anew,
   * so that must be said again, because it may still be undone, or not be so. `now` is the node's slot.
   */
  hear(status: SignatureStatus | undefined, now: bigint, memory: Memory): boolean {
    const said = this.#failedStatuses;
    const isFailed = status?.confirmed === true && status.err !== null;
    said[memory] = isFailed ? said[memory] + 1 : 0;
    this.#status = undefined;
    if (!status?.confirmed) return false;
    const { slot, err } = status;
    const isAlone = this.#flight.isOurs || this.#isKnownWhole(slot, now);
    if (isFailed && said[memory] < (isAlone ? FAILED_WORDS.alone : FAILED_WORDS.agreed)) return true;
    if (!isAlone) return this.#lookFor({ slot, err });
    this.#deps.end({ slot, err });
    return true;
  }

  /** It has ended, or nobody wants to know. */
  forget(): void {
    if (this.#look) this.#deps.looks.forget(this.#look);
  }

  /** Whether a status of this slot is of this very transaction. */
  #isKnownWhole(slot: bigint, now: bigint): boolean {
    const isOld = this.#flight.takenOver || this.#deps.steadyNow() - this.#begun >= PART_KNOWN_MS;
    return isOld && now - slot >= PART_KNOWN;
  }

  /**
   * Whoever signs two transactions with one nonce has their signatures begin alike, and nodes tell the status of one for the other,
   * which never lands: so it has ended only where the node has it, or is so old that nodes know it by all of its signature. True
   * unless the node did not have it when it was asked last.
   */
  #lookFor(status: TransactionEnd): boolean {
    const { signature, wire, caller } = this.#flight;
    const { looks, log } = this.#deps;
    const since = status.slot - PART_KNOWN;
    this.#status = status;
    this.#look ??= looks.of({
      signature,
      payer: decodeTransaction(wire).decoded.accounts[0]! as Address,
      caller,
      since,
      end: (end) => this.#heed(end),
      fail: (error, asked) =>
        log[asked === MANY_ASKED ? 'warn' : 'debug'](
          { signature, reason: error.message },
          'cannot tell how a transaction has ended',
        ),
    });
    // The slot that it was told with at first may have been too high.
    if (since < this.#look.since) this.#look.since = since;
    looks.want(this.#look);
    return !this.#isMissing;
  }

  /** What a list of its payer says; `untold` where the node keeps none, and a status says it alone. */
  #heed(listed: TransactionEnd | 'untold' | undefined): void {
    this.#isMissing = listed === undefined;
    const isUntold = listed === 'untold';
    if (!isUntold) this.#failedLists = isFailure(listed) ? this.#failedLists + 1 : 0;
    const words = isUntold ? Math.max(...Object.values(this.#failedStatuses)) : this.#failedLists;
    const needed = !isUntold && isFailure(this.#status) ? FAILED_WORDS.agreed : FAILED_WORDS.alone;
    const end = isUntold ? this.#status : listed;
    if (end && (!isFailure(end) || words >= needed)) this.#deps.end(end);
  }
}

const isFailure = (end: TransactionEnd | undefined): boolean => end !== undefined && end.err !== null;
