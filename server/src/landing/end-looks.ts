import type { Address } from '@slipway/wire';
import { endsOf, type Rpc, type TransactionEnd } from '../chain/index.js';
import { FairRoom } from '../lib/fair-room.js';
import type { Guest } from '../lib/places.js';

type Answer = TransactionEnd | 'untold' | undefined;

interface Wanted {
  signature: string;
  /** Who pays its fee: it is among the transactions that a node lists of him. */
  payer: Address;
  /** Who has it followed; undefined for what is of nobody. */
  caller: Guest | undefined;
  /** A slot before which it has not landed. */
  since: bigint;
  /** Called with what the node says. */
  end(answer: Answer): void;
  /** Called where it says nothing, for the time after `asked` questions. */
  fail(error: Error, asked: number): void;
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
  /** The most payers that a node is asked for at the same time. */
  atOnce: number;
}

/** A node's history may lag behind its statuses: it is asked again after such a time, or as it took to answer. */
const AGAIN_MS = { least: 400, longest: 30_000 };
/** Whoever has some of the room gets more only while so many times as much is left: half of it, where nobody else wants any. */
const TIMES_LEFT = 1;
const NOBODY: Guest = { id: '' };

/**
 * Asks a node how transactions have ended, for all of a payer at once: few payers at the same time, whose callers take turns. What they do
 * makes no difference to the node: for 5,000 lamports there is one that it needs ten seconds of a processor to give, but not to list.
 */
export class EndLooks {
  readonly #deps: EndLooksDeps;
  readonly #room: FairRoom;
  /** By caller and payer; the caller whose turn was the longest ago comes first, and so does the payer. */
  readonly #waiting = new Map<string, Map<Address, Set<Look>>>();
  /** The payers that may still be asked for with this poll. */
  #turns = new FairRoom(0, TIMES_LEFT);
  #isStarting = false;

  constructor(deps: EndLooksDeps) {
    this.#deps = deps;
    this.#room = new FairRoom(deps.atOnce, TIMES_LEFT);
  }

  of(wanted: Wanted): Look {
    return { ...wanted, asked: 0, againAt: 0, state: 'idle' };
  }

  /** Lets so many be asked for, until it is called again. */
  allow(count: number): void {
    this.#turns = new FairRoom(count, TIMES_LEFT);
    this.#start();
  }

  /** Asks for it in its turn, if it is time, with all that are wanted in the same moment. */
  want(look: Look): void {
    if (look.state !== 'idle' || this.#deps.steadyNow() < look.againAt) return;
    look.state = 'waiting';
    const { id } = look.caller ?? NOBODY;
    const payers = this.#waiting.get(id) ?? new Map<Address, Set<Look>>();
    this.#waiting.set(id, payers.set(look.payer, (payers.get(look.payer) ?? new Set<Look>()).add(look)));
    if (this.#isStarting) return;
    this.#isStarting = true;
    queueMicrotask(() => {
      this.#isStarting = false;
      this.#start();
    });
  }

  /** It has ended, or nobody wants to know. */
  forget(look: Look): void {
    const { id } = look.caller ?? NOBODY;
    const payers = this.#waiting.get(id);
    const looks = payers?.get(look.payer);
    if (!looks?.delete(look) || looks.size > 0) return;
    payers!.delete(look.payer);
    if (payers!.size === 0) this.#waiting.delete(id);
  }

  #start(): void {
    let callers = [...this.#waiting.keys()];
    while (callers.length > 0) callers = callers.filter((id) => this.#startOne(id));
  }

  /** Asks for the payer of this caller who has waited the longest; false if nobody waits, or there is no room. */
  #startOne(id: string): boolean {
    const payers = this.#waiting.get(id);
    if (!payers) return false;
    const [payer, looks] = payers.entries().next().value!;
    const leave = this.#enter([...looks][0]!.caller ?? NOBODY);
    if (!leave) return false;
    payers.delete(payer);
    // The others go first now.
    this.#waiting.delete(id);
    if (payers.size > 0) this.#waiting.set(id, payers);
    this.#ask(payer, [...looks]).finally(() => {
      leave();
      this.#start();
    });
    return true;
  }

  /** Undefined where there is no room for it now; the function gives back what is not gone with the poll. */
  #enter(caller: Guest): (() => void) | undefined {
    const leave = enter(this.#room, caller);
    if (leave && enter(this.#turns, caller)) return leave;
    leave?.();
    return undefined;
  }

  async #ask(payer: Address, looks: readonly Look[]): Promise<void> {
    const { rpc, steadyNow } = this.#deps;
    const begun = steadyNow();
    for (const look of looks) {
      look.state = 'asked';
      look.asked += 1;
    }
    const since = looks.reduce((least, look) => (look.since < least ? look.since : least), looks[0]!.since);
    const signatures = new Set(looks.map(({ signature }) => signature));
    const ends = await endsOf(rpc, payer, signatures, since).catch((error: Error) => error);
    const now = steadyNow();
    for (const look of looks) {
      look.state = 'idle';
      const restMs = Math.max(AGAIN_MS.least, now - begun) * 2 ** (look.asked - 1);
      look.againAt = now + Math.min(restMs, AGAIN_MS.longest);
      if (ends instanceof Error) look.fail(ends, look.asked);
      else look.end(ends === 'untold' ? ends : ends.get(look.signature));
    }
  }
}

function enter(room: FairRoom, caller: Guest): (() => void) | undefined {
  const leave = room.take(1);
  if (leave === 'all') return undefined;
  const forget = room.countFor(caller, 1);
  if (forget === 'guest') {
    leave();
    return undefined;
  }
  return () => {
    leave();
    forget();
  };
}
