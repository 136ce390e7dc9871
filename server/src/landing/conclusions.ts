import type { Logger } from 'pino';
import { type Chain, Unanswered } from '../chain/index.js';
import { FewAtATime } from '../lib/few-at-a-time.js';
import type { Guest } from '../lib/places.js';
import { GIVEN_UP, rfqError } from './explain.js';
import { historySince, isForgotten } from './history-since.js';
import { type Deaths, deadAt, type Lifetime } from './lifetime.js';
import type { ToldEnd } from './told-end.js';

/** What is under way, and may be able to land no more. */
export interface Dying {
  signature: string;
  lifetime: Lifetime;
  deaths: Deaths;
  /** Steady milliseconds after which it is followed no more, though it may yet land (durable nonces never expire). */
  giveUpAt?: number;
  /** When it was sent, in Unix milliseconds, and whether that is so long ago that a node may know nothing of it. */
  sent?: { at: number; isOld(): boolean };
  told: Pick<ToldEnd, 'hear'>;
  /** What the keepers send waits for nothing that clients have posted. */
  goesFirst: boolean;
  expire(error: unknown): void;
  /** The node cannot know whether it has landed. */
  rest(): void;
}

interface Ended {
  flight: Dying;
  /** The slot at which it was dead; undefined where it is only given up. */
  death: bigint | undefined;
}

interface Line {
  name: string;
  goesFirst: boolean;
  atOnce: number;
}

/** The most signatures that getSignatureStatuses takes. */
export const MAX_STATUSES = 256;
/** Questions for what a node has kept of all history: it may look up one signature after the other, and take seconds for many. */
const LOOKED_UP_AT_ONCE = 4;
/** So many times fewer are asked for at once, after an answer that did not come. */
const FEWER = 4;
/** So many times as many, after one that did. */
const MORE = 1.25;

/** What the keepers send waits for nothing that clients have posted: of what a node gives of a method, each has every other call. */
const KEEPERS: Guest = { id: 'keepers' };

/** Finds out what can land no more, and ends it. */
export class Conclusions {
  readonly #deps: { chain: Chain; log: Logger; steadyNow: () => number };
  readonly #underWay = new Set<Dying>();
  readonly #lookups = new FewAtATime(LOOKED_UP_AT_ONCE);
  /** What goes first, and the rest; how many signatures of each are asked for at once. */
  readonly #lines = [true, false].map((goesFirst) => ({ name: `${goesFirst}`, goesFirst, atOnce: MAX_STATUSES }));

  constructor(deps: { chain: Chain; log: Logger; steadyNow: () => number }) {
    this.#deps = deps;
  }

  /** Resolves when each has ended, may land yet, or cannot be told now; those of an earlier call that goes on are left out. */
  async reach(flights: readonly Dying[]): Promise<void> {
    const due = flights.filter((flight) => !this.#underWay.has(flight));
    for (const flight of due) this.#underWay.add(flight);
    const ended = await this.#endedOf(due);
    const looked = new Set(ended.map(({ flight }) => flight));
    // What may be dead is asked about again meanwhile.
    for (const flight of due) if (!looked.has(flight)) this.#underWay.delete(flight);
    const ofLine = ({ goesFirst }: Line) => ended.filter(({ flight }) => flight.goesFirst === goesFirst);
    await Promise.all(this.#lines.map((line) => this.#lookUpAll(line, ofLine(line))));
  }

  /** Checks for death before status: in the other order, it could land between the two reads. */
  async #endedOf(due: readonly Dying[]): Promise<Ended[]> {
    const deaths = await Promise.all(due.map((flight) => this.#deathOf(flight)));
    const now = this.#deps.steadyNow();
    return due
      .map((flight, index) => ({ flight, death: deaths[index] }))
      .filter(({ flight, death }) => death !== undefined || now >= (flight.giveUpAt ?? Number.POSITIVE_INFINITY));
  }

  /** Those of one line, a few pieces at a time. Never rejects. */
  async #lookUpAll(line: Line, ended: readonly Ended[]): Promise<void> {
    const pieces: Ended[][] = [];
    for (let from = 0; from < ended.length; from += line.atOnce) pieces.push(ended.slice(from, from + line.atOnce));
    await Promise.all(pieces.map((piece) => this.#lookups.run(line.name, () => this.#lookUp(line, piece))));
  }

  async #lookUp(line: Line, ended: readonly Ended[]): Promise<void> {
    try {
      await this.#tell(line, ended);
      line.atOnce = Math.min(MAX_STATUSES, Math.max(line.atOnce, Math.ceil(ended.length * MORE)));
    } catch (error) {
      if (error instanceof Unanswered) line.atOnce = Math.min(line.atOnce, Math.ceil(ended.length / FEWER));
      const { message: reason } = error as Error;
      this.#deps.log.warn({ reason, ended: ended.length }, 'cannot tell how transactions have ended; will ask again');
    } finally {
      // What has not ended is looked up again though others of its call still wait.
      for (const { flight } of ended) this.#underWay.delete(flight);
    }
  }

  async #tell(line: Line, ended: readonly Ended[]): Promise<void> {
    const chain = this.#chainOf(line);
    const signatures = ended.map(({ flight }) => flight.signature);
    const { slot, found } = await chain.statuses(signatures, { history: true });
    const asks = ended.some(({ flight }, index) => flight.sent?.isOld() && !found[index]);
    const since = asks ? await historySince(chain.rpc).catch(() => Number.POSITIVE_INFINITY) : undefined;
    for (const [index, { flight, death }] of ended.entries()) {
      // Whose status that is shows by itself, once the node knows no more of that time by parts of signatures.
      if (flight.told.hear(found[index], slot, 'history') || found[index]?.confirmed) continue;
      // A node that lags behind the one that reported the death may not have seen it land yet.
      if (death === undefined) flight.expire(rfqError(GIVEN_UP));
      // It is in a block that will be confirmed, or be gone: by a nonce, it is dead because it has landed.
      else if (found[index]) continue;
      else if (flight.sent?.isOld() && isForgotten(flight.sent.at, since)) flight.rest();
      else if (slot >= death) flight.expire(null);
    }
  }

  #chainOf({ goesFirst }: Pick<Line, 'goesFirst'>): Chain {
    return goesFirst ? this.#deps.chain.by(KEEPERS) : this.#deps.chain;
  }

  /** A failed read counts as alive until the next poll, so that it does not hold up the others. */
  #deathOf({ lifetime, deaths, signature, goesFirst }: Dying): Promise<bigint | undefined> {
    const { log } = this.#deps;
    return deadAt(lifetime, this.#chainOf({ goesFirst }), deaths).catch((error: Error) => {
      log.debug({ signature, reason: error.message }, 'cannot tell whether a transaction can still land');
      return undefined;
    });
  }
}
