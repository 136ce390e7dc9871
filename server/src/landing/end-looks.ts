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
/** Those whose looks take so long in the mean share a part of the room, where the node is not slow with all: see `#slowMs`. */
const SLOW_MS = { least: 1_500, most: 3_000 };
/** A mean is that of some so many looks, the first ones of which took nothing. */
const LOOKS = { first: 8, most: 16 };
/** Of whoever has not asked for so long, nothing is known. */
const RECENT_MS = 5 * 60_000;
const SLOW_PART = 4;
const NOBODY: Guest = { id: '' };

/**
 * Asks a node how transactions have ended: few at the same time, whose callers take turns. For 5,000 lamports there is one for which a node
 * takes ten seconds of a processor, and that is no answer in time: whoever has many of these among others keeps only those waiting who have, too.
 */
export class EndLooks {
  readonly #deps: EndLooksDeps;
  readonly #room: FairRoom;
  readonly #slowRoom: FairRoom;
  /** By caller: of those that are not slow, the one whose turn was the longest ago comes first. */
  readonly #waiting = new Map<string, Set<Look>>();
  /** By caller: how long his looks take in the mean, and when the last one ended; the newest last. */
  readonly #means = new Map<string, { ms: number; looks: number; at: number }>();
  #slowMs = SLOW_MS.least;
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
    this.#slowMs = this.#findSlowMs();
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
      const inOrder = [...this.#waiting].sort(([a], [b]) => this.#slownessOf(a) - this.#slownessOf(b));
      for (const [id, own] of inOrder) if (this.#left > 0) this.#startOne(id, own);
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
    const isSlow = this.#slownessOf(caller.id) > 0;
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
        this.#note(look.caller ?? NOBODY, took);
        this.#start();
      });
  }

  /** 0 for who is not slow. Of the others, who is so only because the node was busy with theirs goes first, until he is not. */
  #slownessOf(id: string): number {
    const ms = this.#means.get(id)?.ms ?? 0;
    return ms > this.#slowMs ? ms : 0;
  }

  #note({ id }: Guest, tookMs: number): void {
    const { ms, looks } = this.#means.get(id) ?? { ms: 0, looks: LOOKS.first };
    const all = Math.min(looks + 1, LOOKS.most);
    this.#means.delete(id);
    this.#means.set(id, { ms: ms + (tookMs - ms) / all, looks: all, at: this.#deps.steadyNow() });
  }

  /** Twice what whoever is answered the soonest waits for: a node that is slow with all is so with nobody's in particular. */
  #findSlowMs(): number {
    const now = this.#deps.steadyNow();
    let soonest = Number.POSITIVE_INFINITY;
    for (const [id, { ms, looks, at }] of this.#means) {
      if (now - at > RECENT_MS) this.#means.delete(id);
      else if (looks >= 2 * LOOKS.first) soonest = Math.min(soonest, ms);
    }
    return soonest === Number.POSITIVE_INFINITY
      ? SLOW_MS.least
      : Math.min(Math.max(2 * soonest, SLOW_MS.least), SLOW_MS.most);
  }
}
