import { LRUCache } from 'lru-cache';
import { backOffMs } from '../../lib/back-offs.js';

/** Webhooks that are sent to at the same time. */
export const MOST_AT_ONCE = 100;
/** Of what one key has added: a key can log in any number of wallets. */
export const MOST_OF_KEY = MOST_AT_ONCE / 2;
/** Events at the same time to one webhook that is behind. */
const MOST_TOGETHER = 8;
/** How long a receiver that has refused some of a group has half as many: twice as long each time, until it takes as many. */
const FEWER = { firstMs: 5_000, longestMs: 10 * 60_000 };
const MOST_KEPT = 10_000;

/**
 * What is sent at the same time: one event to each webhook whose turn it is, and as many further ones in all, to those that are
 * behind. Of these each key has its part, so that slow receivers of a few keys keep nobody else behind, and no turn waits for them.
 */
export class SendsAtOnce {
  readonly #turns = new Map<string, number>();
  readonly #further = new Map<string, number>();
  /** By webhook: how many were too many, how often, and until when, in steady milliseconds, which is known once it takes any again. */
  readonly #refused = new LRUCache<string, { size: number; times: number; until?: number }>({ max: MOST_KEPT });
  readonly #steadyNow: () => number;

  constructor(steadyNow: () => number) {
    this.#steadyNow = steadyNow;
  }

  /** The turns under way, by key. */
  get turns(): ReadonlyMap<string, number> {
    return this.#turns;
  }

  countTurn(key: string, change: 1 | -1): void {
    add(this.#turns, key, change);
  }

  /** Takes up to so many further ones in a turn of a key, and returns how many. */
  takeFurther(key: string, wanted: number): number {
    const part = Math.min(MOST_OF_KEY, Math.floor(MOST_AT_ONCE / this.#turns.size)) - (this.#further.get(key) ?? 0);
    const all = [...this.#further.values()].reduce((sum, count) => sum + count, 0);
    const taken = Math.max(0, Math.min(wanted, part, MOST_AT_ONCE - all));
    add(this.#further, key, taken);
    return taken;
  }

  /** The most events for a webhook at the same time. */
  mostFor(webhook: string): number {
    const refused = this.#refused.get(webhook);
    if (!refused) return MOST_TOGETHER;
    const { size, until = Number.POSITIVE_INFINITY } = refused;
    return this.#steadyNow() < until ? Math.max(1, Math.floor(size / 2)) : size;
  }

  /** The receiver has taken so many at the same time. */
  took(webhook: string, count: number): void {
    const refused = this.#refused.get(webhook);
    if (!refused) return;
    if (count >= refused.size) this.#refused.delete(webhook);
    else refused.until ??= this.#steadyNow() + backOffMs(refused.times, FEWER);
  }

  /** The receiver has refused some of a group of so many, or all: it may take a few at a time, or so many in a second. */
  refused(webhook: string, size: number): void {
    const before = this.#refused.get(webhook);
    const times = before && size >= before.size ? before.times + 1 : 1;
    this.#refused.set(webhook, { size, times });
  }

  giveBack(key: string, count: number): void {
    add(this.#further, key, -count);
  }
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const now = (counts.get(key) ?? 0) + change;
  if (now > 0) counts.set(key, now);
  else counts.delete(key);
}

/** Where a receiver takes one after the other, twice as many as it has answered by then do not take as long as it may. */
const SOON_MS = 2_000;

/**
 * Sends groups of events in a turn of a webhook: `send` sends so many, `most` of them or fewer. One at first, and twice as many after
 * each group that is answered soon.
 */
export function createGroups(
  sends: SendsAtOnce,
  steadyNow: () => number,
  { id, addedBy }: { id: string; addedBy: string },
): <T>(most: number, send: (count: number) => Promise<T>) => Promise<T> {
  let size = 1;
  return async (most, send) => {
    const wanted = Math.min(most, size, sends.mostFor(id));
    const further = sends.takeFurther(addedBy, wanted - 1);
    const began = steadyNow();
    try {
      return await send(1 + further);
    } finally {
      sends.giveBack(addedBy, further);
      if (steadyNow() - began >= SOON_MS) size = Math.max(1, size / 2);
      else if (1 + further >= size) size = Math.min(MOST_TOGETHER, 2 * size);
    }
  };
}
