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
  /** How many lists in a row it may have stood behind newer ones of its payer in. */
  buried: number;
}

interface EndLooksDeps {
  rpc: Rpc;
  steadyNow: () => number;
  /** The most payers that a node is asked for at the same time. */
  atOnce: number;
}

/** A node's history may lag behind its statuses: it is asked again after such a time, or as it took to answer. */
const AGAIN_MS = { least: 400, longest: 30_000 };
/** A list may also lag behind: only then is the next one a long one. */
const BURIED = 2;
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
  readonly #newest = new Line();
  /** Of those that are behind newer ones: long lists, which anybody can make longer still. */
  readonly #buried = new Line();
  #isStarting = false;

  constructor(deps: EndLooksDeps) {
    this.#deps = deps;
    this.#room = new FairRoom(deps.atOnce, TIMES_LEFT);
  }

  of(wanted: Wanted): Look {
    return { ...wanted, asked: 0, againAt: 0, state: 'idle', buried: 0 };
  }

  /** Lets so many payers be asked for, and so many by long lists, until it is called again. */
  allow(count: number, long: number): void {
    this.#newest.allow(count);
    this.#buried.allow(long);
    this.#start();
  }

  /** Asks for it in its turn, if it is time, with all that are wanted in the same moment. */
  want(look: Look): void {
    if (look.state !== 'idle' || this.#deps.steadyNow() < look.againAt) return;
    look.state = 'waiting';
    this.#lineOf(look).add(look);
    if (this.#isStarting) return;
    this.#isStarting = true;
    queueMicrotask(() => {
      this.#isStarting = false;
      this.#start();
    });
  }

  /** It has ended, or nobody wants to know. */
  forget(look: Look): void {
    this.#lineOf(look).delete(look);
  }

  #lineOf(look: Look): Line {
    return isBuried(look) ? this.#buried : this.#newest;
  }

  #start(): void {
    for (const line of [this.#newest, this.#buried])
      line.start(
        (caller) => enter(this.#room, caller),
        (looks, leave) => {
          this.#ask(looks).finally(() => {
            leave();
            this.#start();
          });
        },
      );
  }

  /** All are of one payer. */
  async #ask(looks: readonly Look[]): Promise<void> {
    const { rpc, steadyNow } = this.#deps;
    const begun = steadyNow();
    let { payer, since } = looks[0]!;
    for (const look of looks) {
      look.state = 'asked';
      look.asked += 1;
      if (look.since < since) since = look.since;
    }
    const signatures = new Set(looks.map(({ signature }) => signature));
    const told = await endsOf(rpc, payer, signatures, { since, isBuried: isBuried(looks[0]!) }).catch(
      (error: Error) => error,
    );
    const now = steadyNow();
    for (const look of looks) {
      look.state = 'idle';
      const restMs = Math.max(AGAIN_MS.least, now - begun) * 2 ** (look.asked - 1);
      look.againAt = now + Math.min(restMs, AGAIN_MS.longest);
      if (told instanceof Error) look.fail(told, look.asked);
      else if (told === 'untold') look.end(told);
      else {
        look.buried = told.isBuried ? look.buried + 1 : 0;
        look.end(told.ends.get(look.signature));
      }
    }
  }
}

const isBuried = ({ buried }: Look): boolean => buried >= BURIED;

/** Looks that wait, by caller and payer. */
class Line {
  /** The caller whose turn was the longest ago comes first, and so does the payer. */
  readonly #waiting = new Map<string, Map<Address, Set<Look>>>();
  /** The payers that may still be asked for with this poll. */
  #turns = new FairRoom(0, TIMES_LEFT);

  allow(count: number): void {
    this.#turns = new FairRoom(count, TIMES_LEFT);
  }

  add(look: Look): void {
    const { id } = look.caller ?? NOBODY;
    const payers = this.#waiting.get(id) ?? new Map<Address, Set<Look>>();
    this.#waiting.set(id, payers.set(look.payer, (payers.get(look.payer) ?? new Set<Look>()).add(look)));
  }

  delete(look: Look): void {
    const { id } = look.caller ?? NOBODY;
    const payers = this.#waiting.get(id);
    const looks = payers?.get(look.payer);
    if (!looks?.delete(look) || looks.size > 0) return;
    payers!.delete(look.payer);
    if (payers!.size === 0) this.#waiting.delete(id);
  }

  /** Begins what there is a turn and room for. */
  start(enterRoom: (caller: Guest) => Leave | undefined, begin: (looks: Look[], leave: Leave) => void): void {
    let callers = [...this.#waiting.keys()];
    while (callers.length > 0) callers = callers.filter((id) => this.#startOne(id, enterRoom, begin));
  }

  /** That of the payer of this caller who has waited the longest; false if nobody waits, or there is no room. */
  #startOne(
    id: string,
    enterRoom: (caller: Guest) => Leave | undefined,
    begin: (looks: Look[], leave: Leave) => void,
  ): boolean {
    const payers = this.#waiting.get(id);
    if (!payers) return false;
    const [payer, waiting] = payers.entries().next().value!;
    const looks = [...waiting];
    const caller = looks[0]!.caller ?? NOBODY;
    const leave = enterRoom(caller);
    if (!leave) return false;
    // A turn is gone until the next poll.
    if (!enter(this.#turns, caller)) {
      leave();
      return false;
    }
    payers.delete(payer);
    // The others go first now.
    this.#waiting.delete(id);
    if (payers.size > 0) this.#waiting.set(id, payers);
    begin(looks, leave);
    return true;
  }
}

type Leave = () => void;

function enter(room: FairRoom, caller: Guest): Leave | undefined {
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
