import { endOf, type Rpc, type TransactionEnd } from '../chain/index.js';
import { FairRoom } from '../lib/fair-room.js';
import type { Guest } from '../lib/places.js';

type Answer = TransactionEnd | 'untold' | undefined;

interface Wanted {
  signature: string;
  /** Who has it followed; undefined for what is of nobody. */
  caller: Guest | undefined;
  /** Called with what the node says. */
  end: (answer: Answer) => void;
  /** Called where it says nothing, for the time after `asked` questions. */
  fail: (error: Error, asked: number) => void;
}

/** What a node is asked for as often as it takes. */
export interface Look extends Wanted {
  asked: number;
  /** Steady milliseconds. */
  againAt: number;
  state: 'idle' | 'waiting' | 'asked';
}

interface EndLooksDeps {
  rpc: Rpc;
  steadyNow: () => number;
  /** The most that a node is asked for at the same time. */
  atOnce: number;
}

/** A node's history may lag behind its statuses: it is asked again after such a time, or as it took to answer. */
const AGAIN_MS = { least: 400, longest: 30_000 };
/** Whoever has some of the room gets more only while so many times as much is left: half of it, where nobody else wants any. */
const TIMES_LEFT = 1;
/** Of those that are slow, one of each. */
const SLOW_TIMES_LEFT = 3;
/** Longer than a call waits for its turn. */
const SLOW_MS = 6_000;
/** For so long whoever had a slow one shares a part of the room with all who had, or until he has one that is quick. */
const SLOW_FOR_MS = 5 * 60_000;
const QUICK_MS = 2_000;
const SLOW_PART = 4;
const NOBODY: Guest = { id: '' };

/**
 * Asks a node how transactions have ended: few at the same time, whose callers take turns. For 5,000 lamports there is one for which a node
 * takes ten seconds of a processor, and that is no answer in time: whoever had one of these keeps only those waiting who had one, too.
 * A node that was slow for a moment with all of them has given a quick answer to each soon after.
 */
export class EndLooks {
  readonly #deps: EndLooksDeps;
  readonly #room: FairRoom;
  readonly #slowRoom: FairRoom;
  /** By caller: the one whose turn was the longest ago comes first. */
  readonly #waiting = new Map<string, Set<Look>>();
  /** Until when a caller counts as slow, the soonest first. */
  readonly #slowUntil = new Map<string, number>();
  /** How many may still be asked for with this poll. */
  #left = 0;

  constructor(deps: EndLooksDeps) {
    this.#deps = deps;
    this.#room = new FairRoom(deps.atOnce, TIMES_LEFT);
    this.#slowRoom = new FairRoom(Math.ceil(deps.atOnce / SLOW_PART), SLOW_TIMES_LEFT);
  }

  of(wanted: Wanted): Look {
    return { ...wanted, asked: 0, againAt: 0, state: 'idle' };
  }

  /** Lets so many be asked for, until it is called again. */
  allow(count: number): void {
    this.#left = count;
    this.#start();
  }

  /** Asks for it in its turn, if it is time. */
  want(look: Look): void {
    if (look.state !== 'idle' || this.#deps.steadyNow() < look.againAt) return;
    look.state = 'waiting';
    const { id } = look.caller ?? NOBODY;
    this.#waiting.set(id, (this.#waiting.get(id) ?? new Set()).add(look));
    this.#start();
  }

  /** It has ended, or nobody wants to know. */
  forget(look: Look): void {
    const { id } = look.caller ?? NOBODY;
    const own = this.#waiting.get(id);
    if (own?.delete(look) && own.size === 0) this.#waiting.delete(id);
  }

  #start(): void {
    while (this.#left > 0) {
      const before = this.#left;
      for (const [id, own] of [...this.#waiting]) if (this.#left > 0) this.#startOne(id, own);
      if (this.#left === before) return;
    }
  }

  #startOne(id: string, own: Set<Look>): void {
    const look: Look = own.values().next().value!;
    const leave = this.#enter(look.caller ?? NOBODY);
    if (!leave) return;
    this.forget(look);
    if (this.#waiting.delete(id)) this.#waiting.set(id, own);
    this.#left -= 1;
    this.#ask(look, leave);
  }

  /** Undefined where there is no room for it now; the function gives it back. */
  #enter(caller: Guest): (() => void) | undefined {
    const isSlow = (this.#slowUntil.get(caller.id) ?? 0) > this.#deps.steadyNow();
    const left: (() => void)[] = [];
    for (const room of isSlow ? [this.#room, this.#slowRoom] : [this.#room]) {
      const whole = room.take(1);
      if (whole !== 'all') left.push(whole);
      const own = whole === 'all' ? whole : room.countFor(caller, 1);
      if (typeof own === 'function') left.push(own);
      else {
        for (const leave of left) leave();
        return undefined;
      }
    }
    return () => {
      for (const leave of left) leave();
    };
  }

  #ask(look: Look, leave: () => void): void {
    const { rpc, steadyNow } = this.#deps;
    const begun = steadyNow();
    look.state = 'asked';
    look.asked += 1;
    endOf(rpc, look.signature)
      .then(look.end, (error: Error) => look.fail(error, look.asked))
      .finally(() => {
        const took = steadyNow() - begun;
        look.state = 'idle';
        const restMs = Math.max(AGAIN_MS.least, took) * 2 ** (look.asked - 1);
        look.againAt = steadyNow() + Math.min(restMs, AGAIN_MS.longest);
        leave();
        if (took >= SLOW_MS) this.#markSlow(look.caller ?? NOBODY);
        if (took < QUICK_MS) this.#slowUntil.delete((look.caller ?? NOBODY).id);
        this.#start();
      });
  }

  #markSlow({ id }: Guest): void {
    const now = this.#deps.steadyNow();
    this.#slowUntil.delete(id);
    this.#slowUntil.set(id, now + SLOW_FOR_MS);
    for (const [each, until] of this.#slowUntil) {
      if (until > now) return;
      this.#slowUntil.delete(each);
    }
  }
}
