import type { EventScore } from '../store/scores.js';

/** One message of the feed: the state of a game, without the events that it belongs to. */
export interface GameUpdate extends Omit<EventScore, 'eventId' | 'updatedAt' | 'finishedTimestamp'> {
  /** What the game may be called in the configuration: its number, or its id with another provider where it has none, and its slug. */
  names: readonly string[];
  /** Unix milliseconds, where the message says. */
  updatedAt: number | undefined;
  finishedAt: number | undefined;
}

const MAX_TEXT = 200;
const HALF_PAIR = /\p{Cs}/u;

type Fields = Record<string, unknown>;

/**
 * Reads a message of Polymarket's public sports channel; undefined for one that is not the state of a game.
 * Every sport sends other fields (documentation: docs.polymarket.com/market-data/websocket/sports): what is common to
 * all are `live` and `ended`, and something to know the game by. `eventState` repeats the state and has its time.
 */
export function readGameUpdate(text: string): GameUpdate | undefined {
  const fields = parseObject(text);
  if (fields === undefined || typeof fields.live !== 'boolean' || typeof fields.ended !== 'boolean') return undefined;
  const number = textOf(fields.gameId) ?? textOf(fields.metadataGameId);
  const names = [number, textOf(fields.slug)].filter((name) => name !== null);
  const [gameId] = names;
  if (gameId === undefined) return undefined;
  const state = isObject(fields.eventState) ? fields.eventState : {};
  const times = [state.updatedAt, fields.updatedAt, fields.last_update].map(timeOf);
  return {
    names,
    gameId,
    live: fields.live && !fields.ended,
    ended: fields.ended,
    updatedAt: times.find((time) => time !== undefined),
    finishedAt: timeOf(fields.finishedTimestamp) ?? timeOf(fields.finished_timestamp),
    leagueAbbreviation: textOf(fields.leagueAbbreviation),
    homeTeam: textOf(fields.homeTeam),
    awayTeam: textOf(fields.awayTeam),
    score: textOf(fields.score),
    period: textOf(fields.period),
    elapsed: textOf(fields.elapsed),
    status: textOf(fields.status),
  };
}

function parseObject(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

/** PostgreSQL stores neither NUL nor half a surrogate pair. */
function textOf(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text === '' || text.length > MAX_TEXT) return null;
  return text.includes('\0') || HALF_PAIR.test(text) ? null : text;
}

function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return time >= 0 ? time : undefined;
}
