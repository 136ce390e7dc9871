import type { Logger } from 'pino';
import { WebSocket } from 'ws';
import type { Clock } from '../lib/clock.js';
import type { EventScore } from '../store/scores.js';
import type { ScoreFeed } from './feed.js';
import { type GameUpdate, readGameUpdate } from './polymarket-message.js';

export interface PolymarketDeps {
  /** Of the sports channel: ws or wss. */
  url: string;
  /** Which game is behind an event: event id -> the game's number or slug, as the channel has it. */
  games: Readonly<Record<string, string>>;
  clock: Clock;
  log: Logger;
  timing?: FeedTiming;
}

/** Milliseconds. */
export interface FeedTiming {
  /** How long the first attempt to connect again waits, at most. Each further one may wait twice as long. */
  firstRetryMs: number;
  maxRetryMs: number;
  /** A connection that is silent for this long is dead. */
  silenceMs: number;
}

/** The server is documented to ping every 5 seconds, and was seen to do so every 15. */
const TIMING: FeedTiming = { firstRetryMs: 1_000, maxRetryMs: 60_000, silenceMs: 40_000 };
const HANDSHAKE_MS = 10_000;
const MAX_FRAME_BYTES = 256 * 1024;

/**
 * Polymarket's public sports channel. It needs no subscription and reports every game; those behind an event are
 * published. What it sends while the connection is down is lost.
 */
export function createPolymarketFeed(deps: PolymarketDeps): ScoreFeed {
  return new PolymarketFeed(deps);
}

class PolymarketFeed implements ScoreFeed {
  readonly name = 'polymarket';
  readonly exclusive = true;
  readonly #url: string;
  readonly #host: string;
  readonly #timing: FeedTiming;
  readonly #log: Logger;
  readonly #toScores: (text: string) => EventScore[];
  #publish: ((score: EventScore) => void) | undefined;
  #socket: WebSocket | undefined;
  #retry: NodeJS.Timeout | undefined;
  #failures = 0;

  constructor({ url, games, clock, log, timing = TIMING }: PolymarketDeps) {
    this.#url = url;
    this.#host = new URL(url).host;
    this.#timing = timing;
    this.#log = log;
    this.#toScores = createReader(games, clock);
  }

  open(publish: (score: EventScore) => void): void {
    if (this.#publish !== undefined) return;
    this.#publish = publish;
    this.#failures = 0;
    this.#connect();
  }

  due(): void {}

  close(): void {
    this.#publish = undefined;
    clearTimeout(this.#retry);
    const last = this.#socket;
    this.#socket = undefined;
    last?.terminate();
  }

  #connect(): void {
    // Compression is refused: a few bytes could expand to very many.
    const options = { handshakeTimeout: HANDSHAKE_MS, maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false };
    const current = new WebSocket(this.#url, options);
    this.#socket = current;
    // The first: a socket that is ended before it is open reports that as an error of its own.
    let reason: string | undefined;
    const silence = setTimeout(() => {
      reason = 'silent for too long';
      current.terminate();
    }, this.#timing.silenceMs);
    const alive = () => {
      this.#failures = 0;
      silence.refresh();
    };
    const about = { feed: this.name, host: this.#host };
    current.on('open', () => this.#log.info(about, 'connected to the sports channel'));
    current.on('ping', alive);
    current.on('message', (data) => {
      if (this.#socket !== current) return;
      alive();
      this.#hear(String(data), current);
    });
    current.on('error', (error) => {
      reason ??= error.message;
    });
    current.on('close', () => {
      clearTimeout(silence);
      if (this.#socket === current) this.#connectLater(reason ?? 'closed');
    });
  }

  #connectLater(reason: string): void {
    const { maxRetryMs, firstRetryMs } = this.#timing;
    const longest = Math.min(maxRetryMs, firstRetryMs * 2 ** this.#failures);
    // Jitter, so that instances that lost the connection together do not come back together.
    const delayMs = Math.round(longest * (0.5 + Math.random() / 2));
    const about = { feed: this.name, host: this.#host, reason, delayMs };
    this.#log.warn(about, 'lost the connection to the sports channel; reconnecting');
    this.#failures += 1;
    this.#retry = setTimeout(() => this.#connect(), delayMs);
  }

  #hear(text: string, current: WebSocket): void {
    if (/^ping$/i.test(text)) current.send('pong');
    else for (const score of this.#toScores(text)) this.#publish?.(score);
  }
}

/** Creates the scores of the events that a message is about: none for a game that is behind no event. */
function createReader(games: PolymarketDeps['games'], clock: Clock): (text: string) => EventScore[] {
  const eventsOf = new Map<string, string[]>();
  for (const [eventId, game] of Object.entries(games)) eventsOf.set(game, [...(eventsOf.get(game) ?? []), eventId]);
  let lastArrival = 0;

  return (text) => {
    const update = readGameUpdate(text);
    if (update === undefined) return [];
    const eventIds = new Set(update.names.flatMap((name) => eventsOf.get(name) ?? []));
    if (eventIds.size === 0) return [];
    // Two messages within one millisecond keep their order, too.
    lastArrival = Math.max(clock.now(), lastArrival + 1);
    return [...eventIds].map((eventId) => toScore(eventId, update, lastArrival));
  };
}

/** A time of theirs that is ahead of our clock would keep later updates out, so the arrival time replaces it. */
function toScore(eventId: string, update: GameUpdate, arrival: number): EventScore {
  const { names: _, updatedAt, finishedAt, ...state } = update;
  const changed = Math.min(updatedAt ?? arrival, arrival);
  const score = { eventId, ...state, updatedAt: new Date(changed).toISOString() };
  if (!state.ended) return score;
  return { ...score, finishedTimestamp: new Date(Math.min(finishedAt ?? changed, arrival)).toISOString() };
}
