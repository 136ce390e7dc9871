import { setTimeout as wait } from 'node:timers/promises';
import type { Address } from '@slipway/wire';
import type { Logger } from 'pino';
import { type Clock, MAX_AHEAD_MS } from '../lib/clock.js';
import { readBody } from '../lib/read-body.js';
import { type Published, readUpdates } from './hermes-answer.js';
import { createListeners } from './listeners.js';
import type { PriceFeed } from './price.js';

const POLL_MS = 2_000;
const TIMEOUT_MS = 2_000;
/** The clocks of two machines are this far apart at most, mostly. */
const UNMINDED_MS = 2_000;
const FAILED_DELAY_MS = 4_000;
/** However long it asks to be left alone: no order of a token with a feed fires until it is asked again. */
const LONGEST_DELAY_MS = 10_000;
/** In bytes; with a thousand feeds, an answer has about a quarter of it. */
const MAX_ANSWER = 4 << 20;

export interface HermesDeps {
  /** Base URL of the service, without the path of a method. May hold a key: it is never logged. */
  url: string;
  /** Sent as a bearer token. */
  key: string | undefined;
  /** Feed id by mint. */
  feeds: Readonly<Record<string, string>>;
  maxAgeMs: number;
  maxConfidenceBps: number;
  clock: Clock;
  log: Logger;
  timeoutMs?: number;
  /** For tests: waits so many milliseconds, or rejects when the signal aborts. */
  sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

export interface Hermes extends PriceFeed {
  /** Stops polling, and aborts the request under way. */
  close(): Promise<void>;
}

/**
 * Prices of Pyth's Hermes HTTP API (`GET /v2/updates/price/latest`), polled every 2 seconds, and less often while it
 * refuses or fails. Resolves when the first request has been answered or has failed. A price is replaced only by one
 * that was published later. It is stale once it was published more than `maxAgeMs` ago, and left out while its
 * confidence interval is wider than `maxConfidenceBps`.
 */
export async function startHermes(deps: HermesDeps): Promise<Hermes> {
  const hermes = new PolledHermes(deps);
  await hermes.start();
  return hermes;
}

class PolledHermes implements Hermes {
  readonly source = 'hermes';
  readonly #deps: HermesDeps;
  readonly #known = new Map<string, Published>();
  readonly #feedOf: ReadonlyMap<string, string>;
  readonly #ids: string[];
  readonly #complaints: ReturnType<typeof createComplaints>;
  readonly #closing = new AbortController();
  readonly #listeners = createListeners();
  readonly onChange = this.#listeners.add;
  #attempt = new AbortController();
  #polling: Promise<void> | undefined;

  constructor(deps: HermesDeps) {
    this.#deps = deps;
    this.#feedOf = new Map(Object.entries(deps.feeds).map(([mint, feed]) => [mint, feed.toLowerCase()]));
    this.#ids = [...new Set(this.#feedOf.values())];
    this.#complaints = createComplaints(deps.log, new URL(deps.url).host);
  }

  async start(): Promise<void> {
    if (this.#ids.length === 0) return;
    const delay = await this.#poll();
    this.#polling = this.#keepPolling(delay);
  }

  covers(mint: Address): boolean {
    return this.#feedOf.has(mint);
  }

  read(mint: Address) {
    const { maxConfidenceBps, maxAgeMs, clock } = this.#deps;
    const feed = this.#feedOf.get(mint);
    const price = feed === undefined ? undefined : this.#known.get(feed);
    if (!price || price.confidence * 10_000 > price.usd * maxConfidenceBps) return undefined;
    // From the future where the clock was set back since: none that comes after it would be taken until it has caught up.
    return { ...price, stale: Math.abs(clock.now() - price.publishedAt) > maxAgeMs };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#attempt.abort();
    await this.#polling;
  }

  async #keepPolling(firstDelay: number): Promise<void> {
    const { sleep = pause } = this.#deps;
    for (let delay = firstDelay; ; delay = await this.#poll()) {
      try {
        await sleep(delay, this.#closing.signal);
      } catch {
        return;
      }
    }
  }

  /** Returns how long to wait until the next request, in milliseconds. */
  async #poll(): Promise<number> {
    const complaints = this.#complaints;
    this.#attempt = new AbortController();
    const answer = await fetchLatest(this.#deps, this.#ids, this.#attempt);
    if ('updates' in answer) {
      const missing = this.#ids.filter((id) => !answer.updates.has(id));
      if (missing.length > 0) complaints.add(`no usable price for ${missing.join(', ')}`);
      this.#take(answer.updates, this.#behindMs(answer.at, answer.updates));
      complaints.endOfRound();
      return POLL_MS;
    }
    if (!this.#closing.signal.aborted) complaints.add(answer.failed);
    complaints.endOfRound();
    return Math.min(LONGEST_DELAY_MS, Math.max(FAILED_DELAY_MS, answer.retryAfterMs));
  }

  /**
   * How far our clock is behind that of the source, beyond what nobody minds: all its prices would be from the future for as long, and no
   * order would fire. It is so by when it has answered, and by the newest of its prices. A difference of more than prices live is none.
   */
  #behindMs(at: number, updates: Map<string, Published>): number {
    const { clock, maxAgeMs } = this.#deps;
    const newest = Math.max(...[...updates.values()].map(({ publishedAt }) => publishedAt));
    const behind = Math.min(at, newest) - clock.now();
    if (!(behind > UNMINDED_MS && at - clock.now() <= maxAgeMs)) return 0;
    if (behind > MAX_AHEAD_MS)
      this.#complaints.add("this machine's clock is behind that of the price service: set it by NTP");
    return behind - UNMINDED_MS;
  }

  #take(updates: Map<string, Published>, behindMs: number): void {
    const { clock, maxAgeMs } = this.#deps;
    const isAhead = ({ publishedAt }: Published, byMs: number) => publishedAt > clock.now() + byMs;
    let isNew = false;
    // An answer may hold any number that nobody has asked for.
    for (const feed of this.#ids) {
      const [told, before] = [updates.get(feed), this.#known.get(feed)];
      if (!told) continue;
      const update = { ...told, publishedAt: told.publishedAt - behindMs };
      // One from the future, by which no order fires, keeps out none that come after it.
      const isRight = before && isAhead(before, MAX_AHEAD_MS) && !isAhead(update, MAX_AHEAD_MS);
      if (before && update.publishedAt <= before.publishedAt && !isRight) continue;
      if (isAhead(update, maxAgeMs)) this.#complaints.add('a price from the future');
      else {
        this.#known.set(feed, update);
        isNew = true;
      }
    }
    if (isNew) this.#listeners.tell();
  }
}

/** `at`: when it was written, by its source, in Unix milliseconds; NaN where that is not told. */
type Answer = { updates: Map<string, Published>; at: number } | { failed: string; retryAfterMs: number };

async function fetchLatest(deps: HermesDeps, ids: string[], attempt: AbortController): Promise<Answer> {
  const { url, key, timeoutMs = TIMEOUT_MS } = deps;
  const query = new URLSearchParams([
    ...ids.map((id): [string, string] => ['ids[]', id]),
    ['parsed', 'true'],
    // Otherwise one wrong id makes the whole request fail.
    ['ignore_invalid_price_ids', 'true'],
  ]);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    attempt.abort();
  }, timeoutMs);
  try {
    const response = await fetch(`${url}/v2/updates/price/latest?${query}`, {
      headers: { accept: 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) },
      signal: attempt.signal,
      // Elsewhere it would be an address of this network, at the word of the source.
      redirect: 'manual',
    });
    if (!response.ok) {
      await response.body?.cancel();
      const retryAfterMs = 1_000 * (Number(response.headers.get('retry-after')) || 0);
      const hint =
        response.status === 401 || response.status === 403 ? ': SLIPWAY_HERMES_KEY must hold its API key' : '';
      return { failed: `it answered ${response.status}${hint}`, retryAfterMs };
    }
    const at = Date.parse(response.headers.get('date') ?? '');
    return { updates: readUpdates(JSON.parse(await readBody(response, MAX_ANSWER))), at };
  } catch {
    // The error's own text may quote the URL.
    return { failed: isLate ? `no answer in ${timeoutMs} ms` : 'no usable answer', retryAfterMs: 0 };
  } finally {
    clearTimeout(timer);
  }
}

/** Logs each problem once, and again only after a round without it. */
function createComplaints(log: Logger, host: string) {
  let before = new Set<string>();
  let now = new Set<string>();
  return {
    add(reason: string): void {
      if (!before.has(reason) && !now.has(reason)) log.warn({ host, reason }, 'problem with the price service');
      now.add(reason);
    },
    endOfRound(): void {
      before = now;
      now = new Set();
    },
  };
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, { signal, ref: false });
}
