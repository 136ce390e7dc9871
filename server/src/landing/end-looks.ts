import type { Address } from '@slipway/wire';
import { type Chain, type Ends, endOf, endsOf, Refused, type TransactionEnd, Unanswered } from '../chain/index.js';
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
  /** How many lists of its payer in a row the node has refused. */
  refused: number;
  /** Whether the node has listed what was asked for with the last question. */
  isListed: boolean;
}

interface EndLooksDeps {
  chain: Pick<Chain, 'by'>;
  steadyNow: () => number;
  /** The most payers that a node is asked for at the same time, besides those of long lists. */
  atOnce: number;
}

/** A node's history may lag behind its statuses: it is asked again after such a time, or as it took to answer. */
const AGAIN_MS = { least: 400, longest: 30_000 };
/** A list may also lag behind: only then is the next one a long one. */
const BURIED = 2;
/** So many lists may be refused in a row before one of them is read instead. */
const REFUSED = 2;
/** Long lists, and what is read, are one in so many of what is asked for at the same time. */
const SCARCE_PART = 10;
/** Whoever has some of the room gets more only while so many times as much is left: half of it, where nobody else wants any. */
const TIMES_LEFT = 1;
const NOBODY: Guest = { id: '' };

/**
 * Asks a node how transactions have ended, for all of a payer at once: few payers at the same time, whose callers take turns. What they do
 * makes no difference to the node: for 5,000 lamports there is one that it needs ten seconds of a processor to give, but not to list.
 */
export class EndLooks {
  readonly #deps: EndLooksDeps;
  readonly #newest: Line;
  /** Of those that are behind newer ones, by long lists, which anybody can make longer still; and of those that it gives but does not list. */
  readonly #scarce: Line;
  #isStarting = false;

  constructor(deps: EndLooksDeps) {
    this.#deps = deps;
    this.#newest = new Line(deps.atOnce);
    this.#scarce = new Line(deps.atOnce / SCARCE_PART);
  }

  of(wanted: Wanted): Look {
    return { ...wanted, asked: 0, againAt: 0, state: 'idle', buried: 0, refused: 0, isListed: false };
  }

  /** Lets so many payers be asked for, and so many by long lists or by reading, until it is called again. */
  allow(count: number, scarce: number): void {
    this.#newest.allow(count);
    this.#scarce.allow(scarce);
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
    return isBuried(look) || isRead(look) ? this.#scarce : this.#newest;
  }

  #start(): void {
    for (const line of [this.#newest, this.#scarce]) line.start((looks) => this.#ask(looks));
  }

  /** All are of one payer, or it is one that is read. */
  async #ask(looks: readonly Look[]): Promise<void> {
    const { steadyNow } = this.#deps;
    const begun = steadyNow();
    for (const look of looks) {
      look.state = 'asked';
      look.asked += 1;
    }
    const told = await this.#endsOf(looks).catch((error: Error) => error);
    const now = steadyNow();
    const failure = told instanceof Error ? told : told === 'untold' ? undefined : told.failure;
    for (const look of looks) {
      look.state = 'idle';
      const end = told === 'untold' ? told : told instanceof Error ? undefined : told.ends.get(look.signature);
      // What has ended is wanted again only to hear the same once more.
      const restMs = Math.max(AGAIN_MS.least, now - begun) * (end === undefined ? 2 ** (look.asked - 1) : 1);
      look.againAt = now + Math.min(restMs, AGAIN_MS.longest);
      look.isListed = failure === undefined && !isRead(look);
      look.refused = refusals(look, told);
      if (told !== 'untold' && !(told instanceof Error)) look.buried = told.isBuried ? look.buried + 1 : 0;
      if (failure && end === undefined) look.fail(failure, look.asked);
      else look.end(end);
    }
  }

  async #endsOf(looks: readonly Look[]): Promise<Ends | 'untold'> {
    let { payer, signature, since, caller } = looks[0]!;
    const { rpc } = this.#deps.chain.by(caller);
    if (isRead(looks[0]!)) {
      const end = await endOf(rpc, signature);
      return end === 'untold' ? end : { ends: new Map(end && [[signature, end]]), isBuried: false };
    }
    for (const look of looks) if (look.since < since) since = look.since;
    return endsOf(rpc, payer, new Set(looks.map((look) => look.signature)), {
      since,
      isBuried: isBuried(looks[0]!),
      // Otherwise two lists would be asked for again and again.
      isFewFirst: looks.some(({ isListed }) => !isListed),
    });
  }
}

const isBuried = ({ buried }: Look): boolean => buried >= BURIED;
const isRead = ({ refused }: Look): boolean => refused >= REFUSED;

/** How many lists in a row the node has refused after this answer. One that lists a few and never the rest may have an archive that hangs. */
function refusals(look: Look, told: Ends | 'untold' | Error): number {
  // After it was read, a list is asked for again.
  if (isRead(look)) return REFUSED - 1;
  if (told instanceof Refused) return look.refused + 1;
  if (told instanceof Error) return look.refused;
  const isCutShort = told !== 'untold' && (told.failure instanceof Refused || told.failure instanceof Unanswered);
  return isCutShort ? REFUSED : 0;
}

/** Looks that wait, by caller and by what is asked for at once. */
class Line {
  /** The caller whose turn was the longest ago comes first, and so does the payer. */
  readonly #waiting = new Map<string, Map<string, Set<Look>>>();
  readonly #room: FairRoom;
  /** The payers that may still be asked for with this poll. */
  #turns = new FairRoom(0, TIMES_LEFT);

  constructor(atOnce: number) {
    this.#room = new FairRoom(atOnce, TIMES_LEFT);
  }

  allow(count: number): void {
    this.#turns = new FairRoom(count, TIMES_LEFT);
  }

  add(look: Look): void {
    const { id } = look.caller ?? NOBODY;
    const own = this.#waiting.get(id) ?? new Map<string, Set<Look>>();
    const key = keyOf(look);
    this.#waiting.set(id, own.set(key, (own.get(key) ?? new Set<Look>()).add(look)));
  }

  delete(look: Look): void {
    const { id } = look.caller ?? NOBODY;
    const own = this.#waiting.get(id);
    const key = keyOf(look);
    const looks = own?.get(key);
    if (!looks?.delete(look) || looks.size > 0) return;
    own!.delete(key);
    if (own!.size === 0) this.#waiting.delete(id);
  }

  /** Asks for what there is a turn and room for, and goes on as it ends. */
  start(ask: (looks: Look[]) => Promise<void>): void {
    let callers = [...this.#waiting.keys()];
    while (callers.length > 0) callers = callers.filter((id) => this.#startOne(id, ask));
  }

  /** What this caller has waited for the longest; false if nothing, or there is no room. */
  #startOne(id: string, ask: (looks: Look[]) => Promise<void>): boolean {
    const own = this.#waiting.get(id);
    if (!own) return false;
    const [key, waiting] = own.entries().next().value!;
    const looks = [...waiting];
    const caller = looks[0]!.caller ?? NOBODY;
    const leave = enter(this.#room, caller);
    if (!leave) return false;
    // A turn is gone until the next poll.
    if (!enter(this.#turns, caller)) {
      leave();
      return false;
    }
    own.delete(key);
    // The others go first now.
    this.#waiting.delete(id);
    if (own.size > 0) this.#waiting.set(id, own);
    ask(looks).finally(() => {
      leave();
      this.start(ask);
    });
    return true;
  }
}

const keyOf = (look: Look): string => (isRead(look) ? look.signature : look.payer);

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
